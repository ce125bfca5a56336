package main

import (
	"context"
	"testing"

	mergemaker "github.com/mergemaker/mergemaker/clients/go"
)

func TestItBuysSharesAndDoesNotDeclareTheEnd(t *testing.T) {
	bought := 0
	for _, turn := range turns(t, "choose_purchase") {
		answer, err := bot{}.ChoosePurchase(context.Background(), turn)
		if err != nil {
			t.Fatalf("question %d: %v", turn.Number, err)
		}
		for index, action := range turn.Answers.All() {
			if answer != mergemaker.ByIndex(index) {
				continue
			}
			if mergemaker.DeclaresEnd(action) {
				t.Errorf("question %d: it declares the end by %+v", turn.Number, action)
			}
			if action != (mergemaker.Buy{}) {
				bought++
			}
		}
	}
	if bought == 0 {
		t.Error("it bought nothing in a whole match")
	}
}
