package deployment

// Schema is the first line of every deployment file.
const Schema = "kilter.deployment/v1"

// A Deployment is one served model.
type Deployment struct {
	Schema string `yaml:"schema"`
	// Name tells deployments of one target apart: it is part of unit,
	// container and file names.
	Name     string   `yaml:"name"`
	Model    Model    `yaml:"model,omitempty"`
	Engine   Engine   `yaml:"engine,omitempty"`
	Target   Target   `yaml:"target,omitempty"`
	Endpoint Endpoint `yaml:"endpoint"`
	Ready    Ready    `yaml:"ready,omitempty"`
	MustHold MustHold `yaml:"must_hold,omitempty"`
	Limits   Limits   `yaml:"limits,omitempty"`
}

// A Model is what is served.
type Model struct {
	// Path is where the target finds the weights: a folder, a file or a hub id.
	Path string `yaml:"path,omitempty"`
	// ServedName is the id that requests name; empty: the one that is listed.
	ServedName string `yaml:"served_name,omitempty"`
}

// The engines that kilter has adapters for.
const (
	SGLang   = "sglang"
	VLLM     = "vllm"
	LlamaCPP = "llamacpp"
)

// An Engine is the program that serves, and how it is started.
type Engine struct {
	Name string `yaml:"name,omitempty"`
	// Version is a release, such as 0.5.9. Commit is set for a build from a
	// branch, which is no release, however near it is to one.
	Version string `yaml:"version,omitempty"`
	Commit  string `yaml:"commit,omitempty"`
	// Command comes before the flags: [python, -m, sglang.launch_server].
	Command []string `yaml:"command,omitempty"`
	Flags   Flags    `yaml:"flags,omitempty"`
	// Env is added to the environment of the target.
	Env map[string]Value `yaml:"env,omitempty"`
}

// The kinds of target.
const (
	Process   = "process"
	Systemd   = "systemd"
	Container = "container"
)

// A Target is where a deployment runs. Of the last three members, the one of
// the kind may be set.
type Target struct {
	Kind string `yaml:"kind,omitempty"`
	// Host is user@host for OpenSSH; empty: this machine.
	Host      string           `yaml:"host,omitempty"`
	Process   *ProcessTarget   `yaml:"process,omitempty"`
	Systemd   *SystemdTarget   `yaml:"systemd,omitempty"`
	Container *ContainerTarget `yaml:"container,omitempty"`
}

// A ProcessTarget is a child process that kilter supervises.
type ProcessTarget struct {
	Dir string `yaml:"dir,omitempty"` // working directory
	Log string `yaml:"log,omitempty"` // file for its output
}

// A SystemdTarget is a unit of the system or of the user.
type SystemdTarget struct {
	Unit string `yaml:"unit"`
	// Scope is system (default) or user.
	Scope string `yaml:"scope,omitempty"`
}

// A ContainerTarget is a container of docker or podman.
type ContainerTarget struct {
	// Runtime is docker (default) or podman.
	Runtime string `yaml:"runtime,omitempty"`
	Name    string `yaml:"name"`
	// Image is pinned: name@sha256:…, or an image id.
	Image string `yaml:"image,omitempty"`
}

// An Endpoint is how the server is reached from where kilter runs.
type Endpoint struct {
	URL    string `yaml:"url"`
	APIKey Secret `yaml:"api_key,omitempty"`
	// Headers are sent with every request.
	Headers map[string]Value `yaml:"headers,omitempty"`
	// CAFile holds the certificates to trust, in PEM.
	CAFile string `yaml:"ca_file,omitempty"`
}

// Ready says when the server has started.
type Ready struct {
	// Path answers 200 when it has; empty: the engine's own.
	Path string `yaml:"path,omitempty"`
	// Timeout is how long loading may take; zero leaves it to the command.
	Timeout Duration `yaml:"timeout,omitempty"`
}

// MustHold is what has to be true of the running server.
type MustHold struct {
	// Level is the level of verify: smoke, standard or deep; empty: smoke.
	Level string `yaml:"level,omitempty"`
	// Oracle: it has to agree with its own weights.
	Oracle bool `yaml:"oracle,omitempty"`
	// Baseline is a run to compare with: an id or "last".
	Baseline string `yaml:"baseline,omitempty"`
}

// Limits bound what kilter may do to a deployment.
type Limits struct {
	// Flags are globs over the names of the flags that may change; none: no
	// flag may.
	Flags []string `yaml:"flags,omitempty"`
	// Downtime is how long it may be down in one transaction.
	Downtime Duration `yaml:"downtime,omitempty"`
}
