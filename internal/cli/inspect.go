package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/problem"
	"kilter/internal/model"
)

// InspectOptions are those of kilter inspect.
type InspectOptions struct {
	*factory
	Path       string
	Revision   string
	GPUs       int
	Memory     float64 // GiB of one GPU
	TP, EP, PP int
	KV         string
	Context    int
	Output     string
}

const inspectLong = `Say what a checkpoint is, before it is deployed: architecture, which layers are
linear and which full attention, experts, parameters, how the tensors are
really stored beside what the configuration claims, what the KV cache of a
token and of a request takes, and what each GPU would hold.

PATH is a folder, a model of the hub cache, an index, one safetensors file or a
GGUF. Only headers and small files are read, never weights; kilter audit reads
those.`

const inspectExamples = `A model that was downloaded:

  kilter inspect /models/Qwen3.5-397B-A17B-NVFP4
  kilter inspect ~/.cache/huggingface/hub/models--Qwen--Qwen3-8B
  kilter inspect smollm2-135m-instruct-q4_1.gguf

What fits on 8 GPUs of 96 GiB, and with an FP8 cache:

  kilter inspect /models/big --gpus 8 --gpu-memory 96
  kilter inspect /models/big --gpus 8 --gpu-memory 96 --kv-dtype fp8 --context 32768`

const inspectExit = `0  described; what differs or could not be read is on the page
1  kilter itself failed
2  called in a wrong way, or there is no model at PATH`

func newInspectCmd(f *factory, runF func(context.Context, *InspectOptions) error) *cobra.Command {
	o := &InspectOptions{factory: f}
	cmd := &cobra.Command{
		Use:         "inspect PATH",
		Short:       "Say what a checkpoint is: layers, formats, memory per GPU",
		Long:        inspectLong,
		Example:     inspectExamples,
		Annotations: map[string]string{exitStatus: inspectExit},
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 1:
				return nil
			case 0:
				return usagef("which model? its path is missing").hint("kilter inspect PATH describes the model in a folder or a file")
			}
			return usagef("inspect describes one model, and got %q too", args[1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Path = args[0]
			if err := o.check(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return runInspect(cmd.Context(), o)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *InspectOptions) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	const place = "FLAGS: WHERE IT WOULD RUN"
	flags.Var(countValue{&o.GPUs}, "gpus", "`NUMBER` of GPUs (default: what --tp and --pp take)")
	flags.Var(gibValue{&o.Memory}, "gpu-memory", "memory of one GPU in `GIB`; 10 % of it are not counted on")
	flags.Var(countValue{&o.TP}, "tp", "tensor parallelism over `NUMBER` GPUs (default: all GPUs)")
	flags.Var(countValue{&o.EP}, "ep", "expert parallelism over `NUMBER` of these (default 1)")
	flags.Var(countValue{&o.PP}, "pp", "pipeline parallelism in `NUMBER` stages (default 1)")
	addEnum(cmd, flags, &o.KV, "kv-dtype", "", []string{"auto", "bf16", "fp8"}, "`TYPE` of the KV cache: bf16, fp8, or auto, what the checkpoint asks for")
	flags.Var(countValue{&o.Context}, "context", "length of a request in `TOKENS` (default: the model's context)")
	inGroup(flags, place, "gpus", "gpu-memory", "tp", "ep", "pp", "kv-dtype", "context")
	flags.StringVar(&o.Revision, "revision", "", "`REVISION` of a model of the hub cache (default: refs/main, else the newest)")
	addOutput(cmd, &o.Output, textAndJSON())
	for _, free := range []string{"gpus", "gpu-memory", "tp", "ep", "pp", "context", "revision"} {
		completeFunc(cmd, free, cobra.NoFileCompletions)
	}
}

// A gibValue is a flag for an amount of memory.
type gibValue struct{ to *float64 }

var _ pflag.Value = gibValue{}

func (v gibValue) Type() string   { return "GiB" }
func (v gibValue) String() string { return strconv.FormatFloat(*v.to, 'g', -1, 64) }

func (v gibValue) Set(s string) error {
	f, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(s), "ib"), "g"), 64)
	if err != nil || math.IsNaN(f) || f <= 0 || f > 1<<20 {
		return errors.New("want a number of GiB, such as 80 or 95.6")
	}
	*v.to = f
	return nil
}

// check settles what is left open, and refuses what contradicts itself.
func (o *InspectOptions) check() error {
	const most = 1 << 16
	for _, n := range []int{o.GPUs, o.TP, o.EP, o.PP} {
		if n > most {
			return usagef("%d GPUs are more than kilter counts with (%d)", n, most)
		}
	}
	asked := o.GPUs > 0 || o.TP > 0 || o.PP > 0 || o.EP > 0
	if o.Memory > 0 && !asked {
		return usagef("--gpu-memory needs --gpus or --tp").hint("add --gpus 8 for 8 GPUs")
	}
	if !asked {
		return nil
	}
	o.PP = max(1, o.PP)
	o.EP = max(1, o.EP)
	if o.TP == 0 {
		o.TP = max(1, o.GPUs/o.PP, o.EP)
	}
	switch {
	case o.GPUs == 0:
		o.GPUs = o.TP * o.PP
	case o.TP*o.PP > o.GPUs:
		return usagef("--tp %d times --pp %d take %d GPUs, and --gpus is %d", o.TP, o.PP, o.TP*o.PP, o.GPUs)
	case o.TP*o.PP < o.GPUs:
		o.IO.note("--tp %d times --pp %d leave %d of %d GPUs idle", o.TP, o.PP, o.GPUs-o.TP*o.PP, o.GPUs)
	}
	return nil
}

func runInspect(ctx context.Context, o *InspectOptions) error {
	ctx, stop := o.Signals(ctx)
	defer stop()
	c, err := checkpoint.Open(ctx, checkpoint.Local{}, o.Path, checkpoint.Options{Revision: o.Revision})
	if err == nil && c.Tensors.Len() == 0 {
		if err = c.Problems.Err(); err == nil {
			err = &problem.Problem{Kind: checkpoint.NoModel, File: o.Path, Says: "no file has a tensor"}
		}
	}
	if err != nil {
		return noModel(ctx, o.Path, err)
	}
	m, err := model.Read(ctx, c)
	if err != nil {
		return noModel(ctx, o.Path, err)
	}
	if err := o.write(o.inspection(m)); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func (o *InspectOptions) write(doc *Inspection) error {
	if o.Output == "json" {
		return WriteInspection(o.IO.Out, doc)
	}
	_, err := fmt.Fprint(o.IO.Out, newPage(o.IO).inspection(doc))
	return err
}

// noModel makes what Open says an error of the caller's, with its hint apart.
func noModel(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", path, context.Cause(ctx))
	}
	var p *problem.Problem
	if !errors.As(err, &p) {
		return fmt.Errorf("%s: %w", path, err)
	}
	bare := *p
	bare.Hint = ""
	out := usage(&bare)
	if p.Hint != "" {
		return out.hint("%s", p.Hint)
	}
	return out
}
