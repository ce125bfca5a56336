// The beginning of a page that a server sends: loads the match, and starts the viewer.

import { open, showProblem } from "./page.js";

const root = document.getElementById("viewer");
try {
  const answer = await fetch("match.json");
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  window.viewer = await open(root, await answer.json());
} catch (error) {
  showProblem(root, new Error(`The match could not be loaded (${error.message}). Is the command that shows it still running?`));
}
