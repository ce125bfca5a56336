// A live match: loaded, followed, begun anew when something is missing, and told when it is over.

import { follow } from "./follow.js";
import { addEvents, liveStory } from "./live_story.js";

const AGAIN_MS = 2000;
const RELEASED_TRIES = 60;

const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/** What a server answers, as JSON; throws an error with `problem`, its words for what is wrong. */
export async function fetched(address) {
  const answer = await fetch(address).catch((error) => {
    throw Object.assign(new Error(`the server cannot be reached (${error.message})`), { isAway: true });
  });
  if (answer.ok) return answer.json();
  const problem = await answer.json().catch(() => ({ status: answer.status, detail: `the server answers ${answer.status}`, todo: "Reload the page." }));
  throw Object.assign(new Error(`${problem.detail}. ${problem.todo}`), { problem, isAway: [429, 503].includes(problem.status) });
}

export class LiveMatch {
  /**
   * `show.begin(story)` is called with a story, again if it began anew; `show.grow()` when it has more; `show.state(text, kind)` with
   * how the connection is: `connecting`, `live`, `lost` or `over`; `show.over(ended)` at the end; `show.problem(error)` if nothing can be shown.
   */
  constructor(prefix, match, show) {
    this.api = `${prefix}/api/matches/${encodeURIComponent(match)}`;
    this.prefix = prefix;
    this.match = match;
    this.show = show;
    this.story = null;
    this.leave = () => {};
    this.isClosed = false;
    // A page that was kept in memory comes back without its stream.
    window.addEventListener("pageshow", (event) => event.persisted && !this.isClosed && this.begin());
  }

  close() {
    this.isClosed = true;
    this.leave();
  }

  /** Loads the match, and follows it from there. */
  async begin() {
    this.leave();
    this.leave = () => {};
    try {
      const live = await fetched(`${this.api}/live`);
      if (this.isClosed) return;
      this.story = liveStory(live);
      this.show.begin(this.story);
      if (live.ended) {
        this.over(live.ended);
        return;
      }
      this.show.state("connecting", "connecting");
      this.leave = follow(this.prefix, this.match, this.story.next, (said) => this.hear(said));
    } catch (error) {
      if (!error.isAway) {
        this.show.problem(error);
        return;
      }
      this.show.state(`${error.message} It is tried again.`, "lost");
      await wait(AGAIN_MS);
      if (!this.isClosed) await this.begin();
    }
  }

  hear(said) {
    if (this.isClosed) return;
    if (said.kind === "events") {
      if (said.first_event > this.story.next) this.begin();
      else if (addEvents(this.story, said.first_event, said.events)) this.show.grow();
    } else if (said.kind === "over") this.over(said.ended);
    else if (said.kind === "state") this.show.state(said.isLost ? "the connection is lost; it is tried again" : "live", said.isLost ? "lost" : "live");
    else this.begin(); // `reset`, or a problem that loading it will tell
  }

  over(ended) {
    this.leave();
    this.show.state("over", "over");
    this.show.over(ended);
  }

  /** The released record for the viewer, as soon as there is one; null if there is none. */
  async released() {
    for (let times = 0; times < RELEASED_TRIES && !this.isClosed; times += 1) {
      try {
        return await fetched(`${this.api}/viewer`);
      } catch (error) {
        if (!error.isAway && error.problem?.status !== 409) return null;
      }
      await wait(AGAIN_MS / 4);
    }
    return null;
  }
}
