import assert from "node:assert/strict";
import { test } from "node:test";

import { channelOptions } from "../src/channel.js";
import { addressOf, isLoopback, parseTarget, readEnvironment, urlOf } from "../src/environment.js";
import { BadSetting } from "../src/errors.js";

const GIVEN = { MERGEMAKER_SERVER: "grpc://127.0.0.1:7350", MERGEMAKER_TOKEN: "secret" };

function reasonOf(variables: Record<string, string>): string {
  try {
    readEnvironment(variables);
  } catch (error) {
    assert(error instanceof BadSetting);
    const token = variables.MERGEMAKER_TOKEN;
    assert(!token || !error.message.includes(token), "the token is never shown");
    return error.reason;
  }
  return "";
}

test("the variables say where to go", () => {
  const variables = { ...GIVEN, MERGEMAKER_BOT: "Ann", MERGEMAKER_CA: "ca.pem", MERGEMAKER_TRACE: "t.jsonl" };
  const target = { host: "127.0.0.1", port: 7350, secure: false };
  const found = { target, token: "secret", name: "Ann", ca: "ca.pem", trace: "t.jsonl" };
  assert.deepEqual(readEnvironment(variables), found);
  assert.equal(readEnvironment(variables, { name: "Bob" }).name, "Bob");
});

test("an empty variable counts as missing", () => {
  assert.deepEqual(readEnvironment({ ...GIVEN, MERGEMAKER_CA: "", MERGEMAKER_TRACE: "", MERGEMAKER_PLAIN_TEXT: "" }), {
    ...readEnvironment(GIVEN),
  });
  assert.equal(reasonOf({ ...GIVEN, MERGEMAKER_TOKEN: "" }), "missing-variable");
  assert.equal(reasonOf({ ...GIVEN, MERGEMAKER_SERVER: "" }), "missing-variable");
});

test("an address that is none is refused", () => {
  const wrong = [
    "",
    "127.0.0.1:1",
    "http://a:1",
    "grpc://a",
    "grpc://a:0",
    "grpc://a:65536",
    "grpc://a b:1",
    "grpc://a:1/",
  ];
  for (const server of [
    ...wrong,
    "grpc://[127.0.0.1]:1",
    "grpc://::1:1",
    "grpc://:1",
    "grpc://[::1:1",
    "grpc://a:1x",
  ]) {
    assert.throws(() => parseTarget(server), BadSetting, server);
  }
});

test("an address is read as it is written", () => {
  for (const url of ["grpc://127.0.0.1:1", "grpcs://referee.example:65535", "grpc://[::1]:80"]) {
    assert.equal(urlOf(parseTarget(url)), url);
  }
  assert.equal(addressOf(parseTarget("grpcs://[2001:db8::1]:7")), "[2001:db8::1]:7");
});

test("the loopback is known by name and by address, and is never behind a proxy", () => {
  for (const host of ["localhost", "LocalHost", "127.0.0.1", "127.3.4.5", "[::1]"]) {
    const target = parseTarget(`grpc://${host}:1`);
    assert(isLoopback(target), host);
    assert.equal(channelOptions(target)["grpc.enable_http_proxy"], 0);
  }
  for (const host of ["referee.example", "10.0.0.1", "128.0.0.1", "[::2]", "localhost.example"]) {
    const target = parseTarget(`grpc://${host}:1`);
    assert(!isLoopback(target), host);
    assert.equal(channelOptions(target)["grpc.enable_http_proxy"], undefined);
  }
});

test("a token goes to another machine through TLS, or where that is explicitly allowed", () => {
  const away = { ...GIVEN, MERGEMAKER_SERVER: "grpc://192.0.2.1:7350" };
  assert.equal(reasonOf(away), "plain-text");
  assert.equal(reasonOf({ ...away, MERGEMAKER_PLAIN_TEXT: "yes" }), "bad-plain-text");
  assert.equal(reasonOf({ ...away, MERGEMAKER_PLAIN_TEXT: "allowed" }), "");
  assert.equal(reasonOf({ ...away, MERGEMAKER_SERVER: "grpcs://192.0.2.1:7350" }), "");
});

test("a token with a stray character and a name that is too long are refused", () => {
  for (const token of ["a b", "ä", "a\n"]) {
    assert.equal(reasonOf({ ...GIVEN, MERGEMAKER_TOKEN: token }), "bad-token");
  }
  assert.equal(reasonOf({ ...GIVEN, MERGEMAKER_BOT: "x".repeat(65) }), "bad-name");
  assert.equal(reasonOf({ ...GIVEN, MERGEMAKER_BOT: "😀".repeat(64) }), "", "characters are counted, not their parts");
});
