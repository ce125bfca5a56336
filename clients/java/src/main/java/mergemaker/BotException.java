package mergemaker;

/** What a bot, or its author, did wrong. */
public final class BotException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;

  /**
   * An error of a bot.
   *
   * @param reason for programs; does not change between versions
   * @param message what was expected, what came, and what to do
   */
  public BotException(String reason, String message) {
    super(message);
    this.reason = reason;
  }

  /**
   * What is wrong, for programs.
   *
   * @return small letters and hyphens; does not change between versions
   */
  public String reason() {
    return reason;
  }
}
