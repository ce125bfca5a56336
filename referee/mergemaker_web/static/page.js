// A page of its own: it finds the match that it carries, and shows it at the place that its address names.

import { el, oneLine, shortName } from "./dom.js";
import { linesFromLink } from "./link.js";
import { nameOf } from "./names.js";
import { reviewed } from "./review.js";
import { QUIET, incidentText } from "./score.js";
import { tell } from "./story.js";
import { ALL, PUBLIC } from "./views.js";
import { Viewer, headerOf } from "./viewer.js";

/** The place in an address: `#57`, `#57&seat=2`, `#57&seat=public`, each perhaps with `&game=…`, a game in a link. */
export function placeFrom(hash) {
  const parts = hash.replace(/^#/, "").split("&");
  const named = Object.fromEntries(parts.filter((part) => part.includes("=")).map((part) => part.split("=")));
  const number = parts.find((part) => /^\d{1,7}$/.test(part));
  const seat = named.seat === PUBLIC ? PUBLIC : /^\d$/.test(named.seat ?? "") ? Number(named.seat) : ALL;
  return { position: number === undefined ? null : Number(number), knower: seat, game: named.game ?? null };
}

const hashOf = (position, knower, game) => `#${position}${knower === ALL ? "" : `&seat=${knower}`}${game ? `&game=${game}` : ""}`;

/** Shows a story on this page, and keeps the page's address and the place in step. */
export function showStory(root, story, openAt) {
  const { game } = placeFrom(window.location.hash);
  document.title = `Match ${shortName(story.header.run.match)}`;
  if (!story.start) return showAnswers(root, story);
  const viewer = new Viewer(root, story, (position, knower) => {
    const hash = hashOf(position, knower, game);
    if (window.location.hash === hash || (!window.location.hash && position === 0)) return;
    // An address that cannot be changed, as in some frames, is no reason to stop.
    try { window.history.replaceState(null, "", hash); } catch { /* the page works without it */ }
  });
  const follow = () => {
    const place = placeFrom(window.location.hash);
    if (place.game !== null && place.game !== game) return window.location.reload();
    viewer.stop();
    const isSeated = typeof place.knower !== "number" || place.knower < story.seats;
    // In one step: an address that named the old position for a moment could be what a reload takes.
    return viewer.look(isSeated ? place.knower : viewer.knower, place.position ?? openAt ?? 0);
  };
  window.addEventListener("hashchange", follow);
  follow();
  return viewer;
}

/** What can be shown of a match whose tiles are not known: its answers, in order. */
function showAnswers(root, story) {
  const incidentItem = (incident) => el("li", { class: QUIET.has(incident.what) ? "quiet" : "incident" }, incidentText(incident));
  const lines = story.steps.flatMap((step) => [
    ...step.incidents.map(incidentItem),
    el("li", {}, el("b", {}, `${step.n}. seat ${step.seat} `, nameOf(story, step.seat)), ` ${oneLine(step.asked)}: ${oneLine(step.answer)}`),
  ]);
  const rest = story.lastIncidents.map(incidentItem);
  root.replaceChildren(headerOf(story), el("main", { class: "plain" }, el("section", { class: "panel" }, el("h2", {}, "Answers so far"), el("ol", { class: "score" }, lines, rest))));
  return null;
}

/** Says on the page why a match cannot be shown. */
export function showProblem(root, error) {
  root.replaceChildren(el("main", { class: "plain" }, el("h1", {}, "This match cannot be shown"), el("p", { class: "trouble", role: "alert" }, oneLine(error.message)),
    el("p", {}, "Ask for the page again, or make it from the record: mergemaker replay RECORD --html FILE")));
}

/**
 * Shows the match that a page carries: its lines, what is known of its deal, where to open it, and what was left out.
 * If the page's address has a game, that is shown instead.
 */
export async function open(root, carried) {
  try {
    const { game } = placeFrom(window.location.hash);
    if (game) return showStory(root, tell(await linesFromLink(game)), 0);
    const viewer = showStory(root, reviewed(tell(carried.lines, carried.known), carried.review), carried.at);
    for (const text of carried.left_out) root.querySelector("header").append(el("p", { class: "trouble" }, text));
    return viewer;
  } catch (error) {
    showProblem(root, error);
    return null;
  }
}

if (window.carriedMatch) {
  open(document.getElementById("viewer"), window.carriedMatch).then((viewer) => {
    window.viewer = viewer;
  });
}
