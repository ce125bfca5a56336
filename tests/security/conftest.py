"""Attacks, small by default; CI also runs `pytest tests/security --long`."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="attack with thousands of connections and inputs, not with dozens")


@pytest.fixture(scope="session")
def is_long(pytestconfig: pytest.Config) -> bool:
    # When all tests run, pytest reads this file too late to add its option.
    return bool(pytestconfig.getoption("--long", default=False))
