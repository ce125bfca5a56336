"""The bot `random`: any legal answer, all equally likely."""

from mergemaker_engine.playout import declares_end

from mergemaker_client.answer import Answer
from mergemaker_client.bot import Bot
from mergemaker_client.turn import Turn


class RandomBot(Bot):
    """Picks any answer, all equally likely; declares the end as soon as it may."""

    def answer(self, turn: Turn) -> Answer:
        """Answers at random, from the turn's chances."""
        answers = turn.answers
        if turn.may_declare:
            answers = [answer for answer in answers if declares_end(answer)] or answers
        return answers[turn.chance.below(len(answers))]
