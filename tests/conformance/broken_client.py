"""The Python client with one thing broken. It takes the name of a break, then what `mergemaker bot greedy` takes.

The folder `breaks` has all that can be broken. broken.py lists which cases must fail.
"""

import inspect
import sys

from mergemaker_tools import cli
from mergemaker_tools.problems import DONE, FAILED, WRONG_USE

from tests.conformance.breaks import BREAKS
from tests.conformance.breaks.checking_deals import ends_well_after_false_deals
from tests.conformance.breaks.connecting import fails_on_wrong_settings


def main(arguments: list[str]) -> int:
    """Plays as `greedy`, with one break."""
    if not arguments or arguments[0] not in BREAKS:
        names = [f"  {name:32}  {inspect.getdoc(function)}" for name, function in BREAKS.items()]
        print("\n".join(["say what is to be broken:", *names]), file=sys.stderr)
        return WRONG_USE
    name, *others = arguments
    broken = BREAKS[name]
    broken()
    status = cli.main(["bot", "greedy", *others])
    if broken is fails_on_wrong_settings and status == WRONG_USE:
        return FAILED
    if broken is ends_well_after_false_deals and status == FAILED:
        return DONE
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
