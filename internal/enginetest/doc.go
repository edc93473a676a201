// Package enginetest is a test double of an LLM server whose answers are a real
// server's: a Front speaks one engine's dialect, an Upstream gives it the text,
// token ids and log-probabilities of a real llama.cpp with SmolLM2, and a Fault
// makes exactly one thing wrong on the way.
//
//	client -> Front (shape of SGLang, vLLM, llama.cpp, ollama, OpenAI)
//	       -> hooks of one Fault
//	       -> Cassette (recorded answers) or the live server
//
// # Two upstreams
//
// A Cassette replays what a real server said, so that tests need nothing but
// Go. Opened by Live, it asks a running server for what it does not hold yet.
// testdata/smollm2.json is recorded by running the whole suite over one:
//
//	bash test/engine/serve.sh llamacpp-smollm2 18081
//	KILTER_RECORD=http://127.0.0.1:18081 go test ./internal/enginetest -run Record
//
// KILTER_TEST_LLAMACPP=URL runs the same suite against the live server. A
// request that the cassette does not hold is an error that says so, never a
// made-up answer.
//
// # What is real and what is not
//
// Text, ids, numbers and token counts are the real server's, but for tool calls:
// SmolLM2 has no template for them, so a Front has the model write the call's
// arguments under the tool's own JSON schema. The other engines' shapes follow
// recorded answers where there are some (test/engine/testdata/fixtures) and
// their sources elsewhere. Streams are cut into events token by token from the
// whole answer.
package enginetest
