package mergemaker;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A referee's address.
 *
 * @param host a name or an address, an IPv6 address without its brackets
 * @param port 1 to 65535
 * @param isSecure whether the connection uses TLS
 */
public record Target(String host, int port, boolean isSecure) {
  static final String EXAMPLES = "grpc://127.0.0.1:7350, or grpcs://referee.example:7350";

  private static final int PORT_MAX = 65_535;
  private static final Pattern FORM =
      Pattern.compile("(grpcs?)://([^\\s/?#@\\[\\]:]+|\\[[0-9A-Fa-f:.]+\\]):([0-9]{1,5})");
  private static final Pattern LOOPBACK_IPV4 =
      Pattern.compile("127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}");
  private static final Pattern LOOPBACK_IPV6 = Pattern.compile("(0{0,4}:)+0{0,3}1");

  /**
   * Reads {@code grpc://host:port} or {@code grpcs://host:port}; an IPv6 address stands in
   * brackets.
   *
   * @param text the address
   * @return what it says
   * @throws ClientException it has another form
   */
  public static Target parse(String text) throws ClientException {
    Matcher found = FORM.matcher(text);
    int port = found.matches() ? Integer.parseInt(found.group(3)) : 0;
    if (port < 1 || port > PORT_MAX) {
      throw ClientException.badSetting(
          "bad-server",
          "a referee's address ("
              + Environment.SERVER
              + ") is "
              + EXAMPLES
              + ", not '"
              + text
              + "'");
    }
    String host = found.group(2).replaceAll("[\\[\\]]", "");
    return new Target(host, port, found.group(1).equals("grpcs"));
  }

  /**
   * Whether the referee is on this machine, so that no proxy may be used.
   *
   * @return whether it is
   */
  public boolean isLoopback() {
    return host.equalsIgnoreCase("localhost")
        || LOOPBACK_IPV4.matcher(host).matches()
        || LOOPBACK_IPV6.matcher(host).matches();
  }

  /**
   * Host and port, an IPv6 address in brackets.
   *
   * @return such as {@code 127.0.0.1:7350}
   */
  public String address() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /** The address as it is written. */
  @Override
  public String toString() {
    return (isSecure ? "grpcs://" : "grpc://") + address();
  }
}
