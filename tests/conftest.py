"""What all tests share: how hypothesis searches, and the rule sets to run a test under."""

from __future__ import annotations

import pytest
from hypothesis import settings
from strategies import ONE_DECK

from ddzsim.cli.progress import load_kernels
from ddzsim.core.jit import COMPILED
from ddzsim.rules import RULESETS, RuleSet

# The same examples each time, so that a red run can be repeated; `--hypothesis-profile=search`
# looks further. The first example may compile for a minute, hence no deadline.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, max_examples=200 if COMPILED else 20
)
settings.register_profile("search", deadline=None, max_examples=5000)
settings.load_profile("repeatable")

DISTINCT = ("classic", "tabletop", "kawu", "openspiel", "rlcard", "douzero")
"""The rule sets of one deck that differ in combinations.

`stakes` has those of `classic`, `tabletop-open` those of `tabletop`.
"""


@pytest.fixture(scope="session", params=ONE_DECK.values(), ids=ONE_DECK)
def rules(request: pytest.FixtureRequest) -> RuleSet:
    """Each rule set of one deck."""
    return request.param


@pytest.fixture(scope="session", params=RULESETS.values(), ids=RULESETS)
def any_rules(request: pytest.FixtureRequest) -> RuleSet:
    """Each rule set."""
    return request.param


@pytest.fixture(scope="session", params=DISTINCT)
def combo_rules(request: pytest.FixtureRequest) -> RuleSet:
    """Each rule set of one deck that differs in combinations from the others."""
    return RULESETS[request.param]


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """What a machine's first start says of compiling is said before the tests."""
    load_kernels()
