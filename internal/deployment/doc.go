// Package deployment holds the types of a deployment file: what serves a model,
// where it runs, how to reach it, what must hold of it and what kilter may
// change. It reads such a file strictly and does nothing else.
//
//	schema: kilter.deployment/v1
//	name: qwen
//	model:
//	  path: /srv/models/Qwen3.5-397B-A17B-NVFP4
//	engine:
//	  name: sglang
//	  version: 0.5.9
//	  flags:
//	    --tp: 8
//	    --attention-backend: triton
//	target:
//	  kind: systemd
//	  host: ops@gpu1
//	  systemd: {unit: sglang-qwen.service}
//	endpoint:
//	  url: http://gpu1:30000
//	  api_key: {file: /run/secrets/qwen-key}
//	must_hold:
//	  level: standard
//
// # Secrets
//
// A deployment file is kept in version control, so it never holds a key: it
// says where the key is (Secret). A literal in a place that is known to hold
// a secret is an error.
//
// # Strictness
//
// An unknown field, a field twice, a second document and a value of the wrong
// kind are errors with file, line, column and a caret, all of them at once. A
// misspelt flag limit that is silently ignored could cost an outage.
package deployment
