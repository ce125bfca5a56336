"""my-bot: a language model at the table. `./run` starts it, `./test` tests it; `model.toml` says which model."""

from pathlib import Path

from mergemaker_client import run
from mergemaker_client.language_model import LanguageModelBot, bot_from_file

SETTINGS = Path(__file__).with_name("model.toml")


def my_bot() -> LanguageModelBot:
    """The bot for one match."""
    return bot_from_file(SETTINGS)


if __name__ == "__main__":
    run(my_bot)
