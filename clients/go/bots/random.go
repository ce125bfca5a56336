// Package bots holds the two example bots. What they answer is written down to the byte, and the same in every language.
package bots

import (
	"context"

	mergemaker "github.com/mergemaker/mergemaker/clients/go"
)

// Random takes any legal answer, each as likely as the others, and declares the end as soon as it may (RANDOM.md).
type Random struct{ mergemaker.Defaults }

// NewRandom makes the bot for a match.
func NewRandom() mergemaker.Bot { return Random{} }

// Answer draws from the turn's chances.
func (Random) Answer(_ context.Context, turn *mergemaker.Turn) (mergemaker.Answer, error) {
	chances := turn.Chances()
	if turn.MayDeclare() {
		var declaring []uint64
		for index, action := range turn.Answers.All() {
			if mergemaker.DeclaresEnd(action) {
				declaring = append(declaring, index)
			}
		}
		if len(declaring) > 0 {
			return mergemaker.ByIndex(declaring[chances.Below(uint64(len(declaring)))]), nil
		}
	}
	return mergemaker.ByIndex(chances.Below(turn.Answers.Len())), nil
}
