// Made by tools/project/generate_sdks.py from the .proto files. Do not edit it.
package mergemaker;

/** A bot's methods, one for each kind of question. */
public interface Handlers {
  /**
   * Place a tile.
   *
   * @param turn the question
   * @return the answer
   * @throws Exception whatever went wrong
   */
  default Answer chooseTile(Turn turn) throws Exception {
    return turn.defaultAnswer();
  }

  /**
   * Name the founded chain.
   *
   * @param turn the question
   * @return the answer
   * @throws Exception whatever went wrong
   */
  default Answer chooseFounded(Turn turn) throws Exception {
    return turn.defaultAnswer();
  }

  /**
   * Name the survivor of a merger of equals.
   *
   * @param turn the question
   * @return the answer
   * @throws Exception whatever went wrong
   */
  default Answer chooseSurvivor(Turn turn) throws Exception {
    return turn.defaultAnswer();
  }

  /**
   * Name the chain that is settled next.
   *
   * @param turn the question
   * @return the answer
   * @throws Exception whatever went wrong
   */
  default Answer chooseAcquired(Turn turn) throws Exception {
    return turn.defaultAnswer();
  }

  /**
   * Keep, sell and trade shares of an acquired chain.
   *
   * @param turn the question
   * @return the answer
   * @throws Exception whatever went wrong
   */
  default Answer chooseDisposal(Turn turn) throws Exception {
    return turn.defaultAnswer();
  }

  /**
   * Buy shares, or none.
   *
   * @param turn the question
   * @return the answer
   * @throws Exception whatever went wrong
   */
  default Answer choosePurchase(Turn turn) throws Exception {
    return turn.defaultAnswer();
  }

  /**
   * Exchange dead tiles, or keep them.
   *
   * @param turn the question
   * @return the answer
   * @throws Exception whatever went wrong
   */
  default Answer chooseExchange(Turn turn) throws Exception {
    return turn.defaultAnswer();
  }

  /**
   * Use a special power, or none.
   *
   * @param turn the question
   * @return the answer
   * @throws Exception whatever went wrong
   */
  default Answer choosePower(Turn turn) throws Exception {
    return turn.defaultAnswer();
  }

  /**
   * Trade two shares for one with the market.
   *
   * @param turn the question
   * @return the answer
   * @throws Exception whatever went wrong
   */
  default Answer choosePairTrade(Turn turn) throws Exception {
    return turn.defaultAnswer();
  }

  /**
   * Offer a trade to another player.
   *
   * @param turn the question
   * @return the answer
   * @throws Exception whatever went wrong
   */
  default Answer chooseOffer(Turn turn) throws Exception {
    return turn.defaultAnswer();
  }

  /**
   * Accept or decline a trade.
   *
   * @param turn the question
   * @return the answer
   * @throws Exception whatever went wrong
   */
  default Answer chooseReply(Turn turn) throws Exception {
    return turn.defaultAnswer();
  }
}
