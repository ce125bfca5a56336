"""What a report says beside the table: which bots failed, what could not be played, what the database does not have yet."""

from collections import defaultdict

from mergemaker_tools.tournaments.playing import TournamentRun


def notes_of(run: TournamentRun, not_entered: int) -> tuple[str, ...]:
    """All that a reader must know of how the tournament went."""
    joined = run.leavings.joined.items()
    notes = [f"{name} came later: it plays from round {each.round + 1} on" for name, each in sorted(joined)]
    notes += [f"{name} did not start, and took no more part: {first_line(why)}" for name, why in sorted(run.out.items())]
    notes += [f"block {number} could not be played: {first_line(why)}" for number, why in sorted(run.skipped.items())]
    notes += [f"{name} was given up in all of its {seats:,} seats" for name, seats in _always_given_up(run)]
    if not_entered:
        notes.append(f"{not_entered:,} results are not in the database yet; their records are kept, and --resume enters them")
    return tuple(notes)


def _always_given_up(run: TournamentRun) -> list[tuple[str, int]]:
    """The bots that never played a match to its end, and how many seats they had."""
    seats: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for result in run.results.by_match.values():
        for seat in () if result.is_void else result.seats:
            seats[seat.bot.name][0] += 1
            seats[seat.bot.name][1] += seat.status != "finished"
    return [(name, all_seats) for name, (all_seats, given_up) in seats.items() if all_seats and given_up == all_seats]


def first_line(text: str) -> str:
    """What happened, without the details that were shown while it was played."""
    return text.partition("\n")[0]
