// Package dialect speaks to LLM servers over HTTP: it recognises which engine
// answers behind a URL from that engine's own endpoints, and lets the rest of
// kilter ask for text, log-probabilities, token ids and load in one neutral
// form (Request, Exchange), whatever the engine calls them.
//
// # What differs between engines
//
// SGLang, vLLM, llama.cpp and ollama all serve /v1/chat/completions, and each
// differs where it matters for judging output: the reasoning channel is
// `reasoning` in one and `reasoning_content` in another; llama.cpp has two
// shapes of log-probabilities; a NaN is null in one server's JSON and a bare
// NaN, which is no JSON at all, in another's; SGLang marks a token id outside
// the vocabulary by `matched_stop: "NaN happened"`. An Exchange keeps such
// differences as data (Number, MatchedStop, Channel) in place of smoothing
// them over, since they are evidence.
//
// # Failures are answers too
//
// Client.Do never returns an error: a refused connection, a stream that ends
// in the middle or a web page in place of JSON are recorded in the Exchange as
// a Failure, so that they can be stored, replayed and judged like any answer.
// Only Connect returns an error, since nothing can be judged before a server
// is recognised.
//
// # Recognition
//
// Connect asks for /v1/models, whose owned_by says which engine wrote it, and
// then only for that engine's own endpoints, which have to bear it out: two
// requests for vLLM and llama.cpp, three for SGLang and ollama, at most seven
// where nothing is known. None generates text. What is read becomes facts. An
// engine that cannot be confirmed, as behind a gateway that lets only /v1
// through, is taken for a generic server, to which no engine's own members are
// ever sent.
//
// # Secrets
//
// Exchanges, facts and errors are redacted before they leave this package, and
// cut only after that, since half a key is not recognised. In an Answer, which
// is what the model said and is judged, only this run's own key is replaced.
//
// # Bounds
//
// A server under test is not trusted. Bodies, lines and streams have limits,
// every request has a deadline in all and a shorter one between two bytes, and
// no goroutine outlives the call that started it.
package dialect
