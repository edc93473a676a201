package verify_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"kilter/internal/catalog"
	"kilter/internal/dialect"
	"kilter/internal/stats"
	"kilter/internal/verify"
)

// The healthy runs of testdata/healthy were recorded on real servers, one file
// a model, each run with other seeds:
//
//	KILTER_RECORD_HEALTHY=smollm2=http://127.0.0.1:18081 KILTER_RECORD_RUNS=30 \
//	  go test ./internal/verify -run TestRecordHealthy -timeout 2h
func TestRecordHealthy(t *testing.T) {
	name, url, ok := strings.Cut(os.Getenv("KILTER_RECORD_HEALTHY"), "=")
	if !ok {
		t.Skip("set KILTER_RECORD_HEALTHY=NAME=URL to record healthy runs of a real server (test/engine/serve.sh starts one)")
	}
	runs, err := strconv.Atoi(os.Getenv("KILTER_RECORD_RUNS"))
	if err != nil {
		t.Fatalf("KILTER_RECORD_RUNS: %v", err)
	}
	level := verify.Smoke
	if l := os.Getenv("KILTER_RECORD_LEVEL"); l != "" {
		if level, err = verify.ParseLevel(l); err != nil {
			t.Fatal(err)
		}
	}
	know := healthyKnowledge(t)
	c, err := dialect.Connect(context.Background(), dialect.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var recs []*verify.Record
	for i := range runs {
		rec := verify.Run(context.Background(), c, verify.Options{
			ID: fmt.Sprintf("%s-%d", name, i), Level: level, Checks: verify.Checks(), Know: know, Seed: 1 + 100*i,
		})
		rep := verify.Judge(rec, verify.Selection{}, verify.Checks(), know)
		t.Logf("run %d: %s in %.1f s, %d requests", i, rep.Verdict, rec.Ended.Sub(rec.Started).Seconds(), rec.Cost.Requests)
		for oi := range rec.Observations {
			for si := range rec.Observations[oi].Shots {
				if x := rec.Observations[oi].Shots[si].Exchange; x != nil {
					x.Body, x.Sent = "", nil // judged by none, and large
				}
			}
		}
		recs = append(recs, rec)
	}
	f, err := os.Create(filepath.Join("testdata", "healthy", name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(z).Encode(recs); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func healthyKnowledge(t *testing.T) *catalog.Verify {
	t.Helper()
	know, err := catalog.LoadVerify()
	if err != nil {
		t.Fatal(err)
	}
	return know
}

func healthyRuns(t *testing.T) map[string][]*verify.Record {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "healthy", "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded healthy runs (%v)", err)
	}
	out := map[string][]*verify.Record{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		var recs []*verify.Record
		if err := json.NewDecoder(z).Decode(&recs); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_ = f.Close()
		out[strings.TrimSuffix(filepath.Base(name), ".json.gz")] = recs
	}
	return out
}

// Recorded runs of healthy servers raise no alarm.
func TestHealthyRuns(t *testing.T) {
	know := healthyKnowledge(t)
	for name, recs := range healthyRuns(t) {
		for _, rec := range recs {
			rep := verify.Judge(rec, verify.Selection{}, verify.Checks(), know)
			if rep.Verdict != verify.Consistent {
				t.Errorf("%s, run %s: %s by %s: %s", name, rec.ID, rep.Verdict, rep.Cause, rep.Reason)
			}
		}
	}
}

// Observations of healthy runs, put together anew, raise no alarm: each shot of
// a replay is that of a run drawn at random. KILTER_REPLAYS=10000 runs the
// number that docs/verify.md reports; the default keeps the test short.
func TestResampledHealthyRuns(t *testing.T) {
	replays := 300
	if s := os.Getenv("KILTER_REPLAYS"); s != "" {
		var err error
		if replays, err = strconv.Atoi(s); err != nil {
			t.Fatalf("KILTER_REPLAYS: %v", err)
		}
	}
	know := healthyKnowledge(t)
	runs := healthyRuns(t)
	names := make([]string, 0, len(runs))
	for name := range runs {
		names = append(names, name)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	alarms := 0
	for i := range replays {
		recs := runs[names[i%len(names)]]
		rec := *recs[rng.IntN(len(recs))]
		rec.Observations = append([]verify.Observation(nil), rec.Observations...)
		for oi := range rec.Observations {
			o := &rec.Observations[oi]
			o.Shots = append([]verify.Shot(nil), o.Shots...)
			for si := range o.Shots {
				// The same question, as another run saw it.
				other := recs[rng.IntN(len(recs))]
				if s := other.Shot(o.Probe, o.Shots[si].Label); s != nil {
					o.Shots[si] = *s
				}
			}
		}
		rep := verify.Judge(&rec, verify.Selection{}, verify.Checks(), know)
		if rep.Verdict != verify.Consistent {
			alarms++
			if alarms <= 5 {
				t.Errorf("replay %d of %s: %s by %s: %s", i, rec.Server.Model, rep.Verdict, rep.Cause, rep.Reason)
			}
		}
	}
	upper, err := stats.ZeroEventsUpper(replays, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d alarms in %d replays (none: below %.2g of such replays with 95 %% confidence; they are drawn from %d runs, so this is no rate of servers)",
		alarms, replays, upper, len(runs[names[0]])*len(names))
}
