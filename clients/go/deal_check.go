package mergemaker

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// DealFinding is whether the deal was the one that the referee had promised before the first tile.
type DealFinding string

const (
	// DealProven is that promise, seed, and every tile that the seat saw agree.
	DealProven DealFinding = "proven"
	// DealInPart is that what this process saw agrees, but that it did not see all, as after a restart of the bot.
	DealInPart DealFinding = "proven in part"
	// DealNotPromised is that nothing was promised; the tiles agree with the seed that was revealed.
	DealNotPromised DealFinding = "not promised"
	// DealNotReleased is that the referee reveals the seed later, or not to bots.
	DealNotReleased DealFinding = "not released"
	// DealFalse is that they do not agree: Result.Problem says why.
	DealFalse DealFinding = "false"
)

// promise holds the promises for a match's deal, by the referee and, in joint mode, by all seats.
type promise struct {
	match string
	// offered is the first offer: later ones change no promise.
	offered *wire.MatchOffered
	// part is this seat's of the seed, in joint mode.
	part    [partBytes]byte
	hasPart bool
	// seats are the promises of all seats; nil if this process did not get it.
	seats [][]byte
	// isRevealed is whether the part was revealed, isRefused whether the referee refused this seat's promise or
	// part, isChanged whether another promise was shown later.
	isRevealed, isRefused, isChanged bool
}

func (p *promise) isJoint() bool { return p.offered.GetDealMode() == wire.DealMode_DEAL_MODE_JOINT }

// isMade is whether there is a promise to compare with.
func (p *promise) isMade() bool { return len(p.offered.GetCommitment()) == partBytes }

// shownAgain takes a later offer of the same match, as after a break.
func (p *promise) shownAgain(offered *wire.MatchOffered) {
	if !bytes.Equal(offered.GetCommitment(), p.offered.GetCommitment()) || offered.GetDealMode() != p.offered.GetDealMode() ||
		offered.GetPromiseMatch() != p.offered.GetPromiseMatch() {
		p.isChanged = true
	}
}

func (p *promise) ownCommitment() [32]byte {
	return SeatCommitment([32]byte(p.offered.GetCommitment()), int(p.offered.GetSeat()), p.part)
}

// witness is what a seat saw of the tiles, in order.
type witness struct {
	events []*wire.Event
	last   uint64
	// hasUnknown is whether an event was one that this client does not know.
	hasUnknown bool
}

// saw takes events in order.
func (w *witness) saw(events []*wire.Event) error {
	for _, event := range events {
		if event.GetNumber() != w.last+1 {
			return problem(FalseDeal, "events-missing", "event %d never came: the one after %d was %d", w.last+1, w.last, event.GetNumber())
		}
		w.last = event.GetNumber()
		switch event.GetKind().(type) {
		case nil:
			w.hasUnknown = true
		case *wire.Event_StartTilePlaced, *wire.Event_TilesDrawn, *wire.Event_TilesReceived, *wire.Event_TilePlaced,
			*wire.Event_HandShown, *wire.Event_TilesSetAside, *wire.Event_MarketDrew:
			w.events = append(w.events, event)
		}
	}
	return nil
}

// checkDeal says how far the deal was the one promised; what does not agree is the error. Without a proof there is nothing to
// check yet; without a witness no tile was dealt.
func checkDeal(p *promise, proof *wire.DealProof, seen *witness) (DealFinding, error) {
	mode := p.offered.GetDealMode()
	isPromised := mode == wire.DealMode_DEAL_MODE_SERVER || mode == wire.DealMode_DEAL_MODE_JOINT
	if isPromised && !p.isMade() {
		return DealFalse, problem(FalseDeal, "no-promise", "a commitment of %d bytes was to come first, not one of %d", partBytes,
			len(p.offered.GetCommitment()))
	}
	if p.isChanged {
		return DealFalse, problem(FalseDeal, "promise-changed", "the referee showed one promise first, and another one later")
	}
	if proof == nil {
		return DealNotReleased, nil
	}
	seed, err := bytes32("the seed", proof.GetSeed())
	if err != nil {
		return DealFalse, err
	}
	isWhole := true
	if isPromised {
		if isWhole, err = checkPromise(p, proof, seed, seen != nil); err != nil {
			return DealFalse, err
		}
	}
	if seen == nil || seen.hasUnknown {
		return DealInPart, nil
	}
	pile := &pile{seed: seed, order: DealOrder(seed), hands: map[uint32][]int{}}
	for _, event := range seen.events {
		if err := pile.check(event); err != nil {
			return DealFalse, err
		}
	}
	switch {
	case !isWhole:
		return DealInPart, nil
	case !isPromised:
		return DealNotPromised, nil
	}
	return DealProven, nil
}

func bytes32(what string, value []byte) ([32]byte, error) {
	if len(value) != partBytes {
		return [32]byte{}, problem(FalseDeal, "unreadable-proof", "%s has %d bytes, not %d", what, partBytes, len(value))
	}
	return [32]byte(value), nil
}

// checkPromise: the referee's part is the one it promised, and the seed follows. It tells whether all could be compared.
func checkPromise(p *promise, proof *wire.DealProof, seed [32]byte, wasDealt bool) (bool, error) {
	server, err := bytes32("the referee's part of the seed", proof.GetServerSeed())
	if err != nil {
		return false, err
	}
	nonce, err := bytes32("the nonce", proof.GetNonce())
	if err != nil {
		return false, err
	}
	match := p.offered.GetPromiseMatch()
	if match == "" {
		match = p.match
	}
	if made := Commitment(match, nonce, server); !bytes.Equal(made[:], p.offered.GetCommitment()) {
		return false, problem(FalseDeal, "promise-broken", "before the first tile the referee promised %x; what it tells now makes %x",
			p.offered.GetCommitment(), made)
	}
	if p.isJoint() {
		return checkJoint(p, proof, server, seed, wasDealt)
	}
	if seed != server {
		return false, problem(FalseDeal, "seed-differs", "the deal's seed is not the one that the referee promised")
	}
	return true, nil
}

func checkJoint(p *promise, proof *wire.DealProof, server, seed [32]byte, wasDealt bool) (bool, error) {
	revealed := proof.GetParts()
	if !wasDealt && len(revealed) == 0 {
		return false, nil // the match was over before the parts were revealed
	}
	seats := int(p.offered.GetSeats())
	if len(revealed) != seats {
		return false, problem(FalseDeal, "unreadable-proof", "there is a part for each of %d seats, not %d of them", seats, len(revealed))
	}
	parts := make([][32]byte, seats)
	for seat, part := range revealed {
		if len(part) == 0 {
			continue
		}
		var err error
		if parts[seat], err = bytes32("the part of seat "+itoa(seat), part); err != nil {
			return false, err
		}
	}
	if seed != JointSeed(server, parts) {
		return false, problem(FalseDeal, "seed-differs", "the deal's seed does not follow from the referee's part and those of the seats")
	}
	if p.seats == nil {
		return false, nil
	}
	return !p.isRefused, checkParts(p, revealed, parts)
}

// checkParts: each seat's part is the one it promised, and this seat's is the one it sent.
func checkParts(p *promise, revealed [][]byte, parts [][32]byte) error {
	if len(p.seats) != len(parts) {
		return problem(FalseDeal, "unreadable-proof", "there is a promise for each of %d seats, not %d of them", len(parts), len(p.seats))
	}
	for seat, before := range p.seats {
		made := SeatCommitment([32]byte(p.offered.GetCommitment()), seat, parts[seat])
		if len(revealed[seat]) > 0 && !bytes.Equal(made[:], before) {
			return problem(FalseDeal, "part-differs", "the part of seat %d is not the one that it promised", seat)
		}
	}
	if p.isRefused || !p.isRevealed {
		return nil
	}
	own := int(p.offered.GetSeat())
	if promised := p.ownCommitment(); own >= len(parts) || !bytes.Equal(p.seats[own], promised[:]) {
		return problem(FalseDeal, "own-promise-differs", "the referee showed another promise in this seat's name")
	}
	if !bytes.Equal(revealed[own], p.part[:]) {
		return problem(FalseDeal, "own-part-differs", "the referee left out the part of the seed that this seat revealed")
	}
	return nil
}

// pile is drawn from as announced. Everybody knows who draws how many, so every hand can be derived.
type pile struct {
	seed        [32]byte
	order       [Squares]int
	drawn       int
	marketDraws int
	hands       map[uint32][]int
	// last is the tiles drawn last.
	last []int
}

// check compares an announcement with the deal.
func (p *pile) check(event *wire.Event) error {
	switch kind := event.GetKind().(type) {
	case *wire.Event_StartTilePlaced:
		return same("a start tile", p.taken(1), kind.StartTilePlaced.GetSquare())
	case *wire.Event_TilesDrawn:
		seat, count := kind.TilesDrawn.GetSeat(), int(kind.TilesDrawn.GetCount())
		if p.last = p.taken(count); len(p.last) != count {
			return problem(FalseDeal, "tiles-differ", "seat %d drew %d tiles, and %d were left", seat, count, len(p.last))
		}
		p.hands[seat] = append(p.hands[seat], p.last...)
	case *wire.Event_TilesReceived:
		return same("what this seat drew", p.last, kind.TilesReceived.GetSquares()...)
	case *wire.Event_TilePlaced:
		return p.leaves(kind.TilePlaced.GetSeat(), "placed", kind.TilePlaced.GetSquare())
	case *wire.Event_TilesSetAside:
		return p.leaves(kind.TilesSetAside.GetSeat(), "set aside", kind.TilesSetAside.GetSquares()...)
	case *wire.Event_HandShown:
		seat := kind.HandShown.GetSeat()
		return same("the hand of seat "+itoa(int(seat)), p.hands[seat], kind.HandShown.GetSquares()...)
	case *wire.Event_MarketDrew:
		return p.checkMarket(kind.MarketDrew)
	}
	return nil
}

func (p *pile) taken(count int) []int {
	end := min(p.drawn+max(count, 0), Squares)
	taken := p.order[p.drawn:end]
	p.drawn = end
	return taken
}

func (p *pile) leaves(seat uint32, how string, squares ...uint32) error {
	for _, square := range squares {
		at := slices.Index(p.hands[seat], int(square))
		if at < 0 {
			return problem(FalseDeal, "tiles-differ", "seat %d %s %s; by the deal it had %s", seat, how, SquareName(int(square)),
				squareNames(p.hands[seat]))
		}
		p.hands[seat] = slices.Delete(p.hands[seat], at, at+1)
	}
	return nil
}

func (p *pile) checkMarket(drew *wire.MarketDrew) error {
	var seen []uint32
	if drew.Square != nil {
		seen = []uint32{drew.GetSquare()}
	}
	var expected []int
	if left := Squares - p.drawn; left > 0 {
		expected = []int{p.order[p.drawn+MarketIndex(p.seed, p.marketDraws, left)]}
		p.marketDraws++
	}
	return same("the tile drawn for the market", expected, seen...)
}

func same(what string, expected []int, seen ...uint32) error {
	squares := make([]int, len(seen))
	for i, square := range seen {
		squares[i] = int(square)
	}
	slices.Sort(squares)
	if sorted := slices.Sorted(slices.Values(expected)); !slices.Equal(squares, sorted) {
		return problem(FalseDeal, "tiles-differ", "%s was %s; by the deal it is %s", what, squareNames(squares), squareNames(sorted))
	}
	return nil
}

func squareNames(squares []int) string {
	names := make([]string, len(squares))
	for i, square := range squares {
		names[i] = SquareName(square)
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, " ")
}
