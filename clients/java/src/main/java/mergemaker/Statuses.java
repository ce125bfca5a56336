package mergemaker;

import io.grpc.Status;
import java.util.Map;
import java.util.Optional;

/** How a stream can end for good, and what the author reads. */
final class Statuses {
  /** The reason of a goodbye on which no client comes back. */
  static final String TAKEN_OVER = "taken-over";

  private static final Map<Status.Code, String> ADVICE =
      Map.of(
          Status.Code.UNAUTHENTICATED,
          "check MERGEMAKER_TOKEN: it may belong to another referee, or have been withdrawn",
          Status.Code.PERMISSION_DENIED,
          "check MERGEMAKER_TOKEN: this token may not do that",
          Status.Code.FAILED_PRECONDITION,
          "update what is older, the referee or this client",
          Status.Code.ALREADY_EXISTS,
          "another process plays with the same token: end it, or take its place with evict(true)",
          Status.Code.INVALID_ARGUMENT,
          "MERGEMAKER_TRACE=FILE writes down what was sent",
          Status.Code.UNIMPLEMENTED,
          "there is a gRPC server, but no referee: check MERGEMAKER_SERVER",
          Status.Code.NOT_FOUND,
          "check MERGEMAKER_SERVER");

  private Statuses() {}

  /** What to do about a status after which it makes no sense to come back; empty for others. */
  static Optional<String> advice(Status.Code code, String text) {
    return Optional.ofNullable(ADVICE.get(code))
        .map(
            advice ->
                "the referee refused (%s): %s; %s"
                    .formatted(code, text.isEmpty() ? "it gave no reason" : text, advice));
  }

  static ClientException takenOver() {
    return new ClientException(
        ClientException.Kind.TAKEN_OVER,
        TAKEN_OVER,
        "another process plays with this bot's token now, so this one stops and does not come back;"
            + " start one process for each token");
  }

  static ClientException refused(String reason, String text) {
    return new ClientException(ClientException.Kind.REFUSED, reason, text);
  }
}
