package model

import "strings"

// A suffix is an ending of a tensor's name that says its role.
type suffix struct {
	text string
	role Role
}

// suffixID is an index in suffixes, plus 1; 0 stands for a name without suffix.
type suffixID uint8

// suffixes are the last component of tensors' names, from the layouts of
// modelopt, compressed-tensors, DeepSeek's FP8, AutoGPTQ, AutoAWQ and GGUF.
var suffixes = []suffix{
	{"weight", Weight},
	{"bias", Bias},
	{"weight_packed", Packed},
	{"qweight", Packed},
	{"weight_scale", Scale},
	{"scales", Scale},
	{"weight_scale_inv", ScaleInv},
	{"weight_scale_2", GlobalScale},
	{"weight_global_scale", GlobalScale},
	{"input_scale", InputScale},
	{"input_global_scale", InputScale},
	{"weight_zero_point", ZeroPoint},
	{"qzeros", ZeroPoint},
	{"weight_g_idx", GroupIndex},
	{"g_idx", GroupIndex},
	{"weight_shape", PackedShape},
	{"pre_quant_scale", PreScale},
	{"k_scale", KScale},
	{"v_scale", VScale},
	{"q_scale", QScale},
	{"prob_scale", QScale},
	{"scale", GlobalScale}, // GGUF
	{"activation_scale", InputScale},
}

// joined are endings after an underscore: all experts are in one tensor, whose
// companions have its name and more (gpt-oss).
var joined = []suffix{
	{"_blocks", Packed},
	{"_weight_scale_2", GlobalScale},
	{"_weight_scale_inv", ScaleInv},
	{"_scale_inv", ScaleInv},
	{"_weight_scale", Scale},
	{"_input_scale", InputScale},
	{"_scales", Scale},
	{"_bias", Bias},
}

// splitName cuts a tensor's name into its module's name and its role there.
func splitName(name string) (module string, role Role, id suffixID) {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return name, Weight, 0
	}
	last := name[dot+1:]
	for i := range suffixes {
		if suffixes[i].text == last {
			return name[:dot], suffixes[i].role, suffixID(i + 1)
		}
	}
	if strings.HasSuffix(name[:dot], ".experts") {
		for i := range joined {
			if strings.HasSuffix(last, joined[i].text) {
				return name[:len(name)-len(joined[i].text)], joined[i].role, suffixID(len(suffixes) + i + 1)
			}
		}
	}
	return name, Weight, 0
}

// withSuffix is the inverse of splitName.
func withSuffix(module string, id suffixID) string {
	switch n := int(id); {
	case n == 0:
		return module
	case n <= len(suffixes):
		return module + "." + suffixes[n-1].text
	default:
		return module + joined[n-len(suffixes)-1].text
	}
}

// suffixOf returns the id of a suffix's text.
func suffixOf(text string) suffixID {
	for i := range suffixes {
		if suffixes[i].text == text {
			return suffixID(i + 1)
		}
	}
	for i := range joined {
		if joined[i].text == text {
			return suffixID(len(suffixes) + i + 1)
		}
	}
	return 0
}

// label is the suffix as a group of the quantisation map shows it.
func (id suffixID) label() string {
	switch n := int(id); {
	case n == 0:
		return "(itself)"
	case n <= len(suffixes):
		return suffixes[n-1].text
	default:
		return joined[int(id)-len(suffixes)-1].text
	}
}

// maxNumbers is how many numbers of a name are kept: layer and expert.
const maxNumbers = 2

// pattern replaces the numbers between dots by * into buf, and returns the
// first two.
func pattern(buf []byte, name string) (_ []byte, numbers [maxNumbers]int, found int) {
	numbers = [maxNumbers]int{-1, -1}
	for begin := 0; begin <= len(name); {
		end := strings.IndexByte(name[begin:], '.')
		if end < 0 {
			end = len(name)
		} else {
			end += begin
		}
		if begin > 0 {
			buf = append(buf, '.')
		}
		if n, ok := index(name[begin:end]); ok {
			if found < maxNumbers {
				numbers[found] = n
			}
			found++
			buf = append(buf, '*')
		} else {
			buf = append(buf, name[begin:end]...)
		}
		begin = end + 1
	}
	return buf, numbers, found
}

// index reads a number between dots: no sign, no leading zero, below a million.
func index(s string) (n int, ok bool) {
	if s == "" || len(s) > 6 || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}
