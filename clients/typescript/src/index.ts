/** Bots for Mergemaker, a referee for the board game Acquire. `run` is the one call of a bot's file. */

export * as actions from "./actions.js";
export { declaresEnd, sameAction } from "./actions.js";
export type { Answers } from "./answers.js";
export { CHAINS, SHARES_PER_CHAIN, SQUARES, squareName } from "./board.js";
export { NOTE_BYTES_MAX, type Answer, type Bot, type BotFactory, type Noted } from "./bot.js";
export { GreedyBot } from "./bots/greedy.js";
export { RandomBot } from "./bots/random.js";
export { Chance, chanceSeed } from "./chance.js";
export type { DealFinding } from "./deal_check.js";
export { Drawing, LABEL_CHARACTERS_MAX, MARKS_MAX, type Tone } from "./drawing.js";
export * from "./errors.js";
export { VERSION } from "./library.js";
export { play, run, type PlayOptions, type RunOptions } from "./run.js";
export {
  Turn,
  matchInfo,
  type Asked,
  type Kind,
  type MatchInfo,
  type MatchResult,
  type QuestionOf,
  type Standing,
  type TileChoice,
} from "./turn.js";
export * from "./wire/actions_pb.js";
export * from "./wire/answers_pb.js";
export * from "./wire/events_pb.js";
export * from "./wire/match_pb.js";
export * from "./wire/questions_pb.js";
export * from "./wire/rules_pb.js";
export * from "./wire/view_pb.js";
