"""Attacks, small by default; CI also runs the larger ones: `pytest tests/security --long -m larger`."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="attack with thousands of connections and inputs, not with dozens")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "is_long" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.larger)


@pytest.fixture(scope="session")
def is_long(pytestconfig: pytest.Config) -> bool:
    # When all tests run, pytest reads this file too late to add its option.
    return bool(pytestconfig.getoption("--long", default=False))
