package mergemaker

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/mergemaker/mergemaker/clients/go/internal/vectors"
)

func TestSignaturesAreRightOrRefusedForTheirReason(t *testing.T) {
	type line struct {
		Signature, Receipt, File, Reason string
		Keys                             []string
	}
	for _, vector := range vectors.Lines[line](t, "clients/vectors/signatures.jsonl") {
		t.Run(vector.Signature, func(t *testing.T) {
			receipt, err := ReadReceipt(vector.Receipt)
			if err != nil || receipt.String() != vector.Receipt {
				t.Fatalf("the receipt reads as %v: %v", receipt, err)
			}
			var keys []ed25519.PublicKey
			for _, text := range vector.Keys {
				key, err := hex.DecodeString(text)
				if err != nil {
					t.Fatal(err)
				}
				keys = append(keys, key)
			}
			signed, err := CheckSignature(receipt, []byte(vector.File), keys...)
			var problem *Problem
			switch {
			case vector.Reason == "" && err != nil:
				t.Fatalf("it is right, and refused: %v", err)
			case vector.Reason == "":
				if signed.At.IsZero() || keyOf(signed.Key, keys) == nil {
					t.Errorf("it was signed at %v with %s", signed.At, signed.Key)
				}
			case !errors.As(err, &problem) || problem.Kind != BadProof || problem.Reason != vector.Reason:
				t.Errorf("expected is %s, not %v", vector.Reason, err)
			}
		})
	}
}

func TestWhatIsNoReceiptIsRefused(t *testing.T) {
	const hash = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	if _, err := ReadReceipt("m-1:" + hash + ":" + hash); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "m-1", "m-1:" + hash, "M:" + hash + ":" + hash, "m-1:" + hash + ":" + hash[1:], "m-1:" + hash[1:] + "B:" + hash} {
		if _, err := ReadReceipt(text); err == nil {
			t.Errorf("%q was read as a receipt", text)
		}
	}
}
