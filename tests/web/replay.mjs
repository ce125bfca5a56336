// Plays records with the viewer's display engine, and prints what it shows: node replay.mjs STATIC_FOLDER [RECORD | game=LINK ...]
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const [folder, ...records] = process.argv.slice(2);
const module = (name) => import(new URL(name, pathToFileURL(`${folder}/`)));
const { tell, questionAt, stateAt } = await module("story.js");
const { stateDocument } = await module("state.js");
const { ALL, PUBLIC, viewOf } = await module("views.js");
const { eventText } = await module("wording.js");
const { scoreLines } = await module("score.js");
const { sentence } = await module("sentences.js");
const { linesFromLink } = await module("link.js");
const VIEW_EVERY = 9; // views are long

function linesFrom(path) {
  if (path.startsWith("game=")) return linesFromLink(path.slice("game=".length));
  const bytes = readFileSync(path);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

async function shown(path) {
  const story = tell(await linesFrom(path));
  const knowers = [PUBLIC, ...Array(story.seats).keys()];
  const events = (list) => list.map((event) => eventText(event, story.names));
  return {
    trouble: story.trouble,
    checked: story.checked,
    match: [story.header.run.match, story.bots, story.end?.cash, story.end?.places, story.end?.why],
    start: events(story.start?.events ?? []),
    steps: story.start ? story.steps.map((step) => {
      const { texts, offers, count } = questionAt(story, step.n);
      for (const event of step.events) sentence(event, (seat) => `seat ${seat}`, story.names);
      return {
        events: events(step.events),
        legal: offers ? { ...offers, count: String(count) } : texts,
        state: stateDocument(step.state),
        views: step.n % VIEW_EVERY ? null : knowers.map((knower) => viewOf(stateAt(story, step.n), knower)),
      };
    }) : [],
    scores: story.start ? [ALL, ...Array(story.seats).keys()].map((knower) => scoreLines(story, knower).map((line) => line.text)) : [],
  };
}

const found = [];
for (const record of records) found.push(await shown(record).catch((error) => ({ refused: error.message })));
process.stdout.write(JSON.stringify(found));
