// Keeps the lists of matches up to date: what the server writes now takes the place of what it wrote before.

import { setText } from "./dom.js";

const EVERY_MS = 3000;
const LISTS = ["#livelist tbody", "#pastlist tbody"];
const trouble = document.getElementById("trouble");

async function refresh() {
  if (document.visibilityState !== "visible") return;
  try {
    const answer = await fetch(window.location.href);
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const list of LISTS) {
      const [shown, now] = [document.querySelector(list), fresh.querySelector(list)];
      // What somebody is just using stays as it is until the next time.
      if (now && shown.innerHTML !== now.innerHTML && !shown.contains(document.activeElement)) shown.replaceWith(document.adoptNode(now));
    }
    setText(trouble, "");
  } catch (error) {
    setText(trouble, `The list is not up to date: ${error.message}. It is tried again.`);
  }
}

setInterval(refresh, EVERY_MS);
document.addEventListener("visibilitychange", refresh);
