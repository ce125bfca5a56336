/** The network: keeps a stream to the referee open, and opens another one when it breaks. */

import { Metadata, status, type Client, type ClientDuplexStream, type StatusObject } from "@grpc/grpc-js";
import { fromBinary, toBinary } from "@bufbuild/protobuf";

import { Backoff } from "./backoff.js";
import { credentialsOf, openChannel } from "./channel.js";
import type { Choice, Conversation } from "./conversation.js";
import { urlOf, type Environment } from "./environment.js";
import type { Close, Delivery, Output } from "./outputs.js";
import type { Trace } from "./trace.js";
import { PlayRequestSchema, PlayResponseSchema, type PlayRequest, type PlayResponse } from "./wire/referee_pb.js";

/** From opening a stream to the referee's Welcome. */
export const WELCOME_MS_MAX = 15_000;
/** From closing our side of a stream to its end. */
export const LEAVE_MS_MAX = 1_000;
/** From the status of a stream to the end of what came before it. */
const DRAIN_MS_MAX = 1_000;

const PATH = "/mergemaker.v1.RefereeService/Play";

type Call = ClientDuplexStream<PlayRequest, PlayResponse>;

/** How a stream ended: the name of its status, and what it says. */
interface Ending {
  readonly code: string;
  readonly text: string;
}

/** What a connection needs of the world. */
export interface Surroundings {
  /** Takes everything to be done except sending, in order. */
  readonly deliver: (delivery: Delivery) => void;
  readonly trace?: Trace | undefined;
  /** Gives numbers from 0 to 1. */
  readonly chance: () => number;
  /** A clock that only goes forward. */
  readonly nowMs: () => number;
}

/** Holds a conversation with the referee, over as many streams as it takes. */
export class Connection {
  readonly #environment: Environment;
  readonly #conversation: Conversation;
  readonly #around: Surroundings;
  readonly #backoff: Backoff;
  #call: Call | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLeaving = false;
  /** Ends the pause between two streams. */
  #wake: (() => void) | undefined;

  constructor(environment: Environment, conversation: Conversation, around: Surroundings) {
    this.#environment = environment;
    this.#conversation = conversation;
    this.#around = around;
    this.#backoff = new Backoff(around.chance, around.nowMs());
  }

  /** Opens streams until there is nothing left to do. */
  async run(): Promise<Close> {
    const proof = credentialsOf(this.#environment);
    for (;;) {
      const client = openChannel(this.#environment.target, proof);
      const { code, text } = await this.#oneStream(client);
      client.close();
      const sequel = this.#conversation.broke(code, text);
      if (this.#isLeaving) {
        return { do: "close" };
      }
      if ("over" in sequel) {
        return { do: "close", problem: sequel.over };
      }
      const wait = this.#backoff.waitMs(this.#around.nowMs(), sequel.again, this.#conversation.isPlaying);
      const url = urlOf(this.#environment.target);
      const said = text === "" ? code : `${code}: ${text}`;
      if (wait === undefined) {
        const tried = `${url} could not be reached for ${this.#backoff.limitMs / 1_000} s`;
        const problem = `${tried} (${said}): is the referee running there?`;
        return { do: "close", problem: { kind: "Unreachable", reason: "unreachable", text: problem } };
      }
      this.#notice(`no stream to ${url} (${said}); trying again in ${wait} ms`);
      await this.#pause(wait);
      if (this.#left()) {
        return { do: "close" };
      }
    }
  }

  /** Sends the bot's answer, now or when there is a stream again. */
  answer(match: string, decision: bigint, choice: Choice, note: string): void {
    this.#do(this.#conversation.answered(match, decision, choice, note));
  }

  /** Ends the stream and what `run` does, within a time limit. */
  close(): void {
    this.#isLeaving = true;
    this.#wake?.();
    this.#leave();
  }

  #left(): boolean {
    return this.#isLeaving;
  }

  #notice(text: string): void {
    this.#around.deliver({ do: "notice", match: "", text });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Opens a stream and receives until it ends. */
  async #oneStream(client: Client): Promise<Ending> {
    this.#backoff.opened(this.#around.nowMs());
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${this.#environment.token}`);
    const call = client.makeBidiStreamRequest(PATH, toBytes, fromBytes, metadata);
    this.#call = call;
    this.#limit(WELCOME_MS_MAX);
    call.on("data", (response: PlayResponse) => {
      if (this.#call === call) {
        this.#received(response);
      }
    });
    const ended = endOf(call);
    this.#do([{ do: "send", request: this.#conversation.hello() }]);
    const found = await ended;
    clearTimeout(this.#timer);
    this.#call = undefined;
    const { code, text } = { code: status[found.code], text: found.details };
    this.#around.trace?.stream(text === "" ? `ended ${code}` : `ended ${code}: ${text}`);
    if (code === "CANCELLED" && !this.#conversation.isWelcome && !this.#isLeaving) {
      return { code: "DEADLINE_EXCEEDED", text: `no Welcome came within ${WELCOME_MS_MAX / 1_000} s` };
    }
    return { code, text: code === "OK" ? "" : text };
  }

  /** Cancels the stream if it goes on for this long. */
  #limit(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#call?.cancel(), ms);
  }

  #received(response: PlayResponse): void {
    this.#around.trace?.received(response);
    const conversation = this.#conversation;
    const wasWelcome = conversation.isWelcome;
    const outputs = conversation.received(response);
    if (conversation.isWelcome && !wasWelcome) {
      this.#backoff.welcomed();
      clearTimeout(this.#timer);
    }
    this.#do(outputs);
  }

  #do(outputs: readonly Output[]): void {
    for (const output of outputs) {
      if (output.do === "send") {
        this.#send(output.request);
      } else if (output.do === "close") {
        this.#leave(); // what follows is reported when the stream has ended
      } else {
        this.#around.deliver(output);
        if (output.do !== "notice") {
          this.#backoff.progressed();
        }
      }
    }
  }

  #send(request: PlayRequest): void {
    if (this.#call?.writable === true) {
      this.#around.trace?.sent(request);
      this.#call.write(request);
    }
  }

  /** Closes our side of the stream. */
  #leave(): void {
    if (this.#call?.writable === true) {
      this.#call.end();
      this.#limit(LEAVE_MS_MAX);
    }
  }
}

/** The status of a stream, when everything that came before it was handed on. */
function endOf(call: Call): Promise<StatusObject> {
  return new Promise((resolve) => {
    let isDrained = false;
    let found: StatusObject | undefined;
    const settle = () => {
      if (isDrained && found) {
        resolve(found);
      }
    };
    call.on("end", () => {
      isDrained = true;
      settle();
    });
    call.on("status", (ended: StatusObject) => {
      found = ended;
      settle();
      setTimeout(resolve, DRAIN_MS_MAX, ended).unref();
    });
    // It says the same as the status, which always comes.
    call.on("error", () => undefined);
  });
}

function toBytes(request: PlayRequest): Buffer {
  return Buffer.from(toBinary(PlayRequestSchema, request));
}

function fromBytes(bytes: Buffer): PlayResponse {
  return fromBinary(PlayResponseSchema, bytes);
}
