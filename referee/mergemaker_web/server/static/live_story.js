// The story of a match that is played now, in the form of story.js, from what everybody may know.

import { emptyGame, gameAfter, gameOfView } from "./public_game.js";
import { chainNames } from "./tables.js";

/** Kinds of events with which a step begins. Which these are depends on the kinds alone, so all who watch see the same steps. */
const BEGINS_STEP = new Set([
  "PowerUsed", "TradeOffered", "TradeAnswered", "PlacingSkipped", "TilePlaced", "ChainFounded", "MergerBegan", "HoldingsShown",
  "StockDisposed", "MergerEnded", "PairTraded", "SharesBought", "GameEnded",
]);

/** A story without steps. `live` is the server's document of the match. */
export function liveStory(live) {
  const { rules, rules_version, seats, bots, match } = live;
  const state = live.view ? gameOfView(rules, seats, live.view) : emptyGame(rules, seats);
  const story = {
    isLive: true, header: { rules, rules_version, seats, deal: "secret until the end", run: { match, bots, started: live.created ?? "" } },
    end: null, seats, names: chainNames(rules), bots, start: { state, events: [] }, steps: [], lastIncidents: [],
    trouble: "", checked: 0, isDealt: true, next: live.first_event,
    ...(live.view && { startTitle: `Turn ${state.turn}`, startWords: "Followed from here on; earlier turns are in the record, after the end" }),
  };
  addEvents(story, live.first_event, live.events);
  return story;
}

/** Adds events from a number on; those that are there already are left out. Returns whether there was anything new. */
export function addEvents(story, from, events) {
  const fresh = events.slice(Math.max(0, story.next - from));
  if (from > story.next || !fresh.length) return false;
  story.next += fresh.length;
  for (const event of fresh) {
    if (BEGINS_STEP.has(event.kind)) addStep(story, event);
    (story.steps.at(-1) ?? story.start).events.push(event);
  }
  replay(story, fresh);
  return true;
}

function addStep(story, event) {
  story.steps.push({
    n: story.steps.length + 1, seat: event.seat ?? null, asked: null, answer: null, by: null, note: null, run: {}, incidents: [],
    events: [], state: null, turn: 0, turnSeat: 0,
  });
}

/** Positions of the steps that have new events. */
function replay(story, fresh) {
  const isNew = new Set(fresh);
  if (story.start.events.some((event) => isNew.has(event))) {
    const own = story.start.events.filter((event) => isNew.has(event));
    story.start = { state: gameAfter(story.start.state, own), events: story.start.events };
  }
  let before = story.start.state;
  for (const step of story.steps) {
    if (!step.state || step.events.some((event) => isNew.has(event))) {
      step.state = gameAfter(before, step.events);
      step.turn = before.turn;
      step.turnSeat = before.turnSeat;
      step.seat ??= before.turnSeat;
    }
    before = step.state;
  }
}
