"""The keys of a tournament's file. Each is an option of the command, too, and a row of `docs/tournaments.md`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mergemaker_contest.designs import SEATS_MAX, SEATS_MIN, Design
from mergemaker_contest.results import Forfeits
from mergemaker_contest.schedules import Format
from mergemaker_contest.scores import Score
from mergemaker_processes.confinement import terms
from mergemaker_referee.configuration.kinds import KNOBS, PATH, PRESET, TEXT, TEXTS, Kind, WrongValue, one_of, whole

from mergemaker_tools.confine_options import MEMORY_MIB, PROCESSES, SCRATCH_MIB
from mergemaker_tools.contests.trust import Trust
from mergemaker_tools.options import USUAL_PRESET
from mergemaker_tools.parallel import JOBS_MAX
from mergemaker_tools.tournaments.budget import Budget, budget_from
from mergemaker_tools.tournaments.executors import LOCAL, scheduler_of

NAME_CHARACTERS_MAX: Final = 80


class ConfineForm(StrEnum):
    """How bots are confined."""

    NONE = "none"
    FULL = terms.FULL
    LIMITS = terms.LIMITS


@dataclass(frozen=True, slots=True)
class Key:
    """A setting of a tournament."""

    name: str
    kind: Kind
    default: object
    """As the file has it; None if it is not set."""
    help: str
    shown: str
    """What stands for its value in the help."""
    is_list: bool = False
    """Whether the file has a list, and the option may be given several times."""

    @property
    def option(self) -> str:
        """Its option on the command line."""
        return "--" + self.name.replace("_", "-")

    def read(self, value: object) -> object:
        """The setting for a value as the file has it; `WrongValue` says what it takes."""
        try:
            return self.kind.read(value)
        except WrongValue as wrong:
            raise WrongValue(str(wrong) or self.kind.refusal(value)) from wrong


def _name(value: object) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= NAME_CHARACTERS_MAX or not value.isprintable():
        raise WrongValue
    return value


def _budget(value: object) -> Budget:
    if not isinstance(value, str):
        raise WrongValue
    return budget_from(value)


def _executor(value: object) -> str:
    if not isinstance(value, str):
        raise WrongValue
    if value != LOCAL:
        scheduler_of(value)
    return value


KEYS: Final = (
    Key("name", Kind(f"a text of 1 to {NAME_CHARACTERS_MAX} characters", _name), "tournament", "what it is called", "TEXT"),
    Key(
        "format",
        one_of(Format),
        str(Format.ROUND_ROBIN),
        "who plays whom: round-robin, all against all; gauntlet, the challengers against the others; duel, the first two bots; "
        "swiss, in each round bots of equal strength; knockout, the best of each table go on",
        "FORMAT",
    ),
    Key(
        "bots",
        PATH,
        None,
        "a folder: each project of `mergemaker new` (a folder with `run`), each Python file and each program in it is a bot",
        "FOLDER",
    ),
    Key(
        "bot",
        TEXTS,
        [],
        "one more bot, as `mergemaker match` takes it; NAME=BOT gives it a name",
        "BOT",
        is_list=True,
    ),
    Key("challengers", TEXTS, [], "gauntlet: the name of a bot that meets all others", "NAME", is_list=True),
    Key("seats", whole(SEATS_MIN, SEATS_MAX), 4, "how many play at a table", "N"),
    Key(
        "budget",
        Kind("a number and what it counts", _budget),
        None,
        "how much is played: '2000 matches', '30 min' or '2 cycles'; swiss: '5 rounds'. A cycle is the least after which all "
        "have met, and have had all seats, equally often (default: 1 cycle; swiss: as many rounds as find the best)",
        "BUDGET",
    ),
    Key("rules", PRESET, USUAL_PRESET, "the preset to play by", "NAME"),
    Key("set", KNOBS, [], "change one knob of the preset", "KNOB=VALUE", is_list=True),
    Key("clock", TEXT, "standard", "how long bots may think, as in `mergemaker match`", "CLOCK"),
    Key(
        "score",
        one_of(Score),
        str(Score.SHARE),
        "what a result is worth: the share of the money, the place, or the win. The share needs the fewest matches: deciding by "
        "wins takes 1.8 times as many at four seats",
        "SCORE",
    ),
    Key(
        "forfeits",
        one_of(Forfeits),
        str(Forfeits.LAST),
        "what a seat gets whose bot did not play to the end: last, nothing; as-played, what its money is worth",
        "HOW",
    ),
    Key("anchor", TEXT, None, "the name of a house bot whose rating is 0 (default: the mean of all bots is 0)", "NAME"),
    Key("design", one_of(Design), str(Design.MIRROR), "duel: mirror, exchange or undivided", "DESIGN"),
    Key(
        "tables_max", whole(1, 2_000), 150, "round-robin: play all tables if there are at most this many, else balanced ones", "N"
    ),
    Key(
        "advance",
        whole(1, SEATS_MAX - 1),
        None,
        "knockout: how many of each table go on (default: 1 of 2 or 3, 2 of 4 or 5, 3 of 6)",
        "N",
    ),
    Key("table_blocks", whole(1, 1_000), None, "how many blocks each table plays in a round (default: swiss 1, knockout 5)", "N"),
    Key(
        "trust",
        one_of(Trust),
        str(Trust.OTHERS),
        "whose the bots are: others, each match has a fresh process for each bot; own, all are yours: programs stay alive from "
        "match to match, and if all are Python files or bots of this program, they are called in its own processes",
        "WHOSE",
    ),
    Key(
        "executor",
        Kind("local, or dask://HOST:PORT", _executor),
        LOCAL,
        "where matches are played: local, on this machine; dask://HOST:PORT, by the workers of a Dask cluster",
        "WHERE",
    ),
    Key("jobs", whole(1, JOBS_MAX), None, "how many matches are played at once (default: what the processors can carry)", "N"),
    Key(
        "seed",
        TEXT,
        None,
        "up to 64 hexadecimal digits from which all deals come. Without it they are fresh, promised, and published at the end",
        "HEX",
    ),
    Key("folder", PATH, None, "where everything is kept (default: tournaments/NAME)", "FOLDER"),
    Key(
        "database",
        TEXT,
        None,
        "where results are entered: a file, or postgresql://… (default: results.sqlite in the folder)",
        "URL",
    ),
    Key("html", PATH, None, "write the standings as one HTML file here", "FILE"),
    Key(
        "confine",
        one_of(ConfineForm),
        str(ConfineForm.NONE),
        "confine bots that are processes: full, each is another user and sees its own folder alone; limits, it has limits alone",
        "FORM",
    ),
    Key("confine_see", TEXTS, [], "a folder that all confined bots see, too", "FOLDER", is_list=True),
    Key("confine_memory", whole(*MEMORY_MIB), None, "each confined bot's memory in MiB, at most", "N"),
    Key("confine_processes", whole(*PROCESSES), None, "each confined bot's processes and threads, at most", "N"),
    Key("confine_scratch", whole(*SCRATCH_MIB), None, "each confined bot's files in MiB, at most", "N"),
)
BY_NAME: Final = {key.name: key for key in KEYS}
