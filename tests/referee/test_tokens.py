"""Tokens: shown once, kept as hashes, found again, and hidden in logs."""

import hmac

import pytest
from mergemaker_referee.tokens import (
    TOKEN_CHARACTERS_MAX,
    TokenBook,
    TokenKind,
    bearer_token,
    fresh_token,
    is_token_hash,
    same_hash,
    token_hash,
    without_tokens,
)


@pytest.mark.parametrize("kind", TokenKind)
def test_a_token_says_its_kind_and_is_found_by_its_hash_alone(kind: TokenKind) -> None:
    token = fresh_token(kind)
    book: TokenBook[str] = TokenBook()
    book.add(token_hash(token), "somebody")
    assert token.startswith(kind)
    assert token.isascii()
    assert book.find(token) == "somebody"
    assert [book.find(other) for other in (fresh_token(kind), token[:-1], token + "a", token_hash(token), "", None)] == [None] * 6


def test_tokens_are_not_alike() -> None:
    assert len({fresh_token(TokenKind.SEAT) for _ in range(100)}) == 100


def test_a_hash_is_sha_256_in_hexadecimal_digits() -> None:
    assert token_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert is_token_hash(token_hash("abc"))
    assert [is_token_hash(other) for other in ("", "0" * 63, "0" * 65, "G" * 64, "A" * 64, "0" * 63 + "\n", None, 5)] == [
        False
    ] * 8


def test_hashes_are_compared() -> None:
    assert same_hash(token_hash("a"), token_hash("a"))
    assert not same_hash(token_hash("a"), token_hash("b"))


def test_a_book_has_one_holder_for_a_token_and_forgets_who_is_removed() -> None:
    token = fresh_token(TokenKind.BOT)
    book: TokenBook[int] = TokenBook()
    book.add(token_hash(token), 1)
    with pytest.raises(ValueError, match="give each one of its own"):
        book.add(token_hash(token), 2)
    assert (book.find(token), len(book)) == (1, 1)
    book.remove(token_hash(token))
    book.remove(token_hash(token))
    assert (book.find(token), len(book)) == (None, 0)


def test_strange_tokens_are_nobodys() -> None:
    book: TokenBook[int] = TokenBook()
    long = "x" * (TOKEN_CHARACTERS_MAX + 1)
    book.add(token_hash(long), 1)
    assert [book.find(token) for token in (long, "ä", "\ud800", "\0")] == [None] * 4


@pytest.mark.parametrize(
    ("authorization", "token"),
    [
        ("Bearer mmo_abc", "mmo_abc"),
        ("bearer   mmo_abc", "mmo_abc"),
        (b"Bearer mmo_abc", "mmo_abc"),
        ("Bearer", None),
        ("Bearer ", None),
        ("Basic mmo_abc", None),
        ("mmo_abc", None),
        ("Bearer two words", None),
        ("Bearer " + "x" * TOKEN_CHARACTERS_MAX, "x" * TOKEN_CHARACTERS_MAX),
        ("Bearer " + "x" * (TOKEN_CHARACTERS_MAX + 1), None),
        (b"Bearer \xff", None),
        ("", None),
        (None, None),
    ],
)
def test_the_token_is_read_out_of_the_metadata(authorization: str | bytes | None, token: str | None) -> None:
    assert bearer_token(authorization) == token


def test_no_token_is_left_in_what_is_logged() -> None:
    tokens = [fresh_token(kind) for kind in TokenKind]
    assert without_tokens(f"got {', '.join(tokens)}.") == "got mmo_…, mmb_…, mms_…, mmr_…."
    assert without_tokens("the mms_ kind") == "the mms_ kind"


def test_a_book_compares_in_a_time_that_is_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return False

    token = fresh_token(TokenKind.SEAT)
    book: TokenBook[int] = TokenBook()
    book.add(token_hash(token), 1)
    monkeypatch.setattr(hmac, "compare_digest", compare)
    # Only this function compares: without its consent, even the right token is nobody's.
    assert book.find(token) is None
    assert book.find("mms_wrong") is None
    assert compared == [(token_hash(token).encode(),) * 2, (b"", token_hash("mms_wrong").encode())]


def test_where_a_book_looks_is_no_matter_of_the_token_alone() -> None:
    hashed = token_hash("mms_a")
    places = []
    for _ in range(2):
        book: TokenBook[int] = TokenBook()
        book.add(hashed, 1)
        (place,) = book._holders
        places.append(place)
    assert places[0] != places[1]
    assert not any(hashed.encode() in place or bytes.fromhex(hashed) in place for place in places)


def test_neither_a_book_nor_a_session_keeps_a_token() -> None:
    token = fresh_token(TokenKind.SEAT)
    book: TokenBook[int] = TokenBook()
    book.add(token_hash(token), 1)
    book.find(token)
    assert token not in str(vars(book))
