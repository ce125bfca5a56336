package mergemaker

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MarksMax is how many marks a note may have.
const MarksMax = 60

// LabelCharactersMax is how long a label may be, in characters of Unicode.
const LabelCharactersMax = 12

// Tone is what a mark means, shown by its color and form.
type Tone string

const (
	// Plain is a mark without a meaning of its own.
	Plain Tone = "plain"
	// Good is a mark of what helps.
	Good Tone = "good"
	// Bad is a mark of what harms.
	Bad Tone = "bad"
)

const firstPrintable = ' '

// Drawing builds a note that draws: squares, arrows, labels and numbers, which the viewer shows on the board after the match.
// Squares are numbers, as in actions. The first thing that is wrong is what [Drawing.Note] returns as its error.
//
// Every language's library makes the same note of the same marks, byte for byte.
type Drawing struct {
	head  string
	marks []string
	wrong error
}

// NewDrawing begins a note with a text, which may be empty.
func NewDrawing(text string) *Drawing {
	d := &Drawing{}
	if text != "" {
		d.head = `"text":` + d.quoted(text) + ","
	}
	return d
}

// Square draws a frame around a square.
func (d *Drawing) Square(square int, tone Tone) *Drawing {
	return d.add(d.at(square), tone)
}

// Arrow draws an arrow from one square to another.
func (d *Drawing) Arrow(from, to int, tone Tone) *Drawing {
	first, last := d.name(from), d.name(to)
	if from == to {
		d.refuse("arrow-to-itself", "an arrow leads to another square, not from %s to %s", first, last)
	}
	return d.add(`"from":"`+first+`","to":"`+last+`"`, tone)
}

// Label writes a short text on a square.
func (d *Drawing) Label(square int, text string, tone Tone) *Drawing {
	if count := utf8.RuneCountInString(text); count < 1 || count > LabelCharactersMax {
		d.refuse("bad-label", "a label has 1 to %d characters, not %d", LabelCharactersMax, count)
	}
	return d.add(d.at(square)+`,"text":`+d.quoted(text), tone)
}

// Number writes a whole number on a square.
func (d *Drawing) Number(square int, number int64, tone Tone) *Drawing {
	text := strconv.FormatInt(number, 10)
	if len(text) > LabelCharactersMax {
		d.refuse("bad-label", "a number has at most %d characters, not %d", LabelCharactersMax, len(text))
	}
	return d.add(d.at(square)+`,"text":`+text, tone)
}

// Note is the note, for [Answer.WithNote].
func (d *Drawing) Note() (string, error) {
	if d.wrong != nil {
		return "", d.wrong
	}
	note := "{" + d.head + `"marks":[` + strings.Join(d.marks, ",") + "]}"
	if len(note) > NoteBytesMax {
		return "", problem(BadAnswer, "note-too-long",
			"a note is at most %d bytes of UTF-8, and %d marks with this text make %d: leave some out", NoteBytesMax, len(d.marks), len(note))
	}
	return note, nil
}

func (d *Drawing) add(mark string, tone Tone) *Drawing {
	switch {
	case tone != Plain && tone != Good && tone != Bad:
		d.refuse("no-such-tone", "a tone is plain, good or bad, not %q", string(tone))
	case len(d.marks) == MarksMax:
		d.refuse("too-many-marks", "a note has at most %d marks: leave some out", MarksMax)
	case tone == Plain:
		d.marks = append(d.marks, "{"+mark+"}")
	default:
		d.marks = append(d.marks, "{"+mark+`,"tone":"`+string(tone)+`"}`)
	}
	return d
}

func (d *Drawing) at(square int) string { return `"at":"` + d.name(square) + `"` }

func (d *Drawing) name(square int) string {
	if square < 0 || square >= Squares {
		d.refuse("no-such-square", "a square is a number from 0 to %d, as in actions, not %d", Squares-1, square)
		return ""
	}
	return SquareName(square)
}

// refuse keeps the first thing that is wrong.
func (d *Drawing) refuse(reason, format string, values ...any) {
	if d.wrong == nil {
		d.wrong = problem(BadAnswer, reason, format, values...)
	}
}

// quoted is a text as JSON, in the one way that all libraries write it: only what must be is escaped.
func (d *Drawing) quoted(text string) string {
	if !utf8.ValidString(text) {
		d.refuse("bad-note", "a note is UTF-8; this text is not")
	}
	var out strings.Builder
	out.WriteByte('"')
	for _, char := range text {
		switch {
		case char == '"' || char == '\\':
			out.WriteByte('\\')
			out.WriteRune(char)
		case char < firstPrintable:
			fmt.Fprintf(&out, `\u%04x`, char)
		default:
			out.WriteRune(char)
		}
	}
	out.WriteByte('"')
	return out.String()
}
