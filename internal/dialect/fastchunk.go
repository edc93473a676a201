package dialect

// A fastChunk reads the events that make up nearly all of a stream, those with
// a piece of text and nothing unusual, several times faster than encoding/json
// and without allocating. It gives up on anything else, however slightly
// unusual; decodeAnswer is what decides then. FuzzFastChunk holds the two equal
// wherever fastChunk does not give up.
type fastChunk struct {
	b []byte
	i int

	answer  wireAnswer
	choices [4]wireChoice
	deltas  [4]wireMessage
	scratch []byte
}

// decode parses an event. What it returns is valid until the next call. With
// headKnown, the members that are the same in each event are not copied.
func (p *fastChunk) decode(b []byte, headKnown bool) (*wireAnswer, bool) {
	p.b, p.i = b, 0
	p.answer = wireAnswer{}
	p.scratch = p.scratch[:0]
	w := &p.answer
	ok := p.object(func(key []byte) (seen uint32, ok bool) {
		switch string(key) {
		case "id":
			return 1, p.head(&w.ID, headKnown)
		case "model":
			return 2, p.head(&w.Model, headKnown)
		case "system_fingerprint":
			return 4, p.head(&w.Fingerprint, headKnown)
		case "object":
			raw, _, ok := p.str()
			return 8, ok && string(raw) == "chat.completion.chunk" || string(raw) == "text_completion"
		case "created":
			n, ok := p.integer()
			w.Created = looseInt{n, true}
			return 16, ok
		case "choices":
			return 32, p.readChoices()
		}
		return 0, p.harmless(key)
	})
	p.space()
	return w, ok && p.i == len(p.b)
}

func (p *fastChunk) readChoices() bool {
	if !p.byte('[') {
		return false
	}
	n := 0
	for p.space(); !p.byte(']'); n++ {
		if n > 0 && !p.byte(',') || n == len(p.choices) {
			return false
		}
		p.space()
		c := &p.choices[n]
		*c = wireChoice{}
		ok := p.object(func(key []byte) (uint32, bool) {
			switch string(key) {
			case "index":
				i, ok := p.integer()
				c.Index = looseInt{i, true}
				return 1, ok
			case "delta":
				c.Delta = &p.deltas[n]
				return 2, p.delta(c.Delta)
			case "text":
				return 4, p.text(&c.Text)
			case "finish_reason":
				from := p.i
				if p.null() {
					return 8, true
				}
				_, escaped, ok := p.str()
				c.FinishReason = p.b[from:p.i]
				return 8, ok && !escaped
			}
			return 0, p.harmless(key)
		})
		if !ok {
			return false
		}
		p.space()
	}
	p.answer.Choices = p.choices[:n]
	return true
}

func (p *fastChunk) delta(m *wireMessage) bool {
	*m = wireMessage{}
	return p.object(func(key []byte) (uint32, bool) {
		switch string(key) {
		case "role":
			raw, escaped, ok := p.str()
			if string(raw) == "assistant" {
				m.Role = "assistant"
			}
			return 1, ok && !escaped && m.Role != ""
		case "content":
			return 2, p.text(&m.Content)
		case "reasoning_content":
			return 4, p.text(&m.ReasoningContent)
		case "reasoning":
			return 8, p.text(&m.Reasoning)
		}
		return 0, p.harmless(key)
	})
}

// object reads an object, calling member with each key when the value is next.
// A member that comes twice gives up.
func (p *fastChunk) object(member func(key []byte) (bit uint32, ok bool)) bool {
	if !p.byte('{') {
		return false
	}
	var seen uint32
	p.space()
	if p.byte('}') {
		return true
	}
	for {
		key, escaped, ok := p.str()
		if !ok || escaped {
			return false
		}
		p.space()
		if !p.byte(':') {
			return false
		}
		p.space()
		bit, ok := member(key)
		if !ok || seen&bit != 0 {
			return false
		}
		seen |= bit
		p.space()
		if p.byte('}') {
			return true
		}
		if !p.byte(',') {
			return false
		}
		p.space()
	}
}

// harmless skips the null of a member that is not read or would change nothing.
// Its name is in lower case, since encoding/json takes "Content" for content.
func (p *fastChunk) harmless(key []byte) bool {
	for _, c := range key {
		if (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return p.null()
}

func (p *fastChunk) head(dst *looseString, known bool) bool {
	from := p.i
	_, escaped, ok := p.str()
	if ok && !known {
		_ = dst.UnmarshalJSON(p.b[from:p.i])
	}
	return ok && !escaped
}

func (p *fastChunk) text(dst *rawText) bool {
	if p.null() {
		*dst = rawText{}
		return true
	}
	from := p.i
	raw, escaped, ok := p.str()
	if !ok {
		return false
	}
	dst.b, dst.set = raw, true
	if escaped {
		start := len(p.scratch)
		p.scratch, ok = unquote(p.scratch, p.b[from:p.i])
		dst.b = p.scratch[start:]
	}
	return ok
}

// str reads a string and returns what stands between its quotes.
func (p *fastChunk) str() (raw []byte, escaped, ok bool) {
	if !p.byte('"') {
		return nil, false, false
	}
	b := p.b
	for i := p.i; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			raw = b[p.i:i]
			p.i = i + 1
			return raw, escaped, true
		case c == '\\':
			escaped = true
			i++
		case c < 0x20:
			return nil, false, false
		}
	}
	return nil, false, false
}

func (p *fastChunk) integer() (n int, ok bool) {
	from := p.i
	for p.i < len(p.b) && p.b[p.i] >= '0' && p.b[p.i] <= '9' {
		n = n*10 + int(p.b[p.i]-'0')
		p.i++
	}
	digits := p.i - from
	return n, digits > 0 && digits < 16 && (digits == 1 || p.b[from] != '0')
}

func (p *fastChunk) null() bool {
	if p.i+4 <= len(p.b) && string(p.b[p.i:p.i+4]) == "null" {
		p.i += 4
		return true
	}
	return false
}

func (p *fastChunk) byte(c byte) bool {
	if p.i < len(p.b) && p.b[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *fastChunk) space() {
	for p.i < len(p.b) && (p.b[p.i] == ' ' || p.b[p.i] == '\n' || p.b[p.i] == '\r' || p.b[p.i] == '\t') {
		p.i++
	}
}
