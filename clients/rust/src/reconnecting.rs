//! When to reconnect after a stream broke: later and later, partly at random, not for ever. It has no clock.

/// The first wait.
const RECONNECT_MS_MIN: u64 = 100;
/// No wait is longer, unless the referee asks for it.
const RECONNECT_MS_MAX: u64 = 10_000;
/// The same while a match goes on: the bot's clock may be running.
const RECONNECT_PLAYING_MS_MAX: u64 = 1_000;
/// The time to reach a referee that was never reached: its address may be wrong.
const FIRST_CONTACT_MS_MAX: u64 = 30_000;
/// The time to reach it again.
const GIVE_UP_MS: u64 = 120_000;
const DOUBLINGS_MAX: u32 = 20;
/// A stream that lasted this long was no failed attempt.
const STEADY_MS: u64 = 10_000;

/// Counts attempts.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    down_since_ms: u64,
    opened_ms: u64,
    is_welcome: bool,
    was_ever_welcome: bool,
    attempts: u32,
}

impl Backoff {
    /// How long it may take to reach the referee now.
    pub(crate) fn limit_ms(&self) -> u64 {
        if self.was_ever_welcome { GIVE_UP_MS } else { FIRST_CONTACT_MS_MAX }
    }

    /// Notes an attempt to open a stream.
    pub(crate) fn opened(&mut self, now_ms: u64) {
        self.opened_ms = now_ms;
        self.is_welcome = false;
    }

    /// Notes that the stream was accepted.
    pub(crate) fn welcomed(&mut self) {
        self.is_welcome = true;
        self.was_ever_welcome = true;
    }

    /// Something of a match came through it: the next break is a new one.
    pub(crate) fn progressed(&mut self) {
        self.attempts = 0;
    }

    /// The stream is gone: how long to wait before the next; none to give up. `chance` is from 0 to 1, new for each
    /// wait, so that bots which broke off together do not come back together.
    pub(crate) fn wait_ms(&mut self, now_ms: u64, least_ms: u64, is_playing: bool, chance: f64) -> Option<u64> {
        if self.is_welcome {
            self.down_since_ms = now_ms;
            if now_ms - self.opened_ms >= STEADY_MS {
                self.attempts = 0;
            }
        }
        let most = if is_playing { RECONNECT_PLAYING_MS_MAX } else { RECONNECT_MS_MAX };
        let longest = most.min(RECONNECT_MS_MIN << self.attempts.min(DOUBLINGS_MAX));
        let wait = least_ms + (longest as f64 * (1.0 + chance) / 2.0) as u64;
        self.attempts += 1;
        (now_ms + wait - self.down_since_ms <= self.limit_ms()).then_some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_most_and_hold_chance() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..9).map(|_| backoff.wait_ms(0, 0, false, 0.0)).collect();
        assert_eq!(waits, [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000].map(Some));
        assert_eq!(backoff.wait_ms(0, 7, false, 1.0), Some(10_007));
        assert_eq!(backoff.wait_ms(0, 0, true, 1.0), Some(1_000));
    }

    #[test]
    fn a_referee_that_was_never_reached_is_given_up_sooner() {
        let mut never = Backoff::default();
        assert_eq!(never.wait_ms(29_950, 0, true, 0.0), Some(50));
        assert_eq!(never.wait_ms(29_951, 0, false, 0.0), None);
        let mut once = Backoff::default();
        once.opened(0);
        once.welcomed();
        assert!(once.wait_ms(40_000, 0, false, 0.0).is_some());
        once.opened(40_100);
        assert!(once.wait_ms(159_000, 0, false, 0.0).is_some());
        assert_eq!(once.wait_ms(159_901, 0, false, 0.0), None);
    }

    #[test]
    fn what_went_well_begins_the_waits_anew() {
        let mut backoff = Backoff::default();
        backoff.wait_ms(0, 0, false, 0.0);
        assert_eq!(backoff.wait_ms(0, 0, false, 0.0), Some(100));
        backoff.progressed();
        assert_eq!(backoff.wait_ms(0, 0, false, 0.0), Some(50));
        backoff.opened(1_000);
        backoff.welcomed();
        assert_eq!(backoff.wait_ms(10_999, 0, false, 0.0), Some(100));
        backoff.opened(11_000);
        backoff.welcomed();
        assert_eq!(backoff.wait_ms(21_000, 0, false, 0.0), Some(50));
    }
}
