package mergemaker.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Matches on a referee: made, listed, cancelled, and fetched when they are over. All calls want the operator's token, as metadata
 * `authorization: Bearer TOKEN`: without it UNAUTHENTICATED, with another PERMISSION_DENIED. Where a text explains more, the status has a
 * stable reason in front of it: `reason: text`.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class MatchServiceGrpc {

  private MatchServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mergemaker.v1.MatchService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<mergemaker.v1.CreateMatchRequest,
      mergemaker.v1.CreateMatchResponse> getCreateMatchMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateMatch",
      requestType = mergemaker.v1.CreateMatchRequest.class,
      responseType = mergemaker.v1.CreateMatchResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<mergemaker.v1.CreateMatchRequest,
      mergemaker.v1.CreateMatchResponse> getCreateMatchMethod() {
    io.grpc.MethodDescriptor<mergemaker.v1.CreateMatchRequest, mergemaker.v1.CreateMatchResponse> getCreateMatchMethod;
    if ((getCreateMatchMethod = MatchServiceGrpc.getCreateMatchMethod) == null) {
      synchronized (MatchServiceGrpc.class) {
        if ((getCreateMatchMethod = MatchServiceGrpc.getCreateMatchMethod) == null) {
          MatchServiceGrpc.getCreateMatchMethod = getCreateMatchMethod =
              io.grpc.MethodDescriptor.<mergemaker.v1.CreateMatchRequest, mergemaker.v1.CreateMatchResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateMatch"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.CreateMatchRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.CreateMatchResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MatchServiceMethodDescriptorSupplier("CreateMatch"))
              .build();
        }
      }
    }
    return getCreateMatchMethod;
  }

  private static volatile io.grpc.MethodDescriptor<mergemaker.v1.ListMatchesRequest,
      mergemaker.v1.ListMatchesResponse> getListMatchesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListMatches",
      requestType = mergemaker.v1.ListMatchesRequest.class,
      responseType = mergemaker.v1.ListMatchesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<mergemaker.v1.ListMatchesRequest,
      mergemaker.v1.ListMatchesResponse> getListMatchesMethod() {
    io.grpc.MethodDescriptor<mergemaker.v1.ListMatchesRequest, mergemaker.v1.ListMatchesResponse> getListMatchesMethod;
    if ((getListMatchesMethod = MatchServiceGrpc.getListMatchesMethod) == null) {
      synchronized (MatchServiceGrpc.class) {
        if ((getListMatchesMethod = MatchServiceGrpc.getListMatchesMethod) == null) {
          MatchServiceGrpc.getListMatchesMethod = getListMatchesMethod =
              io.grpc.MethodDescriptor.<mergemaker.v1.ListMatchesRequest, mergemaker.v1.ListMatchesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListMatches"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.ListMatchesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.ListMatchesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MatchServiceMethodDescriptorSupplier("ListMatches"))
              .build();
        }
      }
    }
    return getListMatchesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<mergemaker.v1.GetMatchRequest,
      mergemaker.v1.GetMatchResponse> getGetMatchMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetMatch",
      requestType = mergemaker.v1.GetMatchRequest.class,
      responseType = mergemaker.v1.GetMatchResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<mergemaker.v1.GetMatchRequest,
      mergemaker.v1.GetMatchResponse> getGetMatchMethod() {
    io.grpc.MethodDescriptor<mergemaker.v1.GetMatchRequest, mergemaker.v1.GetMatchResponse> getGetMatchMethod;
    if ((getGetMatchMethod = MatchServiceGrpc.getGetMatchMethod) == null) {
      synchronized (MatchServiceGrpc.class) {
        if ((getGetMatchMethod = MatchServiceGrpc.getGetMatchMethod) == null) {
          MatchServiceGrpc.getGetMatchMethod = getGetMatchMethod =
              io.grpc.MethodDescriptor.<mergemaker.v1.GetMatchRequest, mergemaker.v1.GetMatchResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetMatch"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.GetMatchRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.GetMatchResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MatchServiceMethodDescriptorSupplier("GetMatch"))
              .build();
        }
      }
    }
    return getGetMatchMethod;
  }

  private static volatile io.grpc.MethodDescriptor<mergemaker.v1.CancelMatchRequest,
      mergemaker.v1.CancelMatchResponse> getCancelMatchMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CancelMatch",
      requestType = mergemaker.v1.CancelMatchRequest.class,
      responseType = mergemaker.v1.CancelMatchResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<mergemaker.v1.CancelMatchRequest,
      mergemaker.v1.CancelMatchResponse> getCancelMatchMethod() {
    io.grpc.MethodDescriptor<mergemaker.v1.CancelMatchRequest, mergemaker.v1.CancelMatchResponse> getCancelMatchMethod;
    if ((getCancelMatchMethod = MatchServiceGrpc.getCancelMatchMethod) == null) {
      synchronized (MatchServiceGrpc.class) {
        if ((getCancelMatchMethod = MatchServiceGrpc.getCancelMatchMethod) == null) {
          MatchServiceGrpc.getCancelMatchMethod = getCancelMatchMethod =
              io.grpc.MethodDescriptor.<mergemaker.v1.CancelMatchRequest, mergemaker.v1.CancelMatchResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CancelMatch"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.CancelMatchRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.CancelMatchResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MatchServiceMethodDescriptorSupplier("CancelMatch"))
              .build();
        }
      }
    }
    return getCancelMatchMethod;
  }

  private static volatile io.grpc.MethodDescriptor<mergemaker.v1.FetchRecordRequest,
      mergemaker.v1.FetchRecordResponse> getFetchRecordMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "FetchRecord",
      requestType = mergemaker.v1.FetchRecordRequest.class,
      responseType = mergemaker.v1.FetchRecordResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<mergemaker.v1.FetchRecordRequest,
      mergemaker.v1.FetchRecordResponse> getFetchRecordMethod() {
    io.grpc.MethodDescriptor<mergemaker.v1.FetchRecordRequest, mergemaker.v1.FetchRecordResponse> getFetchRecordMethod;
    if ((getFetchRecordMethod = MatchServiceGrpc.getFetchRecordMethod) == null) {
      synchronized (MatchServiceGrpc.class) {
        if ((getFetchRecordMethod = MatchServiceGrpc.getFetchRecordMethod) == null) {
          MatchServiceGrpc.getFetchRecordMethod = getFetchRecordMethod =
              io.grpc.MethodDescriptor.<mergemaker.v1.FetchRecordRequest, mergemaker.v1.FetchRecordResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "FetchRecord"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.FetchRecordRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  mergemaker.v1.FetchRecordResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MatchServiceMethodDescriptorSupplier("FetchRecord"))
              .build();
        }
      }
    }
    return getFetchRecordMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static MatchServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<MatchServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<MatchServiceStub>() {
        @java.lang.Override
        public MatchServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new MatchServiceStub(channel, callOptions);
        }
      };
    return MatchServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static MatchServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<MatchServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<MatchServiceBlockingV2Stub>() {
        @java.lang.Override
        public MatchServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new MatchServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return MatchServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static MatchServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<MatchServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<MatchServiceBlockingStub>() {
        @java.lang.Override
        public MatchServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new MatchServiceBlockingStub(channel, callOptions);
        }
      };
    return MatchServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static MatchServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<MatchServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<MatchServiceFutureStub>() {
        @java.lang.Override
        public MatchServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new MatchServiceFutureStub(channel, callOptions);
        }
      };
    return MatchServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Matches on a referee: made, listed, cancelled, and fetched when they are over. All calls want the operator's token, as metadata
   * `authorization: Bearer TOKEN`: without it UNAUTHENTICATED, with another PERMISSION_DENIED. Where a text explains more, the status has a
   * stable reason in front of it: `reason: text`.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Makes a match and waits for its seats. INVALID_ARGUMENT: rules, clock or seats that cannot be; RESOURCE_EXHAUSTED: too many matches.
     * </pre>
     */
    default void createMatch(mergemaker.v1.CreateMatchRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.CreateMatchResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateMatchMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists matches, newest first.
     * </pre>
     */
    default void listMatches(mergemaker.v1.ListMatchesRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.ListMatchesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListMatchesMethod(), responseObserver);
    }

    /**
     * <pre>
     * One match. NOT_FOUND: there is none with this id.
     * </pre>
     */
    default void getMatch(mergemaker.v1.GetMatchRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.GetMatchResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetMatchMethod(), responseObserver);
    }

    /**
     * <pre>
     * Voids a match that is not over: nobody's loss. NOT_FOUND, or FAILED_PRECONDITION where it is over.
     * </pre>
     */
    default void cancelMatch(mergemaker.v1.CancelMatchRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.CancelMatchResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCancelMatchMethod(), responseObserver);
    }

    /**
     * <pre>
     * The record of a match that is over, byte by byte. NOT_FOUND, or FAILED_PRECONDITION where it is not released.
     * </pre>
     */
    default void fetchRecord(mergemaker.v1.FetchRecordRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.FetchRecordResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getFetchRecordMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service MatchService.
   * <pre>
   * Matches on a referee: made, listed, cancelled, and fetched when they are over. All calls want the operator's token, as metadata
   * `authorization: Bearer TOKEN`: without it UNAUTHENTICATED, with another PERMISSION_DENIED. Where a text explains more, the status has a
   * stable reason in front of it: `reason: text`.
   * </pre>
   */
  public static abstract class MatchServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return MatchServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service MatchService.
   * <pre>
   * Matches on a referee: made, listed, cancelled, and fetched when they are over. All calls want the operator's token, as metadata
   * `authorization: Bearer TOKEN`: without it UNAUTHENTICATED, with another PERMISSION_DENIED. Where a text explains more, the status has a
   * stable reason in front of it: `reason: text`.
   * </pre>
   */
  public static final class MatchServiceStub
      extends io.grpc.stub.AbstractAsyncStub<MatchServiceStub> {
    private MatchServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected MatchServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new MatchServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Makes a match and waits for its seats. INVALID_ARGUMENT: rules, clock or seats that cannot be; RESOURCE_EXHAUSTED: too many matches.
     * </pre>
     */
    public void createMatch(mergemaker.v1.CreateMatchRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.CreateMatchResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateMatchMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists matches, newest first.
     * </pre>
     */
    public void listMatches(mergemaker.v1.ListMatchesRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.ListMatchesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListMatchesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * One match. NOT_FOUND: there is none with this id.
     * </pre>
     */
    public void getMatch(mergemaker.v1.GetMatchRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.GetMatchResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetMatchMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Voids a match that is not over: nobody's loss. NOT_FOUND, or FAILED_PRECONDITION where it is over.
     * </pre>
     */
    public void cancelMatch(mergemaker.v1.CancelMatchRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.CancelMatchResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCancelMatchMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * The record of a match that is over, byte by byte. NOT_FOUND, or FAILED_PRECONDITION where it is not released.
     * </pre>
     */
    public void fetchRecord(mergemaker.v1.FetchRecordRequest request,
        io.grpc.stub.StreamObserver<mergemaker.v1.FetchRecordResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getFetchRecordMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service MatchService.
   * <pre>
   * Matches on a referee: made, listed, cancelled, and fetched when they are over. All calls want the operator's token, as metadata
   * `authorization: Bearer TOKEN`: without it UNAUTHENTICATED, with another PERMISSION_DENIED. Where a text explains more, the status has a
   * stable reason in front of it: `reason: text`.
   * </pre>
   */
  public static final class MatchServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<MatchServiceBlockingV2Stub> {
    private MatchServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected MatchServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new MatchServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Makes a match and waits for its seats. INVALID_ARGUMENT: rules, clock or seats that cannot be; RESOURCE_EXHAUSTED: too many matches.
     * </pre>
     */
    public mergemaker.v1.CreateMatchResponse createMatch(mergemaker.v1.CreateMatchRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateMatchMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists matches, newest first.
     * </pre>
     */
    public mergemaker.v1.ListMatchesResponse listMatches(mergemaker.v1.ListMatchesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListMatchesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * One match. NOT_FOUND: there is none with this id.
     * </pre>
     */
    public mergemaker.v1.GetMatchResponse getMatch(mergemaker.v1.GetMatchRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetMatchMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Voids a match that is not over: nobody's loss. NOT_FOUND, or FAILED_PRECONDITION where it is over.
     * </pre>
     */
    public mergemaker.v1.CancelMatchResponse cancelMatch(mergemaker.v1.CancelMatchRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCancelMatchMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * The record of a match that is over, byte by byte. NOT_FOUND, or FAILED_PRECONDITION where it is not released.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, mergemaker.v1.FetchRecordResponse>
        fetchRecord(mergemaker.v1.FetchRecordRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getFetchRecordMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service MatchService.
   * <pre>
   * Matches on a referee: made, listed, cancelled, and fetched when they are over. All calls want the operator's token, as metadata
   * `authorization: Bearer TOKEN`: without it UNAUTHENTICATED, with another PERMISSION_DENIED. Where a text explains more, the status has a
   * stable reason in front of it: `reason: text`.
   * </pre>
   */
  public static final class MatchServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<MatchServiceBlockingStub> {
    private MatchServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected MatchServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new MatchServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Makes a match and waits for its seats. INVALID_ARGUMENT: rules, clock or seats that cannot be; RESOURCE_EXHAUSTED: too many matches.
     * </pre>
     */
    public mergemaker.v1.CreateMatchResponse createMatch(mergemaker.v1.CreateMatchRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateMatchMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists matches, newest first.
     * </pre>
     */
    public mergemaker.v1.ListMatchesResponse listMatches(mergemaker.v1.ListMatchesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListMatchesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * One match. NOT_FOUND: there is none with this id.
     * </pre>
     */
    public mergemaker.v1.GetMatchResponse getMatch(mergemaker.v1.GetMatchRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetMatchMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Voids a match that is not over: nobody's loss. NOT_FOUND, or FAILED_PRECONDITION where it is over.
     * </pre>
     */
    public mergemaker.v1.CancelMatchResponse cancelMatch(mergemaker.v1.CancelMatchRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCancelMatchMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * The record of a match that is over, byte by byte. NOT_FOUND, or FAILED_PRECONDITION where it is not released.
     * </pre>
     */
    public java.util.Iterator<mergemaker.v1.FetchRecordResponse> fetchRecord(
        mergemaker.v1.FetchRecordRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getFetchRecordMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service MatchService.
   * <pre>
   * Matches on a referee: made, listed, cancelled, and fetched when they are over. All calls want the operator's token, as metadata
   * `authorization: Bearer TOKEN`: without it UNAUTHENTICATED, with another PERMISSION_DENIED. Where a text explains more, the status has a
   * stable reason in front of it: `reason: text`.
   * </pre>
   */
  public static final class MatchServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<MatchServiceFutureStub> {
    private MatchServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected MatchServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new MatchServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Makes a match and waits for its seats. INVALID_ARGUMENT: rules, clock or seats that cannot be; RESOURCE_EXHAUSTED: too many matches.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<mergemaker.v1.CreateMatchResponse> createMatch(
        mergemaker.v1.CreateMatchRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateMatchMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists matches, newest first.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<mergemaker.v1.ListMatchesResponse> listMatches(
        mergemaker.v1.ListMatchesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListMatchesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * One match. NOT_FOUND: there is none with this id.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<mergemaker.v1.GetMatchResponse> getMatch(
        mergemaker.v1.GetMatchRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetMatchMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Voids a match that is not over: nobody's loss. NOT_FOUND, or FAILED_PRECONDITION where it is over.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<mergemaker.v1.CancelMatchResponse> cancelMatch(
        mergemaker.v1.CancelMatchRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCancelMatchMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CREATE_MATCH = 0;
  private static final int METHODID_LIST_MATCHES = 1;
  private static final int METHODID_GET_MATCH = 2;
  private static final int METHODID_CANCEL_MATCH = 3;
  private static final int METHODID_FETCH_RECORD = 4;

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
        case METHODID_CREATE_MATCH:
          serviceImpl.createMatch((mergemaker.v1.CreateMatchRequest) request,
              (io.grpc.stub.StreamObserver<mergemaker.v1.CreateMatchResponse>) responseObserver);
          break;
        case METHODID_LIST_MATCHES:
          serviceImpl.listMatches((mergemaker.v1.ListMatchesRequest) request,
              (io.grpc.stub.StreamObserver<mergemaker.v1.ListMatchesResponse>) responseObserver);
          break;
        case METHODID_GET_MATCH:
          serviceImpl.getMatch((mergemaker.v1.GetMatchRequest) request,
              (io.grpc.stub.StreamObserver<mergemaker.v1.GetMatchResponse>) responseObserver);
          break;
        case METHODID_CANCEL_MATCH:
          serviceImpl.cancelMatch((mergemaker.v1.CancelMatchRequest) request,
              (io.grpc.stub.StreamObserver<mergemaker.v1.CancelMatchResponse>) responseObserver);
          break;
        case METHODID_FETCH_RECORD:
          serviceImpl.fetchRecord((mergemaker.v1.FetchRecordRequest) request,
              (io.grpc.stub.StreamObserver<mergemaker.v1.FetchRecordResponse>) responseObserver);
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
          getCreateMatchMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              mergemaker.v1.CreateMatchRequest,
              mergemaker.v1.CreateMatchResponse>(
                service, METHODID_CREATE_MATCH)))
        .addMethod(
          getListMatchesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              mergemaker.v1.ListMatchesRequest,
              mergemaker.v1.ListMatchesResponse>(
                service, METHODID_LIST_MATCHES)))
        .addMethod(
          getGetMatchMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              mergemaker.v1.GetMatchRequest,
              mergemaker.v1.GetMatchResponse>(
                service, METHODID_GET_MATCH)))
        .addMethod(
          getCancelMatchMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              mergemaker.v1.CancelMatchRequest,
              mergemaker.v1.CancelMatchResponse>(
                service, METHODID_CANCEL_MATCH)))
        .addMethod(
          getFetchRecordMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              mergemaker.v1.FetchRecordRequest,
              mergemaker.v1.FetchRecordResponse>(
                service, METHODID_FETCH_RECORD)))
        .build();
  }

  private static abstract class MatchServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    MatchServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return mergemaker.v1.Matches.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("MatchService");
    }
  }

  private static final class MatchServiceFileDescriptorSupplier
      extends MatchServiceBaseDescriptorSupplier {
    MatchServiceFileDescriptorSupplier() {}
  }

  private static final class MatchServiceMethodDescriptorSupplier
      extends MatchServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    MatchServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (MatchServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new MatchServiceFileDescriptorSupplier())
              .addMethod(getCreateMatchMethod())
              .addMethod(getListMatchesMethod())
              .addMethod(getGetMatchMethod())
              .addMethod(getCancelMatchMethod())
              .addMethod(getFetchRecordMethod())
              .build();
        }
      }
    }
    return result;
  }
}
