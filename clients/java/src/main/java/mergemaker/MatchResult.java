package mergemaker;

import io.github.mergemaker.v1.DealProof;
import io.github.mergemaker.v1.Ending;
import io.github.mergemaker.v1.SeatStatus;
import java.util.List;
import java.util.Optional;

/**
 * How a match ended.
 *
 * @param match the match's id
 * @param ending by the rules, or given up
 * @param text for people, where it was given up: why
 * @param standings by seat; empty for a match that was given up
 * @param deal whether the deal was the one that the referee promised
 * @param problem what does not agree, where the deal is false
 * @param proof seed and parts of the deal, where the referee tells them at the end of the match
 * @param receipt what to keep: `mergemaker verify --receipt` compares the match's record with it;
 *     empty if the referee sent none
 */
public record MatchResult(
    String match,
    Ending ending,
    String text,
    List<Standing> standings,
    DealFinding deal,
    Optional<FalseDealException> problem,
    Optional<DealProof> proof,
    Optional<String> receipt) {

  /**
   * How one seat came off.
   *
   * @param seat the seat
   * @param bot the bot's name
   * @param cash dollars
   * @param place 1 is best; equal money shares a place
   * @param status how it came to the end
   */
  public record Standing(int seat, String bot, int cash, int place, SeatStatus status) {}
}
