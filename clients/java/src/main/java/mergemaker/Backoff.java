package mergemaker;

import java.util.OptionalLong;
import java.util.function.DoubleSupplier;

/**
 * When to reconnect after a stream broke: later and later, partly at random, not for ever. It has
 * no clock of its own.
 */
final class Backoff {
  static final long RECONNECT_MS_MIN = 100;
  static final long RECONNECT_MS_MAX = 10_000;

  /** No longer while a match goes on: the bot's clock may be running. */
  static final long RECONNECT_PLAYING_MS_MAX = 1_000;

  /** The time to reach a referee that was never reached: its address may be wrong. */
  static final long FIRST_CONTACT_MS_MAX = 30_000;

  /** The time to reach it again. */
  static final long GIVE_UP_MS = 120_000;

  /** A stream that lasted this long was no failed attempt. */
  static final long STEADY_MS = 10_000;

  private static final int DOUBLINGS_MAX = 20;

  private final DoubleSupplier chance;
  private long downSinceMs;
  private long openedMs;
  private boolean isWelcomed;
  private boolean wasReached;
  private int attempts;

  /** Chance gives numbers from 0 to 1. */
  Backoff(DoubleSupplier chance, long nowMs) {
    this.chance = chance;
    this.downSinceMs = nowMs;
    this.openedMs = nowMs;
  }

  /** How long it may take to reach the referee now. */
  long limitMs() {
    return wasReached ? GIVE_UP_MS : FIRST_CONTACT_MS_MAX;
  }

  /** Notes an attempt to open a stream. */
  void opened(long nowMs) {
    openedMs = nowMs;
    isWelcomed = false;
  }

  /** Notes that the stream was accepted. */
  void welcomed() {
    isWelcomed = true;
    wasReached = true;
  }

  /** Something of a match came through it: the next break is a new one. */
  void progressed() {
    attempts = 0;
  }

  /** The stream is gone: how long to wait before the next one; empty to give up. */
  OptionalLong waitMs(long nowMs, long leastMs, boolean isPlaying) {
    if (isWelcomed) {
      downSinceMs = nowMs;
      if (nowMs - openedMs >= STEADY_MS) {
        attempts = 0;
      }
    }
    long most = isPlaying ? RECONNECT_PLAYING_MS_MAX : RECONNECT_MS_MAX;
    long longest = Math.min(most, RECONNECT_MS_MIN << Math.min(attempts, DOUBLINGS_MAX));
    long wait = leastMs + (long) (longest * (1 + chance.getAsDouble()) / 2);
    attempts++;
    return nowMs + wait - downSinceMs <= limitMs() ? OptionalLong.of(wait) : OptionalLong.empty();
  }
}
