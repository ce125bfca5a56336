package mergemaker;

/** Whether a deal was the one that the referee had promised before the first tile. */
public enum DealFinding {
  /** Promise, seed, and every tile that the seat saw agree. */
  PROVEN,
  /** What this process saw agrees, but it did not see all, as after a restart of the bot. */
  IN_PART,
  /** Nothing was promised; the tiles agree with the seed that the referee revealed. */
  NOT_PROMISED,
  /** The referee reveals the seed later, or not to bots. */
  NOT_RELEASED,
  /** Something does not agree: {@link MatchResult#problem} says what. */
  FALSE
}
