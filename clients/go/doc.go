// Package mergemaker is for bots that play Acquire at a Mergemaker referee: a bot says what it answers, and everything else
// is done for it: connecting, answering pings, coming back after a break, tracing, ending.
//
//	type myBot struct{ mergemaker.Defaults }
//
//	func (myBot) ChooseFounded(_ context.Context, turn *mergemaker.Turn) (mergemaker.Answer, error) {
//		return mergemaker.ByIndex(turn.Answers.Len() - 1), nil // the dearest chain there is
//	}
//
//	func main() {
//		mergemaker.Run(func() mergemaker.Bot { return myBot{} }, mergemaker.Options{})
//	}
//
// Squares are numbered 0 to 107 along the rows (12A is 11, 1B is 12), chains 0 to 6 in the order of [Match.Chains], seats
// from 0. Money is in dollars.
package mergemaker

// Version is this library's.
const Version = "0.1.0"

// Protocol is the version of mergemaker.v1 that is spoken here.
const Protocol = 1

const (
	// Chains is how many there are.
	Chains = 7
	// Squares is how many the board has.
	Squares = 108
	// SharesPerChain is how many shares each chain has.
	SharesPerChain = 25
	// SeatsMax is how many can play.
	SeatsMax = 6
	// NoteBytesMax is the longest note that may go with an answer, in bytes of UTF-8.
	NoteBytesMax = 1_024
)

// ByChain is a number for each chain.
type ByChain [Chains]int
