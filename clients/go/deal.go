package mergemaker

import (
	"crypto/sha256"
	"strconv"
)

const partBytes = 32

// DealOrder is the order in which tiles come off the pile of a deal: all squares (DEAL.md).
func DealOrder(seed [32]byte) [Squares]int {
	var tiles [Squares]int
	for i := range tiles {
		tiles[i] = i
	}
	stream := NewStream(seed, "deal")
	for i := Squares - 1; i > 0; i-- {
		j := stream.Below(uint64(i + 1))
		tiles[i], tiles[j] = tiles[j], tiles[i]
	}
	return tiles
}

// MarketIndex is where the tile of a market draw lies in a pile of left tiles; draws are numbered from 0 (TWO-1).
func MarketIndex(seed [32]byte, draw, left int) int {
	return int(NewStream(seed, "market/"+strconv.Itoa(draw)).Below(uint64(left)))
}

// Commitment is what the referee publishes before the first tile (RECORDS.md, 'The promise').
func Commitment(match string, nonce, serverSeed [32]byte) [32]byte {
	preimage := append([]byte("mergemaker/commitment/1\x00"), byte(len(match)))
	preimage = append(preimage, match...)
	preimage = append(preimage, nonce[:]...)
	return sha256.Sum256(append(preimage, serverSeed[:]...))
}

// SeatCommitment is what a seat publishes in joint mode.
func SeatCommitment(commitment [32]byte, seat int, part [32]byte) [32]byte {
	preimage := append([]byte("mergemaker/seat-commitment/1\x00"), commitment[:]...)
	preimage = append(preimage, byte(seat))
	return sha256.Sum256(append(preimage, part[:]...))
}

// JointSeed is the deal's seed in joint mode. A part that was not revealed is 32 zero bytes.
func JointSeed(serverSeed [32]byte, parts [][32]byte) [32]byte {
	preimage := append([]byte("mergemaker/joint-deal/1\x00"), serverSeed[:]...)
	for _, part := range parts {
		preimage = append(preimage, part[:]...)
	}
	return sha256.Sum256(preimage)
}

// SquareName is what is printed on a tile, such as 12A.
func SquareName(square int) string {
	const numbers = 12
	return strconv.Itoa(square%numbers+1) + string(rune('A'+square/numbers))
}
