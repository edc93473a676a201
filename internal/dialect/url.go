package dialect

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// endpoints are paths that people paste along with a server's address, longest
// first. The part before them is the base.
var endpoints = []string{
	"/v1/chat/completions", "/chat/completions", "/v1/completions", "/v1/models",
	"/v1/responses", "/v1/messages", "/v1/health", "/health", "/v1",
}

// ParseURL returns the base of the server that a user's URL names: without a
// trailing slash and without /v1 or what follows it, so that the address of an
// endpoint can be pasted. A path before that, such as a gateway's prefix, is
// kept. The error says what is wrong and how a URL should look.
func ParseURL(s string) (base string, err error) {
	const want = "a server's URL looks like http://host:8000"
	s = strings.TrimSpace(s)
	if s == "" {
		return "", fmt.Errorf("the server's URL is empty: %s", want)
	}
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		return "", fmt.Errorf("%q has no http:// or https:// before it: write http://%s", s, strings.TrimLeft(s, "/"))
	}
	scheme = strings.ToLower(scheme)
	if scheme != "http" && scheme != "https" {
		return "", fmt.Errorf("%q starts with %s://, and kilter speaks http:// and https:// only", hidePassword(s), scheme)
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil {
		// The error of url.Parse quotes the URL with any password in it.
		return "", fmt.Errorf("%q is not a URL: %s", hidePassword(s), want)
	}
	if u.Hostname() == "" {
		return "", fmt.Errorf("%q names no host: %s", hidePassword(s), want)
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return "", fmt.Errorf("%q has port %s: a port is a number from 1 to 65535", hidePassword(s), p)
		}
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q holds a query or a fragment, which kilter would not send: leave out all from %q on",
			hidePassword(s), map[bool]string{true: "?", false: "#"}[u.RawQuery != ""])
	}
	u.Host = strings.ToLower(u.Host)
	path := strings.TrimRight(u.EscapedPath(), "/")
	for trimmed := true; trimmed; {
		trimmed = false
		for _, e := range endpoints {
			if p, ok := strings.CutSuffix(path, e); ok {
				path, trimmed = strings.TrimRight(p, "/"), true
				break
			}
		}
	}
	u.Path, u.RawPath = "", ""
	return strings.TrimRight(u.String(), "/") + path, nil
}

// hidePassword removes what stands between :// and @.
func hidePassword(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return s
	}
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		return scheme + "://[redacted]@" + rest[i+1:]
	}
	return s
}
