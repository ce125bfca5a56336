package mergemaker

import "github.com/mergemaker/mergemaker/clients/go/wire"

// output is what a conversation wants done: one of the types below, in order.
type output interface{ isOutput() }

// sendOut is a request for the stream.
type sendOut struct{ request *wire.PlayRequest }

// beginOut: a match starts.
type beginOut struct {
	match   string
	offered *wire.MatchOffered
	started *wire.MatchStarted
}

// tellOut is what happened since the last report.
type tellOut struct {
	match  string
	events []*wire.Event
}

// askOut: the bot is asked.
type askOut struct {
	match    string
	decision *wire.Decision
}

// settledOut: the bot's question was settled without it.
type settledOut struct {
	match    string
	decision uint64
}

// endOut: a match is over.
type endOut struct {
	match   string
	ended   *wire.MatchEnded
	promise *promise
}

// noticeOut is something that the bot's author should read; match may be empty.
type noticeOut struct{ match, text string }

func (sendOut) isOutput()    {}
func (beginOut) isOutput()   {}
func (tellOut) isOutput()    {}
func (askOut) isOutput()     {}
func (settledOut) isOutput() {}
func (endOut) isOutput()     {}
func (noticeOut) isOutput()  {}
