package mergemaker.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Matches as everybody may see them.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class SpectateServiceGrpc {

  private SpectateServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mergemaker.v1.SpectateService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<mergemaker.v1.WatchRequest,
      mergemaker.v1.WatchResponse> getWatchMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Watch",
      requestType = mergemaker.v1.WatchRequest.class,
      responseType = mergemaker.v1.WatchResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<mergemaker.v1.WatchRequest,
      mergemaker.v1.WatchResponse> getWatchMethod() {
    io.grpc.MethodDescriptor<mergemaker.v1.WatchRequest, mergemaker.v1.WatchResponse> getWatchMethod;
    if ((getWatchMethod = SpectateServiceGrpc.getWatchMethod) == null) {
      synchronized (SpectateServiceGrpc.class) {
        if ((getWatchMethod = SpectateServiceGrpc.getWatchMethod) == null) {
          SpectateServiceGrpc.getWatchMethod = getWatchMethod =
              io.grpc.MethodDescriptor.<mergemaker.v1.WatchRequest, mergemaker.v1.WatchResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Watch"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.WatchRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.WatchResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SpectateServiceMethodDescriptorSupplier("Watch"))
              .build();
        }
      }
    }
    return getWatchMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static SpectateServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SpectateServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SpectateServiceStub>() {
        @java.lang.Override
        public SpectateServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SpectateServiceStub(channel, callOptions);
        }
      };
    return SpectateServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static SpectateServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SpectateServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SpectateServiceBlockingV2Stub>() {
        @java.lang.Override
        public SpectateServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SpectateServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return SpectateServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static SpectateServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SpectateServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SpectateServiceBlockingStub>() {
        @java.lang.Override
        public SpectateServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SpectateServiceBlockingStub(channel, callOptions);
        }
      };
    return SpectateServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static SpectateServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SpectateServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SpectateServiceFutureStub>() {
        @java.lang.Override
        public SpectateServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SpectateServiceFutureStub(channel, callOptions);
        }
      };
    return SpectateServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Matches as everybody may see them.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Follows a match: first what it is and how it stands, then what happens, to its end. Wants the operator's token or a bot's, unless the
     * referee is open to all. NOT_FOUND: there is no such match. RESOURCE_EXHAUSTED: too many spectators, or one that does not read.
     * </pre>
     */
    default void watch(mergemaker.v1.WatchRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.WatchResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getWatchMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service SpectateService.
   * <pre>
   * Matches as everybody may see them.
   * </pre>
   */
  public static abstract class SpectateServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return SpectateServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service SpectateService.
   * <pre>
   * Matches as everybody may see them.
   * </pre>
   */
  public static final class SpectateServiceStub
      extends io.grpc.stub.AbstractAsyncStub<SpectateServiceStub> {
    private SpectateServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SpectateServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SpectateServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Follows a match: first what it is and how it stands, then what happens, to its end. Wants the operator's token or a bot's, unless the
     * referee is open to all. NOT_FOUND: there is no such match. RESOURCE_EXHAUSTED: too many spectators, or one that does not read.
     * </pre>
     */
    public void watch(mergemaker.v1.WatchRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.WatchResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getWatchMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service SpectateService.
   * <pre>
   * Matches as everybody may see them.
   * </pre>
   */
  public static final class SpectateServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<SpectateServiceBlockingV2Stub> {
    private SpectateServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SpectateServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SpectateServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Follows a match: first what it is and how it stands, then what happens, to its end. Wants the operator's token or a bot's, unless the
     * referee is open to all. NOT_FOUND: there is no such match. RESOURCE_EXHAUSTED: too many spectators, or one that does not read.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, mergemaker.v1.WatchResponse>
        watch(mergemaker.v1.WatchRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getWatchMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service SpectateService.
   * <pre>
   * Matches as everybody may see them.
   * </pre>
   */
  public static final class SpectateServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<SpectateServiceBlockingStub> {
    private SpectateServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SpectateServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SpectateServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Follows a match: first what it is and how it stands, then what happens, to its end. Wants the operator's token or a bot's, unless the
     * referee is open to all. NOT_FOUND: there is no such match. RESOURCE_EXHAUSTED: too many spectators, or one that does not read.
     * </pre>
     */
    public java.util.Iterator<mergemaker.v1.WatchResponse> watch(
        mergemaker.v1.WatchRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getWatchMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service SpectateService.
   * <pre>
   * Matches as everybody may see them.
   * </pre>
   */
  public static final class SpectateServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<SpectateServiceFutureStub> {
    private SpectateServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SpectateServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SpectateServiceFutureStub(channel, callOptions);
    }
  }

  private static final int METHODID_WATCH = 0;

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
        case METHODID_WATCH:
          serviceImpl.watch((mergemaker.v1.WatchRequest) request,
              (io.grpc.stub.StreamObserver<mergemaker.v1.WatchResponse>) responseObserver);
          break;
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getWatchMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              mergemaker.v1.WatchRequest,
              mergemaker.v1.WatchResponse>(
                service, METHODID_WATCH)))
        .build();
  }

  private static abstract class SpectateServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    SpectateServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return mergemaker.v1.Spectate.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("SpectateService");
    }
  }

  private static final class SpectateServiceFileDescriptorSupplier
      extends SpectateServiceBaseDescriptorSupplier {
    SpectateServiceFileDescriptorSupplier() {}
  }

  private static final class SpectateServiceMethodDescriptorSupplier
      extends SpectateServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    SpectateServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (SpectateServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new SpectateServiceFileDescriptorSupplier())
              .addMethod(getWatchMethod())
              .build();
        }
      }
    }
    return result;
  }
}
