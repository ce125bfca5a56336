/** The thread of the network: it answers the referee's pings while the bot thinks, however busy that keeps its own thread. */

import { randomBytes, randomInt } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";

import { Connection } from "./connection.js";
import { Conversation } from "./conversation.js";
import { problemOf } from "./errors.js";
import type { FromNetwork, NetworkData, ToNetwork } from "./network.js";
import { PART_BYTES } from "./promise.js";
import { Trace } from "./trace.js";

const CHANCES = 2 ** 32;

const port = parentPort;
if (port !== null) {
  await main((message) => {
    port.postMessage(message);
  });
  port.close();
}

async function main(post: (message: FromNetwork) => void): Promise<void> {
  const { environment, wishes } = workerData as NetworkData;
  const notice = (text: string) => {
    post({ delivery: { do: "notice", match: "", text }, cameNs: process.hrtime.bigint() });
  };
  let trace: Trace | undefined;
  try {
    trace = environment.trace === undefined ? undefined : new Trace(environment.trace, environment.token, notice);
    const conversation = new Conversation(wishes, () => randomBytes(PART_BYTES));
    const connection = new Connection(environment, conversation, {
      deliver: (delivery) => {
        post({ delivery, cameNs: process.hrtime.bigint() });
      },
      trace,
      chance: () => randomInt(CHANCES) / CHANCES,
      nowMs: () => performance.now(),
    });
    port?.on("message", (message: ToNetwork) => {
      if (message.do === "leave") {
        connection.close();
      } else if (message.do === "falseDeal") {
        trace?.falseDeal(message.match, message.reason, message.text);
      } else {
        connection.answer(message.match, message.decision, message.choice, message.note);
      }
    });
    post({ delivery: await connection.run(), cameNs: process.hrtime.bigint() });
  } catch (error) {
    post({ delivery: { do: "close", problem: problemOf(error) }, cameNs: process.hrtime.bigint() });
  } finally {
    trace?.close();
  }
}
