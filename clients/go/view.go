package mergemaker

import "github.com/mergemaker/mergemaker/clients/go/wire"

// What lies on a square, as in [View.Board]; 2 + c stands for a tile of chain c.
const (
	EmptySquare      = 0
	IndependentTile  = 1
	FirstChainSquare = 2
)

// View is the game as one seat may know it.
type View struct {
	// LastEvent is the number of the last event that it takes in.
	LastEvent uint64
	Seats     int
	// Seat is whose view this is.
	Seat int
	// Turn is numbered from 1; TurnSeat is whose it is.
	Turn, TurnSeat int
	// Board says of each square what lies there.
	Board [Squares]byte
	// Sizes are tiles by chain, Prices dollars for a share; 0 for a chain that is not on the board.
	Sizes, Prices ByChain
	// Market is how many shares of each chain are left.
	Market ByChain
	// Pile is how many tiles are left.
	Pile int
	// SetAside are tiles that are out of the game, Hand this seat's, both ascending.
	SetAside, Hand []int
	// Players says of each seat what may be known of it.
	Players []Player
	// Declared is whether the end has been declared in this turn, EndAllowed whether it may be (END-1).
	Declared, EndAllowed bool
	// PowerUsed and Moved are about this turn (PWR-1, END-4); Idle is how many turns in a row have passed without a move.
	PowerUsed, Moved bool
	Idle             int
	// Merger is the one that is not settled; nil while there is none.
	Merger *wire.MergerView
	// Agenda are the steps of the turn still to come, the next one last, for the seat that is asked.
	Agenda []*wire.Step
}

// Player is what a view says of one seat.
type Player struct {
	HandSize int
	// Cash and Shares are nil where they are hidden (VIS-3).
	Cash   *int
	Shares *ByChain
	// PowersUsed are in the order of their numbers.
	PowersUsed []wire.Power
}

// Question is what is asked: one of the types below.
type Question interface {
	// Kind is the name of the message, such as ChooseTile.
	Kind() string
}

// ChooseTile asks for a tile (PLC-1, PWR-5). Answers: Place, StopPlay, EndPlacing.
type ChooseTile struct{ Number, Most int }

// ChooseFounded asks for the name of a founded chain (FND-1). Answers: NameFounded.
type ChooseFounded struct{ Square int }

// ChooseSurvivor asks which of the equal largest chains survives (MRG-2). Answers: NameSurvivor.
type ChooseSurvivor struct {
	Square int
	Chains []int
}

// ChooseAcquired asks which of the equal largest chains is settled next (MRG-4). Answers: NameAcquired.
type ChooseAcquired struct{ Survivor int }

// ChooseDisposal asks what becomes of shares of an acquired chain (MRG-6). Answers: Dispose.
type ChooseDisposal struct{ Acquired, Survivor int }

// ChoosePurchase asks for a purchase (BUY-1). Answers: Buy.
type ChoosePurchase struct{ Terms wire.PurchaseTerms }

// ChooseExchange asks whether dead tiles are exchanged (DRW-2). Answers: Exchange.
type ChooseExchange struct{}

// ChoosePower asks for a special power of this phase, or none (PWR-1). Answers: UsePower.
type ChoosePower struct{ Phase wire.PowerPhase }

// ChoosePairTrade asks for a trade of two shares for one with the market (PWR-4). Answers: TradePair, EndTrading.
type ChoosePairTrade struct{ Number int }

// ChooseOffer asks for an offer to another player (TRD-1). Answers: NoOffer, OfferTrade.
type ChooseOffer struct{ Left int }

// ChooseReply asks whether an offer is accepted (TRD-1). Answers: Reply.
type ChooseReply struct {
	Proposer   int
	GiveShares ByChain
	GiveCash   int
	TakeShares ByChain
	TakeCash   int
}

// Kind is the name of the message.
func (ChooseTile) Kind() string { return "ChooseTile" }

// Kind is the name of the message.
func (ChooseFounded) Kind() string { return "ChooseFounded" }

// Kind is the name of the message.
func (ChooseSurvivor) Kind() string { return "ChooseSurvivor" }

// Kind is the name of the message.
func (ChooseAcquired) Kind() string { return "ChooseAcquired" }

// Kind is the name of the message.
func (ChooseDisposal) Kind() string { return "ChooseDisposal" }

// Kind is the name of the message.
func (ChoosePurchase) Kind() string { return "ChoosePurchase" }

// Kind is the name of the message.
func (ChooseExchange) Kind() string { return "ChooseExchange" }

// Kind is the name of the message.
func (ChoosePower) Kind() string { return "ChoosePower" }

// Kind is the name of the message.
func (ChoosePairTrade) Kind() string { return "ChoosePairTrade" }

// Kind is the name of the message.
func (ChooseOffer) Kind() string { return "ChooseOffer" }

// Kind is the name of the message.
func (ChooseReply) Kind() string { return "ChooseReply" }

// viewOf reads the view of a seat.
func (r *reader) viewOf(message *wire.View) *View {
	view := &View{
		LastEvent:  message.GetLastEvent(),
		Seats:      r.number("view.seats", message.GetSeats(), SeatsMax),
		Seat:       r.seat("view.seat", message.GetSeat()),
		Turn:       r.free("view.turn", message.GetTurn()),
		TurnSeat:   r.seat("view.turn_seat", message.GetTurnSeat()),
		Sizes:      r.byChain("view.sizes", message.GetSizes(), Squares),
		Prices:     r.byChain("view.prices", message.GetPrices(), priceMax),
		Market:     r.shares("view.market", message.GetMarket()),
		Pile:       r.number("view.pile", message.GetPile(), Squares),
		SetAside:   r.squares("view.set_aside", message.GetSetAside()),
		Hand:       r.squares("view.hand", message.GetHand()),
		Declared:   message.GetDeclared(),
		EndAllowed: message.GetEndAllowed(),
		PowerUsed:  message.GetPowerUsed(),
		Moved:      message.GetMoved(),
		Idle:       r.free("view.idle", message.GetIdle()),
		Merger:     message.GetMerger(),
		Agenda:     message.GetAgenda(),
	}
	if copy(view.Board[:], message.GetBoard()) != Squares || len(message.GetBoard()) != Squares {
		r.fail("view.board", "108 bytes", itoa(len(message.GetBoard()))+" of them")
	}
	for _, held := range view.Board {
		if held >= FirstChainSquare+Chains {
			r.fail("a square of view.board", "at most 8", held)
		}
	}
	if len(message.GetPlayers()) != view.Seats || message.Seat == nil || view.Seat >= view.Seats {
		r.fail("view.players", "one for each seat, view.seat among them", itoa(len(message.GetPlayers()))+" of them")
		return view
	}
	for _, player := range message.GetPlayers() {
		view.Players = append(view.Players, r.playerOf(player))
	}
	if own := view.Players[view.Seat]; own.Cash == nil || own.Shares == nil {
		r.fail("the seat's own cash and shares in view.players", "never hidden", "set")
	}
	return view
}

// priceMax is the dearest price of a share.
const priceMax = 1_200

func (r *reader) playerOf(message *wire.SeatView) Player {
	player := Player{
		HandSize:   r.number("player.hand_size", message.GetHandSize(), Squares),
		PowersUsed: message.GetPowersUsed(),
	}
	if message.Cash != nil {
		cash := r.free("player.cash", message.GetCash())
		player.Cash = &cash
	}
	if message.Shares != nil {
		shares := r.shares("player.shares", message.GetShares().GetCounts())
		player.Shares = &shares
	}
	return player
}

// questionOf reads what is asked; nil for a kind that only a newer client knows.
func (r *reader) questionOf(message *wire.Question) Question {
	switch kind := message.GetKind().(type) {
	case *wire.Question_ChooseTile:
		return ChooseTile{r.free("number", kind.ChooseTile.GetNumber()), r.free("most", kind.ChooseTile.GetMost())}
	case *wire.Question_ChooseFounded:
		return ChooseFounded{r.square("square", kind.ChooseFounded.GetSquare())}
	case *wire.Question_ChooseSurvivor:
		asked := kind.ChooseSurvivor
		return ChooseSurvivor{r.square("square", asked.GetSquare()), r.chains("chains", asked.GetChains())}
	case *wire.Question_ChooseAcquired:
		return ChooseAcquired{r.chain("survivor", kind.ChooseAcquired.GetSurvivor())}
	case *wire.Question_ChooseDisposal:
		asked := kind.ChooseDisposal
		return ChooseDisposal{r.chain("acquired", asked.GetAcquired()), r.chain("survivor", asked.GetSurvivor())}
	case *wire.Question_ChoosePurchase:
		return ChoosePurchase{kind.ChoosePurchase.GetTerms()}
	case *wire.Question_ChooseExchange:
		return ChooseExchange{}
	case *wire.Question_ChoosePower:
		return ChoosePower{kind.ChoosePower.GetPhase()}
	case *wire.Question_ChoosePairTrade:
		return ChoosePairTrade{r.free("number", kind.ChoosePairTrade.GetNumber())}
	case *wire.Question_ChooseOffer:
		return ChooseOffer{r.free("left", kind.ChooseOffer.GetLeft())}
	case *wire.Question_ChooseReply:
		asked := kind.ChooseReply
		return ChooseReply{
			Proposer:   r.seat("proposer", asked.GetProposer()),
			GiveShares: r.optionalShares("give_shares", asked.GetGiveShares()),
			GiveCash:   r.free("give_cash", asked.GetGiveCash()),
			TakeShares: r.optionalShares("take_shares", asked.GetTakeShares()),
			TakeCash:   r.free("take_cash", asked.GetTakeCash()),
		}
	}
	return nil
}
