"""The texts of decisions, events and answers, as VOCABULARY.md writes them."""

from collections.abc import Mapping, Sequence

Shown = str | int | bool | None | Sequence[str] | Sequence[int]


def line(name: str, **fields: Shown) -> str:
    """Write a decision or an event: its name and its fields, in order."""
    return " ".join([name, *(f"{field}={_shown(value)}" for field, value in fields.items())])


def _shown(value: Shown) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, int)):
        return str(value)
    return ",".join(str(part) for part in value) or "-"


def counts(shares: Mapping[str, int], chains: Sequence[str]) -> list[int]:
    """List one count for each chain, in chain order, as fields named `shares` are written."""
    return [shares.get(chain, 0) for chain in chains]


def place_text(square: str, *, declare: bool) -> str:
    """Write the answer that places a tile."""
    return f"{square} end" if declare else square


def dispose_text(sell: int, trade: int) -> str:
    """Write the answer that disposes of acquired shares."""
    return f"sell {sell} trade {trade}"


def buy_text(basket: Sequence[str], chains: Sequence[str], *, declare: bool) -> str:
    """Write a purchase, given the list of the chains bought, one entry for each share."""
    parts = [f"{basket.count(chain)} {chain}" for chain in chains if chain in basket]
    words = ["buy", *(parts or ["nothing"])]
    if declare:
        words.append("end")
    return " ".join(words)


def offer_text(partner: int, given: str, taken: str) -> str:
    """Write an offer, given the texts of its two sides."""
    return f"offer seat {partner}: {given} for {taken}"


def side_text(shares: Mapping[str, int], cash: int, chains: Sequence[str]) -> str:
    """Write one side of an offer: the shares in chain order, then the cash."""
    parts = [f"{shares[chain]} {chain}" for chain in chains if shares.get(chain, 0) > 0]
    if cash > 0:
        parts.append(f"${cash}")
    return " ".join(parts)
