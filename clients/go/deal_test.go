package mergemaker

import (
	"bytes"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/mergemaker/mergemaker/clients/go/internal/vectors"
	"github.com/mergemaker/mergemaker/clients/go/wire"
)

type dealVectors struct {
	Orders []struct {
		Seed  string
		Tiles []string
	}
	Streams []struct {
		Seed, Label   string
		Below, Values []uint64
	}
	MarketDraws []struct {
		Seed        string
		Draw, Index int
		TilesInPile int `json:"tiles_in_pile"`
	} `json:"market_draws"`
}

func readDealVectors(t *testing.T) dealVectors {
	t.Helper()
	var read dealVectors
	vectors.JSON(t, "engine/mergemaker_engine/deal_vectors.json", &read)
	if len(read.Orders) == 0 || len(read.Streams) == 0 || len(read.MarketDraws) == 0 {
		t.Fatal("the engine's vectors are not what they were")
	}
	return read
}

func TestDealOrders(t *testing.T) {
	for _, vector := range readDealVectors(t).Orders {
		for i, square := range DealOrder(hex32(t, vector.Seed)) {
			if SquareName(square) != vector.Tiles[i] {
				t.Fatalf("%s: tile %d is %s, not %s", vector.Seed, i, SquareName(square), vector.Tiles[i])
			}
		}
	}
}

func TestStreams(t *testing.T) {
	for _, vector := range readDealVectors(t).Streams {
		stream := NewStream(hex32(t, vector.Seed), vector.Label)
		for i, n := range vector.Below {
			if drawn := stream.Below(n); drawn != vector.Values[i] {
				t.Errorf("%s %q: draw %d below %d is %d, not %d", vector.Seed, vector.Label, i, n, drawn, vector.Values[i])
			}
		}
	}
}

func TestMarketDraws(t *testing.T) {
	for _, vector := range readDealVectors(t).MarketDraws {
		if index := MarketIndex(hex32(t, vector.Seed), vector.Draw, vector.TilesInPile); index != vector.Index {
			t.Errorf("%s: draw %d of %d tiles is %d, not %d", vector.Seed, vector.Draw, vector.TilesInPile, index, vector.Index)
		}
	}
}

// TestCommitment checks the example that RECORDS.md goes through step by step.
func TestCommitment(t *testing.T) {
	nonce := hex32(t, "c9abe8fcf8dbb670c765274e23b393695bdbca2651ca90231aba2f0fa998f7a5")
	seed := hex32(t, "06afa8f30ccb4fe2a2d9b38181dcbd9008536dce7c9a2cf74990adce752c2ebe")
	if made := Commitment("classic-2-market", nonce, seed); made != hex32(t, "6a2146262786c5d0eb4271adcf4117142cf3cdc1c388c6ac0d8311c4670a6e4b") {
		t.Errorf("%x", made)
	}
}

// seen is a whole match of a dialogue: its end, and what its seat saw.
func seen(t *testing.T, name string) (vectors.Dialogue, *witness) {
	t.Helper()
	dialogue := vectors.ReadDialogue(t, name)
	w := &witness{}
	for _, question := range dialogue.Questions {
		if err := w.saw(question.Response.GetEvents()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.saw(dialogue.End.GetEvents()); err != nil {
		t.Fatal(err)
	}
	return dialogue, w
}

func TestTheDealsOfWholeMatches(t *testing.T) {
	for _, name := range vectors.Dialogues(t) {
		dialogue, w := seen(t, name)
		finding, err := checkDeal(&promise{match: name, offered: dialogue.Offered}, dialogue.End.GetMatchEnded().GetProof(), w)
		if finding != DealNotPromised || err != nil {
			t.Errorf("%s: %s, %v", name, finding, err)
		}
	}
}

// promised is the same match with promises, in server mode or in joint mode.
func promised(t *testing.T, joint bool) (*promise, *wire.DealProof, *witness) {
	t.Helper()
	dialogue, w := seen(t, "classic-2")
	seed := [32]byte(dialogue.End.GetMatchEnded().GetProof().GetSeed())
	nonce := [32]byte{1, 2, 3}
	offered := dialogue.Offered
	proof := &wire.DealProof{Seed: seed[:], ServerSeed: seed[:], Nonce: nonce[:]}
	offered.DealMode = wire.DealMode_DEAL_MODE_SERVER
	server := seed
	p := &promise{match: "classic-2", offered: offered}
	if joint {
		offered.DealMode = wire.DealMode_DEAL_MODE_JOINT
		parts := [][32]byte{{7}, {8}}
		server = [32]byte{9}
		made := JointSeed(server, parts)
		proof.Seed, proof.ServerSeed = made[:], server[:]
		proof.Parts = [][]byte{parts[0][:], parts[1][:]}
		p.part, p.hasPart, p.isRevealed = parts[0], true, true
		w = nil // the tiles are of another deal
	}
	commitment := Commitment("classic-2", nonce, server)
	offered.Commitment = commitment[:]
	if joint {
		for seat, part := range proof.Parts {
			made := SeatCommitment(commitment, seat, [32]byte(part))
			p.seats = append(p.seats, made[:])
		}
	}
	return p, proof, w
}

func TestPromisesThatAreKept(t *testing.T) {
	p, proof, w := promised(t, false)
	if finding, err := checkDeal(p, proof, w); finding != DealProven || err != nil {
		t.Errorf("server: %s, %v", finding, err)
	}
	if finding, err := checkDeal(p, nil, w); finding != DealNotReleased || err != nil {
		t.Errorf("without a proof: %s, %v", finding, err)
	}
	w.hasUnknown = true
	if finding, err := checkDeal(p, proof, w); finding != DealInPart || err != nil {
		t.Errorf("with an unknown event: %s, %v", finding, err)
	}
	p, proof, _ = promised(t, true)
	if finding, err := checkDeal(p, proof, nil); finding != DealInPart || err != nil {
		t.Errorf("joint: %s, %v", finding, err)
	}
	if finding, err := checkDeal(p, proof, &witness{}); finding != DealProven || err != nil {
		t.Errorf("joint, and no tile seen: %s, %v", finding, err)
	}
	proof.Parts[1] = nil // withheld, and counted as zeros
	made := JointSeed([32]byte(proof.ServerSeed), [][32]byte{[32]byte(proof.Parts[0]), {}})
	proof.Seed = made[:]
	if finding, err := checkDeal(p, proof, &witness{}); finding != DealProven || err != nil {
		t.Errorf("joint, a part withheld: %s, %v", finding, err)
	}
}

func TestPromisesThatAreBroken(t *testing.T) {
	other := bytes.Repeat([]byte{5}, 32)
	for _, test := range []struct {
		name, reason string
		isJoint      bool
		breaks       func(*promise, *wire.DealProof, *witness)
	}{
		{"no commitment", "no-promise", false, func(p *promise, _ *wire.DealProof, _ *witness) { p.offered.Commitment = nil }},
		{"another one later", "promise-changed", false, func(p *promise, _ *wire.DealProof, _ *witness) {
			again := proto.CloneOf(p.offered)
			again.Commitment = other
			p.shownAgain(again)
		}},
		{"another nonce", "promise-broken", false, func(_ *promise, proof *wire.DealProof, _ *witness) { proof.Nonce = other }},
		{"another match", "promise-broken", false, func(p *promise, _ *wire.DealProof, _ *witness) { p.offered.PromiseMatch = "b" }},
		{"another seed", "seed-differs", false, func(_ *promise, proof *wire.DealProof, _ *witness) { proof.Seed = other }},
		{"a short seed", "unreadable-proof", false, func(_ *promise, proof *wire.DealProof, _ *witness) { proof.Seed = other[:31] }},
		{"a short server seed", "unreadable-proof", false, func(_ *promise, proof *wire.DealProof, _ *witness) { proof.ServerSeed = nil }},
		{"a short nonce", "unreadable-proof", false, func(_ *promise, proof *wire.DealProof, _ *witness) { proof.Nonce = nil }},
		{"another tile", "tiles-differ", false, func(_ *promise, _ *wire.DealProof, w *witness) {
			for _, event := range w.events {
				if received := event.GetTilesReceived(); received != nil {
					received.Squares[0]++
					return
				}
			}
		}},
		{"a tile placed twice", "tiles-differ", false, func(_ *promise, _ *wire.DealProof, w *witness) {
			for _, event := range w.events {
				if event.GetTilePlaced() != nil {
					w.events = append(w.events, event)
					return
				}
			}
		}},
		{"a seed that does not follow", "seed-differs", true, func(_ *promise, proof *wire.DealProof, _ *witness) { proof.Seed = other }},
		{"too few parts", "unreadable-proof", true, func(_ *promise, proof *wire.DealProof, _ *witness) { proof.Parts = proof.Parts[:1] }},
		{"a short part", "unreadable-proof", true, func(_ *promise, proof *wire.DealProof, _ *witness) { proof.Parts[0] = other[:3] }},
		{"too few promises", "unreadable-proof", true, func(p *promise, _ *wire.DealProof, _ *witness) { p.seats = p.seats[:1] }},
		{"another's part changed", "part-differs", true, func(p *promise, _ *wire.DealProof, _ *witness) { p.seats[1] = other }},
		{"the own promise replaced", "own-promise-differs", true, func(p *promise, _ *wire.DealProof, _ *witness) { p.part = [32]byte{77} }},
		{"the own part left out", "own-part-differs", true, func(_ *promise, proof *wire.DealProof, _ *witness) {
			made := JointSeed([32]byte(proof.ServerSeed), [][32]byte{{}, [32]byte(proof.Parts[1])})
			proof.Parts[0], proof.Seed = nil, made[:]
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, proof, w := promised(t, test.isJoint)
			if test.isJoint {
				w = &witness{}
			}
			test.breaks(p, proof, w)
			finding, err := checkDeal(p, proof, w)
			var found *Problem
			if finding != DealFalse || !errors.As(err, &found) || found.Kind != FalseDeal || found.Reason != test.reason {
				t.Errorf("%s, %v; expected is %s", finding, err, test.reason)
			}
		})
	}
}

func TestAnEventThatWasLeftOut(t *testing.T) {
	w := &witness{}
	err := w.saw([]*wire.Event{{Number: 1}, {Number: 3}})
	var found *Problem
	if !errors.As(err, &found) || found.Reason != "events-missing" {
		t.Errorf("%v", err)
	}
}
