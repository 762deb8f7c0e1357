"""`ddzsim rules`: the rule sets, field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ddzsim.cli.options import Commands, json_option, print_json

if TYPE_CHECKING:
    from ddzsim.rules import RuleSet

BASE = "classic"
"""What the list compares with."""


@click.group(cls=Commands)
def rules() -> None:
    """List, show and compare rule sets.

    \b
    Example:
        ddzsim rules diff classic tabletop
    """


@rules.command("list")
@json_option
def list_rules(as_json: bool) -> None:
    """List the rule sets, each with how it differs from classic.

    \b
    Example:
        ddzsim rules list
    """
    from ddzsim.rules import RULESETS

    if as_json:
        print_json({name: found.settings() for name, found in RULESETS.items()})
        return
    width = max(map(len, RULESETS))
    for name, found in RULESETS.items():
        changes = differences(RULESETS[BASE], found)
        text = ", ".join(f"{field}={shown(there)}" for field, (_, there) in changes.items())
        about = "the default" if name == BASE else text or f"the same as {BASE}"
        click.echo(f"{name:<{width}}  {about}")


@rules.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show every field of the rule set NAME, with its clause.

    \b
    Example:
        ddzsim rules show classic
    """
    from ddzsim.rules import ruleset

    settings = ruleset(name).settings()
    if as_json:
        print_json(settings)
        return
    docs = field_docs()
    width = max(map(len, settings))
    for field, value in settings.items():
        click.echo(f"{field:<{width}}  {shown(value):<6}  {docs[field]}")


@rules.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@json_option
def diff(first: str, second: str, as_json: bool) -> None:
    """Show the fields in which the rule sets A and B differ.

    \b
    Example:
        ddzsim rules diff classic kawu
    """
    from ddzsim.rules import ruleset

    changes = differences(ruleset(first), ruleset(second))
    if as_json:
        print_json(
            {field: {first: here, second: there} for field, (here, there) in changes.items()}
        )
        return
    if not changes:
        click.echo(f"{first} and {second} are the same rules")
        return
    docs = field_docs()
    width = max(map(len, changes))
    for field, (here, there) in changes.items():
        click.echo(
            f"{field:<{width}}  {first} {shown(here)}, {second} {shown(there)}  ({docs[field]})"
        )


def differences(first: RuleSet, second: RuleSet) -> dict[str, tuple[Any, Any]]:
    """The fields in which two rule sets differ, with both values."""
    theirs = second.settings()
    return {
        field: (value, theirs[field])
        for field, value in first.settings().items()
        if value != theirs[field]
    }


def shown(value: Any) -> str:
    """A value as `--set` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def field_docs() -> dict[str, str]:
    """What each field means, with its clause: the texts below the fields in the source."""
    import ast
    import inspect

    from ddzsim.rules import RuleSet

    class_body = ast.parse(inspect.getsource(RuleSet)).body[0]
    assert isinstance(class_body, ast.ClassDef)
    docs: dict[str, str] = {}
    field = ""
    for node in class_body.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            field = node.target.id
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and field:
            docs[field] = " ".join(str(node.value.value).split()).replace("`", "")
    return docs
