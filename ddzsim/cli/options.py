"""What the commands share: the way groups behave, options, and how things are printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ddzsim.errors import RuleSetError, shown

if TYPE_CHECKING:
    from ddzsim.rules import RuleSet

F = TypeVar("F", bound=Callable[..., Any])

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

LEVELS = ("random", "easy", "normal", "hard")
"""The names of the bots, said in help texts without importing the bots."""

BOTS_HELP = (
    f"Who plays, by seat: {', '.join(LEVELS)}, each with :bid=ADVICE,double=ADVICE "
    "if wanted; or one for all."
)
RULES_HELP = "Rule set; see `ddzsim rules list`."
SET_HELP = "Change one field of the rule set; repeat for more."


class Commands(click.Group):
    """A group that answers with its help when it is called alone."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line; an empty one asks for help."""
        return super().parse_args(ctx, args or ["--help"])


def rules_option(function: F) -> F:
    """`--rules NAME`."""
    return click.option(
        "--rules", metavar="NAME", default="classic", show_default=True, help=RULES_HELP
    )(function)


def set_option(function: F) -> F:
    """`--set FIELD=VALUE`, as `overrides`."""
    return click.option("--set", "overrides", metavar="FIELD=VALUE", multiple=True, help=SET_HELP)(
        function
    )


def bots_option(function: F) -> F:
    """`--bots SEATS`."""
    return click.option(
        "--bots", metavar="SEATS", default="normal", show_default=True, help=BOTS_HELP
    )(function)


def json_option(function: F) -> F:
    """`--json`, as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(
        function
    )


def overrides_of(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The fields that `--set` changes, in order of their names.

    Raises:
        RuleSetError: a text is not FIELD=VALUE.
    """
    changes = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise RuleSetError(f"--set {shown(text)}: FIELD=VALUE, as in base=1")
        changes[name.strip()] = value.strip()
    return tuple(sorted(changes.items()))


def rules_of(name: str, overrides: Sequence[str] = ()) -> RuleSet:
    """The rule set that `--rules` and `--set` ask for.

    Raises:
        RuleSetError: there is no such rule set or field, or a value does not fit.
    """
    from ddzsim.rules import ruleset

    return ruleset(name).override(dict(overrides_of(overrides)))


def is_pass(text: str) -> bool:
    """Whether a text says pass, rather than cards."""
    return text.strip().lower() in ("p", "pass")


def print_json(value: Any) -> None:
    """Print a value as JSON, for other programs."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    # JSON lets characters stand that a terminal obeys, and those that no encoding can write.
    plain = (c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    click.echo("".join(plain))
