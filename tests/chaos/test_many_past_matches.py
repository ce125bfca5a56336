"""What `python -m tests.chaos.many_past_matches` makes is what a server leaves. The command makes 100,000 matches."""

from pathlib import Path

from mergemaker_engine.record.in_log import Claim, LogBook
from mergemaker_engine.record.signatures import read_signature
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.records.ed25519 import is_right, read_key
from mergemaker_referee.records.files import open_record, signature_path
from mergemaker_referee.records.log_file import LOG_NAME
from mergemaker_referee.records.past_matches import past_matches

from tests.chaos.many_past_matches import write_past

MATCHES = 3


def test_each_match_is_in_the_log_and_has_a_record_and_a_signature(tmp_path: Path) -> None:
    counted: list[int] = []
    write_past(tmp_path, MATCHES, counted.append)
    assert counted == [1, 2, 3]
    found = past_matches([tmp_path / "data" / "records"], 10)
    book = LogBook(past.summary.match for past in found)
    book.read([(tmp_path / "data" / LOG_NAME).read_bytes()])
    assert (len(found), book.begins, book.ends) == (MATCHES, MATCHES, MATCHES)
    key = read_key(tmp_path / "signing_key.pem")
    for past in found:
        verify([past.record.read_bytes()])
        book.check(Claim.of(open_record(past.record)))
        signature = read_signature(signature_path(past.record).read_bytes())
        assert past.end is not None
        signature.check(past.end.receipt, past.end.commitment)
        assert is_right(signature, key.public)
