"""What is broken in the clients: each module has breaks of one kind, which register themselves when it is imported.

Every break is a function that replaces one part of the Python client before anything is played. Everything else stays as it is,
so what fails is due to the break.
"""

from tests.conformance.breaks import answering, checking_deals, coming_back, connecting, reporting
from tests.conformance.breaks.registry import BREAKS

__all__ = ["BREAKS", "answering", "checking_deals", "coming_back", "connecting", "reporting"]
