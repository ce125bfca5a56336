// my-bot: ./run starts it, ./test tests it.
package main

import (
	"context"
	"math"

	mergemaker "github.com/mergemaker/mergemaker/clients/go"
)

// bot answers what it cares for; all else is the referee's default.
type bot struct{ mergemaker.Defaults }

// ChooseTile places its tile where it owns more than the others.
func (bot) ChooseTile(_ context.Context, turn *mergemaker.Turn) (mergemaker.Answer, error) {
	var best mergemaker.Answer
	highest := math.MinInt
	for _, tile := range turn.Effects {
		lead := 0
		for _, chain := range tile.Chains {
			lead += turn.Lead(chain)
		}
		if lead > highest {
			best, highest = mergemaker.ByAction(mergemaker.Place{Square: tile.Square}), lead
		}
	}
	return best, nil
}

// ChoosePurchase buys where the race for the most shares is close, and does not declare the end.
func (bot) ChoosePurchase(_ context.Context, turn *mergemaker.Turn) (mergemaker.Answer, error) {
	var best mergemaker.Answer
	highest := math.MinInt
	for index, action := range turn.Answers.All() {
		buy, ok := action.(mergemaker.Buy)
		if !ok || buy.Declare {
			continue
		}
		score := 0
		for chain, count := range buy.Shares {
			score += count * (10 - max(turn.Lead(chain), -turn.Lead(chain)))
		}
		if score > highest {
			best, highest = mergemaker.ByIndex(index), score
		}
	}
	return best, nil
}

// ChooseDisposal sells all shares of a chain that is gone.
func (bot) ChooseDisposal(_ context.Context, turn *mergemaker.Turn) (mergemaker.Answer, error) {
	return mergemaker.ByIndex(turn.Answers.Len() - 1), nil
}

func main() {
	mergemaker.Run(func() mergemaker.Bot { return bot{} }, mergemaker.Options{})
}
