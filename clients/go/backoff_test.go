package mergemaker

import (
	"testing"
	"time"
)

func waits(t *testing.T, b *backoff, now time.Time, count int, isPlaying bool) []int64 {
	t.Helper()
	var found []int64
	for range count {
		wait, ok := b.wait(now, 0, isPlaying)
		if !ok {
			t.Fatalf("it gave up after %v", found)
		}
		found = append(found, wait.Milliseconds())
	}
	return found
}

func same64(t *testing.T, is []int64, should ...int64) {
	t.Helper()
	for i := range should {
		if is[i] != should[i] {
			t.Fatalf("%v, not %v", is, should)
		}
	}
}

func TestWaitsGrow(t *testing.T) {
	now := time.Unix(0, 0)
	b := newBackoff(func() float64 { return 1 }, now)
	same64(t, waits(t, b, now, 9, false), 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000)
	b = newBackoff(func() float64 { return 0 }, now)
	same64(t, waits(t, b, now, 6, true), 50, 100, 200, 400, 500, 500)
	same64(t, waits(t, b, now, 60, true), 500) // however often
}

func TestTheRefereesWishIsAdded(t *testing.T) {
	b := newBackoff(func() float64 { return 1 }, time.Unix(0, 0))
	if wait, ok := b.wait(time.Unix(0, 0), 3*time.Second, false); !ok || wait != 3_100*time.Millisecond {
		t.Errorf("%v, %v", wait, ok)
	}
}

func TestProgressBeginsAnew(t *testing.T) {
	now := time.Unix(0, 0)
	b := newBackoff(func() float64 { return 1 }, now)
	waits(t, b, now, 5, false)
	b.progressed()
	same64(t, waits(t, b, now, 1, false), 100)
	b.opened(now)
	b.welcomed()
	now = now.Add(steadyAfter - 1)
	same64(t, waits(t, b, now, 1, false), 200) // a short stream is one more attempt
	b.opened(now)
	b.welcomed()
	now = now.Add(steadyAfter)
	same64(t, waits(t, b, now, 1, false), 100)
}

func TestPatienceEnds(t *testing.T) {
	start := time.Unix(0, 0)
	b := newBackoff(func() float64 { return 1 }, start)
	if _, ok := b.wait(start.Add(firstContactMax), 0, false); ok {
		t.Error("a referee that was never reached is given up after 30 s")
	}
	b = newBackoff(func() float64 { return 1 }, start)
	b.opened(start)
	b.welcomed()
	broke := start.Add(time.Hour)
	if _, ok := b.wait(broke, 0, false); !ok {
		t.Error("the time counts from the break")
	}
	b.opened(broke)
	if _, ok := b.wait(broke.Add(giveUpAfter-time.Second), 0, false); !ok {
		t.Error("it may take 120 s")
	}
	if _, ok := b.wait(broke.Add(giveUpAfter), 0, false); ok {
		t.Error("and no longer")
	}
}
