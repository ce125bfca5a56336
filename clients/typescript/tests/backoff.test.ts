import assert from "node:assert/strict";
import { test } from "node:test";

import { Backoff, FIRST_CONTACT_MS_MAX, GIVE_UP_MS, STEADY_MS } from "../src/backoff.js";

test("waits grow up to the most, which is less while a match goes on", () => {
  const waits = (isPlaying: boolean, chance: number) => {
    const backoff = new Backoff(() => chance, 0);
    return Array.from({ length: 9 }, () => backoff.waitMs(0, 0, isPlaying));
  };
  assert.deepEqual(waits(false, 1), [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  assert.deepEqual(waits(true, 1), [100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000, 1_000]);
  assert.deepEqual(waits(true, 0), [50, 100, 200, 400, 500, 500, 500, 500, 500]);
});

test("the referee's wish comes before the wait", () => {
  assert.equal(new Backoff(() => 1, 0).waitMs(0, 900, true), 1_000);
});

test("progress, or a stream that lasted, makes the next break a new one", () => {
  const backoff = new Backoff(() => 1, 0);
  backoff.waitMs(0, 0, false);
  backoff.waitMs(0, 0, false);
  backoff.progressed();
  assert.equal(backoff.waitMs(0, 0, false), 100);
  backoff.opened(1_000);
  backoff.welcomed();
  assert.equal(backoff.waitMs(1_000 + STEADY_MS - 1, 0, false), 200);
  backoff.opened(20_000);
  backoff.welcomed();
  assert.equal(backoff.waitMs(20_000 + STEADY_MS, 0, false), 100);
});

test("a referee that was never reached is given up sooner than one that was", () => {
  const backoff = new Backoff(() => 1, 0);
  assert.equal(backoff.waitMs(FIRST_CONTACT_MS_MAX - 100, 0, false), 100);
  assert.equal(backoff.waitMs(FIRST_CONTACT_MS_MAX - 100, 0, false), undefined);
  backoff.opened(0);
  backoff.welcomed();
  assert.notEqual(backoff.waitMs(50_000, 0, true), undefined);
  backoff.opened(60_000);
  assert.notEqual(backoff.waitMs(50_000 + GIVE_UP_MS - 1_000, 0, true), undefined);
  assert.equal(backoff.waitMs(50_000 + GIVE_UP_MS, 0, true), undefined);
});
