package mergemaker

import "time"

const (
	reconnectMin        = 100 * time.Millisecond
	reconnectMax        = 10 * time.Second
	reconnectPlayingMax = time.Second // while a match goes on: the bot's clock may be running
	firstContactMax     = 30 * time.Second
	giveUpAfter         = 120 * time.Second
	steadyAfter         = 10 * time.Second // a stream that lasted this long was no failed attempt
	doublingsMax        = 20
)

// backoff says when to reconnect after a stream broke: later and later, partly at random, not for ever. It has no clock of
// its own; chance gives numbers from 0 to 1, so that bots that broke off together do not come back together.
type backoff struct {
	chance              func() float64
	downSince, openedAt time.Time
	isWelcome           bool
	wasWelcome          bool
	attempts            int
}

func newBackoff(chance func() float64, now time.Time) *backoff {
	return &backoff{chance: chance, downSince: now, openedAt: now}
}

// limit is how long it may take to reach the referee now.
func (b *backoff) limit() time.Duration {
	if b.wasWelcome {
		return giveUpAfter
	}
	return firstContactMax
}

// opened: notes an attempt to open a stream.
func (b *backoff) opened(now time.Time) {
	b.openedAt = now
	b.isWelcome = false
}

// welcomed: notes that the stream was accepted.
func (b *backoff) welcomed() {
	b.isWelcome = true
	b.wasWelcome = true
}

// progressed: something of a match came through it, so that the next break is a new one.
func (b *backoff) progressed() { b.attempts = 0 }

// wait is how long to wait before the next stream, now that one is gone; false to give up.
func (b *backoff) wait(now time.Time, least time.Duration, isPlaying bool) (time.Duration, bool) {
	if b.isWelcome {
		b.downSince = now
		if now.Sub(b.openedAt) >= steadyAfter {
			b.attempts = 0
		}
	}
	most := reconnectMax
	if isPlaying {
		most = reconnectPlayingMax
	}
	longest := min(most, reconnectMin<<min(b.attempts, doublingsMax))
	wait := least + time.Duration(float64(longest)*(1+b.chance())/2)
	b.attempts++
	return wait, now.Add(wait).Sub(b.downSince) <= b.limit()
}
