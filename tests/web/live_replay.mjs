// Follows matches by public events with the pages' modules, and prints the positions: node live_replay.mjs FOLDER < MATCHES
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const module = (name) => import(new URL(name, pathToFileURL(`${process.argv[2]}/`)));
const { emptyGame, gameAfter } = await module("public_game.js");
const { liveStory, addEvents } = await module("live_story.js");

const shown = (game) => ({
  turn: game.turn, turn_seat: game.turnSeat, board: game.board.join(""), sizes: game.sizes, prices: game.prices, market: game.market,
  pile: game.pile, set_aside: [...game.aside].sort((one, other) => one - other), hand_sizes: game.handSizes, cash: game.cash, shares: game.shares,
  powers_used: game.powers, declared: game.declared, end_allowed: game.endAllowed, over: game.ended,
});

const found = JSON.parse(readFileSync(0, "utf8")).map(({ rules, rules_version, seats, bots, batches }) => {
  let game = emptyGame(rules, seats);
  const positions = batches.map((events) => shown(game = gameAfter(game, events)));
  const story = liveStory({ match: "m", rules, rules_version, seats, bots, view: null, first_event: 1, events: [] });
  let next = 1;
  for (const events of batches) {
    addEvents(story, next, events);
    next += events.length;
  }
  return { positions, last: shown((story.steps.at(-1) ?? story.start).state), steps: story.steps.length };
});
process.stdout.write(JSON.stringify(found));
