// first-bot is the smallest bot that has a mind of its own.
package main

import (
	"context"

	mergemaker "github.com/mergemaker/mergemaker/clients/go"
)

type firstBot struct{ mergemaker.Defaults }

func (firstBot) ChooseFounded(_ context.Context, turn *mergemaker.Turn) (mergemaker.Answer, error) {
	return mergemaker.ByIndex(turn.Answers.Len() - 1), nil // the dearest chain there is
}

func main() {
	mergemaker.Run(func() mergemaker.Bot { return firstBot{} }, mergemaker.Options{})
}
