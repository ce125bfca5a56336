package main

import (
	"context"
	"testing"

	mergemaker "github.com/mergemaker/mergemaker/clients/go"
)

func TestItFoundsTheDearestChain(t *testing.T) {
	for _, turn := range turns(t, "choose_founded") {
		answer, err := bot{}.ChooseFounded(context.Background(), turn)
		if err != nil || answer != mergemaker.ByIndex(turn.Answers.Len()-1) {
			t.Errorf("question %d: %+v, %v", turn.Number, answer, err)
		}
	}
}
