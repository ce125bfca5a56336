"""The settings of a configuration file: sections, names, accepted values, defaults, and what each setting is for.

The reader's errors, the file that `mergemaker serve --init` writes, and the tables of CONFIGURATION.md come from here.
"""

from dataclasses import dataclass, fields
from typing import Final

from mergemaker_table.disguise import DELAY_MS_MAX
from mergemaker_table.join_terms import WAIT_MS_MAX, MissingSeats
from mergemaker_table.terms import CLOCKS, FAULTS_MAX, TERM_MS_MAX, FaultTerms

from mergemaker_referee.configuration.kinds import (
    ADDRESS,
    ADDRESSES,
    ANCESTORS,
    CLOCK_NAME,
    KNOBS,
    PASSWORD_HASH,
    PATH,
    PRESET,
    PUBLIC_KEYS,
    SITE,
    TEXT,
    TOKEN_HASH,
    WEB_PREFIX,
    YES_NO,
    Kind,
    one_of,
    whole,
)
from mergemaker_referee.configuration.limits import Limits, limit_bounds, limit_text
from mergemaker_referee.configuration.settings import (
    PROCESSES_MAX,
    SPECTATING_DELAY_MS_MAX,
    USUAL_CLOCK,
    USUAL_METRICS_PORT,
    USUAL_PORT,
    USUAL_RULES,
    USUAL_WAIT_MS,
    USUAL_WEB_PORT,
    LogFormat,
    LogLevel,
    WebSettings,
)
from mergemaker_referee.records.journal import Durability
from mergemaker_referee.tokens import HASH_DIGITS


@dataclass(frozen=True, slots=True)
class Entry:
    """A setting in the file."""

    name: str
    kind: Kind
    default: object
    """Its default as TOML has it; None if it is not set."""
    text: str
    example: str | None = None
    """What a new file shows of a setting without a default; None: what goes with its kind."""


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the file."""

    name: str
    text: str
    entries: tuple[Entry, ...] = ()
    example: str | None = None
    """For a section whose names the operator chooses: lines that show one."""

    def entry(self, name: str) -> Entry | None:
        """The setting with this name."""
        return next((entry for entry in self.entries if entry.name == name), None)


# --- sections -----------------------------------------------------------------------------------------------------------

_MS: Final = whole(0, TERM_MS_MAX)
_CLOCK: Final = (
    Entry("allowance_ms", _MS, None, "Free milliseconds for each decision. Without this there is no limit at all."),
    Entry("bank_ms", _MS, 0, "Milliseconds for the whole match, used after the allowance."),
    Entry("increment_ms", _MS, 0, "Milliseconds added to the bank with each answer."),
    Entry(
        "startup_ms",
        whole(1, TERM_MS_MAX),
        None,
        "Milliseconds to take the seat; with a joint deal, for each of the two steps. Without this there is no limit.",
    ),
    Entry("credit_decision_ms_max", _MS, 0, "The most milliseconds of a measured round trip that are refunded for one decision."),
    Entry("credit_match_ms_max", _MS, 0, "The quota: milliseconds refunded in the whole match, apart from the refill."),
    Entry("credit_refill_ms", _MS, 0, "Milliseconds that return to the quota with each answer, up to its initial value."),
)

BOTS: Final = "bots"
CLOCKS_SECTION: Final = "clocks"


def _limits() -> tuple[Entry, ...]:
    return tuple(Entry(each.name, whole(*limit_bounds(each)), each.default, limit_text(each)) for each in fields(Limits))


_WEB: Final = WebSettings()


def _web() -> tuple[Entry, ...]:
    return (
        Entry(
            "listen",
            ADDRESS,
            None,
            f"Where HTTP serves them: HOST:PORT, as in 127.0.0.1:{USUAL_WEB_PORT}. With [tls] it is HTTPS. Without this setting "
            "they are not served.",
            f"127.0.0.1:{USUAL_WEB_PORT}",
        ),
        Entry("prefix", WEB_PREFIX, _WEB.prefix, "The path in front of all addresses, if a proxy passes only this path on."),
        Entry(
            "address",
            SITE,
            None,
            "Where people reach the pages, without the prefix. Previews of links need it.",
            "https://acquire.example",
        ),
        Entry(
            "password_hash",
            PASSWORD_HASH,
            None,
            "What the viewers' password is kept as. Without it everybody who reaches the address may look.",
            "scrypt:…",
        ),
        Entry("frame_ancestors", ANCESTORS, [], "The sites whose pages may show matches in a frame, at addresses with /embed."),
        Entry(
            "behind_proxy",
            YES_NO,
            _WEB.behind_proxy,
            "Whether a proxy names its clients in X-Forwarded-For. Limits by address then count these. "
            "Without a proxy, anyone could name any address.",
        ),
        Entry(
            "delay_ms",
            whole(0, SPECTATING_DELAY_MS_MAX),
            _WEB.delay_ms,
            "Milliseconds by which live matches and ends are shown later; at least spectating.delay_ms.",
        ),
        Entry(
            "database",
            TEXT,
            None,
            "The database of tournaments, a path of a SQLite file or a URL of PostgreSQL. Without it there are no such pages.",
            "results.sqlite",
        ),
        Entry("spectators_max", whole(0, 100_000), _WEB.spectators_max, "Browsers that follow live matches at once."),
        Entry("spectators_per_address_max", whole(0, 100_000), _WEB.spectators_per_address_max, "The same for one address."),
        Entry("connections_max", whole(1, 100_000), _WEB.connections_max, "Connections at once. Any further one is closed."),
        Entry(
            "connections_per_address_max",
            whole(1, 100_000),
            _WEB.connections_per_address_max,
            "The same for one address, which may be a proxy's.",
        ),
        Entry(
            "requests_per_s_max",
            whole(1, 100_000),
            _WEB.requests_per_s_max,
            "Requests of one address in a second, without the pages' own files. Further ones are refused with status 429.",
        ),
    )


SECTIONS: Final = (
    Section(
        "server",
        "Where the server listens and what it keeps.",
        (
            Entry(
                "listen",
                ADDRESSES,
                [f"127.0.0.1:{USUAL_PORT}"],
                'Addresses, HOST:PORT. Port 0 takes a free one. "0.0.0.0:PORT" and "[::]:PORT" let other machines in.',
            ),
            Entry("data_folder", PATH, "data", "The folder for this server alone, relative to this file."),
            Entry("records_folder", PATH, None, "The folder of the records. If not set: `records` in the data folder."),
            Entry(
                "signing_key",
                PATH,
                None,
                "The private key that signs the ends of records, a PEM file with an Ed25519 key. `--init` makes one. "
                "Without it they are not signed.",
            ),
            Entry(
                "earlier_signing_keys",
                PUBLIC_KEYS,
                [],
                "Public keys that signed before this one: they stay published, so that older records can still be checked.",
            ),
            Entry("fast_loop", YES_NO, True, "Whether to use uvloop where it is installed."),
            Entry(
                "processes",
                whole(1, PROCESSES_MAX),
                1,
                "How many processes play matches; more than the machine has processors are no use. 1: the server plays them "
                "itself. It may change at any start: matches and records are found again.",
            ),
        ),
    ),
    Section(
        "tls",
        "Private connections. Without both files, anyone on the route can read tokens.",
        (
            Entry("certificate", PATH, None, "The certificate and its chain, a PEM file, relative to this file."),
            Entry("key", PATH, None, "Its private key, a PEM file."),
            Entry(
                "plain_text_allowed",
                YES_NO,
                False,
                "Whether other machines may connect without TLS. Otherwise a server that they can reach needs a certificate.",
            ),
        ),
    ),
    Section(
        "operator",
        "The operator makes, cancels and fetches matches.",
        (Entry("token_hash", TOKEN_HASH, None, "The hash of the operator's token. Without it nobody can make matches."),),
    ),
    Section(
        BOTS,
        "Bots with their own tokens: a name of up to 64 characters, and the hash of the token.",
        example=f'"my bot" = "{"0" * HASH_DIGITS}"',
    ),
    Section(
        "matches",
        "Defaults for new matches.",
        (
            Entry("rules", PRESET, USUAL_RULES, "The preset of the rules. `mergemaker rules` lists them."),
            Entry("set", KNOBS, [], 'Knobs that differ from the preset, as in ["dead_tiles=forced"].'),
            Entry("clock", CLOCK_NAME, USUAL_CLOCK, f"A clock's name: {', '.join(CLOCKS)}, or one of [clocks.NAME]."),
            Entry(
                "missing_seats",
                one_of(MissingSeats),
                str(MissingSeats.VOID),
                "What happens to a match if seats are not taken in time. `void`: it has no result, and names the bots of the "
                "seats. `play`: the defaults are taken for them.",
            ),
            Entry(
                "wait_ms_max",
                whole(0, WAIT_MS_MAX),
                USUAL_WAIT_MS,
                "Milliseconds that a match waits until all its bots with their own tokens are connected and free "
                "at once. Then its time to join begins. If it waits in vain, `missing_seats` applies.",
            ),
            Entry(
                "durability",
                one_of(Durability),
                str(Durability.PROCESS),
                "What each line of a record survives before anyone learns of it: the end of the process, or a loss of power.",
            ),
            Entry(
                "automatic_delay_ms_max",
                whole(0, DELAY_MS_MAX),
                0,
                "The most milliseconds that an answer without need of a bot waits. It waits as long as the seat's bot might have "
                "taken, so that its timing does not tell others whether the bot was asked. 0: it does not wait.",
            ),
        ),
    ),
    Section(
        "faults",
        "What happens if answers are wrong or missing.",
        (
            Entry(
                "refusals_max",
                whole(1, FAULTS_MAX),
                FaultTerms().refusals_max,
                "After this many refused answers to one decision, the default is taken.",
            ),
            Entry(
                "defaults_max",
                whole(1, FAULTS_MAX),
                FaultTerms().defaults_max,
                "After this many defaults in a match, the seat is no longer asked.",
            ),
            Entry(
                "recovery_grace_ms",
                _MS,
                FaultTerms().recovery_grace_ms,
                "Milliseconds that clocks wait for bots to come back after the server itself was gone.",
            ),
        ),
    ),
    Section(
        CLOCKS_SECTION,
        "Clocks of your own, each a table [clocks.NAME]; a name is 1 to 40 of a-z 0-9 -.",
        _CLOCK,
        example="[clocks.blitz]\nallowance_ms = 200\nbank_ms = 20000\nstartup_ms = 30000",
    ),
    Section(
        "spectating",
        "Who may watch.",
        (
            Entry("open", YES_NO, False, "Whether everybody may watch, without a token."),
            Entry("delay_ms", whole(0, SPECTATING_DELAY_MS_MAX), 0, "Milliseconds by which spectators see everything later."),
        ),
    ),
    Section(
        "metrics",
        "Numbers about the server, for Prometheus.",
        (
            Entry(
                "listen",
                ADDRESS,
                None,
                f"Where HTTP serves them: HOST:PORT, as in 127.0.0.1:{USUAL_METRICS_PORT}. Without this they are not served.",
            ),
        ),
    ),
    Section("web", "Pages for browsers: live and past matches. They need the extra `web`, which `server` includes.", _web()),
    Section(
        "log",
        "What the server writes to standard error.",
        (
            Entry("format", one_of(LogFormat), str(LogFormat.CONSOLE), "`console` for people, `json` for programs."),
            Entry("level", one_of(LogLevel), str(LogLevel.INFO), "The least important level that is written."),
        ),
    ),
    Section("limits", "What the server accepts, and how long it waits.", _limits()),
)
