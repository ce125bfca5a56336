"""Plays random games in the engine and in the oracle at once and compares everything after each decision.

    python -m tests.oracle.compare --games 50000 --jobs 2

A game's rules, seats, deal and answers follow from its number alone, so the number reproduces a difference.
"""

import argparse
import hashlib
import multiprocessing
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mergemaker_engine.actions import NO_OFFER, UNCODED, Action, NoOffer, OfferTrade, action_of_code
from mergemaker_engine.audit import audit
from mergemaker_engine.board import CELL, LABEL, SQUARE_NAMES, squares_of
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.errors import IllegalAction, MalformedAction
from mergemaker_engine.game import Game
from mergemaker_engine.notation import position_text
from mergemaker_engine.playout import declares_end
from mergemaker_engine.powers import used_powers
from mergemaker_engine.rules import PRESETS, Rules
from mergemaker_engine.trading import Offers
from mergemaker_engine.wording import action_text, decision_text, event_text

from tests.oracle import Oracle

_KNOB_CHOICES: tuple[tuple[str, tuple[object, ...]], ...] = (
    ("bonus_chart", ("two-holders", "three-holders")),
    ("start_order", ("letter-first", "number-first")),
    ("founder_without_stock", ("cash", "nothing")),
    ("dead_tiles", ("optional", "forced", "forced-then-optional")),
    ("unplayable_hand", ("skip", "show", "redraw")),
    ("after_declaring", ("finish", "finish-or-stop")),
    ("two_player_market", (False, True)),
    ("assets", ("open", "hidden")),
    ("special_powers", (False, True)),
    ("trade_offers", (0, 0, 1, 3)),
)
_REFUSALS_TRIED_EVERY = 12
_AUDITED_EVERY = 4
_GAMES_AT_A_TIME = 8
_TOLD_EVERY = 500
_ANSWERS_MAX = 5_000

# Each action's text, written once: by the chains' names, then by code.
_TEXTS: dict[tuple[str, ...], dict[int, str]] = {}


class Disagreement(AssertionError):
    """The engine and the oracle differ."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game to play twice."""

    number: int
    rules: Rules
    seats: int
    seed: bytes
    shy: bool
    """Whether the players never declare the end: only then is the late game reached."""


def pairing(number: int) -> Pairing:
    """The game with a number: each preset with each number of seats, and random knobs in every second round."""
    seed = hashlib.sha256(b"oracle" + number.to_bytes(8, "big")).digest()
    chance = Chances(seed, "knobs")
    names = list(PRESETS)
    rules = PRESETS[names[number % len(names)]]
    seats = 2 + number // len(names) % 5
    if number // (5 * len(names)) % 2:
        rules = rules.with_knobs({knob: values[chance.below(len(values))] for knob, values in _KNOB_CHOICES})
    if seats == 2 and rules.bonus_chart == "three-holders":
        seats = 3
    return Pairing(number, rules, seats, seed, shy=chance.below(3) == 0)


def engine_state(game: Game) -> dict[str, object]:
    """The engine's state in the oracle's plain words."""
    names = game.rules.chain_names
    marks: dict[int, str] = {1: "independent"} | {LABEL[chain]: name for chain, name in enumerate(names)}
    decision = game.decision
    return {
        "board": {SQUARE_NAMES[square]: marks[game.board[cell]] for square, cell in enumerate(CELL) if game.board[cell]},
        "hands": [_names(squares_of(hand)) for hand in game.hands],
        "pile": _names(squares_of(game.deal.cells[game.drawn :])),
        "set_aside": _names(sorted(squares_of(game.aside))),
        "cash": list(game.cash),
        "shares": [dict(zip(names, game.shares[seat :: game.seats], strict=True)) for seat in range(game.seats)],
        "market": dict(zip(names, game.market, strict=True)),
        "sizes": dict(zip(names, game.sizes, strict=True)),
        "seat": game.seat,
        "turn": game.turn,
        "declared": game.declared,
        "powers": [sorted(used_powers(game, seat)) for seat in range(game.seats)],
        "over": decision is None,
        "question": decision_text(decision, game.rules) if decision else None,
    }


def _names(squares: Iterable[int]) -> list[str]:
    return [SQUARE_NAMES[square] for square in squares]


class Match:
    """The same game in the engine and in the oracle."""

    def __init__(self, pair: Pairing) -> None:
        deal = Deal.from_seed(pair.seed)
        self.pair = pair
        self.history: list[str] = []
        self.texts = _TEXTS.setdefault(pair.rules.chain_names, {})
        self.game = Game(pair.rules, pair.seats, deal)
        self.chance = Chances(pair.seed, "answers")

        def draw_market(draw: int, pile: Sequence[str]) -> str:
            return pile[deal.market_index(draw, len(pile))]

        knobs = {**pair.rules.knobs(), "chains": pair.rules.chains}
        self.oracle = Oracle(knobs, pair.seats, _names(deal.order), draw_market)
        self._same(
            "the first events",
            [event_text(event, pair.rules) for event in self.game.start_events],
            self.oracle.start_events,
        )

    def _same(self, what: str, engine: object, oracle: object) -> None:
        if engine != oracle:
            raise Disagreement(
                f"game {self.pair.number}, {self.pair.seats} seats, {self.pair.rules.knobs()}\n"
                f"after {' | '.join(self.history[-12:])}\n{what}:\n engine {engine}\n oracle {oracle}\n"
                f"{position_text(self.game)}"
            )

    def play(self) -> int:
        """Plays to the end, comparing all the way; returns the number of decisions."""
        rules = self.pair.rules
        while self.game.decision is not None:
            self._compare_position()
            action = self._answer()
            text = action_text(action, rules)
            self.history.append(text)
            events = [event_text(event, rules) for event in self.game.apply(action)]
            self._same(f"the events of {text}", events, self.oracle.answer(text))
            if len(self.history) > _ANSWERS_MAX:
                raise Disagreement(f"game {self.pair.number} does not end")
        self._compare_position()
        return len(self.history)

    def _compare_position(self) -> None:
        mine, theirs = engine_state(self.game), self.oracle.state()
        if mine != theirs:
            for part, value in mine.items():
                self._same(part, value, theirs[part])
        if len(self.history) % _AUDITED_EVERY == 0:
            self._same("faults", audit(self.game), ())
        legal = self.game.legal()
        if isinstance(legal, Offers):
            self._same("the number of offers", len(legal), self.oracle.offer_count())
        else:
            self._same("the answers", [self._text(action) for action in legal], self.oracle.answers())
            if self.game.decision is not None and self.chance.below(_REFUSALS_TRIED_EVERY) == 0:
                self._compare_refusal(legal)

    def _text(self, action: Action) -> str:
        if isinstance(action, UNCODED):
            return action_text(action, self.pair.rules)
        code = action.code
        if code not in self.texts:
            self.texts[code] = action_text(action, self.pair.rules)
        return self.texts[code]

    def _compare_refusal(self, legal: Sequence[Action]) -> None:
        """An action not among the answers is refused, and changes nothing."""
        try:
            action = action_of_code(self.chance.below(2_219))
        except MalformedAction:
            return
        before = position_text(self.game)
        if action not in legal:
            try:
                self.game.apply(action)
            except IllegalAction:
                self._same("the position after a refusal", position_text(self.game), before)
            else:
                raise Disagreement(f"game {self.pair.number}: {action} was accepted and is not among the answers")

    def _answer(self) -> Action:
        legal = self.game.legal()
        if isinstance(legal, Offers):
            return self._offer(legal)
        answers = list(legal)
        if self.pair.shy:
            answers = [action for action in answers if not declares_end(action)] or answers
        return answers[self.chance.below(len(answers))]

    def _offer(self, legal: Offers) -> Action:
        """No offer, any offer, or a small one that the partner can accept; both engines judge each."""
        decision = self.game.decision
        assert isinstance(decision, ChooseOffer)
        kind = self.chance.below(4)
        offer: Action = NO_OFFER
        if kind == 1:
            offer = legal[self.chance.below(len(legal))]
        elif kind > 1:
            offer = self._small_offer(decision.seat)
        text = action_text(offer, self.pair.rules)
        self._same(f"whether {text} may be offered", offer in legal, self.oracle.offer_is_legal(text))
        return offer if offer in legal else NO_OFFER

    def _small_offer(self, seat: int) -> NoOffer | OfferTrade:
        partner = (seat + 1 + self.chance.below(self.game.seats - 1)) % self.game.seats
        held = [chain for chain in range(7) if self.game.shares[chain * self.game.seats + partner]]
        if not held:
            return NO_OFFER
        asked = held[self.chance.below(len(held))]
        given = self.chance.below(8)
        take = tuple(int(chain == asked) for chain in range(7))
        if given in (asked, 7):
            return OfferTrade(partner, (0,) * 7, 100 * (1 + self.chance.below(5)), take, 0)
        return OfferTrade(partner, tuple(int(chain == given) for chain in range(7)), 0, take, 0)


def compare(number: int) -> int:
    """Plays one game; returns its number of decisions, or raises `Disagreement`."""
    return Match(pairing(number)).play()


def main(argv: Sequence[str] | None = None) -> int:
    """The long comparison."""
    parser = argparse.ArgumentParser(description="Compares the engine with the oracle over random games.")
    parser.add_argument("--games", type=int, default=50_000, help="how many games (default: 50,000)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first game (default: 0)")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count(), help="processes (default: one a core)")
    options = parser.parse_args(argv)
    end = options.first + options.games
    began = time.monotonic()
    following, decisions = options.first, 0
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        try:
            # In order, so that a report holds for every game up to that one.
            for number, count in enumerate(pool.imap(compare, range(options.first, end), _GAMES_AT_A_TIME), options.first):
                following, decisions = number + 1, decisions + count
                if (following - options.first) % _TOLD_EVERY == 0 or following == end:
                    took = time.monotonic() - began
                    text = f"games {options.first} to {number}: {decisions} decisions, no difference, {took:.0f} s"
                    print(text, file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            print(f"interrupted; go on with --first {following} --games {end - following}", file=sys.stderr)
            return 130
    print(f"{options.games} games agree in {decisions} decisions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
