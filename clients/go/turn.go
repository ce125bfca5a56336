package mergemaker

import (
	"slices"
	"strings"
	"time"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// Match is what a bot knows of its match before the first tile.
type Match struct {
	// ID is the match's.
	ID string
	// Rules are all knobs.
	Rules *wire.Rules
	// Chains are the names of the chains, by number.
	Chains [Chains]string
	Seats  int
	// Seat is the bot's own.
	Seat int
	// Bots are the names of the bots, by seat.
	Bots []string
	// Nonce is for this seat: where the chances of a repeatable bot come from.
	Nonce [32]byte
	Clock Clock
}

// Clock is the time that a seat has. Without IsLimited there is no limit at all.
type Clock struct {
	Name      string
	IsLimited bool
	// Allowance is free for each decision, Bank is for the whole match, and Increment goes into it with each answer.
	Allowance, Bank, Increment time.Duration
}

// TileEffect is what placing a tile would do at once.
type TileEffect struct {
	Square int
	// Kind says whether it lies alone, grows a chain, founds one, or merges several.
	Kind wire.EffectKind
	// Chains are the one that would grow, or all that would be joined, ascending.
	Chains []int
	// Survivors are the chain that would survive, or the equal largest ones.
	Survivors []int
	// Size is in tiles, afterwards.
	Size int
}

// Turn is one question: what is asked, what may be answered, and what the seat knows.
type Turn struct {
	Match *Match
	// Number is the decision's id: counts the questions to this seat.
	Number uint64
	View   *View
	// Asked is what is asked.
	Asked Question
	// Answers are all legal answers, in the documented order.
	Answers Answers
	// DefaultIndex is the index of what the referee takes when no answer comes.
	DefaultIndex uint64
	// Effects say what each tile that can be placed would do; empty when something else is asked.
	Effects []TileEffect
	// Events are what happened since the bot was last asked.
	Events []*wire.Event
	// TimeLeft is for this answer, bank included, when the bot is asked; it is meant only with HasTimeLimit.
	TimeLeft     time.Duration
	HasTimeLimit bool
	// Bank is what of it is the bank's.
	Bank time.Duration
}

// Default is what the referee takes when no answer comes.
func (t *Turn) Default() Action { return t.Answers.At(t.DefaultIndex) }

// Cash is the seat's own.
func (t *Turn) Cash() int { return *t.View.Players[t.View.Seat].Cash }

// Mine are the seat's own shares.
func (t *Turn) Mine() ByChain { return *t.View.Players[t.View.Seat].Shares }

// Chain is the number of a chain by its name; -1 if there is none of that name.
func (t *Turn) Chain(name string) int { return slices.Index(t.Match.Chains[:], name) }

// Lead is how many shares of a chain the seat has more than any other one; negative if it is behind. If the rules hide what
// others hold, it is a guess (see [View.TopsOfOthers]).
func (t *Turn) Lead(chain int) int {
	first, _ := t.View.TopsOfOthers(t.View.Seat, chain)
	return t.Mine()[chain] - first
}

// MayDeclare is whether the end may be declared with this answer (END-1, END-2).
func (t *Turn) MayDeclare() bool {
	switch t.Asked.(type) {
	case ChooseTile, ChoosePurchase:
		return t.View.EndAllowed && !t.View.Declared
	}
	return false
}

// Chances begins this turn's chances, which repeat when the match is played again: they come from the seat's nonce, the last
// event it was sent, and the kind of question alone.
func (t *Turn) Chances() *Stream {
	return NewStream(ChanceSeed(t.Match.Nonce, t.View.LastEvent, t.Asked.Kind()), chanceStream)
}

// Standing is how one seat came off.
type Standing struct {
	Seat int
	Bot  string
	Cash int
	// Place is 1 for the best; equal money shares a place.
	Place int
	// Status is finished, or what came in between.
	Status string
}

// Result is how a match ended.
type Result struct {
	Match string
	// Why is declared or stuck as in the rules, or why it was given up.
	Why string
	// Standings are by seat; empty for a match that was given up.
	Standings []Standing
	// Deal is whether the deal was the one promised, and Problem, where it was not, what does not agree.
	Deal    DealFinding
	Problem error
	// Receipt is what to keep, to compare the match's record with; nil if the referee sent none.
	Receipt *Receipt
}

// ReadMatch reads what the referee says of a match, as bots get it; for tests that ask a bot recorded questions.
func ReadMatch(id string, offered *wire.MatchOffered, started *wire.MatchStarted) (*Match, error) {
	r := &reader{}
	terms := offered.GetClock()
	if terms == nil {
		terms = &wire.ClockTerms{}
	}
	match := &Match{
		ID:    id,
		Rules: offered.GetRules(),
		Seats: r.number("seats", offered.GetSeats(), SeatsMax),
		Seat:  r.seat("seat", offered.GetSeat()),
		Bots:  names(started.GetBots()),
		Clock: Clock{
			Name:      terms.GetName(),
			IsLimited: terms.GetAllowanceMs() > 0 || terms.AllowanceMs != nil || terms.BankMs != nil,
			Allowance: milliseconds(terms.GetAllowanceMs()),
			Bank:      milliseconds(terms.GetBankMs()),
			Increment: milliseconds(terms.GetIncrementMs()),
		},
	}
	if copy(match.Chains[:], offered.GetRules().GetChainNames()) != Chains {
		r.fail("rules.chain_names", "seven names", itoa(len(offered.GetRules().GetChainNames()))+" of them")
	}
	for _, knob := range offered.GetRules().GetNewerKnobs() {
		r.unknownKnob(knob)
	}
	if copy(match.Nonce[:], started.GetNonce()) != len(match.Nonce) || len(started.GetNonce()) != len(match.Nonce) {
		r.fail("nonce", "32 bytes", itoa(len(started.GetNonce()))+" of them")
	}
	return match, r.failed()
}

// ReadTurn reads a question, as a bot gets it; for tests that ask a bot recorded questions.
func ReadTurn(match *Match, message *wire.Decision, events []*wire.Event) (*Turn, error) {
	r := &reader{}
	turn := &Turn{
		Match:        match,
		Number:       message.GetId(),
		View:         r.viewOf(message.GetView()),
		Asked:        r.questionOf(message.GetView().GetAsked()),
		Answers:      r.answersOf(message.GetAnswers()),
		DefaultIndex: message.GetDefaultIndex(),
		Events:       events,
		HasTimeLimit: message.TimeLeftMs != nil,
		TimeLeft:     milliseconds(message.GetTimeLeftMs()),
		Bank:         milliseconds(message.GetBankMs()),
	}
	for _, effect := range message.GetEffects() {
		turn.Effects = append(turn.Effects, TileEffect{
			Square:    r.square("effect.square", effect.GetSquare()),
			Kind:      effect.GetKind(),
			Chains:    r.chains("effect.chains", effect.GetChains()),
			Survivors: r.chains("effect.survivors", effect.GetSurvivors()),
			Size:      r.number("effect.size", effect.GetSize(), Squares),
		})
	}
	if r.err == nil && turn.DefaultIndex >= turn.Answers.Len() {
		r.fail("decision.default_index", "below answers.count", turn.DefaultIndex)
	}
	if r.err == nil && (turn.Asked == nil || turn.View.Seat != match.Seat) {
		r.fail("view.asked", "a question to this seat", "something else")
	}
	return turn, r.failed()
}

func resultOf(match string, ended *wire.MatchEnded) *Result {
	result := &Result{Match: match, Why: ended.GetText(), Deal: DealNotReleased, Receipt: receiptOf(match, ended.GetReceipt())}
	switch ended.GetEnding() {
	case wire.Ending_ENDING_DECLARED:
		result.Why = "declared"
	case wire.Ending_ENDING_STUCK:
		result.Why = "stuck"
	}
	if result.Why == "" {
		result.Why = "voided"
	}
	for _, standing := range ended.GetStandings() {
		result.Standings = append(result.Standings, Standing{
			Seat:   int(standing.GetSeat()),
			Bot:    standing.GetBot().GetName(),
			Cash:   int(standing.GetCash()),
			Place:  int(standing.GetPlace()),
			Status: words(standing.GetStatus().String(), "SEAT_STATUS_"),
		})
	}
	return result
}

// names are those under which the seats play.
func names(bots []*wire.SeatBot) []string {
	found := make([]string, len(bots))
	for seat, bot := range bots {
		found[seat] = bot.GetName()
	}
	return found
}

// words is the name of an enum's value for people.
func words(name, prefix string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, prefix)), "_", " ")
}

// durationMaxMs keeps what a message says from overflowing: a hundred years.
const durationMaxMs = 100 * 365 * 24 * 3_600_000

func milliseconds(count uint64) time.Duration {
	return time.Duration(min(count, durationMaxMs)) * time.Millisecond
}
