// Names of bots, made safe to show.

import { shortName } from "./dom.js";

const ISOLATE = ["\u2068", "\u2069"];

/** The name of a seat's bot between marks that keep it from reversing the text around it. */
export const nameOf = (story, seat) => `${ISOLATE[0]}${shortName(story.bots[seat] ?? "")}${ISOLATE[1]}`;
