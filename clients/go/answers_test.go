package mergemaker

import (
	"encoding/hex"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/mergemaker/mergemaker/clients/go/internal/vectors"
	"github.com/mergemaker/mergemaker/clients/go/wire"
)

func TestListings(t *testing.T) {
	type listing struct {
		Listing, Answers string
		Actions          [][2]any
	}
	for _, line := range vectors.Lines[listing](t, "clients/vectors/listings.jsonl") {
		t.Run(line.Listing, func(t *testing.T) {
			message := vectors.Message(t, line.Answers, &wire.LegalAnswers{})
			r := &reader{}
			answers := r.answersOf(message)
			if r.err != nil {
				t.Fatal(r.err)
			}
			for _, pair := range line.Actions {
				index := uint64(pair[0].(float64)) // below 2^53 in this file
				should := vectors.Message(t, pair[1].(string), &wire.Action{})
				if is := answers.At(index).message(); !proto.Equal(is, should) {
					t.Errorf("at %d is %v, not %v", index, is, should)
				}
				if again := (&reader{}).actionOf(should); again != answers.At(index) {
					t.Errorf("%v is read as %+v, not as %+v", should, again, answers.At(index))
				}
			}
			if uint64(len(line.Actions)) == answers.Len() {
				count := 0
				for index, action := range answers.All() {
					if index != uint64(count) || action != answers.At(index) {
						t.Errorf("at %d comes %d, %v", count, index, action)
					}
					count++
				}
			}
		})
	}
}

func TestAnswersThatCannotBe(t *testing.T) {
	seven := []uint32{0, 200, 0, 0, 0, 0, 0}
	purchase := func(change func(*wire.PurchaseBounds)) *wire.LegalAnswers {
		bounds := &wire.PurchaseBounds{CountMax: 3, Cash: proto.Uint32(6_000), Prices: seven, Market: []uint32{0, 25, 0, 0, 0, 0, 0}}
		change(bounds)
		return &wire.LegalAnswers{Count: 4, Kind: &wire.LegalAnswers_Purchase{Purchase: bounds}}
	}
	offer := func(change func(*wire.OfferBounds)) *wire.LegalAnswers {
		bounds := &wire.OfferBounds{Partners: []uint32{1}, Held: []uint32{1, 0, 0, 0, 0, 0, 0}, AskedSharesMax: 25, AskedCashStepsMax: 1_000, CashStep: 100}
		change(bounds)
		return &wire.LegalAnswers{Count: 1, Kind: &wire.LegalAnswers_Offer{Offer: bounds}}
	}
	place := &wire.Action{Kind: &wire.Action_Place{Place: &wire.Place{Square: 108}}}
	for name, message := range map[string]*wire.LegalAnswers{
		"a count of 5 where 4 are listed": func() *wire.LegalAnswers {
			m := purchase(func(*wire.PurchaseBounds) {})
			m.Count = 5
			return m
		}(),
		"none at all":                   {Kind: &wire.LegalAnswers_Listed{Listed: &wire.ListedAnswers{}}},
		"a kind that is not set":        {Count: 1},
		"six shares":                    purchase(func(b *wire.PurchaseBounds) { b.CountMax = 6 }),
		"more at least than at most":    purchase(func(b *wire.PurchaseBounds) { b.CountMin = 4 }),
		"six prices":                    purchase(func(b *wire.PurchaseBounds) { b.Prices = seven[:6] }),
		"26 shares in the market":       purchase(func(b *wire.PurchaseBounds) { b.Market = []uint32{26, 0, 0, 0, 0, 0, 0} }),
		"a price of nobody's":           purchase(func(b *wire.PurchaseBounds) { b.Prices = []uint32{0, 4_000_000_000, 0, 0, 0, 0, 0} }),
		"a disposal of 26":              {Count: 1, Kind: &wire.LegalAnswers_Disposal{Disposal: &wire.DisposalBounds{Held: 26}}},
		"an offer to seat 6":            offer(func(b *wire.OfferBounds) { b.Partners = []uint32{6} }),
		"an offer of too much cash":     offer(func(b *wire.OfferBounds) { b.CashSteps = 1_001 }),
		"an offer that asks for 26":     offer(func(b *wire.OfferBounds) { b.AskedSharesMax = 26 }),
		"a tile that there is not":      {Count: 1, Kind: &wire.LegalAnswers_Listed{Listed: &wire.ListedAnswers{Actions: []*wire.Action{place}}}},
		"an offer with a step too long": offer(func(b *wire.OfferBounds) { b.CashStep = 4_000_000_000 }),
	} {
		r := &reader{}
		if r.answersOf(message); r.err == nil || r.err.Kind != Unreadable || r.err.Reason != "out-of-range" {
			t.Errorf("%s is read without complaint: %v", name, r.err)
		}
	}
}

func TestAnIndexBehindTheAnswersPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("there is no answer 1")
		}
	}()
	Answers{listed: []Action{NoOffer{}}}.At(1)
}

func TestChances(t *testing.T) {
	type chances struct {
		Nonce, Kind, Seed string
		LastEvent         uint64 `json:"last_event"`
		Below             [][2]string
	}
	for _, line := range vectors.Lines[chances](t, "clients/vectors/chances.jsonl") {
		seed := ChanceSeed(hex32(t, line.Nonce), line.LastEvent, line.Kind)
		if seed != hex32(t, line.Seed) {
			t.Errorf("%s: the seed is %x, not %s", line.Kind, seed, line.Seed)
		}
		stream := NewStream(seed, chanceStream)
		for _, pair := range line.Below {
			n, err := strconv.ParseUint(pair[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if drawn := strconv.FormatUint(stream.Below(n), 10); drawn != pair[1] {
				t.Errorf("%s: below %d is %s, not %s", line.Kind, n, drawn, pair[1])
			}
		}
	}
}

func hex32(t *testing.T, text string) [32]byte {
	t.Helper()
	content, err := hex.DecodeString(text)
	if err != nil || len(content) != 32 {
		t.Fatalf("%q is not 32 bytes: %v", text, err)
	}
	return [32]byte(content)
}
