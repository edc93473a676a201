package dialect

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// metricsLoad fills in the load from two gauges of /metrics, summed over their
// labels (ranks, models). It reports whether it could. The body is bounded by
// Limits.MaxBody like any other.
func (c *Client) metricsLoad(ctx context.Context, x *Exchange, running, waiting string) bool {
	b, fail := c.call(ctx, x, "GET", "/metrics", nil)
	if fail != nil {
		if x.Status == 404 || x.Status == 501 {
			fail.Kind = FailUnoffered
		}
		return false
	}
	run, ok1 := sumGauge(b, running)
	wait, ok2 := sumGauge(b, waiting)
	if !ok1 && !ok2 {
		x.Fail = shape("/metrics holds neither %s nor %s", running, waiting)
		return false
	}
	x.Load = &Load{Running: run, Waiting: wait, Source: "GET /metrics"}
	return true
}

// sumGauge adds up the samples of one gauge in Prometheus's text format:
//
//	name{label="value",…} 3.0 [timestamp]
//
// It reads the lines of this name only, so that one odd line among thousands
// does not cost the answer.
func sumGauge(b []byte, name string) (sum int, ok bool) {
	total := 0.0
	for line := range bytes.Lines(b) {
		rest, isOurs := bytes.CutPrefix(line, []byte(name))
		if !isOurs || len(rest) == 0 {
			continue
		}
		if rest[0] == '{' {
			rest = afterLabels(rest)
		} else if rest[0] != ' ' && rest[0] != '\t' {
			continue // a longer name
		}
		fields := strings.Fields(string(rest))
		if len(fields) == 0 {
			continue
		}
		v, err := strconv.ParseFloat(fields[0], 64)
		if err != nil || math.IsNaN(v) {
			continue
		}
		total += v
		ok = true
	}
	if total < 0 || total > 1e9 {
		return 0, false
	}
	return int(math.Round(total)), ok
}

// afterLabels returns what follows {…}, in which strings may hold braces.
func afterLabels(b []byte) []byte {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = endOfString(b, i) - 1
		case '}':
			return b[i+1:]
		}
	}
	return nil
}

// containsMetric reports whether a line of /metrics starts with prefix.
func containsMetric(b []byte, prefix string) bool {
	return bytes.HasPrefix(b, []byte(prefix)) || bytes.Contains(b, []byte("\n"+prefix))
}

func shape(format string, args ...any) *Failure {
	return &Failure{Kind: FailShape, Message: fmt.Sprintf(format, args...)}
}
