// Made by tools/project/generate_sdks.py from the .proto files. Do not edit it.
package mergemaker;

import io.github.mergemaker.v1.PowerPhase;
import io.github.mergemaker.v1.PurchaseTerms;
import java.util.List;

/** What a seat is asked. */
public sealed interface Question {
  /**
   * Place a tile (PLC-1, PWR-5). Answers: {@code Place}, {@code StopPlay}, {@code EndPlacing}.
   *
   * @param number which tile of this turn it is, from 1
   * @param most how many may be placed in this turn: 1, or 4 with a power
   */
  record ChooseTile(int number, int most) implements Question {}

  /**
   * Name the chain that was founded (FND-1). Answers: {@code NameFounded}.
   *
   * @param square the tile that founded it
   */
  record ChooseFounded(int square) implements Question {}

  /**
   * Name which of the equal largest chains survives (MRG-2). Answers: {@code NameSurvivor}.
   *
   * @param square the tile that joins them
   * @param chains all chains that it joins, ascending
   */
  record ChooseSurvivor(int square, List<Integer> chains) implements Question {}

  /**
   * Name which of the equal largest chains is settled next (MRG-4). Answers: {@code NameAcquired}.
   *
   * @param survivor the chain that survives
   */
  record ChooseAcquired(int survivor) implements Question {}

  /**
   * Keep, sell and trade the shares of an acquired chain (MRG-6). Answers: {@code Dispose}.
   *
   * @param acquired the chain that is acquired
   * @param survivor the chain that survives
   */
  record ChooseDisposal(int acquired, int survivor) implements Question {}

  /**
   * Buy shares, or none (BUY-1). Answers: {@code Buy}.
   *
   * @param terms on what terms
   */
  record ChoosePurchase(PurchaseTerms terms) implements Question {}

  /** Exchange all dead tiles of the hand, or keep them (DRW-2). Answers: {@code Exchange}. */
  record ChooseExchange() implements Question {}

  /**
   * Use a special power of this phase, or none (PWR-1). Answers: {@code UsePower}.
   *
   * @param phase the part of the turn
   */
  record ChoosePower(PowerPhase phase) implements Question {}

  /**
   * Trade two shares for one of another chain with the market (PWR-4). Answers: {@code TradePair},
   * {@code EndTrading}.
   *
   * @param number which such trade of this turn it is, from 1
   */
  record ChoosePairTrade(int number) implements Question {}

  /**
   * Offer a trade to another player, or continue (TRD-1). Answers: {@code NoOffer}, {@code
   * OfferTrade}.
   *
   * @param left how many offers are left in this turn, this one included
   */
  record ChooseOffer(int left) implements Question {}

  /**
   * Accept or decline an offer (TRD-1). Answers: {@code Reply}.
   *
   * @param proposer the seat that made it
   * @param giveShares seven counts, by chain: what the proposer gives
   * @param giveCash dollars that the proposer gives
   * @param takeShares seven counts, by chain: what the proposer asks for
   * @param takeCash dollars that the proposer asks for
   */
  record ChooseReply(
      int proposer, List<Integer> giveShares, int giveCash, List<Integer> takeShares, int takeCash)
      implements Question {}

  /**
   * The name of this kind of question, as the protocol has it.
   *
   * @return such as {@code ChooseTile}
   */
  default String kind() {
    return getClass().getSimpleName();
  }
}
