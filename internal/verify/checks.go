package verify

// freeProbes are those whose answers the checks of text and numbers read.
var freeProbes = []string{probeOpen, probeKnowledge, probeStream, probeSampling, probePython, probeMore, probeStops, probeSystem, probeThinking}

// Checks returns all checks, in the order in which reports show them.
func Checks() []*Check {
	var all []*Check
	for _, group := range [][]*Check{
		aliveChecks(), textChecks(), numbersChecks(), knowledgeChecks(), contractChecks(), compareChecks(),
	} {
		all = append(all, group...)
	}
	return all
}
