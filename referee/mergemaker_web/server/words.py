"""The words of pages for what the API says in names."""

from typing import Final

PHASE_WORDS: Final = {
    "waiting": "waits for its bots",
    "joining": "bots take their seats",
    "playing": "live",
    "suspended": "stands still",
    "over": "over",
}
ENDING_WORDS: Final = {
    "declared": "the end was declared",
    "stuck": "nobody could do anything any more",
    "voided": "voided, counts against nobody",
}
