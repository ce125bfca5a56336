"""Makes `clients/vectors/`: what tests of every client read, from the Python client's own bots.

Everything in there follows from the tables below and from the code. With `--check` it is compared, and nothing is written: a
difference means that a question, a listing or an answer has changed, and bots in other languages would have to follow.
"""

import json
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from drawing_vectors import drawing_lines
from google.protobuf.message import Message
from mergemaker.v1 import referee_pb2
from mergemaker_client.answer import Answer
from mergemaker_client.bot import Bot
from mergemaker_client.bots.greedy import scores_of
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_client.recorded import turns_of
from mergemaker_client.testing import play_match
from mergemaker_client.turn import NONCE_BYTES, Turn, chance_seed
from mergemaker_engine.actions import TRADE_CASH_STEP, OfferTrade
from mergemaker_engine.board import CHAINS
from mergemaker_engine.bounds import AnswerBounds, DisposalBounds, OfferBounds, PurchaseBounds
from mergemaker_engine.deal import Chances
from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.playout import declares_end
from mergemaker_table.inputs import Answered, AnswerIndex
from mergemaker_tools.shadowing.seat import RecordedSeat
from mergemaker_wire.actions import action_to_message
from mergemaker_wire.answers import answers_to_message
from signature_vectors import signature_lines

VECTORS: Final = Path(__file__).resolve().parent.parent.parent / "clients" / "vectors"
OFFERS_TRIED_MAX: Final = 40


class Trader(Bot):
    """A bot like `random` that makes offers which a partner could accept."""

    def answer(self, turn: Turn) -> Answer:
        """Answers at random, and offers money for one share that a seat has."""
        if not isinstance(turn.decision, ChooseOffer):
            return RandomBot().answer(turn)
        chance, view = turn.chance, turn.view
        for _ in range(OFFERS_TRIED_MAX):
            partner, chain, steps = chance.below(view.seats), chance.below(CHAINS), 1 + chance.below(9)
            held = view.shares[partner]
            cash = steps * TRADE_CASH_STEP
            if partner != turn.seat and cash <= turn.cash and (held is None or held[chain]):
                taken = tuple(int(each == chain) for each in range(CHAINS))
                return OfferTrade(partner, (0,) * CHAINS, cash, taken, 0)
        return 0


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One seat's part of a match, played by `random`."""

    rules: str
    bots: tuple[str | type[Bot], ...]
    seat: int
    seed: int


R: Final = "random"
G: Final = "greedy"
DIALOGUES: Final[dict[str, Dialogue]] = {
    "classic-2": Dialogue("renegade-classic", (R, G), 0, 29),
    "classic-4": Dialogue("renegade-classic", (G, R, R, R), 1, 77),
    "classic-hidden-4": Dialogue("renegade-classic assets=hidden", (R, R, R, R), 1, 526),
    "classic-hidden-6": Dialogue("renegade-classic assets=hidden", (R, R, R, G, R, R), 5, 3),
    "tycoon-3": Dialogue("renegade-tycoon", (R, R, G), 0, 87),
    "tycoon-hidden-4": Dialogue("renegade-tycoon assets=hidden", (R, R, R, R), 1, 979),
    "avalon-hill-3": Dialogue("avalon-hill", (R, R, R), 1, 533),
    "avalon-hill-open-3": Dialogue("avalon-hill assets=open", (R, G, G), 0, 35),
    "avalon-hill-open-4": Dialogue("avalon-hill assets=open", (R, G, R, R), 0, 1283),
    "powers-3": Dialogue("avalon-hill-powers", (R, R, R), 1, 1743),
    "powers-open-5": Dialogue("avalon-hill-powers assets=open", (R, G, R, R, R), 2, 1067),
    "corporations-4": Dialogue("corporations", (R, R, R, R), 0, 247),
    "corporations-hidden-4": Dialogue("corporations assets=hidden", (R, R, G, R), 0, 1310),
    "corporations-hidden-5": Dialogue("corporations assets=hidden", (R, G, G, G, G), 0, 12),
    "reference-3": Dialogue("reference", (R, R, R), 1, 12),
    "reference-4": Dialogue("reference", (R, G, R, R), 2, 356),
    "reference-hidden-3": Dialogue("reference assets=hidden", (R, R, R), 0, 1029),
    "trading-2": Dialogue("reference-trading assets=hidden trade_offers=1", (R, Trader), 0, 42),
    "trading-3": Dialogue("reference-trading", (R, Trader, R), 0, 12),
    "trading-4": Dialogue("reference-trading", (Trader, R, Trader, Trader), 1, 52),
    "trading-hidden-3": Dialogue("reference-trading assets=hidden trade_offers=1", (R, Trader, R), 2, 223),
}

PRICES: Final = (300, 0, 400, 0, 500, 0, 700)
MARKET: Final = (2, 0, 9, 0, 25, 0, 1)
LISTINGS: Final[dict[str, AnswerBounds]] = {
    "nothing to buy": PurchaseBounds(0, 3, 6_000, (0,) * 7, (0,) * 7, declare=False),
    "nothing to buy, the end may be declared": PurchaseBounds(0, 3, 6_000, (0,) * 7, (0,) * 7, declare=True),
    "one chain": PurchaseBounds(0, 3, 6_000, (0, 200, 0, 0, 0, 0, 0), (0, 25, 0, 0, 0, 0, 0), declare=False),
    "four chains": PurchaseBounds(0, 3, 6_000, PRICES, MARKET, declare=False),
    "four chains, money for few": PurchaseBounds(0, 3, 900, PRICES, MARKET, declare=False),
    "four chains, the end may be declared": PurchaseBounds(0, 3, 1_100, PRICES, MARKET, declare=True),
    "seven chains": PurchaseBounds(0, 3, 2_400, (200, 300, 400, 500, 600, 700, 800), (25,) * 7, declare=False),
    "buy five": PurchaseBounds(0, 5, 6_000, PRICES, MARKET, declare=False),
    "buy five, money for few": PurchaseBounds(0, 5, 1_700, PRICES, MARKET, declare=False),
    "buy five, the end may be declared": PurchaseBounds(0, 5, 1_900, PRICES, MARKET, declare=True),
    "three free": PurchaseBounds(1, 3, None, PRICES, MARKET, declare=False),
    "three free, the end may be declared": PurchaseBounds(1, 3, None, PRICES, MARKET, declare=True),
    "one share to dispose of": DisposalBounds(1, 0),
    "nine shares": DisposalBounds(9, 4),
    "nine shares, two to be had for them": DisposalBounds(9, 2),
    "eight shares, none to be had for them": DisposalBounds(8, 0),
    "no shares and no money to offer": OfferBounds((1,), (0,) * 7, 0),
    "one share to offer": OfferBounds((0, 2), (0, 0, 1, 0, 0, 0, 0), 0),
    "money to offer": OfferBounds((1, 2, 3), (0,) * 7, 6_000),
    "much to offer": OfferBounds((0, 1, 3, 4, 5), (2, 0, 13, 0, 1, 0, 5), 12_300),
    "all there is to offer": OfferBounds((1, 2, 3, 4, 5), (25,) * 7, 100_000),
}
LISTED_MAX: Final = 700
SAMPLES: Final = 24
DRAWS: Final = (
    *(1, 2, 3, 7, 52, 120, 1_000, 40_000, 65_535, 65_536, 65_537),
    *(3_000_000_000, 2**32, 2**32 + 1, 10**13, 2**48, 2**53 + 1),
)
MANY_DRAWS: Final = (*[40_000] * 24, *[2**47 + 1] * 8, *[2**63 - 5] * 4)


def _text(message: Message) -> str:
    return b64encode(message.SerializeToString(deterministic=True)).decode("ascii")


def _responses(name: str, data: bytes) -> referee_pb2.PlayResponse:
    response = referee_pb2.PlayResponse.FromString(data)
    response.match = name
    response.ClearField("answer_accepted")
    return response


def dialogue_lines(name: str, plan: Dialogue) -> Iterator[dict[str, Any]]:
    """A dialogue, line by line: the match, the questions, the end."""
    record = play_match(plan.bots, plan.rules, seed=plan.seed).record
    seat = RecordedSeat(record, plan.seat, 1)
    response = _responses(name, seat.offer())
    response.match_offered.promise_match = name
    yield {
        "dialogue": name,
        "rules": plan.rules,
        "seats": len(plan.bots),
        "seat": plan.seat,
        "offered": _text(response.match_offered),
        "started": _text(response.match_started),
    }
    response.ClearField("match_offered")
    response.ClearField("match_started")
    for put in turns_of(record, plan.seat):
        turn = put.turn
        scores = scores_of(turn)
        answer = random_index(turn)
        assert turn.answers[answer] == put.answer, "the seat was played by the bot whose rule this is"
        assert response.decision.id == turn.number, "both count the questions of this seat"
        yield {
            "decision": turn.number,
            "kind": response.decision.view.asked.WhichOneof("kind"),
            "count": response.decision.answers.count,
            "greedy": scores.index(max(scores)),
            "random": answer,
            "response": _text(response),
        }
        response = _responses(name, seat.answer(Answered(plan.seat, turn.number, AnswerIndex(answer), None, 0)))
    assert not seat.shadowed.differences, "what was answered is what is recorded"
    yield {"response": _text(response)}


def random_index(turn: Turn) -> int:
    """The index of the answer of `random`: there are too many offers to search them."""
    places: Sequence[int] = range(len(turn.answers))
    if turn.may_declare:
        places = [place for place, answer in enumerate(turn.answers) if declares_end(answer)] or places
    return places[turn.chance.below(len(places))]


def listing_lines() -> Iterator[dict[str, Any]]:
    """The answers listed from bounds: all, or those at some indices if there are too many."""
    for name, bounds in LISTINGS.items():
        answers = bounds.answers()
        count = len(answers)
        line: dict[str, Any] = {"listing": name, "answers": _text(answers_to_message(bounds))}
        places = range(count) if count <= LISTED_MAX else _places(name, count)
        line["actions"] = [[place, _text(action_to_message(answers[place]))] for place in places]
        yield line


def _places(name: str, count: int) -> list[int]:
    chance = Chances(bytes(NONCE_BYTES), name[:19])
    return sorted({0, 1, 2, 3, count - 2, count - 1, *(chance.below(count) for _ in range(SAMPLES))})


def chance_lines() -> Iterator[dict[str, Any]]:
    """Numbers drawn from a turn's chances."""
    cases: tuple[tuple[bytes, int, str, Sequence[int]], ...] = (
        (bytes(NONCE_BYTES), 0, "ChooseTile", DRAWS),
        (bytes(range(NONCE_BYTES)), 1, "ChoosePurchase", DRAWS),
        (bytes(range(NONCE_BYTES)), 2**40 + 7, "ChooseOffer", DRAWS),
        (bytes([255] * NONCE_BYTES), 300, "ChooseDisposal", MANY_DRAWS),
    )
    for nonce, events_seen, kind, limits in cases:
        seed = chance_seed(nonce, events_seen, kind)
        stream = Chances(seed, "bot")
        draws = [[str(limit), str(stream.below(limit))] for limit in limits]
        yield {"nonce": nonce.hex(), "last_event": events_seen, "kind": kind, "seed": seed.hex(), "below": draws}


def _content(lines: Iterator[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(line, separators=(", ", ": ")).encode("ascii") + b"\n" for line in lines)


def all_files() -> Iterator[tuple[str, bytes]]:
    """Every file's contents by its path in the folder."""
    for name, plan in DIALOGUES.items():
        yield f"dialogues/{name}.jsonl", _content(dialogue_lines(name, plan))
    yield "listings.jsonl", _content(listing_lines())
    yield "chances.jsonl", _content(chance_lines())
    yield "signatures.jsonl", _content(signature_lines())
    yield "drawings.jsonl", _content(drawing_lines())


def main(arguments: Sequence[str]) -> int:
    """Writes the files, or says which differ."""
    status = 0
    for name, content in all_files():
        path = VECTORS / name
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        elif not path.exists() or path.read_bytes() != content:
            print(f"{path} is not what make_vectors.py makes")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
