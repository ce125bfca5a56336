package mergemaker;

/**
 * A deal is not the one that the referee promised, or the referee withholds what would show that.
 */
public final class FalseDealException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String reason;

  FalseDealException(String reason, String message) {
    super(message);
    this.reason = reason;
  }

  /**
   * What does not agree, for programs.
   *
   * @return small letters and hyphens; does not change between versions
   */
  public String reason() {
    return reason;
  }
}
