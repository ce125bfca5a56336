package mergemaker

import (
	"encoding/base64"
	"fmt"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

const endHashBytes = 32

// Receipt is what to keep of a match that is over: `mergemaker verify --receipt` tells with it whether a record is the one that was
// written then.
type Receipt struct {
	Match string
	// Line is the hash of the whole record, Game that of the play.
	Line, Game [endHashBytes]byte
}

// String is the receipt as it is in logs.
func (r *Receipt) String() string {
	return fmt.Sprintf("%s:%s:%s", r.Match, hashText(r.Line), hashText(r.Game))
}

// hashText is a hash as records write it.
func hashText(hash [endHashBytes]byte) string { return base64.RawURLEncoding.EncodeToString(hash[:]) }

// receiptOf is the receipt of a match; nil if what came is none.
func receiptOf(match string, message *wire.Receipt) *Receipt {
	receipt := &Receipt{Match: match}
	if message.GetMatch() != match || len(message.GetLine()) != endHashBytes || len(message.GetGame()) != endHashBytes {
		return nil
	}
	copy(receipt.Line[:], message.GetLine())
	copy(receipt.Game[:], message.GetGame())
	return receipt
}
