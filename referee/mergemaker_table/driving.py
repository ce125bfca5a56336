"""A table in memory, driven under its own time: nothing waits, nothing is written to a disk, nobody is sent anything.

    driver = Driver(Table(setup))
    driver.open()
    driver.feed(Joined(0))          # and so on, for each seat; then `question` has what is asked
    driver.hand()
    driver.answer(AnswerIndex(0))   # `wake` goes on to whatever is due next

Most methods return what the table said. The caller takes the questions to those that answer them.
"""

from mergemaker_table.clock import in_ns
from mergemaker_table.errors import TableError
from mergemaker_table.evidence import NOT_HELD_UP
from mergemaker_table.inputs import Answer, Answered, AnswerIndex, BarrierPassed, Handed, Input, Tick
from mergemaker_table.outputs import Ask, Barrier, Output, WriteLine
from mergemaker_table.table import Table


class Driver:
    """A table, its time, and what it has asked for."""

    def __init__(self, table: Table, now_ns: int = 0) -> None:
        self.table = table
        self.now_ns = now_ns
        self.held_up = NOT_HELD_UP
        """How long the loops around the table have been held up so far."""
        self.lines: list[bytes] = []
        """The record, line by line."""
        self.asked: Ask | None = None
        """The question that was asked last."""
        self.barrier: Barrier | None = None
        """The barrier that has not come through yet."""

    def open(self) -> tuple[Output, ...]:
        """Opens the table."""
        return self._deliver(self.table.open(self.now_ns))

    def feed(self, given: Input) -> tuple[Output, ...]:
        """Feeds an input now."""
        return self._deliver(self.table.feed(given, self.now_ns, self.held_up))

    def _deliver(self, batch: tuple[Output, ...]) -> tuple[Output, ...]:
        for output in batch:
            if isinstance(output, WriteLine):
                self.lines.append(output.line)
            elif isinstance(output, Ask):
                self.asked = output
            elif isinstance(output, Barrier):
                self.barrier = output
        return batch

    @property
    def question(self) -> Ask:
        """The question that was asked last; there must be one."""
        if self.asked is None:
            raise TableError("not-asked", "nothing is asked now: a barrier, a `wake` or the end comes first")
        return self.asked

    def pass_ms(self, milliseconds: int) -> None:
        """Lets time pass."""
        self.now_ns += in_ns(milliseconds)

    def hand(self) -> Ask:
        """Hands the open question over to its bot, now. It stays in `asked`."""
        asked = self.question
        self.feed(Handed(asked.seat, asked.request.decision_id, self.now_ns))
        return asked

    def answer(self, answer: Answer | None = None, note: str | None = None, after_ns: int = 0) -> tuple[Output, ...]:
        """Answers the open question after this time: as given, or with the default. It stays in `asked` until the next one."""
        asked = self.question
        self.now_ns += after_ns
        said = AnswerIndex(asked.request.default_index) if answer is None else answer
        return self.feed(Answered(asked.seat, asked.request.decision_id, said, note, self.now_ns))

    def pass_barrier(self) -> tuple[Output, ...]:
        """Lets the barrier come through, if there is one."""
        passed, self.barrier = self.barrier, None
        return () if passed is None else self.feed(BarrierPassed(passed.seat, passed.decision_id, passed.nth))

    def wake(self) -> tuple[Output, ...]:
        """Lets time pass until the table wants a `Tick`; it must want one."""
        at_ns = self.table.wake_at_ns
        if at_ns is None:
            raise TableError("not-due", "nothing is due at this table: a question, a barrier or the end comes first")
        self.now_ns = max(self.now_ns, at_ns)
        return self.feed(Tick())
