package mergemaker

import (
	"strconv"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// Action is an answer to a question: one of the types that are made of the messages, or Unknown. Actions can be compared by ==.
type Action interface {
	message() *wire.Action
}

// Unknown stands for an answer of a kind that only a newer client knows: only its index can answer with it.
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

func (Unknown) message() *wire.Action { return nil }

func (c ByChain) counts() []uint32 {
	counts := make([]uint32, Chains)
	for chain, count := range c {
		counts[chain] = uint32(count)
	}
	return counts
}

func itoa(number int) string { return strconv.Itoa(number) }
