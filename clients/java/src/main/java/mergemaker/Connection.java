package mergemaker;

import io.github.mergemaker.v1.PlayRequest;
import io.github.mergemaker.v1.PlayResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * Holds a conversation with the referee, over as many streams as it takes. Responses are taken on
 * gRPC's thread, so that pings are answered while the bots think; a thread of its own opens streams
 * and waits for their ends.
 */
final class Connection {
  /** From opening a stream to the referee's Welcome. */
  static final long WELCOME_MS_MAX = 15_000;

  /** From closing our side of a stream to its end. */
  static final long LEAVE_MS_MAX = 1_000;

  /** From breaking a stream off to learning of its end, which needs nobody else. */
  private static final long CANCEL_MS_MAX = 5_000;

  /** The one method that bots call. Written out here, so that a build needs no plugin of gRPC. */
  private static final MethodDescriptor<PlayRequest, PlayResponse> PLAY =
      MethodDescriptor.<PlayRequest, PlayResponse>newBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName("mergemaker.v1.RefereeService/Play")
          .setRequestMarshaller(ProtoUtils.marshaller(PlayRequest.getDefaultInstance()))
          .setResponseMarshaller(ProtoUtils.marshaller(PlayResponse.getDefaultInstance()))
          .build();

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final Environment environment;
  private final Conversation conversation;
  private final Consumer<Output> deliver;
  private final Trace trace;
  private final Channels channels;
  private final Backoff backoff;
  private final CountDownLatch leaving = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "mergemaker-network");

  /** Guards the conversation and the stream: bots answer while responses come. */
  private final Object lock = new Object();

  /** The open stream; null while there is none. */
  private Stream stream;

  /**
   * A connection that is not open yet.
   *
   * @param deliver takes everything to be done except sending, in order; ends with a Close
   * @param trace null for none
   * @param chance gives numbers from 0 to 1
   */
  Connection(
      Environment environment,
      Conversation conversation,
      Consumer<Output> deliver,
      Trace trace,
      DoubleSupplier chance)
      throws ClientException {
    this.environment = environment;
    this.conversation = conversation;
    this.deliver = deliver;
    this.trace = trace;
    this.channels = new Channels(environment);
    this.backoff = new Backoff(chance, nowMs());
    thread.setDaemon(true);
  }

  /** Opens the first stream. */
  void start() {
    thread.start();
  }

  /** Sends a bot's answer, now or when there is a stream again. */
  void answer(String match, io.github.mergemaker.v1.Answer answer) {
    synchronized (lock) {
      send(conversation.answered(match, answer));
    }
  }

  /** Ends the stream and the thread, within a time limit. */
  void close() throws InterruptedException {
    leaving.countDown();
    synchronized (lock) {
      if (stream != null) {
        stream.leave();
      }
    }
    thread.join(LEAVE_MS_MAX + CANCEL_MS_MAX);
  }

  private void send(List<Output> outputs) {
    for (Output output : outputs) {
      if (output instanceof Output.Send send && stream != null) {
        stream.send(send.request());
      }
    }
  }

  private void run() {
    Output.Close close;
    try {
      close = keepOpen();
    } catch (InterruptedException | RuntimeException | Error error) {
      // A thread that waits for this one gets its fault.
      close =
          new Output.Close(
              new ClientException(
                  ClientException.Kind.CLIENT_FAULT,
                  "client-fault",
                  "the client itself failed: " + error));
    }
    deliver.accept(close);
  }

  /** Opens streams until there is nothing left to do. */
  private Output.Close keepOpen() throws InterruptedException {
    while (true) {
      Status status = oneStream();
      String text = text(status);
      Output.Broken broken;
      boolean isPlaying;
      synchronized (lock) {
        broken = conversation.broke(status.getCode(), text);
        isPlaying = conversation.isPlaying();
      }
      if (leaving.getCount() == 0) {
        return new Output.Close(null);
      }
      if (broken instanceof Output.Over over) {
        return new Output.Close(over.problem());
      }
      String said = status.getCode() + (text.isEmpty() ? "" : ": " + text);
      OptionalLong wait = backoff.waitMs(nowMs(), ((Output.Again) broken).leastMs(), isPlaying);
      if (wait.isEmpty()) {
        return new Output.Close(
            new ClientException(
                ClientException.Kind.UNREACHABLE,
                "unreachable",
                "%s could not be reached for %d s (%s): is the referee running there?"
                    .formatted(environment.target(), backoff.limitMs() / 1_000, said)));
      }
      deliver.accept(
          new Output.Notice(
              "",
              "no stream to %s (%s); trying again in %d ms"
                  .formatted(environment.target(), said, wait.getAsLong())));
      if (leaving.await(wait.getAsLong(), TimeUnit.MILLISECONDS)) {
        return new Output.Close(null);
      }
    }
  }

  /** Opens a stream and waits for its end; returns how it ended. */
  private Status oneStream() throws InterruptedException {
    ManagedChannel channel = channels.open();
    try {
      Stream opened = new Stream(channel);
      backoff.opened(nowMs());
      synchronized (lock) {
        stream = opened;
        opened.start(conversation.hello());
        if (leaving.getCount() == 0) {
          opened.leave();
        }
      }
      Status status = opened.await();
      if (trace != null) {
        String text = text(status);
        trace.stream("ended " + status.getCode() + (text.isEmpty() ? "" : ": " + text));
      }
      return status;
    } finally {
      channel.shutdownNow();
    }
  }

  /** What a status says; of a broken connection, what broke it. */
  private static String text(Status status) {
    String said = status.getDescription() == null ? "" : status.getDescription();
    Throwable cause = status.getCause();
    if (status.getCode() == Status.Code.UNAVAILABLE && cause != null) {
      String broken = cause.getMessage() == null ? cause.toString() : cause.getMessage();
      return said.isEmpty() ? broken : said + ", " + broken;
    }
    return said;
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** What the thread that waits for a stream gets. */
  private sealed interface Step {
    record Welcomed() implements Step {}

    record Progressed() implements Step {}

    record Leaving() implements Step {}

    record Ended(Status status) implements Step {}
  }

  /** One stream. A thread that sends holds the lock. */
  private final class Stream extends ClientCall.Listener<PlayResponse> {
    private final ClientCall<PlayRequest, PlayResponse> call;
    private final BlockingQueue<Step> steps = new LinkedBlockingQueue<>();
    private boolean isClosed;

    Stream(ManagedChannel channel) {
      call = channel.newCall(PLAY, CallOptions.DEFAULT);
    }

    void start(PlayRequest hello) {
      Metadata headers = new Metadata();
      headers.put(AUTHORIZATION, "Bearer " + environment.token());
      call.start(this, headers);
      call.request(1);
      send(hello);
    }

    void send(PlayRequest request) {
      if (!isClosed) {
        call.sendMessage(request);
        if (trace != null) {
          trace.sent(request);
        }
      }
    }

    /** Closes our side. */
    void leave() {
      if (!isClosed) {
        isClosed = true;
        call.halfClose();
        steps.add(new Step.Leaving());
      }
    }

    @Override
    public void onMessage(PlayResponse response) {
      if (trace != null) {
        trace.received(response);
      }
      boolean isNew;
      List<Output> outputs;
      synchronized (lock) {
        if (stream != this) {
          return;
        }
        boolean wasWelcome = conversation.isWelcome();
        boolean wasClosed = conversation.isClosed();
        outputs = conversation.received(response);
        Connection.this.send(outputs);
        isNew = conversation.isWelcome() && !wasWelcome;
        if (conversation.isClosed() && !wasClosed) {
          leave();
        }
      }
      if (isNew) {
        steps.add(new Step.Welcomed());
      }
      for (Output output : outputs) {
        if (output instanceof Output.ForBot) {
          steps.add(new Step.Progressed());
        }
        if (output instanceof Output.ForBot || output instanceof Output.Notice) {
          deliver.accept(output);
        }
      }
      call.request(1);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      steps.add(new Step.Ended(status));
    }

    /** Waits for the end, and for nothing longer than it may take. */
    Status await() throws InterruptedException {
      long limitMs = WELCOME_MS_MAX;
      Status broken = null;
      try {
        while (true) {
          Step step = limitMs > 0 ? steps.poll(limitMs, TimeUnit.MILLISECONDS) : steps.take();
          if (step instanceof Step.Ended ended) {
            return broken == null ? ended.status() : broken;
          } else if (step instanceof Step.Welcomed) {
            backoff.welcomed();
            limitMs = 0;
          } else if (step instanceof Step.Progressed) {
            backoff.progressed();
          } else if (step instanceof Step.Leaving) {
            limitMs = LEAVE_MS_MAX;
          } else if (broken == null) {
            broken = breakOff();
            limitMs = CANCEL_MS_MAX;
          } else {
            return broken;
          }
        }
      } finally {
        synchronized (lock) {
          isClosed = true;
          stream = null;
        }
      }
    }

    private Status breakOff() {
      boolean wasLeaving;
      boolean wasWelcome;
      synchronized (lock) {
        wasLeaving = isClosed;
        wasWelcome = conversation.isWelcome();
        isClosed = true;
      }
      String text =
          wasLeaving || wasWelcome
              ? "the referee did not end the stream"
              : "no Welcome came within " + WELCOME_MS_MAX / 1_000 + " s";
      call.cancel(text, null);
      Status status = wasLeaving ? Status.CANCELLED : Status.DEADLINE_EXCEEDED;
      return status.withDescription(text);
    }
  }
}
