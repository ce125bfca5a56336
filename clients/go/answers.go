package mergemaker

import (
	"fmt"
	"iter"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// Answers are all legal answers to a question, in the documented order, which fixes their indices. Offers are millions:
// the one at an index is computed on request.
type Answers struct {
	listed []Action
	offers *offers
}

// Len is how many there are: at least 1.
func (a Answers) Len() uint64 {
	if a.offers != nil {
		return a.offers.count()
	}
	return uint64(len(a.listed))
}

// At is the answer at an index below Len; another index panics, as that of a slice does.
func (a Answers) At(index uint64) Action {
	if index >= a.Len() {
		panic(fmt.Sprintf("mergemaker: there is no answer %d, there are answers 0 to %d", index, a.Len()-1))
	}
	if a.offers != nil {
		return a.offers.at(index)
	}
	return a.listed[index]
}

// All goes through the answers with their indices. Do not go through all offers.
func (a Answers) All() iter.Seq2[uint64, Action] {
	return func(yield func(uint64, Action) bool) {
		for index := uint64(0); index < a.Len(); index++ {
			if !yield(index, a.At(index)) {
				return
			}
		}
	}
}

const (
	purchaseMax  = 5 // shares in one purchase
	shortMax     = 3 // shares of the purchases that are listed first
	cashStepsMax = 1_000
	cashStepMax  = 100_000
)

// answersOf lists legal answers, and checks that there are as many as the message says.
func (r *reader) answersOf(message *wire.LegalAnswers) Answers {
	var answers Answers
	switch kind := message.GetKind().(type) {
	case *wire.LegalAnswers_Listed:
		for _, action := range kind.Listed.GetActions() {
			answers.listed = append(answers.listed, r.actionOf(action))
		}
	case *wire.LegalAnswers_Purchase:
		answers.listed = r.purchasesOf(kind.Purchase)
	case *wire.LegalAnswers_Disposal:
		answers.listed = r.disposalsOf(kind.Disposal)
	case *wire.LegalAnswers_Offer:
		answers.offers = r.offersOf(kind.Offer)
	}
	if r.err == nil && (answers.Len() != message.GetCount() || answers.Len() == 0) {
		r.fail("answers.count", fmt.Sprint(answers.Len(), " by what is listed, and at least 1"), message.GetCount())
	}
	return answers
}

func (r *reader) purchasesOf(bounds *wire.PurchaseBounds) []Action {
	most := r.number("purchase.count_max", bounds.GetCountMax(), purchaseMax)
	least := r.number("purchase.count_min", bounds.GetCountMin(), most)
	prices := r.byChain("purchase.prices", bounds.GetPrices(), priceMax)
	market := r.shares("purchase.market", bounds.GetMarket())
	cash := -1
	if bounds.Cash != nil {
		cash = r.free("purchase.cash", bounds.GetCash())
	}
	if r.err != nil {
		return nil
	}
	var short, long []ByChain
	for length := least; length <= most; length++ {
		list := &short
		if length > shortMax {
			list = &long
		}
		addPurchases(list, ByChain{}, 0, length, market, prices, cash)
	}
	var actions []Action
	for _, part := range [][]ByChain{short, long} {
		for _, shares := range part {
			actions = append(actions, Buy{Shares: shares})
		}
		if bounds.GetDeclare() {
			for _, shares := range part {
				actions = append(actions, Buy{Shares: shares, Declare: true})
			}
		}
	}
	return actions
}

// addPurchases adds all that have this many more shares, of this chain and later ones; cash below 0 is no limit.
func addPurchases(list *[]ByChain, sofar ByChain, chain, more int, market, prices ByChain, cash int) {
	if more == 0 {
		cost := 0
		for c, count := range sofar {
			cost += count * prices[c]
		}
		if cash < 0 || cost <= cash {
			*list = append(*list, sofar)
		}
		return
	}
	for next := chain; next < Chains; next++ {
		if sofar[next] < market[next] {
			with := sofar
			with[next]++
			addPurchases(list, with, next, more-1, market, prices, cash)
		}
	}
}

func (r *reader) disposalsOf(bounds *wire.DisposalBounds) []Action {
	held := r.number("disposal.held", bounds.GetHeld(), SharesPerChain)
	pairs := r.number("disposal.pairs_max", bounds.GetPairsMax(), SharesPerChain)
	var actions []Action
	for sell := 0; sell <= held; sell++ {
		for trade := 0; sell+trade <= held && trade <= 2*pairs; trade += 2 {
			actions = append(actions, Dispose{sell, trade})
		}
	}
	return actions
}

// places are the numbers of an offer: one for each chain, and one for cash.
const places = Chains + 1

// offers are NoOffer, and every offer within bounds.
type offers struct {
	partners    []int
	most, asked [places]uint64
	cashStep    int
	// ways[i][g][a] is how many ways there are to choose the numbers from place i on, if g and a say whether something is
	// given and asked before.
	ways [places + 1][2][2]uint64
}

func (r *reader) offersOf(bounds *wire.OfferBounds) *offers {
	made := &offers{partners: r.list("offer.partners", bounds.GetPartners(), SeatsMax, SeatsMax-1)}
	for chain, held := range r.shares("offer.held", bounds.GetHeld()) {
		made.most[chain] = uint64(held)
		made.asked[chain] = uint64(r.number("offer.asked_shares_max", bounds.GetAskedSharesMax(), SharesPerChain))
	}
	made.most[Chains] = uint64(r.number("offer.cash_steps", bounds.GetCashSteps(), cashStepsMax))
	made.asked[Chains] = uint64(r.number("offer.asked_cash_steps_max", bounds.GetAskedCashStepsMax(), cashStepsMax))
	made.cashStep = r.number("offer.cash_step", bounds.GetCashStep(), cashStepMax)
	made.ways[places][1][1] = 1
	for i := places - 1; i >= 0; i-- {
		for g := range 2 {
			for a := range 2 {
				after := &made.ways[i+1]
				made.ways[i][g][a] = after[g][a] + made.most[i]*after[1][a] + made.asked[i]*after[g][1]
			}
		}
	}
	return made
}

func (o *offers) count() uint64 { return 1 + uint64(len(o.partners))*o.ways[0][0][0] }

func (o *offers) at(index uint64) Action {
	if index == 0 {
		return NoOffer{}
	}
	each := o.ways[0][0][0]
	offer := OfferTrade{Partner: o.partners[(index-1)/each]}
	rest := (index - 1) % each
	g, a := 0, 0
	for i := range places {
		after := &o.ways[i+1]
		if rest < after[g][a] {
			continue
		}
		rest -= after[g][a]
		if step := after[1][a]; rest < o.most[i]*step {
			offer.give(i, 1+int(rest/step), o.cashStep)
			rest %= step
			g = 1
			continue
		}
		rest -= o.most[i] * after[1][a]
		step := after[g][1]
		offer.take(i, 1+int(rest/step), o.cashStep)
		rest %= step
		a = 1
	}
	return offer
}

func (a *OfferTrade) give(place, count, cashStep int) {
	if place == Chains {
		a.GiveCash = count * cashStep
	} else {
		a.GiveShares[place] = count
	}
}

func (a *OfferTrade) take(place, count, cashStep int) {
	if place == Chains {
		a.TakeCash = count * cashStep
	} else {
		a.TakeShares[place] = count
	}
}
