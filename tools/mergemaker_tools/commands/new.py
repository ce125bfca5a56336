"""Writes a project for a bot of your own: a first bot of ten lines, its test, how to run it, and the library's sources.

The project needs only its language's tools, neither this package nor a checkout. `./test` runs its tests, and
`./run` is the command line of the bot, for `mergemaker match` and for every referee.
"""

import argparse
from pathlib import Path

from mergemaker_engine.near_names import nearest_names
from mergemaker_processes.texts import command_text, shown_path

from mergemaker_tools import options as shared
from mergemaker_tools.new_project import KINDS, NAME_CHARACTERS_MAX, SDK_FOLDER, files_of, is_name, name_from, write_project
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import DONE, CommandFailed, WrongUse
from mergemaker_tools.screen import show_line, write_document


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "language",
        metavar="LANG",
        help=f"the bot's language: {', '.join(KINDS[:-1])}; or {KINDS[-1]}, for a language model's seat",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="the project's folder: new or empty")
    parser.add_argument("--name", metavar="NAME", help="the bot's name (default: the folder's)")
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Writes the project, and says what to do with it."""
    if options.language not in KINDS:
        near = nearest_names(options.language, KINDS)
        raise WrongUse(f"there is no template for {options.language!r}{near}\nThere are {', '.join(KINDS)}.")
    folder: Path = options.folder
    name = _name(options.name, folder)
    _see_free(folder)
    files = list(files_of(options.language, name))
    try:
        write_project(folder, files, lambda _: None)
    except OSError as problem:
        raise CommandFailed(f"{shown_path(folder)} cannot be written: {problem.strerror}") from problem
    own = [str(file.path) for file in files if file.path.parts[0] != SDK_FOLDER]
    if options.json:
        document = {"language": options.language, "name": name, "folder": str(folder.resolve()), "files": own}
        write_document({**document, "library_files": len(files) - len(own)})
        return DONE
    for path in own:
        show_line(path)
    show_line(f"{SDK_FOLDER}/ ({len(files) - len(own)} files: the library)")
    show_line("")
    show_line(f"Its tests:   {command_text([str(folder / 'test')])}")
    bot = command_text([str(folder / "run")])
    show_line(f"A match:     {own_command('match', bot, 'greedy', 'random')}")
    return DONE


def _name(given: str | None, folder: Path) -> str:
    rule = f"letters a to z, digits and hyphens, a letter first, up to {NAME_CHARACTERS_MAX} of them"
    if given is not None:
        if not is_name(given):
            raise WrongUse(f"{given!r} cannot be a bot's name in every language: {rule}")
        return given
    name = name_from(folder.resolve().name)
    if name is None:
        raise WrongUse(f"no bot can be called as the folder {folder.resolve().name!r}; say --name NAME: {rule}")
    return name


def _see_free(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists() or folder.is_symlink():
        what = "is there, and not empty" if folder.is_dir() else "is there, and no folder"
        raise WrongUse(f"{shown_path(folder)} {what}: name a folder that is new or empty")
