// Package stats turns observations of an LLM server into decisions with stated
// error rates. It is the lowest layer: it knows numbers, not servers.
//
// # Which tool for which question
//
//   - Does each token agree with the reference? [SPRT]: Wald's sequential test
//     on yes/no agreement. It decides gross faults in a handful of tokens.
//   - How far apart are two servers' log-probabilities? [Equivalence], two
//     [BettingMean] tests on the clipped difference. It needs no model of the
//     noise, only that it is bounded.
//   - Do two servers sample from the same distribution, seen through text alone?
//     [MMDHamming], a permutation test within prompts.
//   - What rate does "k of n" allow? [ClopperPearson]; after no event at all,
//     [ZeroEventsUpper].
//   - Did the speed change? [MedianRatio].
//   - What does a top-k list of log-probabilities prove about the whole
//     distribution? [EntropyLowerBound], [KLLowerBound].
//
// # Looking early, looking often
//
// SPRT, BettingMean and Equivalence are anytime-valid: they may be looked at
// after every token and stopped at will, and the chance of a wrong decision
// ever being reached stays below the stated rate (Ville's inequality:
// a nonnegative supermartingale that starts at 1 reaches 1/alpha with
// probability at most alpha). MMDHamming, ClopperPearson and MedianRatio are
// for a sample whose size was fixed beforehand.
//
// # What "valid" rests on
//
// The sequential tests ask that the null hypothesis holds for each observation
// given the past, not that observations are independent. Tokens of one prompt
// break even that: one prompt may be hard throughout. SPRT has a cap on what
// one prompt may say; for BettingMean observe one mean per request.
//
// Log-ratios, entropies and divergences are in nats. Randomised procedures take
// a seed and give the same answer for the same seed on every machine.
package stats
