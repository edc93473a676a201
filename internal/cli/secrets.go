package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kilter/internal/deployment"
	"kilter/internal/evidence"
)

// secrets are what proves to a server who asks. They are read here, go into
// requests, and nowhere else.
type secrets struct {
	apiKey, againstKey string
	headers            http.Header
	// settings say where they came from.
	settings []Setting
}

// settleSecrets reads keys and headers. A key is never a flag's value: every
// user of the machine could see it in the list of processes.
func (o *VerifyOptions) settleSecrets() error {
	var inFile deployment.Endpoint
	if o.file != nil {
		inFile = o.file.Endpoint
	}
	if o.Replay != "" || o.List {
		return nil
	}
	var source string
	var err error
	if o.secrets.apiKey, source, err = o.readKey(o.APIKeyFile, "--api-key-file", "KILTER_API_KEY", inFile.APIKey); err != nil {
		return err
	}
	o.secrets.add("api-key", o.secrets.apiKey, true, source)
	if err := o.readHeaders(inFile.Headers); err != nil {
		return err
	}
	if o.secrets.againstKey, source, err = o.readKey(o.AgainstKey, "--against-api-key-file", "KILTER_AGAINST_API_KEY", deployment.Secret{}); err != nil {
		return err
	}
	o.secrets.add("against-api-key", o.secrets.againstKey, true, source)
	return nil
}

func (s *secrets) add(name, value string, secret bool, source string) {
	switch {
	case value == "":
		value = "-"
	case secret:
		value = evidence.Hidden
	}
	s.settings = append(s.settings, Setting{Name: name, Value: value, Source: source})
}

// readKey finds an API key: in the file that a flag names, in a variable, in
// the file that a second variable names, or where the deployment file says.
func (o *VerifyOptions) readKey(file, flag, env string, deployed deployment.Secret) (key, source string, err error) {
	source = fromDefault
	switch {
	case file != "":
		source = flag + " " + file
		key, err = firstLine(file)
	case o.IO.Getenv(env) != "":
		source, key = env, o.IO.Getenv(env)
	case o.IO.Getenv(env+"_FILE") != "":
		source = env + "_FILE " + o.IO.Getenv(env+"_FILE")
		key, err = firstLine(o.IO.Getenv(env + "_FILE"))
	case !deployed.IsZero():
		source = o.File + " endpoint.api_key (" + deployed.String() + ")"
		key, err = o.readSecret(deployed)
	}
	if err != nil && o.ExplainConfig {
		// What is wrong with it is what is asked for.
		return "", source + ": " + err.Error(), nil
	}
	if err != nil {
		return "", "", usagef("%s: %w", source, err)
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", "", usagef("%s: the key holds a control character, which no header can carry", source)
	}
	return key, source, nil
}

// readSecret reads a secret where a deployment file says that it lies.
func (o *VerifyOptions) readSecret(s deployment.Secret) (string, error) {
	if s.Env != "" {
		v := o.IO.Getenv(s.Env)
		if v == "" {
			return "", fmt.Errorf("the environment has no %s", s.Env)
		}
		return v, nil
	}
	return firstLine(beside(o.File, s.File))
}

// readHeaders joins the deployment file's headers with those of --header (or
// KILTER_HEADER, one a line), which win by name.
func (o *VerifyOptions) readHeaders(deployed map[string]deployment.Value) error {
	o.secrets.headers = http.Header{}
	from := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(deployed)) {
		v := deployed[name].Text
		if s := deployed[name].Secret; !s.IsZero() {
			var err error
			if v, err = o.readSecret(s); err != nil && !o.ExplainConfig {
				return usagef("%s: endpoint.headers.%s: %w", o.File, name, err)
			}
		}
		o.secrets.headers.Set(name, v)
		from[http.CanonicalHeaderKey(name)] = o.File + " endpoint.headers"
	}
	lines, source := o.Header, "--header"
	if env := o.IO.Getenv("KILTER_HEADER"); len(lines) == 0 && env != "" {
		lines, source = strings.Split(strings.TrimSpace(env), "\n"), "KILTER_HEADER"
	}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !ok:
			// The line may be a secret: it is not repeated.
			return usagef("%s: a header has a colon after its name", source).hint("write --header 'NAME: VALUE'")
		case !headerName(name):
			return usagef("%s: %q is no name of a header", source, name).hint("write --header 'NAME: VALUE'")
		case strings.ContainsAny(value, "\r\n\x00"):
			return usagef("%s: the value of %s is more than one line", source, name)
		}
		key := http.CanonicalHeaderKey(name)
		if from[key] == source {
			o.secrets.headers.Add(name, value)
		} else {
			o.secrets.headers.Set(name, value)
		}
		from[key] = source
	}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		// Gateways invent names for keys, so no value is shown.
		o.secrets.add("header "+name, "set", true, from[name])
	}
	return nil
}

func headerName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// firstLine reads the first line of a file, without the spaces around it.
func firstLine(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	line, err := bufio.NewReader(io.LimitReader(f, 64<<10)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if line = strings.TrimSpace(line); line == "" {
		return "", errors.New("its first line is empty")
	}
	return line, nil
}

// beside resolves a path that a file names against that file's folder.
func beside(file, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}
