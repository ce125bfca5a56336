/** A referee for tests of the network: a real gRPC server on the loopback that keeps to a script. */

import { once } from "node:events";

import { Server, ServerCredentials, status, type Metadata, type ServerDuplexStream } from "@grpc/grpc-js";
import { fromBinary, toBinary } from "@bufbuild/protobuf";

import { PlayRequestSchema, PlayResponseSchema, type PlayRequest, type PlayResponse } from "../src/wire/referee_pb.js";

type Call = ServerDuplexStream<PlayRequest, PlayResponse>;
type RequestKind = PlayRequest["kind"]["case"];

/** One stream of the client. */
export class Stream {
  readonly metadata: Metadata;
  readonly #call: Call;
  readonly #requests: AsyncIterator<PlayRequest>;

  constructor(call: Call) {
    this.#call = call;
    this.metadata = call.metadata;
    call.on("error", () => undefined);
    this.#requests = call[Symbol.asyncIterator]() as AsyncIterator<PlayRequest>;
  }

  send(response: PlayResponse): void {
    this.#call.write(response);
  }

  /** The next request, which is of this kind. */
  async expect(kind: RequestKind): Promise<PlayRequest> {
    const found = await this.#requests.next();
    const request = found.done === true ? undefined : found.value;
    if (request === undefined || request.kind.case !== kind) {
      throw new Error(`expected is ${String(kind)}; what came is ${request?.kind.case ?? "the end"}`);
    }
    return request;
  }

  /** Waits for the client to close its side, which is more than to be gone. */
  async closed(): Promise<void> {
    const found = await this.#requests.next();
    if (this.#call.cancelled) {
      throw new Error("expected is the end of the client's side; what came is the end of its connection");
    }
    if (found.done !== true) {
      throw new Error(`expected is the end; what came is ${String(found.value.kind.case)}`);
    }
  }

  /** Ends the stream. */
  end(code = status.OK): void {
    if (code === status.OK) {
      this.#call.end();
    } else {
      this.#call.emit("error", { code, details: "said by the test" });
    }
  }
}

/** A server with the streams that came, in order. */
export class Referee {
  readonly #server = new Server();
  readonly #streams: Stream[] = [];
  readonly #came = new EventTarget();
  url = "";

  async start(): Promise<this> {
    const play = {
      path: "/mergemaker.v1.RefereeService/Play",
      requestStream: true,
      responseStream: true,
      requestSerialize: (request: PlayRequest) => Buffer.from(toBinary(PlayRequestSchema, request)),
      requestDeserialize: (bytes: Buffer) => fromBinary(PlayRequestSchema, bytes),
      responseSerialize: (response: PlayResponse) => Buffer.from(toBinary(PlayResponseSchema, response)),
      responseDeserialize: (bytes: Buffer) => fromBinary(PlayResponseSchema, bytes),
    };
    this.#server.addService(
      { play },
      {
        play: (call: Call) => {
          this.#streams.push(new Stream(call));
          this.#came.dispatchEvent(new Event("stream"));
        },
      },
    );
    const port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
        if (error) {
          reject(error);
        } else {
          resolve(bound);
        }
      });
    });
    this.url = `grpc://127.0.0.1:${port}`;
    return this;
  }

  /** Waits for the client's next stream. */
  async stream(): Promise<Stream> {
    for (;;) {
      const found = this.#streams.shift();
      if (found) {
        return found;
      }
      await once(this.#came, "stream");
    }
  }

  stop(): void {
    this.#server.forceShutdown();
  }
}
