"""The deal compared with `DEAL.md`: a plain implementation of that page, and the vectors that other languages read.

`python tests/engine/test_deal.py` prints the vectors for `deal_vectors.json` in the engine's package.
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.resources import files
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker_engine.audit import audit
from mergemaker_engine.board import CELL, SQUARE_NAMES, squares_of
from mergemaker_engine.deal import LABEL_BYTES_MAX, SEED_BYTES, Chances, Deal, derived_seed
from mergemaker_engine.errors import SetupError
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position, position_text
from mergemaker_engine.rules import preset
from mergemaker_testkit.strategies import STEADY

VECTORS_FILE: Final = "deal_vectors.json"
WORD_BITS: Final = 16
WORDS_OF_A_BLOCK: Final = 16
VALUES_OF_A_STREAM: Final = 10
RANGES: Final = (1, 2, 7, 108, 1_023, 1_024, 40_000, 65_535, 65_536, 65_537, 10**12)
"""Values around every limit of the page.

40,000 discards more than a third of all words, 65,537 reads two for each number.
"""
MIXED_RANGES: Final = (7, 65_537, 1, 40_000, 10**12, 108, 65_536, 2, 1)
PILES: Final = (108, 94, 41, 13, 2, 1)

SEEDS: Final = (
    bytes(SEED_BYTES),
    bytes([255] * SEED_BYTES),
    bytes(range(SEED_BYTES)),
    bytes(range(SEED_BYTES))[::-1],
    *(hashlib.sha256(f"vector {number}".encode()).digest() for number in range(6)),
)


# --- DEAL.md again, slow and plain ---


def plain_word(seed: bytes, label: str, number: int) -> int:
    """Word `number` of a stream."""
    block, place = divmod(number, WORDS_OF_A_BLOCK)
    digest = hashlib.sha256(seed + label.encode("ascii") + block.to_bytes(4, "big")).digest()
    return 256 * digest[2 * place] + digest[2 * place + 1]


class PlainStream:
    """A stream as the page describes it, one word after another."""

    def __init__(self, seed: bytes, label: str) -> None:
        self.seed, self.label, self.next_word = seed, label, 0

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        words = 1
        while 65_536**words < n:
            words += 1
        values = 65_536**words
        while True:
            number = 0
            for _ in range(words):
                number = 65_536 * number + plain_word(self.seed, self.label, self.next_word)
                self.next_word += 1
            if number < values - values % n:
                return number % n


def plain_order(seed: bytes) -> list[str]:
    """The names of all tiles in the order of the pile."""
    stream = PlainStream(seed, "deal")
    tiles = [f"{number}{letter}" for letter in "ABCDEFGHI" for number in range(1, 13)]
    for i in range(107, 0, -1):
        j = stream.below(i + 1)
        tiles[i], tiles[j] = tiles[j], tiles[i]
    return tiles


def plain_game_seed(seed: bytes, game: int) -> str:
    """The seed of one game of a simulation, in hexadecimal digits."""
    return hashlib.sha256(seed + b"game" + game.to_bytes(4, "big")).hexdigest()


def _values(seed: bytes, label: str, ranges: Sequence[int]) -> list[int]:
    stream = PlainStream(seed, label)
    return [stream.below(n) for n in ranges]


def plain_vectors() -> dict[str, object]:
    """All vectors, from the plain implementation alone."""
    return {
        "about": "Test vectors of DEAL.md. Seeds are hexadecimal digits, tiles are named as on the board.",
        "orders": [{"seed": seed.hex(), "tiles": plain_order(seed)} for seed in SEEDS],
        "streams": [
            {
                "about": "values of below(n) of a new stream, n as in below",
                "seed": seed.hex(),
                "label": label,
                "below": list(ranges),
                "values": _values(seed, label, ranges),
            }
            for seed, label in ((SEEDS[0], "play"), (SEEDS[4], "a-label-of-19-bytes"))
            for ranges in (*((n,) * VALUES_OF_A_STREAM for n in RANGES), MIXED_RANGES)
        ],
        "market_draws": [
            {
                "seed": seed.hex(),
                "draw": draw,
                "tiles_in_pile": pile,
                "index": PlainStream(seed, f"market/{draw}").below(pile),
            }
            for seed in SEEDS[:4]
            for draw, pile in enumerate(PILES)
        ],
        "game_seeds": [
            {"seed": seed.hex(), "game": game, "game_seed": plain_game_seed(seed, game)}
            for seed in SEEDS[:2]
            for game in (0, 1, 255, 256, 1_000_000, 2**32 - 1)
        ],
    }


def vectors_text() -> str:
    """The file of vectors: one vector on each line."""
    document = plain_vectors()
    parts = []
    for name, value in document.items():
        if isinstance(value, list):
            rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
            parts.append(f"  {json.dumps(name)}: [\n{rows}\n  ]")
        else:
            parts.append(f"  {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


# --- the file, the page and the engine agree ---


def test_the_file_of_vectors_is_what_the_page_says() -> None:
    assert (files("mergemaker_engine") / VECTORS_FILE).read_text(encoding="utf-8") == vectors_text()


@pytest.mark.rule("SET-5")
@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.hex()[:8])
def test_the_order_of_the_tiles_is_that_of_the_page(seed: bytes) -> None:
    deal = Deal.from_seed(seed)
    assert [SQUARE_NAMES[square] for square in deal.order] == plain_order(seed)
    assert deal.market_seed == seed


@pytest.mark.parametrize("n", RANGES)
def test_numbers_of_a_stream_are_those_of_the_page(n: int) -> None:
    for seed in SEEDS:
        plain, chances = PlainStream(seed, "play"), Chances(seed, "play")
        assert [chances.below(n) for _ in range(50)] == [plain.below(n) for _ in range(50)]


@settings(STEADY, max_examples=60)
@given(
    ranges=st.lists(st.integers(1, 2**70) | st.integers(1, 70_000), max_size=30),
    label=st.text("abc/0", min_size=1, max_size=19),
)
def test_numbers_of_all_kinds_in_turn_are_those_of_the_page(ranges: list[int], label: str) -> None:
    chances = Chances(SEEDS[5], label)
    assert [chances.below(n) for n in ranges] == _values(SEEDS[5], label, ranges)


@pytest.mark.rule("TWO-5", "TWO-6")
@pytest.mark.parametrize("draw", range(6))
def test_a_market_draw_depends_on_its_number_and_on_how_many_tiles_are_left(draw: int) -> None:
    for seed in SEEDS:
        deal = Deal.from_seed(seed)
        for left in PILES:
            assert deal.market_index(draw, left) == PlainStream(seed, f"market/{draw}").below(left)


def test_game_seeds_are_those_of_the_page() -> None:
    for seed in SEEDS:
        for game in (0, 1, 255, 256, 2**32 - 1):
            assert derived_seed(seed, "game", game).hex() == plain_game_seed(seed, game)


def test_the_oracle_reads_the_page_alike() -> None:
    oracle = pytest.importorskip("tests.oracle.deal", reason="the oracle is found from the checkout's folder only")
    for seed in SEEDS:
        assert oracle.tile_order(seed) == plain_order(seed)
        assert oracle.game_seed(seed, 7).hex() == plain_game_seed(seed, 7)
        stream = oracle.Stream(seed, "play")
        assert [stream.below(n) for n in MIXED_RANGES] == _values(seed, "play", MIXED_RANGES)


# --- chances ---

# The 99.9 % points of chi-square by degrees of freedom: with these seeds, the sums below are fixed and smaller.
CHI_SQUARE_LIMIT: Final = {1: 10.83, 6: 22.46, 11: 31.26, 107: 156.0}
DRAWS: Final = 20_000


def _chi_square(counts: Counter[int], n: int, draws: int) -> float:
    expected = draws / n
    return sum((counts[value] - expected) ** 2 / expected for value in range(n))


@pytest.mark.parametrize("n", [2, 7, 12, 108])
def test_every_number_is_equally_likely(n: int) -> None:
    chances = Chances(SEEDS[6], "chances")
    counts = Counter(chances.below(n) for _ in range(DRAWS))
    assert set(counts) == set(range(n))
    assert _chi_square(counts, n, DRAWS) < CHI_SQUARE_LIMIT[n - 1]


def test_no_number_is_favoured_where_words_do_not_divide_evenly() -> None:
    # Of 65,536 words, 25,536 are discarded. Otherwise, the lower half would come nearly twice as often.
    chances = Chances(SEEDS[6], "chances")
    counts = Counter(chances.below(40_000) >= 20_000 for _ in range(DRAWS))
    assert _chi_square(Counter({int(half): count for half, count in counts.items()}), 2, DRAWS) < CHI_SQUARE_LIMIT[1]


def test_every_tile_comes_first_equally_often() -> None:
    games = 5_400
    first = Counter(Deal.from_seed(derived_seed(SEEDS[7], "game", game)).order[0] for game in range(games))
    assert _chi_square(first, 108, games) < CHI_SQUARE_LIMIT[107]


@settings(STEADY, max_examples=60)
@given(items=st.lists(st.integers(), max_size=108))
def test_shuffling_only_changes_the_order(items: list[int]) -> None:
    given_items = list(items)
    shuffled = Chances(SEEDS[8], "shuffle").shuffled(items)
    assert sorted(shuffled) == sorted(items)
    assert items == given_items


def test_shuffling_draws_as_below_does() -> None:
    # One number for each swap from the top: `shuffled` takes the same numbers as `below`.
    # Full lists discard words, so the words planned for a shuffle are sometimes too few.
    for seed in SEEDS:
        shuffling, counting = Chances(seed, "shuffle"), Chances(seed, "shuffle")
        for length in (0, 1, 2, 3, 108, 1_023, 16, 1_008, 1_023):
            order = list(range(length))
            for last in range(length - 1, 0, -1):
                swap = counting.below(last + 1)
                order[last], order[swap] = order[swap], order[last]
            assert shuffling.shuffled(range(length)) == order
        assert shuffling.below(10**6) == counting.below(10**6)


@pytest.mark.pure
def test_a_deal_whose_first_words_do_not_suffice_is_that_of_its_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    order = squares_of(bytes(Chances(SEEDS[0], "deal").shuffled(CELL)))
    assert Deal.from_seed(SEEDS[0]).order == order
    # One deal in hundreds of millions: it discards six words, and has five to spare.
    monkeypatch.setattr("mergemaker_engine.deal._read_deal_words", lambda _digests: (65_535,) * 6 + (0,) * 106)
    assert Deal.from_seed(SEEDS[0]).order == order


# --- values ---


def test_streams_with_different_seeds_or_labels_differ() -> None:
    def beginning(seed: bytes, label: str) -> list[int]:
        chances = Chances(seed, label)
        return [chances.below(65_536) for _ in range(20)]

    beginnings = [beginning(seed, label) for seed in SEEDS[:3] for label in ("deal", "play", "market/0", "market/1")]
    assert all(one != other for one, other in pairwise(sorted(beginnings)))


def test_deals_are_equal_with_equal_order_and_market_seed() -> None:
    deal = Deal.from_seed(SEEDS[0])
    same = Deal(list(deal.order), SEEDS[0])
    assert deal == same
    assert hash(deal) == hash(same)
    assert deal == Deal(deal.order)  # no market seed is 32 zeros
    assert deal != Deal(deal.order, SEEDS[1])
    assert deal != Deal(deal.order[::-1], SEEDS[0])
    assert deal != "a deal"


MARKET_TILES: Final = (100, None, 5, 100)


@pytest.mark.rule("TWO-1")
def test_draws_of_the_market_show_the_tiles_that_are_named() -> None:
    by_seed = Deal(range(108), SEEDS[1])
    named = Deal(range(108), SEEDS[1], MARKET_TILES)
    for left in (108, 103, 60, 8):
        shown = [named.market_index(draw, left) for draw in range(8)]
        chances = [by_seed.market_index(draw, left) for draw in range(8)]
        first_left = 108 - left
        assert shown[0] == shown[3] == 100 - first_left
        assert (shown[1], *shown[4:]) == (chances[1], *chances[4:])
        # 5 is the sixth tile in the pile: after it leaves the pile, the seed decides which tile is shown.
        assert shown[2] == (5 - first_left if first_left <= 5 else chances[2])


def test_deals_with_other_named_draws_are_other_deals() -> None:
    deal = Deal(range(108), market_tiles=MARKET_TILES)
    assert deal.market_tiles == MARKET_TILES
    assert deal == Deal(range(108), market_tiles=[*MARKET_TILES, None])
    assert hash(deal) == hash(Deal(range(108), market_tiles=[*MARKET_TILES, None]))
    assert deal != Deal(range(108))
    assert Deal(range(108)) == Deal(range(108), market_tiles=[None, None])


@pytest.mark.rule("SET-1")
@pytest.mark.parametrize("count", [0, 13, 14, 107])
def test_a_game_is_not_dealt_from_a_pile_that_leaves_tiles_out(count: int) -> None:
    order = Deal.from_seed(SEEDS[1]).order
    with pytest.raises(SetupError, match=f"all 108 tiles in the pile, and this deal has {count}: add the others") as refusal:
        Game(preset("renegade-classic"), 2, Deal(order[:count]))
    assert (refusal.value.reason, refusal.value.rule) == ("bad-order", "SET-1")


def test_a_game_is_dealt_from_a_deal() -> None:
    order: object = Deal.from_seed(SEEDS[1]).order
    with pytest.raises(SetupError, match=r"such as Deal\.from_seed\(bytes\(32\)\), not from \(") as refusal:
        Game(preset("renegade-classic"), 2, order)  # type: ignore[arg-type]  # tries what must be refused
    assert refusal.value.reason == "bad-order"


@pytest.mark.rule("SET-1")
def test_what_every_whole_deal_makes_can_be_written_and_read_back() -> None:
    game = Game(preset("renegade-classic"), 2, Deal(Deal.from_seed(SEEDS[1]).order))
    assert audit(game) == ()
    assert position_text(parse_position(position_text(game))) == position_text(game)


@pytest.mark.parametrize(
    "seed", [b"", bytes(31), bytes(33), "0" * 32, "0" * 64, bytearray(32), None, 0, list(bytes(32))], ids=repr
)
@pytest.mark.parametrize(
    "make",
    [
        lambda seed: Chances(seed, "deal"),
        Deal.from_seed,
        lambda seed: Deal(range(108), seed),
        lambda seed: derived_seed(seed, "game", 0),
    ],
    ids=["Chances", "from_seed", "Deal", "derived_seed"],
)
def test_a_seed_of_another_length_or_type_is_refused(make: Callable[[object], object], seed: object) -> None:
    with pytest.raises(SetupError, match="a seed is 32 bytes") as refusal:
        make(seed)
    assert refusal.value.reason == "bad-seed"


@pytest.mark.parametrize("label", ["", "x" * (LABEL_BYTES_MAX + 1), "größe", "deal\u2044"])
def test_a_label_that_the_page_does_not_allow_is_refused(label: str) -> None:
    with pytest.raises(SetupError, match="a label is 1 to 19 ASCII characters") as refusal:
        Chances(SEEDS[0], label)
    assert refusal.value.reason == "bad-label"


@pytest.mark.parametrize(
    "order", [[0, 0], [108], [-1], [1.0], ["1A"], [True], [None], "abc", [*range(108), 5], [0, 1, 2, 1]], ids=repr
)
def test_an_order_that_no_pile_has_is_refused(order: Sequence[int]) -> None:
    with pytest.raises(SetupError, match="different squares") as refusal:
        Deal(order)
    assert refusal.value.reason == "bad-order"


if __name__ == "__main__":
    sys.stdout.write(vectors_text())
