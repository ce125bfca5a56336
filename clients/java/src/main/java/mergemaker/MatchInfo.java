package mergemaker;

import com.google.protobuf.ByteString;
import io.github.mergemaker.v1.Rules;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a bot knows of its match before the first tile.
 *
 * @param id the match's id
 * @param rules what is played, in full
 * @param seats how many play
 * @param seat the bot's own
 * @param bots the names of the bots, by seat
 * @param nonce 32 bytes for this seat: where the chances of a repeatable bot come from
 * @param clock the time that a seat has
 */
public record MatchInfo(
    String id, Rules rules, int seats, int seat, List<String> bots, ByteString nonce, Clock clock) {

  /** A nonce has this many bytes. */
  public static final int NONCE_BYTES = 32;

  /** Refuses a nonce of another length, which would give other chances than those written down. */
  public MatchInfo {
    if (nonce.size() != NONCE_BYTES) {
      throw new BotException(
          "bad-nonce", "a nonce is " + NONCE_BYTES + " bytes, not " + nonce.size());
    }
  }

  /**
   * The time that a seat has. What is empty has no limit.
   *
   * @param name {@code fast}, {@code standard}, {@code slow}, {@code none}, or the operator's
   * @param allowanceMs milliseconds that are free for each decision
   * @param bankMs milliseconds for the whole match, once the allowance is used up
   * @param incrementMs milliseconds that the bank gets with each answer
   */
  public record Clock(
      String name, OptionalLong allowanceMs, OptionalLong bankMs, long incrementMs) {}
}
