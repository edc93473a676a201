package verify

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"kilter/internal/dialect"
)

// textChecks judge what was written, without knowing what is true.
func textChecks() []*Check {
	garbage := []string{"text.nan_marker", "text.token_zero"}
	all := append([]string(nil), garbage...)
	all = append(all, "text.scraps", "text.salad", "text.constant")
	return []*Check{
		{
			ID: "text.nan_marker", Question: "Does the engine itself say that a NaN happened?",
			Ceiling: Wrongs, Essential: true, Probes: freeProbes, Judge: judgeNaNMarker,
		},
		{
			ID: "text.token_zero", Question: "Are answers free of runs of token 0 (\"!!!!\")?",
			Ceiling: Wrongs, Essential: true, DependsOn: []string{"text.nan_marker"}, Probes: freeProbes, Judge: judgeTokenZero,
		},
		{
			ID: "text.empty", Question: "Does text come for the tokens that are spent?",
			Ceiling: Wrongs, DependsOn: []string{"text.nan_marker", "text.null_channels"}, Probes: freeProbes, Judge: judgeEmpty,
		},
		{
			ID: "text.null_channels", Question: "Is at least one of content and reasoning there?",
			Ceiling: Wrongs, DependsOn: []string{"text.nan_marker"}, Probes: freeProbes, Judge: judgeNullChannels,
		},
		{
			ID: "text.scraps", Question: "Is there more in the answers than blanks and commas?",
			Ceiling: Wrongs, DependsOn: garbage, Probes: freeProbes, Judge: judgeScraps,
		},
		{
			ID: "text.constant", Question: "Do different questions get different answers?",
			Ceiling: Wrongs, DependsOn: append([]string{"text.scraps"}, garbage...), Probes: freeProbes, Judge: judgeConstant,
		},
		{
			ID: "text.salad", Question: "Are answers language, not tokens drawn at random?",
			Ceiling: Wrongs, DependsOn: append([]string{"numbers.uniform"}, garbage...), Probes: freeProbes, Judge: judgeSalad,
		},
		{
			ID: "text.reserved_tokens", Question: "Are answers free of reserved and padding tokens?",
			Ceiling: Wrongs, DependsOn: garbage, Probes: freeProbes, Judge: judgeReserved,
		},
		{
			ID: "text.utf8", Question: "Is all text valid UTF-8?",
			Ceiling: Degrades, DependsOn: all, Probes: freeProbes, Judge: judgeUTF8,
		},
		{
			ID: "text.script", Question: "Do English questions get answers in English letters?",
			Ceiling: Degrades, DependsOn: append([]string{"text.utf8"}, all...), Probes: freeProbes, Judge: judgeScript,
		},
		{
			ID: "text.loop_token", Question: "Does no answer get stuck on one token?",
			Ceiling: Degrades, DependsOn: append([]string{"text.reserved_tokens"}, all...), Probes: freeProbes, Judge: judgeLoopToken,
		},
		{
			ID: "text.loop_phrase", Question: "Does no answer repeat one phrase to its end?",
			Ceiling: Degrades, DependsOn: append([]string{"text.loop_token", "text.reserved_tokens"}, all...), Probes: freeProbes, Judge: judgeLoopPhrase,
		},
		{
			ID: "text.never_stops", Question: "Do short answers end by themselves?",
			Ceiling: Degrades, DependsOn: append([]string{"text.loop_phrase", "text.loop_token", "text.reserved_tokens", "text.empty", "text.null_channels", "contract.finish_reason"}, all...),
			Probes: freeProbes, Judge: judgeNeverStops,
		},
		{
			ID: "text.seeds", Question: "Do different seeds give different answers at temperature 1?",
			Ceiling: Degrades, DependsOn: append([]string{"text.loop_phrase", "text.loop_token"}, all...), Probes: []string{probeSampling}, Judge: judgeSeeds,
		},
	}
}

func judgeNaNMarker(in *Input) Outcome {
	as := in.answers(func(string, *Shot) bool { return true })
	if len(as) == 0 {
		return in.noAnswers()
	}
	for _, a := range as {
		for _, m := range in.Know.NaNMarkers {
			said := ""
			switch {
			case a.choice.FinishReason != nil && strings.Contains(*a.choice.FinishReason, m.Text):
				said = "finish_reason"
			case strings.Contains(string(a.choice.MatchedStop), m.Text):
				said = "matched_stop"
			default:
				continue
			}
			o := Failed(Wrongs, "the engine ends an answer with %s %q: a token id outside the vocabulary was sampled", said, m.Text)
			o.Certain = true
			return o.With(around(a.probe, a.shot, m.Text))
		}
	}
	return Passed("no answer ends with a marker of NaN")
}

// judgeTokenZero looks for answers that are nothing but the text of token id
// 0, and for long runs of it at the end of others.
func judgeTokenZero(in *Input) Outcome {
	as := in.free()
	if len(as) == 0 {
		return in.noAnswers()
	}
	run, tail := int(in.Know.Limit("token_zero_run")), int(in.Know.Limit("token_zero_tail"))
	var whole, late []answer
	prompts := map[string]bool{}
	token := ""
	nan := false
	for _, a := range as {
		for _, tz := range in.Know.TokenZero {
			switch n, all := runOf(a.text, tz.Text); {
			case all && n >= run:
				whole = append(whole, a)
				prompts[promptOf(a.shot)] = true
				token = tz.Text
				nan = nan || notFinite(a)
			case n >= 4*run && n*len(tz.Text) >= tail:
				late = append(late, a)
				if token == "" {
					token = tz.Text
				}
			}
		}
		if len(whole) == 0 && len(late) == 0 && allZeroIDs(a, run) {
			whole = append(whole, a)
			prompts[promptOf(a.shot)] = true
			token = a.choice.Logprobs[0].Token
			nan = nan || notFinite(a)
		}
	}
	switch {
	case len(whole) > 0:
		o := Failed(Wrongs, "answers are nothing but %s: token 0, the arg-max of a NaN row, again and again", quote(strings.Repeat(token, 4)))
		// One such answer could be a joke of the model's; two, or one without
		// numbers behind it, can't.
		o.Certain = len(prompts) >= 2 || nan
		return o.With(whole[0].exhibit())
	case len(late) > 0:
		return Failed(Wrongs, "an answer that began as text ends in a run of %s (token 0)", quote(strings.Repeat(token, 4))).
			With(tailExhibit(late[0]))
	}
	return Passed("no run of token 0 in %s", plural(len(as), "answer"))
}

func promptOf(s *Shot) string {
	if len(s.Request.Messages) > 0 {
		return s.Request.Messages[len(s.Request.Messages)-1].Content
	}
	return s.Request.Prompt
}

func tailExhibit(a answer) Exhibit {
	e := a.exhibit()
	t := a.text
	if n := len(t) - maxExhibit/2; n > 0 {
		for n < len(t) && t[n]&0xC0 == 0x80 {
			n++
		}
		t = "…" + t[n:]
	}
	e.Text = t
	return e
}

// runOf counts how often piece stands at the end of the trimmed text in a row,
// blanks between allowed, and whether there is nothing else.
func runOf(text, piece string) (n int, all bool) {
	t := strings.TrimSpace(text)
	for strings.HasSuffix(t, piece) {
		n++
		t = strings.TrimRight(strings.TrimSuffix(t, piece), " \t\r\n")
	}
	return n, n > 0 && t == ""
}

// notFinite reports whether the answer's own log-probabilities are null or NaN.
func notFinite(a answer) bool {
	for _, t := range a.choice.Logprobs {
		if t.Logprob.Kind == dialect.Null || t.Logprob.Kind == dialect.NaN {
			return true
		}
	}
	return false
}

// allZeroIDs reports whether at least run tokens were generated and every id is 0.
func allZeroIDs(a answer, run int) bool {
	if len(a.choice.Logprobs) < run {
		return false
	}
	for _, t := range a.choice.Logprobs {
		if t.ID == nil || *t.ID != 0 {
			return false
		}
	}
	return true
}

func judgeEmpty(in *Input) Outcome {
	return in.judgeVoid(func(c *dialect.Choice) bool {
		return (c.Content != nil || c.Reasoning != nil) && strings.TrimSpace(c.Text()) == ""
	}, "an empty text")
}

func judgeNullChannels(in *Input) Outcome {
	return in.judgeVoid(func(c *dialect.Choice) bool {
		return c.Content == nil && c.Reasoning == nil
	}, "neither content nor reasoning (both null)")
}

// judgeVoid finds answers for which tokens were spent and nothing is there.
func (in *Input) judgeVoid(void func(*dialect.Choice) bool, what string) Outcome {
	as := in.free()
	if len(as) == 0 {
		return in.noAnswers()
	}
	spent := int(in.Know.Limit("empty_tokens"))
	var bad []answer
	judged := 0
	ended := map[string]bool{}
	for _, a := range as {
		if len(a.choice.ToolCalls) > 0 || hiddenReasoning(a) {
			continue
		}
		judged++
		if void(a.choice) && a.cutShort && a.tokens < thinkingRoom {
			continue // perhaps reasoning that the server keeps to itself
		}
		if void(a.choice) && a.tokens >= spent {
			bad = append(bad, a)
			if !a.cutShort {
				ended[promptOf(a.shot)] = true
			}
		}
	}
	switch {
	case len(bad) == 0:
		return Passed("all of %s have text for their tokens", plural(judged, "answer"))
	case len(ended) >= 2 && 2*len(bad) >= judged:
		// Answers that were cut may have spent their tokens on reasoning that
		// the server keeps to itself; answers that ended have no such excuse.
		return Failed(Wrongs, "%d of %d answers spend tokens (%d in the first) on %s", len(bad), judged, bad[0].tokens, what).With(bad[0].exhibit())
	}
	return Failed(Degrades, "%d of %d answers spend tokens (%d in the first) on %s", len(bad), judged, bad[0].tokens, what).With(bad[0].exhibit())
}

// hiddenReasoning reports whether most tokens went into reasoning, as the
// server counts it, which it need not show.
func hiddenReasoning(a answer) bool {
	u := a.x.Answer.Usage
	return u != nil && u.Reasoning != nil && a.tokens > 0 && 2**u.Reasoning >= a.tokens
}

// judgeScraps finds answers that are blanks, commas and quotes.
func judgeScraps(in *Input) Outcome {
	as := in.free()
	if len(as) == 0 {
		return in.noAnswers()
	}
	least, share := int(in.Know.Limit("scraps_chars")), in.Know.Limit("scraps_letters")
	var bad []answer
	judged := 0
	prompts := map[string]bool{}
	for _, a := range as {
		letters, marks, n := scrapCount(a.text)
		if n < least {
			continue
		}
		judged++
		// All blanks is a scrap too; anything else must be mostly light marks:
		// a code fence or a row of dashes is not.
		if float64(letters) < share*float64(letters+marks) && 4*marks >= 3*(n-blanks(a.text)) || letters+marks == 0 && blanks(a.text) == n {
			bad = append(bad, a)
			prompts[promptOf(a.shot)] = true
		}
	}
	switch {
	case len(bad) == 0:
		return Passed("no answer is made of blanks and commas")
	case len(prompts) >= 2:
		return Failed(Wrongs, "%d of %d answers are blanks, commas and quotes: %s", len(bad), judged, quote(bad[0].text)).With(bad[0].exhibit())
	}
	return Failed(Degrades, "an answer is blanks, commas and quotes: %s", quote(bad[0].text)).With(bad[0].exhibit())
}

// judgeConstant finds servers that answer everything with the same text.
func judgeConstant(in *Input) Outcome {
	least := int(in.Know.Limit("constant_answers"))
	groups := map[string][]answer{} // by how they begin
	var beginnings []string
	questions := map[string]bool{}
	for _, a := range in.free() {
		questions[promptOf(a.shot)] = true
		// Models that reason begin their reasoning alike; it must be the same
		// as a whole.
		key := firstRunes(strings.TrimSpace(a.content), 24)
		if key == "" {
			key = strings.TrimSpace(a.text)
		}
		if key == "" {
			continue
		}
		if groups[key] == nil {
			beginnings = append(beginnings, key)
		}
		groups[key] = append(groups[key], a)
	}
	if len(questions) < least {
		if len(questions) == 0 {
			return in.noAnswers()
		}
		return Unsure("only %s asked", plural(len(questions), "different question"))
	}
	for _, key := range beginnings {
		group := groups[key]
		longest := ""
		for _, a := range group {
			if t := strings.TrimSpace(a.text); len(t) > len(longest) {
				longest = t
			}
		}
		// A phrase that opens every answer is a habit, if they then go on
		// differently: each must be the same as far as it goes.
		same := map[string]bool{}
		for _, a := range group {
			if strings.HasPrefix(longest, strings.TrimSpace(a.text)) {
				same[promptOf(a.shot)] = true
			}
		}
		if len(same) >= least && 2*len(same) >= len(questions) {
			o := Failed(Wrongs, "%d of %d different questions get the same answer, which begins %s", len(same), len(questions), quote(key))
			if words, common, _ := wordCount(longest, in.Know.Common); words >= 5 && 5*common >= words {
				// A sentence: a guard that refuses everything, perhaps.
				o.Effect = Degrades
			}
			return o.With(group[0].exhibit())
		}
	}
	return Passed("%d questions, %d different beginnings", len(questions), len(beginnings))
}

func firstRunes(s string, n int) string {
	i := 0
	for pos := range s {
		if i == n {
			return s[:pos]
		}
		i++
	}
	return s
}

// judgeSalad finds text that no language has: many scripts in one answer, or
// English prose without its common words.
func judgeSalad(in *Input) Outcome {
	as := in.free()
	if len(as) == 0 {
		return in.noAnswers()
	}
	scriptsMax := int(in.Know.Limit("salad_scripts"))
	minWords, minShare := int(in.Know.Limit("salad_words")), in.Know.Limit("salad_common")
	judged := 0
	for _, a := range as {
		// A letter or two of a script can be a sign or a loan word.
		counts, letters := scriptCount(a.text)
		mixed := 0
		for name, n := range counts {
			if n < 2 {
				delete(counts, name)
				continue
			}
			mixed++
		}
		if mixed >= scriptsMax && 10*counts["Latin"] < 9*letters {
			return Failed(Wrongs, "one answer mixes letters of %d scripts (%s)", mixed, scriptNames(counts)).With(a.exhibit())
		}
		if !a.shot.Prose {
			continue
		}
		words, common, latin := wordCount(a.text, in.Know.Common)
		if words < minWords || !latin || loops(a.text, int(in.Know.Limit("loop_tokens")), 3) {
			continue
		}
		judged++
		if share := float64(common) / float64(words); share < minShare {
			// A language that the catalogue does not know has no common words
			// either;
			// but such a model still adds, copies and writes JSON, and its prose
			// has no words like getElement_by.
			o := Warned("%d words of what should be English prose hold %d common words of any language that is known", words, common)
			if in.knowsNothing() || len(oddWord.FindAllString(a.text, 2)) == 2 {
				o = Failed(Wrongs, "%d words of what should be English prose hold %d common words of any language, and either pieces of code or nothing else that is right: tokens drawn at random", words, common)
			}
			o.Numbers = map[string]float64{"common_word_share": share}
			return o.With(a.exhibit())
		}
	}
	if judged == 0 {
		return Unsure("no answer was long enough to tell")
	}
	return Passed("%s of prose read like language", plural(judged, "answer"))
}

// oddWord matches joints that prose does not have: lower before upper case, an
// underscore or a digit inside a word.
var oddWord = regexp.MustCompile(`\p{Ll}\p{Lu}|\pL[_\d]\pL`)

func judgeReserved(in *Input) Outcome {
	as := in.free()
	if len(as) == 0 {
		return in.noAnswers()
	}
	hits := 0
	var first answer
	var found, means string
	prompts := map[string]bool{}
	for _, a := range as {
		for i := range in.Know.Reserved {
			p := &in.Know.Reserved[i]
			if m := p.Find(a.text); m != "" {
				if hits == 0 {
					first, found, means = a, m, p.Means
				}
				hits++
				prompts[promptOf(a.shot)] = true
				break
			}
		}
	}
	switch {
	case hits == 0:
		return Passed("none in %s", plural(len(as), "answer"))
	case in.Server.NoTemplate:
		return Failed(Note, "%d of %d answers show %s (%s), as a model that continues plain text may", hits, len(as), found, means).
			With(around(first.probe, first.shot, found))
	case len(prompts) >= 2:
		return Failed(Wrongs, "%d of %d answers show %s (%s)", hits, len(as), found, means).With(around(first.probe, first.shot, found))
	}
	return Failed(Degrades, "an answer shows %s (%s)", found, means).With(around(first.probe, first.shot, found))
}

func judgeUTF8(in *Input) Outcome {
	as := in.free()
	if len(as) == 0 {
		return in.noAnswers()
	}
	for _, a := range as {
		if a.choice.BadUTF8 && !a.cutShort {
			return Failed(Degrades, "an answer holds bytes that are no UTF-8").With(a.exhibit())
		}
	}
	for _, a := range as {
		t := a.text
		if a.cutShort {
			// The limit may have ended it inside a character.
			t = strings.TrimRight(t, string(utf8.RuneError))
		}
		if n := strings.Count(t, string(utf8.RuneError)); n > 0 {
			return Failed(Degrades, "an answer holds %d replacement characters (U+FFFD): pieces of characters that were put together wrongly", n).With(a.exhibit())
		}
	}
	return Passed("valid in %s", plural(len(as), "answer"))
}

func judgeScript(in *Input) Outcome {
	as := in.free()
	if len(as) == 0 {
		return in.noAnswers()
	}
	limit := in.Know.Limit("script_share")
	var stray, foreign *answer
	var strayName string
	foreigners := 0
	for i, a := range as {
		// Reasoning may be in whatever language the model thinks in.
		counts, letters := scriptCount(a.content)
		counted := false
		for name, n := range counts {
			if name == "Latin" || name == "Greek" {
				continue
			}
			if n >= 4 && float64(n) >= limit*float64(letters) {
				o := Failed(Degrades, "an English question is answered with %d %s letters of %d", n, name, letters)
				if in.small() || in.Server.NoTemplate {
					o.Effect = Note
				}
				// A sampled answer may stray once.
				greedy := a.shot.Request.Temperature != nil && *a.shot.Request.Temperature == 0
				if !counted {
					counted = true
					foreigners++
				}
				if greedy || foreigners > 1 {
					return o.With(a.exhibit())
				}
				foreign = &as[i]
			}
			stray, strayName = &as[i], name
		}
	}
	if foreign != nil {
		return Warned("one sampled answer is in letters of another script").With(foreign.exhibit())
	}
	if stray != nil {
		return Warned("a few %s letters in an answer to an English question", strayName).With(stray.exhibit())
	}
	return Passed("%s, all in Latin letters", plural(len(as), "answer"))
}
