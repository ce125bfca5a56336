package mergemaker;

/** What stops a bot's connection, with a text that says what to do. */
public final class ClientException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What kind of problem it is. */
  public enum Kind {
    /** A setting is missing, or is not what it should be. */
    BAD_SETTING,
    /** The referee could not be reached for too long. */
    UNREACHABLE,
    /** The referee refused, and would refuse again. */
    REFUSED,
    /** Another process plays with this bot's token now. This process never comes back. */
    TAKEN_OVER,
    /** The library itself failed. */
    CLIENT_FAULT
  }

  private final Kind kind;
  private final String reason;

  ClientException(Kind kind, String reason, String message) {
    super(message);
    this.kind = kind;
    this.reason = reason;
  }

  static ClientException badSetting(String reason, String message) {
    return new ClientException(Kind.BAD_SETTING, reason, message);
  }

  /**
   * What kind of problem it is.
   *
   * @return the kind
   */
  public Kind kind() {
    return kind;
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
