package mergemaker

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strings"
	"time"
)

const (
	signatureName = "mergemaker/end-signature/1\x00"
	keyName       = "mergemaker/signing-key/1\x00"
)

var signatureLine = regexp.MustCompile(`^(\{"match":"([a-z0-9-]{1,64})","line":"([\w-]{43})","game":"([\w-]{43})",` +
	`"commitment":(?:null|"([0-9a-f]{64})"),"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)","key":"([\w-]{22})"),` +
	`"signature":"([\w-]{86})"\}\n$`)

// SignedEnd is what a referee signed of a record, beside what the receipt has.
type SignedEnd struct {
	// Commitment is the promise in the record's header; nil in plain mode.
	Commitment []byte
	// At is when it was signed, by the referee's clock.
	At time.Time
	// Key is the id of the key.
	Key string
}

// CheckSignature checks that the holder of one of the keys signed the end of the record with this receipt. The content is that of
// the record's file `.jsonl.sig`. An error is a [Problem] of kind [BadProof].
func CheckSignature(receipt *Receipt, content []byte, keys ...ed25519.PublicKey) (*SignedEnd, error) {
	parts := signatureLine.FindStringSubmatch(string(content))
	if parts == nil {
		return nil, problem(BadProof, "bad-signature", "what is in the file is no signature of a record's end")
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[8])
	at, atErr := time.Parse(time.RFC3339, parts[6])
	if err != nil || atErr != nil {
		return nil, problem(BadProof, "bad-signature", "what is in the file is no signature of a record's end")
	}
	key := keyOf(parts[7], keys)
	if key == nil {
		return nil, problem(BadProof, "other-key", "it was signed with the key %s, which is none of those given", parts[7])
	}
	if !ed25519.Verify(key, []byte(signatureName+parts[1]), signature) {
		return nil, problem(BadProof, "wrong-signature", "what the file says was not signed by the key that it names: it was changed")
	}
	switch {
	case parts[2] != receipt.Match:
		return nil, problem(BadProof, "signature-match", "the signature is of the match %s, not of %s", parts[2], receipt.Match)
	case parts[4] != hashText(receipt.Game):
		return nil, problem(BadProof, "signature-game", "the signature is of another play of the match %s", receipt.Match)
	case parts[3] != hashText(receipt.Line):
		return nil, problem(BadProof, "signature-line", "the signature is of a record of the match %s with other names, times or notes", receipt.Match)
	}
	signed := &SignedEnd{At: at, Key: parts[7]}
	if parts[5] != "" {
		signed.Commitment, _ = hex.DecodeString(parts[5])
	}
	return signed, nil
}

// keyOf is the key with an id; nil if it is not among these.
func keyOf(id string, keys []ed25519.PublicKey) ed25519.PublicKey {
	for _, key := range keys {
		if len(key) == ed25519.PublicKeySize && KeyID(key) == id {
			return key
		}
	}
	return nil
}

// KeyID names a public key in signatures.
func KeyID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(append([]byte(keyName), key...))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// ReadReceipt reads a receipt in the form of logs, `MATCH:LINE:GAME`.
func ReadReceipt(text string) (*Receipt, error) {
	parts := strings.Split(text, ":")
	receipt := &Receipt{Match: parts[0]}
	if len(parts) == 3 && receiptMatch.MatchString(parts[0]) && readHash(parts[1], &receipt.Line) && readHash(parts[2], &receipt.Game) {
		return receipt, nil
	}
	return nil, problem(BadProof, "bad-receipt", "a receipt is MATCH:LINE:GAME with two hashes of 43 characters, not %.160q", text)
}

var receiptMatch = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

func readHash(text string, hash *[endHashBytes]byte) bool {
	read, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && copy(hash[:], read) == len(hash) && hashText(*hash) == text
}
