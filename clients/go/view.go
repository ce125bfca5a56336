package mergemaker

import (
	"slices"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

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
	// Cash and Shares are nil if they are hidden (VIS-3).
	Cash   *int
	Shares *ByChain
	// PowersUsed are in the order of their numbers.
	PowersUsed []wire.Power
}

// Question is what is asked: one of the types whose names begin with Choose.
type Question interface {
	// Kind is the name of the message, such as ChooseTile.
	Kind() string
}

// TopsOfOthers are the two largest holdings of a chain among the seats other than this one; 0 where there is none. If the view
// hides holdings, the largest is a guess: two thirds of what the others have together, rounded up, or all of it if there is one
// other seat.
func (v *View) TopsOfOthers(seat, chain int) (first, second int) {
	if slices.ContainsFunc(v.Players, func(player Player) bool { return player.Shares == nil }) {
		return v.guessedTops(seat, chain)
	}
	for other, player := range v.Players {
		if other == seat {
			continue
		}
		if held := player.Shares[chain]; held > first {
			first, second = held, first
		} else if held > second {
			second = held
		}
	}
	return first, second
}

func (v *View) guessedTops(seat, chain int) (first, second int) {
	rest := SharesPerChain - v.Market[chain]
	if own := v.Players[seat].Shares; own != nil {
		rest -= own[chain]
	}
	if v.Seats == 2 {
		return rest, 0
	}
	first = (2*rest + 2) / 3
	return first, rest - first
}

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
