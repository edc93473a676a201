package verify

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"kilter/internal/dialect"
)

// A fakeAsker answers by a function, and counts. Its clock moves only when it
// is told to.
type fakeAsker struct {
	server dialect.Server
	answer func(n int, r dialect.Request) dialect.Exchange
	load   func() *dialect.Load

	mu   sync.Mutex
	n    int
	seen []dialect.Request
}

func (f *fakeAsker) Server() dialect.Server { return f.server }

func (f *fakeAsker) Requests() int { f.mu.Lock(); defer f.mu.Unlock(); return len(f.seen) }

func (f *fakeAsker) Do(ctx context.Context, r dialect.Request) dialect.Exchange {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, r)
	if ctx.Err() != nil {
		return dialect.Exchange{Op: r.Op, Fail: &dialect.Failure{Kind: dialect.FailCancelled, Message: "cancelled"}}
	}
	if r.Op == dialect.OpLoad {
		if f.load == nil {
			return dialect.Exchange{Op: r.Op, Fail: &dialect.Failure{Kind: dialect.FailUnoffered, Message: "not offered"}}
		}
		return dialect.Exchange{Op: r.Op, Status: 200, Load: f.load()}
	}
	f.n++
	x := f.answer(f.n, r)
	x.Op = r.Op
	return x
}

// generated counts the requests that asked for text.
func (f *fakeAsker) generated() (n, tokens int) {
	for _, r := range f.seen {
		if r.Op == dialect.OpChat || r.Op == dialect.OpCompletion {
			n++
			tokens += r.MaxTokens
		}
	}
	return n, tokens
}

// says builds a whole answer with one token a byte of text.
func says(text string) dialect.Exchange {
	return dialect.Exchange{
		Status: 200, Total: 10 * time.Millisecond,
		Answer: &dialect.Answer{
			Model:   "m",
			Choices: []dialect.Choice{{Content: &text, FinishReason: ptr("stop")}},
			Usage:   &dialect.Usage{Prompt: ptr(9), Completion: ptr(len(text)), Total: ptr(9 + len(text))},
		},
	}
}

func fails(kind dialect.FailKind, status int) dialect.Exchange {
	return dialect.Exchange{Status: status, Fail: &dialect.Failure{Kind: kind, Message: "it failed: " + string(kind)}}
}

// nanAnswer is the incident's second answer.
func nanAnswer() dialect.Exchange {
	x := says("")
	x.Answer.Choices[0].MatchedStop = json.RawMessage(`"NaN happened"`)
	return x
}

func fakeServer() dialect.Server {
	return dialect.Server{Engine: dialect.SGLang, Version: "0.5.9", Model: "m", Models: []string{"m"}}
}
