package mergemaker;

import io.github.mergemaker.v1.Power;
import io.github.mergemaker.v1.Step;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A game as one seat may know it. Lists of seven are by chain, and {@code players} is by seat.
 *
 * @param lastEvent the number of the last event that it takes in
 * @param seats how many play
 * @param seat whose view this is
 * @param turn turns are numbered from 1
 * @param turnSeat whose turn it is
 * @param board 108 squares: 0 empty, 1 a tile of no chain, 2 + c a tile of chain c
 * @param sizes tiles of each chain; 0 for one that is not on the board
 * @param prices dollars for a share; 0 for a chain that is not on the board
 * @param market shares that the market has left
 * @param pile how many tiles are left in the pile
 * @param setAside tiles that are out of the game, ascending
 * @param hand this seat's tiles, ascending
 * @param players what is known of each seat
 * @param declared whether the end has been declared in this turn
 * @param endAllowed whether the condition for declaring it holds
 * @param powerUsed whether a power was used in this turn
 * @param moved whether anything happened in this turn that counts as a move
 * @param idle how many turns in a row have passed without
 * @param merger the merger that is not settled
 * @param agenda the steps of the turn still to come, the next one last; those of a kind that only a
 *     newer library knows are left out
 */
public record View(
    long lastEvent,
    int seats,
    int seat,
    int turn,
    int turnSeat,
    List<Integer> board,
    List<Integer> sizes,
    List<Integer> prices,
    List<Integer> market,
    int pile,
    List<Integer> setAside,
    List<Integer> hand,
    List<Player> players,
    boolean declared,
    boolean endAllowed,
    boolean powerUsed,
    boolean moved,
    int idle,
    Optional<Merger> merger,
    List<Step> agenda) {

  /**
   * What is known of one seat.
   *
   * @param handSize how many tiles it has
   * @param cash dollars; empty if it is hidden
   * @param shares seven counts; empty if they are hidden
   * @param powersUsed the powers that it has used, in the order of their numbers
   */
  public record Player(
      int handSize, OptionalInt cash, Optional<List<Integer>> shares, List<Power> powersUsed) {}

  /**
   * A merger that is not settled yet.
   *
   * @param square the tile that caused it; it belongs to no chain until all is settled
   * @param survivor the chain that survives; empty while it is being named
   * @param chains without a survivor all chains of the merger, with one those still to be settled
   * @param acquired the chain whose stock is being disposed of; empty while there is none
   * @param holdings what each seat holds of it now; empty while there is none
   */
  public record Merger(
      int square,
      OptionalInt survivor,
      List<Integer> chains,
      OptionalInt acquired,
      List<Integer> holdings) {}
}
