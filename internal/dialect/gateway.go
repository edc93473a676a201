package dialect

import (
	"net/http"
	"slices"
	"strings"
)

// gatewayHeaders are those, or the beginnings of those, that proxies and API
// gateways add. No engine sends one.
var gatewayHeaders = []string{
	"Via", "X-Litellm-", "Cf-Ray", "X-Envoy-", "X-Kong-", "X-Served-By", "X-Portkey-", "X-Amz-Cf-", "X-Amzn-",
	"X-Azure-Ref", "Apim-Request-Id", "X-Cache", "X-Openrouter-", "Helicone-", "X-Bifrost-", "X-Apisix-",
	"X-Gateway-", "X-Varnish", "X-Vercel-", "Fly-Request-Id",
}

// gatewayServers are values of the Server header of programs that stand before
// an engine, as against uvicorn (SGLang, vLLM) and llama.cpp.
var gatewayServers = []string{
	"openresty", "nginx", "cloudflare", "envoy", "kong", "caddy", "traefik", "haproxy", "apisix", "awselb",
	"apache", "litellm", "istio", "google frontend", "gws", "vercel", "akamai", "tengine", "fly/",
}

// gatewaySigns returns what in a response says that something stands between
// kilter and the engine.
func gatewaySigns(h http.Header) []string {
	var signs []string
	add := func(name string) {
		value := strings.TrimSpace(h.Get(name))
		signs = append(signs, strings.TrimSpace("header "+name+": "+value))
	}
	var names []string
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	family := map[string]bool{} // one sign a family is enough
	for _, name := range names {
		for _, g := range gatewayHeaders {
			if name == g || strings.HasSuffix(g, "-") && strings.HasPrefix(name, g) {
				if !family[g] {
					family[g] = true
					add(name)
				}
				break
			}
		}
	}
	server := strings.ToLower(h.Get("Server"))
	for _, g := range gatewayServers {
		if strings.HasPrefix(server, g) || strings.Contains(server, "-"+g) {
			add("Server")
			break
		}
	}
	return signs
}
