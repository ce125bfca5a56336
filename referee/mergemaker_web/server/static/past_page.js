// The page of a match that is over: the viewer with its record.

import { fetched } from "./live_match.js";
import { open, showProblem } from "./page.js";

const root = document.getElementById("viewer");
const { prefix, match } = document.body.dataset;
try {
  window.viewer = await open(root, await fetched(`${prefix}/api/matches/${encodeURIComponent(match)}/viewer`));
} catch (error) {
  showProblem(root, error);
}
