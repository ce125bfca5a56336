package mergemaker;

/** A message is not what it should be, or holds what only a newer library knows. */
final class UnreadableException extends Exception {
  private static final long serialVersionUID = 1L;

  UnreadableException(String message) {
    super(message);
  }

  UnreadableException(String message, Throwable cause) {
    super(message, cause);
  }
}
