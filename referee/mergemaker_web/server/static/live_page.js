// The page of a match that is played: it follows it in the viewer, and after the end shows the whole record.

import { el, setAttribute, setText } from "./dom.js";
import { LiveMatch } from "./live_match.js";
import { showProblem, showStory } from "./page.js";
import { tell } from "./story.js";
import { Viewer } from "./viewer.js";

const root = document.getElementById("viewer");
const { prefix, match: id } = document.body.dataset;
const state = el("p", { class: "live", role: "status" });
let viewer = null;

const match = new LiveMatch(prefix, id, {
  begin(story) {
    const wasAt = viewer && viewer.position < viewer.story.steps.length ? viewer.position : null;
    viewer?.close();
    viewer = new Viewer(root, story);
    viewer.go(wasAt ?? story.steps.length);
    root.querySelector("header").append(state);
    window.viewer = viewer;
  },
  grow() {
    viewer.grow();
  },
  state(text, kind) {
    setText(state, text);
    setAttribute(state, "class", `live ${kind}`);
  },
  async over() {
    const carried = await match.released();
    if (!carried) return setText(state, "over; its record cannot be fetched: reload the page");
    const { position } = viewer;
    const wasLast = position === viewer.story.steps.length;
    viewer.close();
    match.close();
    try {
      const whole = tell(carried.lines, null);
      window.viewer = showStory(root, whole, wasLast ? whole.steps.length : 0);
    } catch (error) {
      showProblem(root, error);
    }
    return undefined;
  },
  problem(error) {
    if (error.problem?.status === 409) window.location.reload();
    else showProblem(root, error);
  },
});
window.live = match;
match.begin();
