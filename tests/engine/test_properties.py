"""What holds in every game, with any rules, seats and answers: whole games by Hypothesis."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from mergemaker_engine.actions import (
    CODES,
    CODES_WITHOUT_POWERS,
    UNCODED,
    Action,
    CodedAction,
    action_of_code,
    code_of,
)
from mergemaker_engine.audit import audit
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.errors import IllegalAction, MalformedAction
from mergemaker_engine.events import (
    EndReason,
    Event,
    FounderRewarded,
    GameEnded,
    PowerUsed,
    SharesBought,
    StockDisposed,
    TilePlaced,
    TilesDrawn,
    TilesSetAside,
    TurnBegan,
    audience,
)
from mergemaker_engine.game import Game
from mergemaker_engine.ledger import Ledger
from mergemaker_engine.notation import parse_position, position_text
from mergemaker_engine.playout import play_out
from mergemaker_testkit.strategies import (
    STEADY,
    Table,
    another_world,
    pick_answer,
    seeds,
    tables,
)


def _coded(code: int) -> CodedAction | None:
    """The action of a code, if there is one."""
    try:
        return action_of_code(code)
    except MalformedAction:
        return None


BURST_MAX = 30
TRIED_MAX = 25
# Codes of impossible disposals (26 shares and more) and of pairs of one chain with itself belong to no action.
CODED = [action.code for code in range(CODES) if (action := _coded(code)) is not None]
LISTED_OFFERS = 200
ANSWERS_OF_A_GAME_MAX = 3_000


def _order(action: Action) -> tuple[int, ...]:
    """The documented order of all answers but offers."""
    return (code_of(action),) if not isinstance(action, UNCODED) else (-1, int(getattr(action, "accept", 0)))


def _check_listed(game: Game) -> None:
    """Each answer is offered once, in the documented order, and the mask has the same codes."""
    legal = game.legal()
    if game.decision is None:
        assert len(legal) == 0
        return
    assert len(legal) > 0
    if isinstance(game.decision, ChooseOffer):
        return
    assert all(_order(one) < _order(next_one) for one, next_one in pairwise(legal))
    if not any(isinstance(action, UNCODED) for action in legal):
        mask = game.legal_mask()
        assert len(mask) == (CODES if game.rules.special_powers else CODES_WITHOUT_POWERS)
        assert [code for code, allowed in enumerate(mask) if allowed] == [code_of(action) for action in legal]


def _some(game: Game, chances: Chances) -> list[Action]:
    """All answers, or a random part of them if there are many."""
    legal = game.legal()
    if len(legal) <= TRIED_MAX:
        return list(legal)
    return [legal[chances.below(len(legal))] for _ in range(TRIED_MAX)]


def _everything_seen(game: Game) -> tuple[object, ...]:
    return (position_text(game), game.public_view(), *(game.view(seat) for seat in range(game.seats)))


def _check_books(game: Game, books: Ledger) -> None:
    assert books.cash == game.cash
    assert books.shares == [game.shares[seat :: game.seats] for seat in range(game.seats)]


class WholeGames(RuleBasedStateMachine):
    """A game of any kind, from set-up to the end, seen by every seat and by the public."""

    game: Game
    table: Table
    seed: bytes
    shy: bool
    chances: Chances

    @initialize(table=tables(), seed=seeds(), shy=st.booleans())
    def sit_down(self, table: Table, seed: bytes, shy: bool) -> None:
        self.table, self.seed, self.shy = table, seed, shy
        self.chances = Chances(seed, "answers")
        self.game = Game(table.rules, table.seats, Deal.from_seed(seed))
        self.answers: list[Action] = []
        self.events: list[Event] = []
        self.books = [Ledger(table.seats) for _ in range(table.seats + 1)]
        self._announce(self.game.start_events)
        self._check_position()

    def _announce(self, events: tuple[Event, ...]) -> None:
        self.events += events
        for seat, books in enumerate(self.books):
            # The last books are the public's.
            for event in events:
                if audience(event) in (None, seat):
                    books.observe(event)

    def _answer(self, action: Action) -> None:
        self.answers.append(action)
        self._announce(self.game.apply(action))
        self._check_position()

    def _check_position(self) -> None:
        assert audit(self.game) == ()
        _check_listed(self.game)
        for books in self.books:
            _check_books(self.game, books)

    def _is_on(self) -> bool:
        return self.game.decision is not None

    @precondition(_is_on)
    @rule(pick=st.integers(0, 2**16))
    def answer(self, pick: int) -> None:
        legal = self.game.legal()
        among = min(len(legal), LISTED_OFFERS) if pick % 2 else len(legal)
        self._answer(legal[pick % among])

    @precondition(_is_on)
    @rule(count=st.integers(1, BURST_MAX))
    def play_on(self, count: int) -> None:
        for _ in range(count):
            if self.game.decision is not None:
                self._answer(pick_answer(self.game, self.chances, shy=self.shy))

    @precondition(_is_on)
    @rule()
    def what_is_offered_is_accepted(self) -> None:
        before = _everything_seen(self.game)
        for action in _some(self.game, self.chances):
            twin = self.game.copy()
            twin.apply(action)
            assert audit(twin) == ()
        assert _everything_seen(self.game) == before

    @rule(codes=st.lists(st.sampled_from(CODED), min_size=1, max_size=8))
    def what_is_not_offered_is_refused(self, codes: list[int]) -> None:
        legal = self.game.legal()
        before = _everything_seen(self.game)
        for action in map(action_of_code, codes):
            if action in legal:
                continue
            with pytest.raises(IllegalAction) as refusal:
                self.game.apply(action)
            assert refusal.value.reason
            assert refusal.value.rule
            assert f"[{refusal.value.rule}: " in str(refusal.value)
        assert _everything_seen(self.game) == before

    @precondition(_is_on)
    @rule()
    def a_copy_shares_nothing(self) -> None:
        twin = self.game.copy()
        before = _everything_seen(self.game)
        assert _everything_seen(twin) == before
        play_out(twin, self.chances)
        assert _everything_seen(self.game) == before
        original, kept = self.game.copy(), self.game
        twin = original.copy()
        action = pick_answer(original, self.chances, shy=self.shy)
        happened = original.apply(action)
        assert _everything_seen(twin) == before
        assert twin.apply(action) == happened
        assert _everything_seen(twin) == _everything_seen(original)
        assert _everything_seen(kept) == before

    @rule()
    def a_position_is_written_and_read_back(self) -> None:
        text = position_text(self.game)
        again = parse_position(text)
        assert position_text(again) == text
        assert again.start_events == ()
        assert _everything_seen(again) == _everything_seen(self.game)
        assert again.result == self.game.result
        if self.game.decision is not None:
            action = pick_answer(self.game, self.chances, shy=self.shy)
            twin = self.game.copy()
            assert again.apply(action) == twin.apply(action)
            assert position_text(again) == position_text(twin)

    @rule(world=st.integers(0, 255))
    def nobody_sees_what_is_hidden(self, world: int) -> None:
        chances = Chances(bytes([world]) * 32, "world")
        for seat in (None, *range(self.table.seats)):
            twin = another_world(self.game, seat, chances)
            if seat is None:
                assert twin.public_view() == self.game.public_view()
                continue
            assert twin.view(seat) == self.game.view(seat)
            if self.game.decision is not None and self.game.decision.seat == seat:
                self._check_same_answers(twin)

    def _check_same_answers(self, twin: Game) -> None:
        ours, theirs = self.game.legal(), twin.legal()
        assert len(ours) == len(theirs)
        if isinstance(self.game.decision, ChooseOffer):
            places = [self.chances.below(len(ours)) for _ in range(TRIED_MAX)]
            assert [ours[at] for at in places] == [theirs[at] for at in places]
        else:
            assert list(ours) == list(theirs)

    def teardown(self) -> None:
        # Without a table, the run ended before it began.
        if not hasattr(self, "game"):
            return
        again = Game(self.table.rules, self.table.seats, Deal.from_seed(self.seed))
        events = list(again.start_events)
        for action in self.answers:
            events += again.apply(action)
        assert events == self.events
        assert _everything_seen(again) == _everything_seen(self.game)


@pytest.mark.hypothesis
def test_whole_games() -> None:
    run_state_machine_as_test(WholeGames, settings=settings(STEADY, max_examples=60, stateful_step_count=30))


def _is_activity(event: Event) -> bool:
    """Whether END-4 counts an announcement as activity in the turn."""
    match event:
        case TilePlaced() | TilesDrawn() | TilesSetAside() | PowerUsed():
            return True
        case SharesBought(shares=shares):
            return any(shares)
        case FounderRewarded(shares=count) | StockDisposed(received=count):
            return count > 0
        case _:
            return False


def _idle_turns(events: list[Event]) -> list[int]:
    """After each turn, the number of turns in a row without activity."""
    idle: list[int] = []
    active = False
    for event in events[1:]:
        if isinstance(event, TurnBegan | GameEnded):
            idle.append(0 if active else 1 + (idle[-1] if idle else 0))
            active = False
        active = active or _is_activity(event)
    return idle


@pytest.mark.rule("END-4")
@settings(STEADY, max_examples=60)
@given(table=tables(), seed=seeds())
def test_every_game_of_shy_players_ends_when_a_whole_round_did_nothing(table: Table, seed: bytes) -> None:
    game = Game(table.rules, table.seats, Deal.from_seed(seed))
    chances = Chances(seed, "answers")
    first = next(at for at, event in enumerate(game.start_events) if isinstance(event, TurnBegan))
    events = list(game.start_events[first:])
    for _ in range(ANSWERS_OF_A_GAME_MAX):
        if game.decision is not None:
            events += game.apply(pick_answer(game, chances, shy=True))
    assert audit(game) == ()
    assert game.result is not None
    assert game.result.cash == tuple(game.cash)
    assert min(game.result.places) == 1
    idle = _idle_turns(events)
    assert len(idle) == game.turn
    if game.result.reason is EndReason.STUCK:
        assert idle[-1] == table.seats
    assert all(turns < table.seats for turns in idle[:-1])
