package stats

import (
	"encoding/json"
	"math"
	"os"
	"sync"
	"testing"
)

// recorded holds values from SciPy, see testdata/record.py.
type recorded struct {
	ClopperPearson []struct {
		K, N         int
		Conf, Lo, Hi float64
	} `json:"clopper_pearson"`
	ZeroEventsUpper []struct {
		N        int
		Conf, Hi float64
	} `json:"zero_events_upper"`
	RegularizedBeta []struct{ A, B, X, Value float64 } `json:"regularized_beta"`
	Categorical     []struct {
		LogitsP    []float64 `json:"logits_p"`
		LogprobsP  []float64 `json:"logprobs_p"`
		LogprobsQ  []float64 `json:"logprobs_q"`
		LogSumExp  float64
		Entropy    float64
		KL         float64
		Perplexity float64
	}
	MMD []struct {
		Prompts []PromptSamples
		MMD2    float64
	}
}

var loadRecorded = sync.OnceValues(func() (r recorded, err error) {
	data, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(data, &r)
})

func scipy(t *testing.T) recorded {
	t.Helper()
	r, err := loadRecorded()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// near fails unless got is want to the relative precision rel (absolute below 1e-12).
func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Abs(want)+1e-12) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

// rateAtMost fails if k of n is too often for a rate of at most p: if the exact
// 99.9 % interval for the rate lies above p.
func rateAtMost(t *testing.T, what string, k, n int, p float64) {
	t.Helper()
	lo, hi, err := ClopperPearson(k, n, 0.999)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d of %d, 99.9 %% interval [%.2g, %.2g], nominal %.2g", what, k, n, lo, hi, p)
	if lo > p {
		t.Errorf("%s: %d of %d is more often than %v", what, k, n, p)
	}
}
