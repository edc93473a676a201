package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kilter/internal/evidence"
	"kilter/internal/stats"
)

// A BaselineDiff says what changed since an earlier run.
type BaselineDiff struct {
	// Run and Started name the earlier run; Verdict was its verdict, judged
	// again by this kilter.
	Run     string `json:"run"`
	Started string `json:"started"`
	Verdict Word   `json:"verdict"`
	// Server lists the facts of the server that differ, such as "version:
	// 0.5.9 -> 0.5.10".
	Server []string `json:"server,omitempty"`
	// Checks lists the checks whose status differs.
	Checks []StatusChange `json:"checks,omitempty"`
	// Texts counts greedy answers that are and are not the same to the letter.
	SameTexts  int `json:"same_texts"`
	OtherTexts int `json:"other_texts"`
	// TTFT and Decode compare the speeds.
	TTFT   *SpeedChange `json:"ttft,omitempty"`
	Decode *SpeedChange `json:"decode,omitempty"`
}

// A StatusChange is a check whose outcome differs between two runs.
type StatusChange struct {
	Check string `json:"check"`
	Was   Status `json:"was"`
	Is    Status `json:"is"`
}

// A SpeedChange compares medians: Ratio is new over old, with the interval
// [Low, High] at 95 %. The interval is that of the noise inside both runs.
type SpeedChange struct {
	Was   float64 `json:"was"`
	Is    float64 `json:"is"`
	Ratio float64 `json:"ratio"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Compare says what changed from an earlier run to this one. Both are reports
// of records that the same kilter judged, so that a change of a rule does not
// look like a change of the server.
func Compare(was, is *Report, wasRec, isRec *Record) *BaselineDiff {
	d := &BaselineDiff{Run: was.Run, Started: was.Started.Format(time.RFC3339), Verdict: was.Verdict}
	for _, f := range []struct{ name, was, is string }{
		{"engine", string(was.Server.Engine), string(is.Server.Engine)},
		{"version", was.Server.Version, is.Server.Version},
		{"model", was.Server.Model, is.Server.Model},
		{"model path", was.Server.ModelPath, is.Server.ModelPath},
		{"quantization", was.Server.Quantization, is.Server.Quantization},
		{"max context", strconv.Itoa(was.Server.MaxContext), strconv.Itoa(is.Server.MaxContext)},
	} {
		if f.was != f.is {
			d.Server = append(d.Server, fmt.Sprintf("%s: %s -> %s", f.name, orDefault(f.was, "unknown"), orDefault(f.is, "unknown")))
		}
	}
	d.Server = append(d.Server, changedFlags(was.Server.Facts, is.Server.Facts)...)
	for _, r := range is.Results {
		if old, ok := was.Result(r.Check); ok && old.Status != r.Status && old.Status != Skipped && r.Status != Skipped {
			d.Checks = append(d.Checks, StatusChange{Check: r.Check, Was: old.Status, Is: r.Status})
		}
	}
	old := map[string]string{}
	for _, a := range (&Input{Record: wasRec}).greedy() {
		old[a.probe+"/"+a.shot.Label] = a.text
	}
	for _, a := range (&Input{Record: isRec}).greedy() {
		if text, ok := old[a.probe+"/"+a.shot.Label]; ok {
			if text == a.text {
				d.SameTexts++
			} else {
				d.OtherTexts++
			}
		}
	}
	d.TTFT = speedChange(was.Speed.TTFT, is.Speed.TTFT)
	d.Decode = speedChange(was.Speed.Decode, is.Speed.Decode)
	return d
}

// changedFlags lists the engine's flags that differ, as far as both servers
// tell them.
func changedFlags(was, is []evidence.Fact) []string {
	var out []string
	for _, f := range is {
		if !strings.HasPrefix(f.What, "engine.flags.") {
			continue
		}
		if old, ok := evidence.Find(was, f.What); ok && fmt.Sprint(old.Value) != fmt.Sprint(f.Value) {
			out = append(out, fmt.Sprintf("--%s: %v -> %v", strings.ReplaceAll(strings.TrimPrefix(f.What, "engine.flags."), "_", "-"), old.Value, f.Value))
		}
	}
	return out
}

// speedChange compares medians with a bootstrap interval; nil where a side has
// too few samples for one.
func speedChange(was, is []float64) *SpeedChange {
	ratio, lo, hi, err := stats.MedianRatio(was, is, 0.95, 1)
	if err != nil {
		return nil
	}
	return &SpeedChange{Was: median(was), Is: median(is), Ratio: ratio, Low: lo, High: hi}
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}
