package mergemaker

// reader reads numbers of messages, and keeps the first thing that cannot be: what was expected, and what came.
type reader struct{ err *Problem }

func (r *reader) fail(what, expected string, came any) {
	if r.err == nil {
		r.err = problem(Unreadable, "out-of-range", "%s is %s, not %v", what, expected, came)
	}
}

// unknownKnob is a knob of the rules that a newer referee knows, and that plays something differently.
func (r *reader) unknownKnob(name string) {
	if r.err == nil {
		r.err = problem(Unreadable, "unknown-knob", "the rules have the knob %q, which this library does not know: a newer one may know it", name)
	}
}

// failed is the error as the interface, which is nil if there is none.
func (r *reader) failed() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// numberMax bounds what the rules do not: dollars, turns, steps.
const numberMax = 1_000_000_000

// number reads one that is not above most.
func (r *reader) number(what string, value uint32, most int) int {
	if int64(value) > int64(most) {
		r.fail(what, "at most "+itoa(most), value)
		return 0
	}
	return int(value)
}

func (r *reader) chain(what string, value uint32) int    { return r.number(what, value, Chains-1) }
func (r *reader) square(what string, value uint32) int   { return r.number(what, value, Squares-1) }
func (r *reader) seat(what string, value uint32) int     { return r.number(what, value, SeatsMax-1) }
func (r *reader) free(what string, value uint32) int     { return r.number(what, value, numberMax) }
func (r *reader) chains(what string, v []uint32) []int   { return r.list(what, v, Chains, Chains-1) }
func (r *reader) squares(what string, v []uint32) []int  { return r.list(what, v, Squares, Squares-1) }
func (r *reader) shares(what string, v []uint32) ByChain { return r.byChain(what, v, SharesPerChain) }

// list reads numbers that are not above most, at most lengthMax of them.
func (r *reader) list(what string, values []uint32, lengthMax, most int) []int {
	if len(values) > lengthMax {
		r.fail(what, "a list of at most "+itoa(lengthMax), itoa(len(values))+" numbers")
		return nil
	}
	read := make([]int, len(values))
	for i, value := range values {
		read[i] = r.number(what, value, most)
	}
	return read
}

// byChain reads seven numbers that are not above most.
func (r *reader) byChain(what string, values []uint32, most int) ByChain {
	var read ByChain
	if len(values) != Chains {
		r.fail(what, "seven numbers", itoa(len(values))+" of them")
		return read
	}
	copy(read[:], r.list(what, values, Chains, most))
	return read
}

// optionalShares reads seven counts, for which an empty list stands if all are 0.
func (r *reader) optionalShares(what string, values []uint32) ByChain {
	if len(values) == 0 {
		return ByChain{}
	}
	return r.shares(what, values)
}
