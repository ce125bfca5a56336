/** Where a bot is to go: environment variables, the same in every language. */

import { BlockList, isIP, isIPv6 } from "node:net";

import { BadSetting } from "./errors.js";

/** The variables' names. */
export const SERVER_VARIABLE = "MERGEMAKER_SERVER";
export const TOKEN_VARIABLE = "MERGEMAKER_TOKEN";
export const BOT_VARIABLE = "MERGEMAKER_BOT";
export const CA_VARIABLE = "MERGEMAKER_CA";
export const TRACE_VARIABLE = "MERGEMAKER_TRACE";
export const PLAIN_TEXT_VARIABLE = "MERGEMAKER_PLAIN_TEXT";
const PLAIN_TEXT_ALLOWED = "allowed";

const EXAMPLES: Readonly<Record<string, string>> = {
  [SERVER_VARIABLE]: "grpc://127.0.0.1:7350, or grpcs://referee.example:7350",
  [TOKEN_VARIABLE]: "what the referee or the operator gave to this bot",
};
const PORT_MAX = 65_535;
const BOT_NAME_CHARACTERS_MAX = 64;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** A referee's address. */
export interface Target {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Whether the connection uses TLS. */
  readonly secure: boolean;
}

/** What the variables say. It holds no functions, so that it can be handed to another thread. */
export interface Environment {
  readonly target: Target;
  readonly token: string;
  /** The bot's name; empty: the one that goes with the token. */
  readonly name: string;
  /** A file with the certificates to trust, if they are not those that the machine trusts. */
  readonly ca?: string;
  /** Where every message is written. */
  readonly trace?: string;
}

/** What may be given instead of a variable. */
export interface Given {
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly name?: string | undefined;
}

/** Host and port; an IPv6 address stands in brackets. */
export function addressOf(target: Target): string {
  return target.host.includes(":") ? `[${target.host}]:${target.port}` : `${target.host}:${target.port}`;
}

/** The address as `MERGEMAKER_SERVER` has it. */
export function urlOf(target: Target): string {
  return `${target.secure ? "grpcs" : "grpc"}://${addressOf(target)}`;
}

/** Whether the referee is on this machine, so that no proxy may be used. */
export function isLoopback(target: Target): boolean {
  if (target.host.toLowerCase() === "localhost") {
    return true;
  }
  const version = isIP(target.host);
  return version !== 0 && LOOPBACK.check(target.host, version === 6 ? "ipv6" : "ipv4");
}

/** Reads `grpc://host:port` or `grpcs://host:port`. */
export function parseTarget(text: string): Target {
  const found = /^(grpcs?):\/\/(\[[^\]]*\]|[^\s/?#@[\]:]+):(\d{1,5})$/.exec(text);
  const [scheme, bracketed, digits] = [found?.[1], found?.[2] ?? "", found?.[3] ?? "0"];
  const host = bracketed.startsWith("[") ? bracketed.slice(1, -1) : bracketed;
  const port = Number(digits);
  const isHost = host === bracketed || isIPv6(host);
  if (found === null || !isHost || port < 1 || port > PORT_MAX) {
    throw new BadSetting(
      "bad-server",
      `a referee's address (${SERVER_VARIABLE}) is ${EXAMPLES[SERVER_VARIABLE] ?? ""}, not ${JSON.stringify(text)}`,
    );
  }
  return { host, port, secure: scheme === "grpcs" };
}

/** Reads the variables; given settings come before them. An empty variable counts as missing. */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  given: Given = {},
): Environment {
  const server = given.server ?? variables[SERVER_VARIABLE] ?? "";
  const token = given.token ?? variables[TOKEN_VARIABLE] ?? "";
  const missing = [...(server ? [] : [SERVER_VARIABLE]), ...(token ? [] : [TOKEN_VARIABLE])];
  if (missing.length > 0) {
    const lines = missing.map((name) => `  ${name}=${EXAMPLES[name] ?? ""}`);
    const text = `the bot does not know where to connect: ${missing.join(" and ")} must be set, as in`;
    throw new BadSetting("missing-variable", [text, ...lines].join("\n"));
  }
  const target = parseTarget(server);
  checkPrivate(target, variables[PLAIN_TEXT_VARIABLE] ?? "");
  // A stray character of a pasted token is reported here: gRPC would only say that metadata are illegal.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const text = `a token (${TOKEN_VARIABLE}) is printable ASCII without spaces; this one is not`;
    throw new BadSetting("bad-token", text);
  }
  const name = given.name ?? variables[BOT_VARIABLE] ?? "";
  const characters = Array.from(name).length;
  if (characters > BOT_NAME_CHARACTERS_MAX) {
    const text = `a bot's name has at most ${BOT_NAME_CHARACTERS_MAX} characters, not ${characters}`;
    throw new BadSetting("bad-name", text);
  }
  const [ca, trace] = [variables[CA_VARIABLE], variables[TRACE_VARIABLE]];
  return { target, token, name, ...(ca ? { ca } : {}), ...(trace ? { trace } : {}) };
}

/** Refuses to show a token to anyone on the way: that needs TLS, or explicit permission. */
function checkPrivate(target: Target, said: string): void {
  if (said !== "" && said !== PLAIN_TEXT_ALLOWED) {
    const text = `${PLAIN_TEXT_VARIABLE} is "${PLAIN_TEXT_ALLOWED}" or not set, not ${JSON.stringify(said)}`;
    throw new BadSetting("bad-plain-text", text);
  }
  if (!target.secure && !isLoopback(target) && said === "") {
    throw new BadSetting(
      "plain-text",
      `${urlOf(target)} is not on this machine, and without TLS anyone on the route can read the token: use ` +
        `${urlOf({ ...target, secure: true })}, with ${CA_VARIABLE} where this machine does not trust its certificate by ` +
        `itself; or, in a network that you trust, set ${PLAIN_TEXT_VARIABLE}=${PLAIN_TEXT_ALLOWED}`,
    );
  }
}
