// The beginning of a page that carries its viewer: unpacks viewer and match, and starts the viewer.

import { unpack } from "./packed.js";

try {
  const { script, match } = await unpack(document.getElementById("packed").textContent);
  window.carriedMatch = match;
  const viewer = document.createElement("script");
  viewer.type = "module";
  viewer.textContent = script; // the page's policy allows exactly this text, by its hash
  document.body.append(viewer);
} catch (error) {
  const words = document.createElement("p");
  words.setAttribute("role", "alert");
  words.textContent = `This page cannot be shown: ${error.message}`;
  document.getElementById("viewer").replaceChildren(words);
}
