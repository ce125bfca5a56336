/** The bot `random`: any legal answer, each as likely as the others (`clients/python/RANDOM.md`). */

import { declaresEnd } from "../actions.js";
import type { Answer, Bot } from "../bot.js";
import type { Turn } from "../turn.js";

/** Picks any answer; declares the end as soon as it may. */
export class RandomBot implements Bot {
  answer(turn: Turn): Answer {
    const places = turn.mayDeclare ? declaring(turn) : [];
    const drawn = turn.chance.below(places.length > 0 ? BigInt(places.length) : turn.answers.count);
    return places[Number(drawn)] ?? drawn;
  }
}

function declaring(turn: Turn): number[] {
  const places: number[] = [];
  let place = 0;
  for (const action of turn.answers) {
    if (declaresEnd(action)) {
      places.push(place);
    }
    place += 1;
  }
  return places;
}
