package stats

import (
	"fmt"
	"math/rand/v2"
)

// PromptSamples are the answers that two servers gave to one prompt, each a
// sequence of token ids or of runes ([]rune(text) is an []int32). Token ids see
// more, and runes compare servers that do not show their tokens.
type PromptSamples struct {
	A, B [][]int32
}

// MMDResult is the outcome of a two-sample test.
type MMDResult struct {
	MMD2 float64 // unbiased estimate of the squared MMD, 0 in the mean if the servers are equal; may be negative
	P    float64 // permutation p-value, in [1/(1+permutations), 1]
}

// MMDHamming tests whether two servers answer with the same distribution,
// given several answers of each to each of several prompts. It compares
// distributions and not single answers, so it also serves at temperature > 0.
//
// For one prompt, with x padded and cut to L positions (L is the longest
// answer, at most maxLen; 0 means no limit; a pad equals a pad),
//
//	k(x, y) = (1/L) sum_{i=1}^L 1[x_i = y_i]
//	MMD2    = mean_{i != j} k(a_i, a_j) + mean_{i != j} k(b_i, b_j) - 2 mean_{i,j} k(a_i, b_j)
//
// and the statistic is the mean over prompts. Answers to different prompts are
// never compared. Source: I. Gao, P. Liang, C. Guestrin, "Model Equality
// Testing: Which Model Is This API Serving?", ICLR 2025,
// https://arxiv.org/abs/2410.20247 (they pool pairs over prompts, which is the
// same for equal numbers of answers).
//
// The p-value compares with random relabelings within each prompt,
//
//	P = (1 + #{permuted MMD2 >= observed}) / (1 + permutations),
//
// and is valid, P(P <= t) <= t under equality, for any number of permutations,
// if the answers to a prompt are exchangeable: independent draws, sent to A and
// B alike. What it sees is each position's marginal distribution; two servers
// that differ in how positions depend on one another alone look equal.
//
// Each prompt needs two answers of each server. The same seed gives the same P.
func MMDHamming(prompts []PromptSamples, maxLen, permutations int, seed uint64) (MMDResult, error) {
	if len(prompts) == 0 || permutations < 1 || maxLen < 0 {
		return MMDResult{}, fmt.Errorf("stats: MMDHamming needs prompts, permutations >= 1 and maxLen >= 0, got %d, %d and %d",
			len(prompts), permutations, maxLen)
	}
	strata := make([]gram, len(prompts))
	observed := 0.0
	for i, p := range prompts {
		if len(p.A) < 2 || len(p.B) < 2 {
			return MMDResult{}, fmt.Errorf("stats: MMDHamming needs two answers of each server to each prompt, prompt %d has %d and %d",
				i, len(p.A), len(p.B))
		}
		strata[i] = newGram(p, maxLen)
		observed += strata[i].mmd2()
	}
	// Permutations that tie with the observed labelling may differ from it by
	// rounding in the sum over prompts; they have to count.
	threshold := observed - 1e-12*float64(len(prompts))
	rng := rand.New(rand.NewPCG(seed, 0x6d6d64))
	atLeast := 0
	for range permutations {
		sum := 0.0
		for i := range strata {
			strata[i].relabel(rng)
			sum += strata[i].mmd2()
		}
		if sum >= threshold {
			atLeast++
		}
	}
	return MMDResult{
		MMD2: observed / float64(len(prompts)),
		P:    float64(1+atLeast) / float64(1+permutations),
	}, nil
}

// gram holds how many positions match between every two answers to one prompt,
// and which of them are labelled A. Sums stay integers, so a relabelling that
// changes nothing gives the same statistic to the last bit.
type gram struct {
	n, nA   int
	length  int     // L
	matches []int32 // n x n, symmetric; the diagonal is not used
	rows    []int64 // sum of each row without its diagonal
	total   int64   // sum over i < j
	order   []int32 // a permutation of the answers; the first nA are labelled A
}

func newGram(p PromptSamples, maxLen int) gram {
	answers := make([][]int32, 0, len(p.A)+len(p.B))
	answers = append(append(answers, p.A...), p.B...)
	g := gram{n: len(answers), nA: len(p.A)}
	for i, a := range answers {
		if maxLen > 0 && len(a) > maxLen {
			answers[i] = a[:maxLen]
		}
		g.length = max(g.length, len(answers[i]))
	}
	g.matches = make([]int32, g.n*g.n)
	g.rows = make([]int64, g.n)
	g.order = make([]int32, g.n)
	for i := range answers {
		g.order[i] = int32(i)
		for j := range i {
			m := matching(answers[i], answers[j], g.length)
			g.matches[i*g.n+j], g.matches[j*g.n+i] = m, m
			g.rows[i] += int64(m)
			g.rows[j] += int64(m)
			g.total += int64(m)
		}
	}
	return g
}

// matching counts equal positions of x and y, both padded to length.
func matching(x, y []int32, length int) int32 {
	if len(x) > len(y) {
		x, y = y, x
	}
	m := int32(length - len(y)) // pads in both
	for i, v := range x {
		if v == y[i] {
			m++
		}
	}
	return m
}

// relabel gives the label A to a random subset of the same size.
func (g *gram) relabel(rng *rand.Rand) {
	for i := range g.nA {
		j := i + rng.IntN(g.n-i)
		g.order[i], g.order[j] = g.order[j], g.order[i]
	}
}

// mmd2 is the unbiased squared MMD for the present labels.
func (g *gram) mmd2() float64 {
	if g.length == 0 {
		return 0 // nobody said anything
	}
	var within, rows int64 // within A, over i < j; and from A to all
	for i, a := range g.order[:g.nA] {
		rows += g.rows[a]
		row := g.matches[int(a)*g.n : int(a+1)*g.n]
		for _, b := range g.order[:i] {
			within += int64(row[b])
		}
	}
	across := rows - 2*within
	rest := g.total - within - across
	nA, nB := float64(g.nA), float64(g.n-g.nA)
	return (2*float64(within)/(nA*(nA-1)) + 2*float64(rest)/(nB*(nB-1)) - 2*float64(across)/(nA*nB)) / float64(g.length)
}
