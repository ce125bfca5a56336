package mergemaker

import (
	"errors"
	"testing"

	"github.com/mergemaker/mergemaker/clients/go/internal/vectors"
)

func TestDrawingsAreAsWritten(t *testing.T) {
	type mark struct {
		Kind, Tone string
		At, To     int
		Text       string
		Number     int64
	}
	type line struct {
		Drawing, Text string
		Marks         []mark
		Note, Reason  *string
	}
	lines := vectors.Lines[line](t, "clients/vectors/drawings.jsonl")
	for _, line := range lines {
		drawing := NewDrawing(line.Text)
		for _, m := range line.Marks {
			switch m.Kind {
			case "square":
				drawing.Square(m.At, Tone(m.Tone))
			case "arrow":
				drawing.Arrow(m.At, m.To, Tone(m.Tone))
			case "label":
				drawing.Label(m.At, m.Text, Tone(m.Tone))
			case "number":
				drawing.Number(m.At, m.Number, Tone(m.Tone))
			default:
				t.Fatalf("%s: there is no mark %q", line.Drawing, m.Kind)
			}
		}
		note, err := drawing.Note()
		if line.Note != nil && (err != nil || note != *line.Note) {
			t.Errorf("%s: the note is %s (%v), not %s", line.Drawing, note, err, *line.Note)
		}
		var wrong *Problem
		if line.Reason != nil && (!errors.As(err, &wrong) || wrong.Reason != *line.Reason) {
			t.Errorf("%s: the error is %v, not %s", line.Drawing, err, *line.Reason)
		}
	}
}

func TestWhatIsNoTextOrToneIsNotDrawn(t *testing.T) {
	for reason, drawing := range map[string]*Drawing{
		"bad-note":     NewDrawing("\xff"),
		"no-such-tone": NewDrawing("").Square(0, "red").Square(-1, Plain),
	} {
		_, err := drawing.Note()
		var wrong *Problem
		if !errors.As(err, &wrong) || wrong.Reason != reason {
			t.Errorf("the error is %v, not %s", err, reason)
		}
	}
}
