/** A referee in a thread of its own, which pings while the bot is held up, and lets it go on when the pong has come. */

import { parentPort, workerData } from "node:worker_threads";

import { decision, offered, response, started, welcome } from "./kit.js";
import { Referee } from "./referee.js";

if (parentPort) {
  const gate = workerData as Int32Array;
  const referee = await new Referee().start();
  parentPort.postMessage(referee.url);
  const stream = await referee.stream();
  await stream.expect("hello");
  stream.send(welcome());
  await stream.expect("takeSeat");
  stream.send(response({ matchOffered: offered(), matchStarted: started(), decision: decision(1n) }));
  stream.send(response({ match: "", ping: { id: 7n } }));
  await stream.expect("pong");
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  await stream.expect("answer");
  stream.send(response({ matchEnded: {} }));
  await stream.expect("takeSeat");
  stream.send(response({ match: "", requestRefused: { request: "take_seat" } }));
  await stream.closed();
  stream.end();
}
