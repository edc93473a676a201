package report

import (
	"io"
	"net/url"
	"path"

	"kilter/internal/audit"
)

// SARIF 2.1.0, as far as it is used: one run, a rule for each code, a result
// for each place, bytes as regions of binary artifacts.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		Properties  map[string]any    `json:"properties,omitempty"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string             `json:"id"`
		Short   sarifText          `json:"shortDescription"`
		Help    *sarifText         `json:"help,omitempty"`
		Default sarifConfiguration `json:"defaultConfiguration"`
		Props   map[string]any     `json:"properties,omitempty"`
	}
	sarifConfiguration struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifInvocation struct {
		Successful bool   `json:"executionSuccessful"`
		Start      string `json:"startTimeUtc,omitempty"`
		End        string `json:"endTimeUtc,omitempty"`
	}
	sarifResult struct {
		RuleID    string             `json:"ruleId"`
		RuleIndex int                `json:"ruleIndex"`
		Level     string             `json:"level"`
		Message   sarifText          `json:"message"`
		Locations []sarifLocation    `json:"locations,omitempty"`
		Numbers   map[string]float64 `json:"properties,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Offset int64 `json:"byteOffset"`
		Length int64 `json:"byteLength"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

func sarifLevel(s audit.Severity) string {
	switch s {
	case audit.Broken:
		return "error"
	case audit.Suspicious, audit.Unread:
		return "warning"
	}
	return "note"
}

// writeSARIF writes what was found for code scanning.
func writeSARIF(w io.Writer, rep *audit.Report, o Options) error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "kilter audit", Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{
			Successful: rep.Stopped == "" && rep.Counts[audit.Unread] == 0,
			Start:      rep.Started.UTC().Format("2006-01-02T15:04:05.000Z"), End: rep.Ended.UTC().Format("2006-01-02T15:04:05.000Z"),
		}},
		Results:    []sarifResult{},
		Properties: map[string]any{"verdict": string(rep.Verdict), "notCovered": rep.NotCovered},
	}
	index := map[audit.Code]int{}
	for i, d := range audit.Declarations() {
		index[d.Code] = i
		rule := sarifRule{ID: string(d.Code), Short: sarifText{Text: d.Title}, Default: sarifConfiguration{sarifLevel(d.Severity)}, Props: map[string]any{"tags": []string{string(d.Group)}}}
		if o.Page != nil {
			if page, ok := o.Page(string(d.Code)); ok {
				rule.Help = &sarifText{Text: "kilter explain " + string(d.Code), Markdown: page}
			}
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	for _, f := range rep.Findings {
		for _, p := range f.Places {
			run.Results = append(run.Results, sarifResult{
				RuleID: string(f.Code), RuleIndex: index[f.Code], Level: sarifLevel(f.Severity),
				Message: sarifText{Text: sarifMessage(p)}, Locations: sarifPlace(p), Numbers: finiteNumbers(p.Numbers),
			})
		}
	}
	return writeIndented(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifMessage(p audit.Place) string {
	says := p.Says
	if p.Tensor != "" {
		says = p.Tensor + ": " + says
	}
	return safe(says)
}

func sarifPlace(p audit.Place) []sarifLocation {
	var l sarifLocation
	if p.File != "" {
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: path.Clean(p.File)}).String()}}
		if p.End > p.Begin {
			l.Physical.Region = &sarifRegion{p.Begin, p.End - p.Begin}
		}
	}
	if p.Tensor != "" {
		l.Logical = []sarifLogical{{safe(p.Tensor), "member"}}
	}
	if l.Physical == nil && l.Logical == nil {
		return nil
	}
	return []sarifLocation{l}
}
