from collections.abc import Iterator

import pytest
from mergemaker_testkit.live_referee import Clients, LiveReferee, live_referee


@pytest.fixture(scope="module")
def referee(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveReferee]:
    """One server for all tests of a module: each makes its own matches."""
    with live_referee(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def clients(referee: LiveReferee) -> Iterator[Clients]:
    found = Clients(referee)
    yield found
    found.close()
