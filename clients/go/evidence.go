package mergemaker

import (
	"fmt"
	"strings"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// What the referee measured of a fault, and the operator's name for it, as parts of a line for the bot's author. Values that are
// newer than this library are shown as their numbers.

// evidenceText is whose fault it was, why, and what happened when; nothing without evidence.
func evidenceText(evidence *wire.Evidence) string {
	if evidence == nil {
		return ""
	}
	whose, ok := map[wire.AtFault]string{
		wire.AtFault_AT_FAULT_BOT:     "the bot's fault",
		wire.AtFault_AT_FAULT_NETWORK: "the way's fault",
		wire.AtFault_AT_FAULT_REFEREE: "the referee's fault, and nothing is charged",
		wire.AtFault_AT_FAULT_NOBODY:  "nobody's fault",
	}[evidence.GetAtFault()]
	if !ok {
		whose = fmt.Sprintf("fault of %d", evidence.GetAtFault())
	}
	text := "; " + whose + ": " + evidence.GetText()
	if moments := evidence.GetMoments(); len(moments) > 0 {
		named := make([]string, len(moments))
		for i, moment := range moments {
			named[i] = fmt.Sprintf("%s %.1f", words(moment.GetKind().String(), "MOMENT_KIND_"), inMs(moment.GetAtUs()))
		}
		text += " (in ms: " + strings.Join(named, ", ") + ")"
	}
	if transport, own := evidence.GetTransportLagUs(), evidence.GetRefereeLagUs(); transport > 0 || own > 0 {
		text += fmt.Sprintf("; the referee was held up meanwhile, its transport for %.1f ms, itself for %.1f ms", inMs(transport), inMs(own))
	}
	return text + askedBy(evidence.GetTrace())
}

func inMs[N int64 | uint64](us N) float64 { return float64(us) / 1_000 }

// problemText is what was wrong with a request: its stable reason, the text, and the rule if there is one.
func problemText(problem *wire.Problem) string {
	text := fmt.Sprintf("(%s): %s", problem.GetReason(), problem.GetText())
	if problem.GetRule() != "" {
		text += " [" + problem.GetRule() + "]"
	}
	return text
}

// askedBy is the name by which to ask the operator; nothing if there is none.
func askedBy(trace string) string {
	if trace == "" {
		return ""
	}
	return "; ask the operator about " + trace
}

// defaultText is a default that was taken in the bot's name.
func defaultText(taken *wire.DefaultTaken) string {
	return fmt.Sprintf("a default was taken for decision %d (%s): %s; %d more, and the seat is no longer asked%s", taken.GetDecision(),
		words(taken.GetCause().String(), "FAULT_CAUSE_"), taken.GetText(), taken.GetDefaultsLeft(), evidenceText(taken.Evidence))
}

// refusalText is an answer that was refused.
func refusalText(refused *wire.AnswerRefused) string {
	text := fmt.Sprintf("the answer to decision %d was refused %s", refused.GetDecision(), problemText(refused.GetProblem()))
	if refused.Evidence != nil {
		return text + evidenceText(refused.Evidence)
	}
	return text + askedBy(refused.GetProblem().GetTrace())
}
