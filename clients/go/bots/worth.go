package bots

import (
	"slices"

	mergemaker "github.com/mergemaker/mergemaker/clients/go"
)

const (
	bonusShares = 15 // what the first and the second bonus are worth together, in shares
	doubt       = 16 // shares, squared, that nobody has yet and that may still take a lead away
)

// priceAt is the price of a chain at a size, the same in all rules.
func priceAt(chain, size int) int {
	if size < 2 {
		return 0
	}
	row := 0
	for _, start := range [...]int{3, 4, 5, 6, 11, 21, 31, 41} {
		if start <= size {
			row++
		}
	}
	tier := [mergemaker.Chains]int{0, 0, 1, 1, 1, 2, 2}[chain]
	return 100 * (2 + row + tier)
}

// bonusNow is what a holding would be paid if bonuses were paid now, against the two largest of the others.
func bonusNow(price, held, first, second int) int {
	switch {
	case held == 0 || held < second:
		return 0
	case first == 0:
		return 15 * price
	case held > first:
		return 10 * price
	case held == first && held == second:
		return 5 * price
	case held == first:
		return 15 * price / 2
	case held == second:
		return 5 * price / 2
	}
	return 5 * price
}

// hoped is the mean of what a holding would be paid now and of its part by the squares of the holdings.
func hoped(price, held, first, second int) int {
	squares := held*held + first*first + second*second
	return (bonusShares*price*held*held/(squares+doubt) + bonusNow(price, held, first, second)) / 2
}

// rivalsHope is the same for all others together.
func rivalsHope(price, held, first, second int) int {
	others := first*first + second*second
	paid := 0
	if held > 0 || first > 0 {
		paid = bonusShares * price
	}
	return (bonusShares*price*others/(held*held+others+doubt) + paid - bonusNow(price, held, first, second)) / 2
}

// worth is a view in the terms of GREEDY.md.
type worth struct {
	view                *mergemaker.View
	rivals, cash        int
	mine                mergemaker.ByChain
	rest, first, second mergemaker.ByChain
}

func newWorth(turn *mergemaker.Turn) *worth {
	view := turn.View
	w := &worth{view: view, rivals: view.Seats - 1, cash: turn.Cash(), mine: turn.Mine()}
	for chain := range mergemaker.Chains {
		w.rest[chain] = mergemaker.SharesPerChain - view.Market[chain] - w.mine[chain]
		w.first[chain], w.second[chain] = view.TopsOfOthers(view.Seat, chain)
	}
	return w
}

func (w *worth) own(chain, price, held int) int {
	return price*held + hoped(price, held, w.first[chain], w.second[chain])
}

func (w *worth) lead(chain, price, held int) int {
	return w.rivals*w.own(chain, price, held) - (price*w.rest[chain] + rivalsHope(price, held, w.first[chain], w.second[chain]))
}

func (w *worth) leadNow(chain int) int { return w.lead(chain, w.view.Prices[chain], w.mine[chain]) }

// paidLead is the same if the bonuses are paid and all shares are sold now.
func (w *worth) paidLead(chain int) int {
	price, held, rest := w.view.Prices[chain], w.mine[chain], w.rest[chain]
	bonus := bonusNow(price, held, w.first[chain], w.second[chain])
	paid := 0
	if held+rest > 0 {
		paid = bonusShares * price
	}
	return w.rivals*(price*held+bonus) - (price*rest + paid - bonus)
}

// bought is how much more the shares of a chain are worth with this many more.
func (w *worth) bought(chain, count int) int {
	price := w.view.Prices[chain]
	return w.own(chain, price, w.mine[chain]+count) - w.own(chain, price, w.mine[chain])
}

// closing is what this many shares would bring if the game ended now.
func (w *worth) closing(chain, held int) int {
	price := w.view.Prices[chain]
	return price*held + bonusNow(price, held, w.first[chain], w.second[chain])
}

// isAhead is whether nobody would have more if the game ended now, as far as the view tells.
func (w *worth) isAhead() bool {
	isHidden := func(player mergemaker.Player) bool { return player.Cash == nil || player.Shares == nil }
	if slices.ContainsFunc(w.view.Players, isHidden) {
		return w.seemsAhead()
	}
	best, own := 0, 0
	for seat, player := range w.view.Players {
		total := *player.Cash
		for chain, price := range w.view.Prices {
			first, second := w.view.TopsOfOthers(seat, chain)
			total += price*player.Shares[chain] + bonusNow(price, player.Shares[chain], first, second)
		}
		best = max(best, total)
		if seat == w.view.Seat {
			own = total
		}
	}
	return own == best
}

// seemsAhead is whether the stock would bring a fifth more than an equal part of all.
func (w *worth) seemsAhead() bool {
	mine, everything := 0, 0
	for chain, price := range w.view.Prices {
		mine += w.closing(chain, w.mine[chain])
		if out := w.mine[chain] + w.rest[chain]; out > 0 {
			everything += price * (out + bonusShares)
		}
	}
	return 5*w.view.Seats*mine >= 6*everything
}
