package bots

import (
	"context"

	mergemaker "github.com/mergemaker/mergemaker/clients/go"
	"github.com/mergemaker/mergemaker/clients/go/wire"
)

const (
	ending      = 100_000_000
	stopping    = -1_000_000_000
	foundedSize = 2
	growth      = 200
	reserve     = 3_000 // dollars: spending below it counts a quarter more
	freePrice   = 400
	lowPile     = 30
)

// Greedy looks one turn ahead, and leaves nothing to chance: of all legal answers it takes the one with the highest score, of
// equal ones the first (GREEDY.md).
type Greedy struct{ mergemaker.Defaults }

// NewGreedy makes the bot for a match.
func NewGreedy() mergemaker.Bot { return Greedy{} }

// Answer takes the answer with the highest score.
func (Greedy) Answer(_ context.Context, turn *mergemaker.Turn) (mergemaker.Answer, error) {
	if _, isOffer := turn.Asked.(mergemaker.ChooseOffer); isOffer {
		return mergemaker.ByIndex(0), nil // it makes none
	}
	score := scorer(turn)
	var best uint64
	highest := 0
	for index, action := range turn.Answers.All() {
		if points := score(action); index == 0 || points > highest {
			best, highest = index, points
		}
	}
	return mergemaker.ByIndex(best), nil
}

// scorer gives the score of each answer to a question.
func scorer(turn *mergemaker.Turn) func(mergemaker.Action) int {
	w := newWorth(turn)
	switch asked := turn.Asked.(type) {
	case mergemaker.ChooseTile:
		return w.tileScorer(turn)
	case mergemaker.ChoosePurchase:
		return w.purchaseScorer(asked.Terms == wire.PurchaseTerms_PURCHASE_TERMS_THREE_FREE)
	case mergemaker.ChooseDisposal:
		return w.disposalScorer(asked)
	}
	return func(action mergemaker.Action) int { return w.simpleScore(turn.Asked, action) }
}

// simpleScore is that of an answer that needs nothing but itself and the view.
func (w *worth) simpleScore(asked mergemaker.Question, action mergemaker.Action) int {
	switch a := action.(type) {
	case mergemaker.NameFounded:
		return w.founding(a.Chain, foundedSize)
	case mergemaker.NameSurvivor:
		if asked, ok := asked.(mergemaker.ChooseSurvivor); ok {
			size := 1
			for _, chain := range asked.Chains {
				size += w.view.Sizes[chain]
			}
			return w.merger(a.Chain, asked.Chains, size)
		}
	case mergemaker.NameAcquired:
		return w.mine[a.Chain]
	case mergemaker.Exchange:
		if a.Exchange {
			return 1
		}
	case mergemaker.UsePower:
		return w.powerScore(a.Power)
	case mergemaker.TradePair:
		return w.bought(a.Give, -2) + w.bought(a.Take, 1)
	case mergemaker.Reply:
		if asked, ok := asked.(mergemaker.ChooseReply); ok && a.Accept {
			return w.tradeScore(asked)
		}
	}
	return 0
}

func (w *worth) founding(chain, size int) int {
	held := w.mine[chain]
	if w.view.Market[chain] > 0 {
		held++
	}
	return w.lead(chain, priceAt(chain, size), held)
}

func (w *worth) growing(chain, size int) int {
	return w.lead(chain, priceAt(chain, size), w.mine[chain]) - w.leadNow(chain)
}

func (w *worth) merger(survivor int, chains []int, size int) int {
	score := w.growing(survivor, size)
	for _, chain := range chains {
		if chain != survivor {
			score += w.paidLead(chain) - w.leadNow(chain)
		}
	}
	return score
}

// largest is the largest of the values of some chains; 0 if there are none.
func largest(chains []int, value func(int) int) int {
	best := 0
	for i, chain := range chains {
		if points := value(chain); i == 0 || points > best {
			best = points
		}
	}
	return best
}

// effectWorth is what a tile is worth by what it does.
func (w *worth) effectWorth(effect mergemaker.TileEffect) int {
	switch effect.Kind {
	case wire.EffectKind_EFFECT_KIND_GROWS:
		return largest(effect.Chains, func(chain int) int { return w.growing(chain, effect.Size) })
	case wire.EffectKind_EFFECT_KIND_FOUNDS:
		var free []int
		for chain, size := range w.view.Sizes {
			if size == 0 {
				free = append(free, chain)
			}
		}
		return largest(free, func(chain int) int { return w.founding(chain, effect.Size) })
	case wire.EffectKind_EFFECT_KIND_MERGES:
		return largest(effect.Survivors, func(survivor int) int { return w.merger(survivor, effect.Chains, effect.Size) })
	}
	return 0 // a lone tile, or what only a newer client knows
}

// endingScore goes to answers that declare the end.
func (w *worth) endingScore() int {
	if w.isAhead() {
		return ending
	}
	return -ending
}

func (w *worth) tileScorer(turn *mergemaker.Turn) func(mergemaker.Action) int {
	bySquare := map[int]int{}
	for _, effect := range turn.Effects {
		bySquare[effect.Square] = w.effectWorth(effect)
	}
	ending := w.endingScore()
	return func(action mergemaker.Action) int {
		switch a := action.(type) {
		case mergemaker.Place:
			if a.Declare {
				return bySquare[a.Square] + ending
			}
			return bySquare[a.Square]
		case mergemaker.StopPlay:
			return stopping
		}
		return 0
	}
}

// gain is what a number of shares of a chain is worth beyond its cost.
func (w *worth) gain(chain, count int, isFree, isLast bool) int {
	cost := w.view.Prices[chain]
	if isFree {
		cost = 0
	}
	if isLast {
		return w.closing(chain, w.mine[chain]+count) - w.closing(chain, w.mine[chain]) - cost*count
	}
	return w.bought(chain, count) + (growth*w.view.Pile/(2+w.view.Sizes[chain])-cost)*count
}

func (w *worth) purchaseScorer(isFree bool) func(mergemaker.Action) int {
	ending := w.endingScore()
	return func(action mergemaker.Action) int {
		buy, ok := action.(mergemaker.Buy)
		if !ok {
			return 0
		}
		isLast := buy.Declare || w.view.Declared
		score, cost := 0, 0
		for chain, count := range buy.Shares {
			score += w.gain(chain, count, isFree, isLast)
			cost += w.view.Prices[chain] * count
		}
		if buy.Declare {
			score += ending
		}
		if !isLast && !isFree {
			score -= max(reserve-w.cash+cost, 0) / 4
		}
		return score
	}
}

func (w *worth) disposalScorer(asked mergemaker.ChooseDisposal) func(mergemaker.Action) int {
	acquired, survivor := asked.Acquired, asked.Survivor
	later := priceAt(survivor, w.view.Sizes[acquired]+w.view.Sizes[survivor]+1)
	before := w.own(survivor, later, w.mine[survivor])
	return func(action mergemaker.Action) int {
		a, ok := action.(mergemaker.Dispose)
		if !ok {
			return 0
		}
		score := a.Sell*w.view.Prices[acquired] + w.own(survivor, later, w.mine[survivor]+a.Trade/2) - before
		if !w.view.Declared {
			kept := w.mine[acquired] - a.Sell - a.Trade
			score += w.own(acquired, priceAt(acquired, foundedSize), kept) * w.view.Pile / mergemaker.Squares
		}
		return score
	}
}

func (w *worth) powerScore(power wire.Power) int {
	isWorth := func(condition bool) int {
		if condition {
			return 1
		}
		return -1
	}
	switch power {
	case wire.Power_POWER_NONE:
		return 0
	case wire.Power_POWER_TAKE_FIVE, wire.Power_POWER_PLACE_FOUR:
		return 1
	case wire.Power_POWER_THREE_FREE:
		for chain, price := range w.view.Prices {
			if w.view.Market[chain] >= 3 && price >= freePrice {
				return 1
			}
		}
		return isWorth(w.view.Pile < lowPile)
	case wire.Power_POWER_BUY_FIVE:
		return isWorth(w.cash >= reserve)
	}
	return -1
}

// tradeScore is what it is worth to accept an offer.
func (w *worth) tradeScore(offer mergemaker.ChooseReply) int {
	score := offer.GiveCash - offer.TakeCash
	for chain := range mergemaker.Chains {
		score += w.bought(chain, offer.GiveShares[chain]-offer.TakeShares[chain])
	}
	return score
}
