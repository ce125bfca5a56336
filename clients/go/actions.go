package mergemaker

import (
	"strconv"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// Action is an answer to a question: one of the types below. Actions can be compared by ==.
type Action interface {
	message() *wire.Action
}

// Place places a tile (PLC-1), with Declare after declaring the end (END-2).
type Place struct {
	Square  int
	Declare bool
}

// StopPlay declares the end and stops at once (END-2).
type StopPlay struct{}

// EndPlacing places no more tiles in this turn (PWR-5).
type EndPlacing struct{}

// NameFounded gives the founded chain its name (FND-1).
type NameFounded struct{ Chain int }

// NameSurvivor names the chain that survives a merger of equals (MRG-2).
type NameSurvivor struct{ Chain int }

// NameAcquired names the next of several equal chains to be settled (MRG-4).
type NameAcquired struct{ Chain int }

// Dispose sells some shares of an acquired chain, gives up others two for one, and keeps the rest (MRG-6).
type Dispose struct{ Sell, Trade int }

// Buy buys shares, or none (BUY-1), with Declare after declaring the end (END-2).
type Buy struct {
	Shares  ByChain
	Declare bool
}

// Exchange exchanges all dead tiles, or keeps them (DRW-2).
type Exchange struct{ Exchange bool }

// UsePower uses a special power, or with wire.Power_POWER_NONE none (PWR-1).
type UsePower struct{ Power wire.Power }

// TradePair gives two shares of a chain to the market for one of another (PWR-4).
type TradePair struct{ Give, Take int }

// EndTrading makes no more such trades (PWR-4).
type EndTrading struct{}

// NoOffer offers no trade, or no more (TRD-1).
type NoOffer struct{}

// OfferTrade offers a trade (TRD-1, TRD-3).
type OfferTrade struct {
	Partner    int
	GiveShares ByChain
	GiveCash   int
	TakeShares ByChain
	TakeCash   int
}

// Reply accepts an offer, or declines it (TRD-1).
type Reply struct{ Accept bool }

// Unknown stands for an answer of a kind that only a newer client knows: it can be given by its index alone.
type Unknown struct{}

// DeclaresEnd is whether an action declares the end.
func DeclaresEnd(action Action) bool {
	switch a := action.(type) {
	case Place:
		return a.Declare
	case Buy:
		return a.Declare
	case StopPlay:
		return true
	}
	return false
}

func (a Place) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_Place{Place: &wire.Place{Square: uint32(a.Square), Declare: a.Declare}}}
}

func (StopPlay) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_StopPlay{StopPlay: &wire.StopPlay{}}}
}

func (EndPlacing) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_EndPlacing{EndPlacing: &wire.EndPlacing{}}}
}

func (a NameFounded) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_NameFounded{NameFounded: &wire.NameFounded{Chain: uint32(a.Chain)}}}
}

func (a NameSurvivor) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_NameSurvivor{NameSurvivor: &wire.NameSurvivor{Chain: uint32(a.Chain)}}}
}

func (a NameAcquired) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_NameAcquired{NameAcquired: &wire.NameAcquired{Chain: uint32(a.Chain)}}}
}

func (a Dispose) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_Dispose{Dispose: &wire.Dispose{Sell: uint32(a.Sell), Trade: uint32(a.Trade)}}}
}

func (a Buy) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_Buy{Buy: &wire.Buy{Shares: a.Shares.counts(), Declare: a.Declare}}}
}

func (a Exchange) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_Exchange{Exchange: &wire.Exchange{Exchange: a.Exchange}}}
}

func (a UsePower) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_UsePower{UsePower: &wire.UsePower{Power: a.Power}}}
}

func (a TradePair) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_TradePair{TradePair: &wire.TradePair{Give: uint32(a.Give), Take: uint32(a.Take)}}}
}

func (EndTrading) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_EndTrading{EndTrading: &wire.EndTrading{}}}
}

func (NoOffer) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_NoOffer{NoOffer: &wire.NoOffer{}}}
}

func (a OfferTrade) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_OfferTrade{OfferTrade: &wire.OfferTrade{
		Partner:    uint32(a.Partner),
		GiveShares: a.GiveShares.counts(),
		GiveCash:   uint32(a.GiveCash),
		TakeShares: a.TakeShares.counts(),
		TakeCash:   uint32(a.TakeCash),
	}}}
}

func (a Reply) message() *wire.Action {
	return &wire.Action{Kind: &wire.Action_Reply{Reply: &wire.Reply{Accept: a.Accept}}}
}

func (Unknown) message() *wire.Action { return nil }

func (c ByChain) counts() []uint32 {
	counts := make([]uint32, Chains)
	for chain, count := range c {
		counts[chain] = uint32(count)
	}
	return counts
}

// actionOf reads an action of a list of legal answers.
func (r *reader) actionOf(message *wire.Action) Action {
	switch kind := message.GetKind().(type) {
	case *wire.Action_Place:
		return Place{r.square("place.square", kind.Place.GetSquare()), kind.Place.GetDeclare()}
	case *wire.Action_StopPlay:
		return StopPlay{}
	case *wire.Action_EndPlacing:
		return EndPlacing{}
	case *wire.Action_NameFounded:
		return NameFounded{r.chain("name_founded.chain", kind.NameFounded.GetChain())}
	case *wire.Action_NameSurvivor:
		return NameSurvivor{r.chain("name_survivor.chain", kind.NameSurvivor.GetChain())}
	case *wire.Action_NameAcquired:
		return NameAcquired{r.chain("name_acquired.chain", kind.NameAcquired.GetChain())}
	case *wire.Action_Dispose:
		sell := r.number("dispose.sell", kind.Dispose.GetSell(), SharesPerChain)
		return Dispose{sell, r.number("dispose.trade", kind.Dispose.GetTrade(), SharesPerChain)}
	case *wire.Action_Buy:
		return Buy{r.optionalShares("buy.shares", kind.Buy.GetShares()), kind.Buy.GetDeclare()}
	case *wire.Action_Exchange:
		return Exchange{kind.Exchange.GetExchange()}
	case *wire.Action_UsePower:
		return UsePower{kind.UsePower.GetPower()}
	case *wire.Action_TradePair:
		return TradePair{r.chain("trade_pair.give", kind.TradePair.GetGive()), r.chain("trade_pair.take", kind.TradePair.GetTake())}
	case *wire.Action_EndTrading:
		return EndTrading{}
	case *wire.Action_NoOffer:
		return NoOffer{}
	case *wire.Action_OfferTrade:
		offer := kind.OfferTrade
		return OfferTrade{
			Partner:    r.seat("offer_trade.partner", offer.GetPartner()),
			GiveShares: r.optionalShares("offer_trade.give_shares", offer.GetGiveShares()),
			GiveCash:   r.free("offer_trade.give_cash", offer.GetGiveCash()),
			TakeShares: r.optionalShares("offer_trade.take_shares", offer.GetTakeShares()),
			TakeCash:   r.free("offer_trade.take_cash", offer.GetTakeCash()),
		}
	case *wire.Action_Reply:
		return Reply{kind.Reply.GetAccept()}
	}
	return Unknown{}
}

func itoa(number int) string { return strconv.Itoa(number) }
