package model

import (
	"encoding/json"
	"strconv"
)

// A tokenizer.json has some hundred thousand entries, of which a few matter.
// These functions walk over raw JSON without building it: each calls its
// function with the raw values, white space cut. They never fail: what is no
// JSON ends the walk.

// rawMembers walks the members of an object; keys come with their quotes.
func rawMembers(data []byte, member func(key, value []byte)) {
	i := space(data, 0)
	if i >= len(data) || data[i] != '{' {
		return
	}
	for i++; ; {
		i = space(data, i)
		if i >= len(data) || data[i] != '"' {
			return
		}
		end := endOfString(data, i)
		key := data[i:end]
		i = space(data, end)
		if i >= len(data) || data[i] != ':' {
			return
		}
		i = space(data, i+1)
		end = endOfValue(data, i)
		if end <= i {
			return
		}
		member(key, data[i:end])
		i = space(data, end)
		if i >= len(data) || data[i] != ',' {
			return
		}
		i++
	}
}

// members is rawMembers with the keys read.
func members(data []byte, member func(key string, value []byte)) {
	rawMembers(data, func(key, value []byte) {
		if s, ok := jsonString(key); ok {
			member(s, value)
		}
	})
}

// elements walks the elements of a list.
func elements(data []byte, element func(i int, value []byte)) {
	i := space(data, 0)
	if i >= len(data) || data[i] != '[' {
		return
	}
	i++
	for n := 0; ; n++ {
		i = space(data, i)
		end := endOfValue(data, i)
		if end <= i {
			return
		}
		element(n, data[i:end])
		i = space(data, end)
		if i >= len(data) || data[i] != ',' {
			return
		}
		i++
	}
}

func space(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
		i++
	}
	return i
}

// endOfValue returns where the value at i ends; i where there is none.
func endOfValue(data []byte, i int) int {
	if i >= len(data) {
		return i
	}
	switch data[i] {
	case '"':
		return endOfString(data, i)
	case '{', '[':
		deep := 0
		for ; i < len(data); i++ {
			switch data[i] {
			case '"':
				i = endOfString(data, i) - 1
			case '{', '[':
				deep++
			case '}', ']':
				if deep--; deep == 0 {
					return i + 1
				}
			}
		}
		return len(data)
	}
	for i < len(data) {
		switch data[i] {
		case ',', '}', ']', ' ', '\n', '\r', '\t':
			return i
		}
		i++
	}
	return i
}

func jsonString(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

func jsonInt(raw []byte) (int64, bool) {
	if len(raw) > 19 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil && n >= 0
}
