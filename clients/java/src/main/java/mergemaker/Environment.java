package mergemaker;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where a bot is to go: the same variables in every language.
 *
 * @param target the referee's address
 * @param token the seat's or the bot's token
 * @param name the bot's name; empty: the one that goes with the token
 * @param ca a file with the certificates to trust, if they are not those that Java trusts
 * @param trace where every message is written
 */
public record Environment(
    Target target, String token, String name, Optional<Path> ca, Optional<Path> trace) {

  static final String SERVER = "MERGEMAKER_SERVER";
  static final String TOKEN = "MERGEMAKER_TOKEN";
  static final String BOT = "MERGEMAKER_BOT";
  static final String CA = "MERGEMAKER_CA";
  static final String TRACE = "MERGEMAKER_TRACE";
  static final String PLAIN_TEXT = "MERGEMAKER_PLAIN_TEXT";

  private static final String ALLOWED = "allowed";
  private static final int NAME_CHARACTERS_MAX = 64;

  /**
   * Reads the variables; one that is empty counts as missing.
   *
   * @param variables such as {@code System.getenv()}
   * @return what they say
   * @throws ClientException a needed one is missing, or one is wrong
   */
  public static Environment read(Map<String, String> variables) throws ClientException {
    List<String> missing = new ArrayList<>();
    if (variable(variables, SERVER).isEmpty()) {
      missing.add(SERVER + "=" + Target.EXAMPLES);
    }
    if (variable(variables, TOKEN).isEmpty()) {
      missing.add(TOKEN + "=what the referee or the operator gave to this bot");
    }
    if (!missing.isEmpty()) {
      throw ClientException.badSetting(
          "missing-variable",
          "the bot does not know where to connect; what is missing must be set, as in\n  "
              + String.join("\n  ", missing));
    }
    String name = variable(variables, BOT);
    if (name.codePointCount(0, name.length()) > NAME_CHARACTERS_MAX) {
      throw ClientException.badSetting(
          "bad-name", "a bot's name has at most " + NAME_CHARACTERS_MAX + " characters");
    }
    Target target = Target.parse(variable(variables, SERVER));
    checkPrivate(target, variable(variables, PLAIN_TEXT));
    return new Environment(
        target,
        checkedToken(variable(variables, TOKEN)),
        name,
        path(variables, CA),
        path(variables, TRACE));
  }

  /** Says where it goes, and not the token. */
  @Override
  public String toString() {
    return "Environment[target=" + target + ", name=" + name + "]";
  }

  private static String variable(Map<String, String> variables, String name) {
    return variables.getOrDefault(name, "");
  }

  private static void checkPrivate(Target target, String said) throws ClientException {
    if (!said.isEmpty() && !said.equals(ALLOWED)) {
      throw ClientException.badSetting(
          "bad-plain-text", PLAIN_TEXT + " is '" + ALLOWED + "' or not set, not '" + said + "'");
    }
    if (!target.isSecure() && !target.isLoopback() && said.isEmpty()) {
      throw ClientException.badSetting(
          "plain-text",
          ("%s is not on this machine, and without TLS anyone on the route can read the token:"
                  + " use grpcs://%s, with %s where Java does not trust its certificate by itself;"
                  + " or, in a network that you trust, set %s=%s")
              .formatted(target, target.address(), CA, PLAIN_TEXT, ALLOWED));
    }
  }

  private static String checkedToken(String token) throws ClientException {
    // A stray character of a pasted token is reported here: gRPC would send something else.
    if (!token.chars().allMatch(character -> character > ' ' && character <= '~')) {
      throw ClientException.badSetting(
          "bad-token",
          "a token (" + TOKEN + ") is printable ASCII without spaces; this one is not");
    }
    return token;
  }

  private static Optional<Path> path(Map<String, String> variables, String name)
      throws ClientException {
    String text = variable(variables, name);
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
    } catch (InvalidPathException error) {
      throw ClientException.badSetting("bad-path", name + " is no path: " + error.getMessage());
    }
  }
}
