"""What a bot's process finds in its environment."""

import pytest
from mergemaker_processes.environment import Address, bot_environment

ADDRESS = Address("grpc://127.0.0.1:7000", "secret", "my bot")
LOOPBACK = "localhost,127.0.0.1,::1"


def test_a_bot_is_told_where_to_go() -> None:
    assert bot_environment({}, ADDRESS, cases_differ=True) == {
        "MERGEMAKER_SERVER": "grpc://127.0.0.1:7000",
        "MERGEMAKER_TOKEN": "secret",
        "MERGEMAKER_BOT": "my bot",
        "PYTHONUNBUFFERED": "1",
        "no_proxy": LOOPBACK,
        "NO_PROXY": LOOPBACK,
    }


def test_an_authority_is_told_if_there_is_one() -> None:
    address = Address("grpcs://host:1", "secret", "bot", "/a folder/ca.pem")
    assert bot_environment({}, address)["MERGEMAKER_CA"] == "/a folder/ca.pem"


def test_nothing_of_the_command_leaks_and_the_rest_is_kept() -> None:
    before = {"PATH": "/bin", "MERGEMAKER_CA": "other", "MERGEMAKER_TRACE": "x", "mergemaker_token": "y", "MERGE": "kept"}
    made = bot_environment(before, ADDRESS)
    assert {name for name in made if "merge" in name.lower()} == {
        "MERGE",
        "MERGEMAKER_SERVER",
        "MERGEMAKER_TOKEN",
        "MERGEMAKER_BOT",
    }
    assert made["PATH"] == "/bin"
    assert made["MERGEMAKER_TOKEN"] == ADDRESS.token


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ({"no_proxy": "corp.example"}, f"corp.example,{LOOPBACK}"),
        ({"NO_PROXY": " corp.example , ,10.0.0.0/8"}, f"corp.example,10.0.0.0/8,{LOOPBACK}"),
        ({"no_proxy": "a", "NO_PROXY": "b,a"}, f"a,b,{LOOPBACK}"),
        ({"no_proxy": "::1,localhost"}, "::1,localhost,127.0.0.1"),
        ({"NO_PROXY": "*"}, "*"),
        ({"no_proxy": ""}, LOOPBACK),
    ],
)
def test_loopback_is_added_to_what_goes_through_no_proxy(before: dict[str, str], expected: str) -> None:
    proxies = {"http_proxy": "http://proxy:1", "HTTPS_PROXY": "http://proxy:2"}
    made = bot_environment(before | proxies, ADDRESS, cases_differ=True)
    assert (made["no_proxy"], made["NO_PROXY"]) == (expected, expected)
    assert {name: made[name] for name in proxies} == proxies


def test_the_variable_of_grpc_is_kept_apart_and_made_only_if_it_is_there() -> None:
    before = {"no_grpc_proxy": "other", "no_proxy": "corp"}
    made = bot_environment(before, ADDRESS, cases_differ=True)
    assert made["no_grpc_proxy"] == f"other,{LOOPBACK}"
    assert made["no_proxy"] == f"corp,{LOOPBACK}"


def test_where_cases_do_not_differ_there_is_one_variable() -> None:
    made = bot_environment({"NO_PROXY": "corp"}, ADDRESS, cases_differ=False)
    assert {name: value for name, value in made.items() if name.lower() == "no_proxy"} == {"NO_PROXY": f"corp,{LOOPBACK}"}


def test_a_token_is_in_no_text_of_an_address() -> None:
    assert "secret" not in repr(ADDRESS)
