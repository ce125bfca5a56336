package mergemaker.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Where bots play.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class RefereeServiceGrpc {

  private RefereeServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mergemaker.v1.RefereeService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<mergemaker.v1.PlayRequest,
      mergemaker.v1.PlayResponse> getPlayMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Play",
      requestType = mergemaker.v1.PlayRequest.class,
      responseType = mergemaker.v1.PlayResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<mergemaker.v1.PlayRequest,
      mergemaker.v1.PlayResponse> getPlayMethod() {
    io.grpc.MethodDescriptor<mergemaker.v1.PlayRequest, mergemaker.v1.PlayResponse> getPlayMethod;
    if ((getPlayMethod = RefereeServiceGrpc.getPlayMethod) == null) {
      synchronized (RefereeServiceGrpc.class) {
        if ((getPlayMethod = RefereeServiceGrpc.getPlayMethod) == null) {
          RefereeServiceGrpc.getPlayMethod = getPlayMethod =
              io.grpc.MethodDescriptor.<mergemaker.v1.PlayRequest, mergemaker.v1.PlayResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Play"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.PlayRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.PlayResponse.getDefaultInstance()))
              .setSchemaDescriptor(new RefereeServiceMethodDescriptorSupplier("Play"))
              .build();
        }
      }
    }
    return getPlayMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static RefereeServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RefereeServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RefereeServiceStub>() {
        @java.lang.Override
        public RefereeServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RefereeServiceStub(channel, callOptions);
        }
      };
    return RefereeServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static RefereeServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RefereeServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RefereeServiceBlockingV2Stub>() {
        @java.lang.Override
        public RefereeServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RefereeServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return RefereeServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static RefereeServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RefereeServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RefereeServiceBlockingStub>() {
        @java.lang.Override
        public RefereeServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RefereeServiceBlockingStub(channel, callOptions);
        }
      };
    return RefereeServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static RefereeServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RefereeServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RefereeServiceFutureStub>() {
        @java.lang.Override
        public RefereeServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RefereeServiceFutureStub(channel, callOptions);
        }
      };
    return RefereeServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Where bots play.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * One stream for each bot; it may carry several matches at once. The token is sent as metadata, `authorization: Bearer TOKEN`.
     * The first request is a Hello, the first response a Welcome.
     * Ends with UNAUTHENTICATED (no token, or an unknown one), FAILED_PRECONDITION (a protocol that this referee does not speak),
     * INVALID_ARGUMENT (what was sent cannot be read, or is out of place), RESOURCE_EXHAUSTED (too large, too many, or the bot does not read),
     * ALREADY_EXISTS (another session with this token is alive), ABORTED (its session was taken over), DEADLINE_EXCEEDED (no Hello in time, or no sign of life), UNAVAILABLE (the referee closes).
     * Where a status is not enough, a Goodbye comes before it.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<mergemaker.v1.PlayRequest> play(
        io.grpc.stub.StreamObserver<mergemaker.v1.PlayResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getPlayMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service RefereeService.
   * <pre>
   * Where bots play.
   * </pre>
   */
  public static abstract class RefereeServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return RefereeServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service RefereeService.
   * <pre>
   * Where bots play.
   * </pre>
   */
  public static final class RefereeServiceStub
      extends io.grpc.stub.AbstractAsyncStub<RefereeServiceStub> {
    private RefereeServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RefereeServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RefereeServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * One stream for each bot; it may carry several matches at once. The token is sent as metadata, `authorization: Bearer TOKEN`.
     * The first request is a Hello, the first response a Welcome.
     * Ends with UNAUTHENTICATED (no token, or an unknown one), FAILED_PRECONDITION (a protocol that this referee does not speak),
     * INVALID_ARGUMENT (what was sent cannot be read, or is out of place), RESOURCE_EXHAUSTED (too large, too many, or the bot does not read),
     * ALREADY_EXISTS (another session with this token is alive), ABORTED (its session was taken over), DEADLINE_EXCEEDED (no Hello in time, or no sign of life), UNAVAILABLE (the referee closes).
     * Where a status is not enough, a Goodbye comes before it.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<mergemaker.v1.PlayRequest> play(
        io.grpc.stub.StreamObserver<mergemaker.v1.PlayResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getPlayMethod(), getCallOptions()), responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service RefereeService.
   * <pre>
   * Where bots play.
   * </pre>
   */
  public static final class RefereeServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<RefereeServiceBlockingV2Stub> {
    private RefereeServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RefereeServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RefereeServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * One stream for each bot; it may carry several matches at once. The token is sent as metadata, `authorization: Bearer TOKEN`.
     * The first request is a Hello, the first response a Welcome.
     * Ends with UNAUTHENTICATED (no token, or an unknown one), FAILED_PRECONDITION (a protocol that this referee does not speak),
     * INVALID_ARGUMENT (what was sent cannot be read, or is out of place), RESOURCE_EXHAUSTED (too large, too many, or the bot does not read),
     * ALREADY_EXISTS (another session with this token is alive), ABORTED (its session was taken over), DEADLINE_EXCEEDED (no Hello in time, or no sign of life), UNAVAILABLE (the referee closes).
     * Where a status is not enough, a Goodbye comes before it.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<mergemaker.v1.PlayRequest, mergemaker.v1.PlayResponse>
        play() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getPlayMethod(), getCallOptions());
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service RefereeService.
   * <pre>
   * Where bots play.
   * </pre>
   */
  public static final class RefereeServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<RefereeServiceBlockingStub> {
    private RefereeServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RefereeServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RefereeServiceBlockingStub(channel, callOptions);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service RefereeService.
   * <pre>
   * Where bots play.
   * </pre>
   */
  public static final class RefereeServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<RefereeServiceFutureStub> {
    private RefereeServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RefereeServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RefereeServiceFutureStub(channel, callOptions);
    }
  }

  private static final int METHODID_PLAY = 0;

  private static final class MethodHandlers<Req, Resp> implements
      io.grpc.stub.ServerCalls.UnaryMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ServerStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ClientStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.BidiStreamingMethod<Req, Resp> {
    private final AsyncService serviceImpl;
    private final int methodId;

    MethodHandlers(AsyncService serviceImpl, int methodId) {
      this.serviceImpl = serviceImpl;
      this.methodId = methodId;
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public void invoke(Req request, io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_PLAY:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.play(
              (io.grpc.stub.StreamObserver<mergemaker.v1.PlayResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getPlayMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              mergemaker.v1.PlayRequest,
              mergemaker.v1.PlayResponse>(
                service, METHODID_PLAY)))
        .build();
  }

  private static abstract class RefereeServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    RefereeServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return mergemaker.v1.Referee.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("RefereeService");
    }
  }

  private static final class RefereeServiceFileDescriptorSupplier
      extends RefereeServiceBaseDescriptorSupplier {
    RefereeServiceFileDescriptorSupplier() {}
  }

  private static final class RefereeServiceMethodDescriptorSupplier
      extends RefereeServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    RefereeServiceMethodDescriptorSupplier(java.lang.String methodName) {
      this.methodName = methodName;
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.MethodDescriptor getMethodDescriptor() {
      return getServiceDescriptor().findMethodByName(methodName);
    }
  }

  private static volatile io.grpc.ServiceDescriptor serviceDescriptor;

  public static io.grpc.ServiceDescriptor getServiceDescriptor() {
    io.grpc.ServiceDescriptor result = serviceDescriptor;
    if (result == null) {
      synchronized (RefereeServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new RefereeServiceFileDescriptorSupplier())
              .addMethod(getPlayMethod())
              .build();
        }
      }
    }
    return result;
  }
}
