// my-bot: ./run starts it, ./test tests it.
package main

import (
	"context"

	mergemaker "github.com/mergemaker/mergemaker/clients/go"
)

// bot answers what it cares for; all else is the referee's default.
type bot struct{ mergemaker.Defaults }

// ChooseFounded founds the dearest chain there is.
func (bot) ChooseFounded(_ context.Context, turn *mergemaker.Turn) (mergemaker.Answer, error) {
	return mergemaker.ByIndex(turn.Answers.Len() - 1), nil
}

func main() {
	mergemaker.Run(func() mergemaker.Bot { return bot{} }, mergemaker.Options{})
}
