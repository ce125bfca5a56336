"""How help is laid out: what is filled, and what is kept as it stands."""

import argparse

from mergemaker_tools.help_format import HelpFormat, filled


def test_paragraphs_are_filled_and_lines_that_begin_with_a_space_are_kept() -> None:
    text = "One two\nthree four five.\n\n    a command --that must stay in one line\n\nSix.\n"
    assert filled(text, 12) == [
        "One two",
        "three four",
        "five.",
        "",
        "    a command --that must stay in one line",
        "",
        "Six.",
    ]


def test_items_of_a_list_hang() -> None:
    text = "Steps:\n\n1. one two\n   three\n2. four five six\n- seven eight nine\n"
    assert filled(text, 12) == ["Steps:", "", "1. one two", "   three", "2. four five", "   six", "- seven", "  eight nine"]


def test_a_word_that_is_too_long_has_a_line_of_its_own() -> None:
    assert filled("a mergemaker-with-a-long-name b", 10) == ["a", "mergemaker-with-a-long-name", "b"]


def test_a_command_in_backticks_stays_in_one_piece() -> None:
    assert filled("See `a b --help` for all.", 12) == ["See", "`a b --help`", "for all."]


def test_options_that_exclude_each_other_are_broken_at_their_bars() -> None:
    parser = argparse.ArgumentParser(prog="p", formatter_class=lambda prog: HelpFormat(prog, width=40), add_help=False)
    group = parser.add_mutually_exclusive_group()
    for name in ("--first", "--second", "--third", "--fourth"):
        group.add_argument(name, action="store_true")
    usage = parser.format_usage()
    assert " ".join(usage.split()) == "usage: p [--first | --second | --third | --fourth]"
    assert max(map(len, usage.splitlines())) <= 40
