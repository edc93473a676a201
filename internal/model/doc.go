// Package model says what a checkpoint is: what its configuration claims and,
// beside it, what its tensors are.
//
//	c, err := checkpoint.Open(ctx, checkpoint.Local{}, path, checkpoint.Options{})
//	m, err := model.Read(ctx, c)
//	for e := range m.Expected() {
//		if !e.Stored && !e.Optional {
//			fmt.Println("missing:", e.Name)
//		}
//	}
//
// # Tensors decide
//
// A configuration is a claim, and public checkpoints have shipped with false
// ones: an ignore list that names other modules than were left alone, two
// files of claims that disagree. So formats, bytes and parameters come from
// the stored tensors alone. The configuration says what the model should be;
// where the two sides differ, Model.Differences has it, and neither side is
// bent to fit the other. Read never refuses: what can't be read is in Notes,
// and reads as missing.
//
// # Modules
//
// A quantised matrix is several tensors, so the unit here is the Module: a
// weight with its bias and scales, known by their common name. What is stored
// beside each other is the format:
//
//	weight U8, weight_scale F8_E4M3, weight_scale_2          NVFP4 (ModelOpt)
//	weight_packed U8, weight_scale F8_E4M3, weight_global_scale
//	                                                         NVFP4 packed: compressed-tensors,
//	                                                         whose global scale is the reciprocal
//	weight F8_E4M3 with weight_scale of one number, or of one for each output
//	                                                         FP8 per tensor, per channel
//	weight F8_E4M3, weight_scale_inv of two dimensions       FP8 block
//	NAME_blocks U8, NAME_scales U8                           MXFP4 (gpt-oss)
//	weight_packed U8, weight_scale U8                        MXFP4
//	weight F8_E4M3, weight_scale U8 of a 32nd of the inputs  MXFP8
//	weight_packed I32, weight_scale, weight_shape            INT4 group, INT8
//	qweight, qzeros, scales                                  AWQ, GPTQ
//
// A GGUF's block types hold their scales in themselves, and go by their names.
// A weight whose scales are missing is Incomplete, and Expected names them.
//
// # Families
//
// A family's modules are a table of Slots, one file for each family: the
// module's name with * for layer and expert, its part, its shape in symbols
// (H hidden, Q heads·head_dim, KV, I, M, …: see symbols), how tensor
// parallelism divides it, what a server fuses it with, and when a layer has
// it. Everything else follows from the tables: the map from names to parts,
// the tensors that must be there, their shapes, the bytes of a rank. An
// architecture without a table gets the generic part: sizes, bytes, formats,
// and no word on whether a name belongs.
//
// # Parameters
//
// Params counts weights and biases as they were before quantisation, scales
// left out, a tied head once, and with the correction biases of DeepSeek's
// router, which transformers keeps as a buffer and does not count. Active
// parameters are Params without the experts that a token does not visit:
// experts·(1 − k/E). Embedding and head count in full, as model names do
// ("A17B").
//
// # Memory
//
// For one token and one layer of full attention, in bytes b of a number:
//
//	grouped-query   2 · KV heads · head_dim · b
//	latent (MLA)    (kv_rank + rope_dim) · b, on each rank
//
// Sliding layers keep min(tokens, window). For one request and one gated
// DeltaNet layer:
//
//	state           value heads · key_dim · value_dim · 4   (float32)
//	convolution     (2·key heads·key_dim + value heads·value_dim) · (kernel − 1) · 2
//
// Tensor parallelism divides by heads, outputs or inputs as the slot says; KV
// heads fewer than ranks are repeated; norms, routers, the vision tower and
// MLA's down projections are on each rank. Expert parallelism moves whole
// experts and changes no rank's bytes. Pipeline stages take equal runs of
// layers, the embedding is on the first and the head on the last; servers place
// the remainder of a division differently. What a server needs beside weights,
// cache and state is not computed: Reserve stands for it.
//
// # Sources
//
// Names, shapes and defaults: transformers 5.19's modelling and configuration
// files, compared with checkpoints that it writes (testdata/make_tiny.py).
// Layouts of formats: NVIDIA's Model-Optimizer, compressed-tensors, the
// releases of DeepSeek-V3, gpt-oss and Kimi-K2, AutoAWQ and AutoGPTQ. What
// SGLang and vLLM do with claims: their quantisation loaders. GGUF's keys and
// names: llama.cpp's gguf-py. Each family's file names its own.
package model
