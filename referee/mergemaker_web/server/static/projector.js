// A match for a hall: large, dark, without controls. When it is over, its result stays for a while; then the next one comes by itself.

import { BoardView } from "./board_view.js";
import { el, setText } from "./dom.js";
import { LiveMatch, fetched } from "./live_match.js";
import { nameOf } from "./names.js";
import { sentence } from "./sentences.js";
import { HoldingsView, PlayersView } from "./tables_view.js";
import { PUBLIC } from "./views.js";

const LOOK_MS = 2000;
const RESULT_MS = 20_000;
const SENTENCES = 4;

const root = document.getElementById("projector");
const { prefix } = document.body.dataset;
const shown = new Set();
document.body.classList.add("hall");

class Screen {
  constructor(story) {
    this.story = story;
    const labels = Array.from({ length: story.seats }, (_, seat) => `${seat} ${nameOf(story, seat)}`);
    this.board = new BoardView();
    this.players = new PlayersView(story, labels, () => {});
    this.holdings = new HoldingsView(story);
    this.title = el("h1");
    this.said = el("div", { class: "said", "aria-live": "polite" });
    for (const button of this.players.element.querySelectorAll("button")) button.replaceWith(el("span", { class: "name" }, button.textContent));
    const side = el("div", { class: "side" }, el("div", { class: "assets" }, this.players.element), el("div", { class: "assets" }, this.holdings.element), this.said);
    root.replaceChildren(this.title, el("div", { class: "board" }, this.board.picture), side);
    this.draw();
  }

  draw() {
    const { story } = this;
    const step = story.steps.at(-1);
    const view = step?.state ?? story.start.state;
    const placed = story.steps.findLast((each) => each.events.some((event) => event.kind === "TilePlaced"));
    const last = placed?.events.find((event) => event.kind === "TilePlaced").square ?? null;
    const who = (seat) => nameOf(story, seat);
    setText(this.title, `Turn ${view.turn} · ${story.bots.map((_, seat) => who(seat)).join(" · ")}`);
    this.board.show(view, last, []);
    this.players.show(view, PUBLIC, [], null);
    this.holdings.show(view);
    const lines = story.steps.slice(-SENTENCES).flatMap((each) => each.events).map((event) => sentence(event, who, story.names));
    this.said.replaceChildren(...lines.slice(-SENTENCES).map((text) => el("p", {}, text)));
  }

  over(ended) {
    const places = [...ended.standings].sort((one, other) => one.place - other.place);
    const words = places.map(({ seat, place, cash }) => `${place}. ${nameOf(this.story, seat)} $${cash.toLocaleString("en-US")}`);
    setText(this.title, words.join(" · ") || "The match was voided.");
  }
}

/** The match to show next: the one that has been played longest and was not shown yet. */
async function next() {
  const { matches } = await fetched(`${prefix}/api/matches?phase=playing`);
  return matches.map(({ match }) => match).reverse().find((match) => !shown.has(match)) ?? null;
}

const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

function show(id) {
  return new Promise((done) => {
    let screen = null;
    const match = new LiveMatch(prefix, id, {
      begin: (story) => { screen = new Screen(story); },
      grow: () => screen.draw(),
      state: () => {},
      over: async (ended) => {
        screen.over(ended);
        await wait(RESULT_MS);
        done(match.close());
      },
      problem: () => done(match.close()),
    });
    match.begin();
  });
}

for (;;) {
  const id = await next().catch(() => null);
  if (id === null) await wait(LOOK_MS);
  else {
    shown.add(id);
    await show(id);
  }
}
