package verify

import (
	"sort"
	"strings"
	"unicode"
)

// scrapCount counts letters and digits, light marks (commas, periods, quotes,
// semicolons, colons, hyphens), and all runes.
func scrapCount(s string) (letters, marks, n int) {
	for _, r := range s {
		n++
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			letters++
		case strings.ContainsRune(",.;:'\"`-、，。", r):
			marks++
		}
	}
	return letters, marks, n
}

func blanks(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// scripts are those told apart; letters of others count as "other".
var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latin", unicode.Latin}, {"Greek", unicode.Greek}, {"Cyrillic", unicode.Cyrillic}, {"Han", unicode.Han},
	{"Japanese", unicode.Hiragana}, {"Japanese", unicode.Katakana}, {"Hangul", unicode.Hangul}, {"Arabic", unicode.Arabic},
	{"Hebrew", unicode.Hebrew}, {"Thai", unicode.Thai}, {"Devanagari", unicode.Devanagari}, {"Bengali", unicode.Bengali},
	{"Tamil", unicode.Tamil}, {"Georgian", unicode.Georgian}, {"Armenian", unicode.Armenian}, {"Khmer", unicode.Khmer},
	{"Ethiopic", unicode.Ethiopic}, {"Myanmar", unicode.Myanmar}, {"Telugu", unicode.Telugu}, {"Gujarati", unicode.Gujarati},
}

// scriptCount counts letters by script.
func scriptCount(s string) (counts map[string]int, letters int) {
	counts = map[string]int{}
	for _, r := range s {
		if !unicode.IsLetter(r) || unicode.Is(unicode.Common, r) || unicode.Is(unicode.Inherited, r) {
			continue
		}
		letters++
		name := "other"
		for _, sc := range scripts {
			if unicode.Is(sc.table, r) {
				name = sc.name
				break
			}
		}
		counts[name]++
	}
	return counts, letters
}

func scriptNames(counts map[string]int) string {
	names := make([]string, 0, len(counts))
	for n := range counts {
		names = append(names, n)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// wordCount counts words and those that are common; latin is false when most
// letters are of another script.
func wordCount(s string, isCommon func(string) bool) (words, common int, latin bool) {
	counts, letters := scriptCount(s)
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		words++
		if isCommon(strings.Trim(w, "'")) {
			common++
		}
	}
	return words, common, letters > 0 && 2*counts["Latin"] > letters
}

// stuck reports whether an answer ends in one token repeated: by its tokens
// where they are known, else by a short piece of text (up to four runes).
func stuck(a answer, least int) bool {
	if toks := a.choice.Logprobs; len(toks) >= 16 && len(toks) == a.tokens {
		n, last := 0, toks[len(toks)-1]
		for i := len(toks) - 1; i >= 0 && toks[i].Token == last.Token; i-- {
			n++
		}
		return n >= 16 && strings.TrimSpace(last.Token) != ""
	}
	t := strings.TrimSpace(a.text)
	for period := 1; period <= 4; period++ {
		if n := period * copiesAtEnd(t, period); n >= least && n > period*8 {
			return true
		}
	}
	return false
}

// loops reports whether text ends in at least copies copies of one piece which
// together are at least least bytes long.
func loops(text string, least, copies int) bool {
	t := strings.TrimSpace(text)
	for period := 1; period <= len(t)/copies && period <= 400; period++ {
		if n := copiesAtEnd(t, period); n >= copies && n*period >= least {
			return true
		}
	}
	return false
}

// copiesAtEnd counts how many copies of its last period bytes text ends in.
func copiesAtEnd(t string, period int) int {
	if period <= 0 || len(t) < period {
		return 0
	}
	same := 0
	for i := len(t) - 1 - period; i >= 0 && t[i] == t[i+period]; i-- {
		same++
	}
	return 1 + same/period
}
