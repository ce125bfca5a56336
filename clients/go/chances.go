package mergemaker

import (
	"crypto/sha256"
	"encoding/binary"
)

const (
	chanceLabel  = "mergemaker bot chance 1"
	chanceStream = "bot"
	wordBits     = 16
)

// Stream is an endless sequence of words of 16 bits from a seed and a label, as DEAL.md says: deals and the chances of bots
// come from such streams.
type Stream struct {
	prefix []byte
	blocks uint32
	block  [sha256.Size]byte
	at     int
}

// NewStream begins the stream of a seed and a label.
func NewStream(seed [32]byte, label string) *Stream {
	return &Stream{prefix: append(seed[:], label...), at: sha256.Size}
}

func (s *Stream) word() uint64 {
	if s.at == len(s.block) {
		s.block = sha256.Sum256(binary.BigEndian.AppendUint32(s.prefix[:len(s.prefix):len(s.prefix)], s.blocks))
		s.blocks++
		s.at = 0
	}
	word := binary.BigEndian.Uint16(s.block[s.at:])
	s.at += 2
	return uint64(word)
}

// Below draws a whole number from 0 to n - 1, each as likely as the others. n is at least 1.
func (s *Stream) Below(n uint64) uint64 {
	if n == 0 {
		panic("mergemaker: Below draws from at least one number")
	}
	words, largest := 1, uint64(1)<<wordBits-1
	for largest < n-1 {
		words++
		largest = largest<<wordBits | (1<<wordBits - 1)
	}
	// So many of the largest numbers would make some answers likelier than others.
	excess := (largest%n + 1) % n
	for {
		var drawn uint64
		for range words {
			drawn = drawn<<wordBits | s.word()
		}
		if drawn <= largest-excess {
			return drawn % n
		}
	}
}

// ChanceSeed is where the chances of one question come from (RANDOM.md): the match's nonce, the number of the last event that
// the seat was sent, and the kind of question.
func ChanceSeed(nonce [32]byte, lastEvent uint64, kind string) [32]byte {
	preimage := append([]byte(chanceLabel), nonce[:]...)
	preimage = binary.BigEndian.AppendUint64(preimage, lastEvent)
	return sha256.Sum256(append(preimage, kind...))
}
