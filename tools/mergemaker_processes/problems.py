"""Problems that stop the work: each is one message to people."""


class WrongUse(Exception):
    """The command cannot serve the way it was called: the message says what was expected and what to do."""


class CommandFailed(Exception):
    """The command was understood, and what it was to do failed."""
