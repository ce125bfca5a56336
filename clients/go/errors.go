package mergemaker

import "fmt"

// ProblemKind separates problems that call for different actions.
type ProblemKind string

const (
	// BadSetting is a setting that is missing or wrong.
	BadSetting ProblemKind = "bad setting"
	// Unreachable is a referee that could not be reached for too long.
	Unreachable ProblemKind = "unreachable"
	// Refused is a referee that refused, and would refuse again.
	Refused ProblemKind = "refused"
	// TakenOver is that another process plays with this bot's token now. This process does not come back.
	TakenOver ProblemKind = "taken over"
	// BadAnswer is a mistake in what a bot answered.
	BadAnswer ProblemKind = "bad answer"
	// Unreadable is a message that says what cannot be.
	Unreadable ProblemKind = "unreadable"
	// FalseDeal is a deal that was not the one that the referee had promised, or of which it withheld what would show that.
	FalseDeal ProblemKind = "false deal"
	// BadProof is a receipt or a signature that is none, or of something else.
	BadProof ProblemKind = "bad proof"
)

// Problem is every error that this package makes.
type Problem struct {
	Kind ProblemKind
	// Reason is for programs: small letters and hyphens, and it does not change between versions.
	Reason string
	// Text says what is wrong and what to do.
	Text string
	// Cause is what it came from, if there is something.
	Cause error
}

// Error is the text for people.
func (p *Problem) Error() string { return p.Text }

// Unwrap is the cause.
func (p *Problem) Unwrap() error { return p.Cause }

func problem(kind ProblemKind, reason, format string, values ...any) *Problem {
	return &Problem{Kind: kind, Reason: reason, Text: fmt.Sprintf(format, values...)}
}
