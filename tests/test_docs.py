"""The documentation against the code: what exists is named, and what is named is right."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import fields
from itertools import chain
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import ddzsim
from ddzsim.bots.advice import ADVICE, DOUBLING, OUT_OF_REACH
from ddzsim.bots.seats import BOTS
from ddzsim.cards import KINDS
from ddzsim.cli.main import main
from ddzsim.cli.rules import field_docs, shown
from ddzsim.core.play import View
from ddzsim.rules import RULESETS
from ddzsim.view import SeatView

ROOT = Path(__file__).parent.parent
README, RULES, BOTS_DOC = ROOT / "README.md", ROOT / "docs/rules.md", ROOT / "docs/bots.md"
TABLE = ROOT / "docs/table.md"
DESIGN, CONTRIBUTING, CHECKS = ROOT / "docs/design.md", ROOT / "CONTRIBUTING.md", ROOT / ".ci/run"

CLAUSE = re.compile(r"\bR\d+\.\d+\b")
TEST = re.compile(r"\b(test_\w+\.py)::(test_\w+)")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def names_in(path: Path) -> set[str]:
    """What a page sets in code type, word by word."""
    code = re.findall(r"```.*?```|`[^`\n]+`", text_of(path), re.DOTALL)
    return set(re.findall(r"\w+(?:-\w+)*", " ".join(code)))


def table_after(path: Path, heading: str) -> list[dict[str, str]]:
    """The rows of the first table below a heading, by column."""
    _, _, below = f"\n{text_of(path)}".partition(f"\n{heading}\n")
    assert below, f"{path.name} has no heading {heading!r}"
    table = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    assert table, f"{path.name} has no table below {heading!r}"
    lines = table[0].replace("`", "").splitlines()
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(header, row, strict=True)) for row in rows]


def commands(group: click.Group, path: str = "ddzsim") -> Iterator[str]:
    """Every command of a group as it is typed."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}"


def tracked_files() -> list[Path]:
    """The files under version control."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = (ROOT / name for name in listed.stdout.decode().split("\0") if name)
    return [path for path in paths if path.is_file()]


def test_rules_name_every_rule_set_and_kind() -> None:
    missing = {*RULESETS, *KINDS} - {"pass"} - names_in(RULES)
    assert not missing


def test_the_field_table_holds_the_values_of_the_code() -> None:
    docs = field_docs()
    expected = [
        {"field": field, "clause": docs[field].split(":")[0]}
        | {name: shown(rules.settings()[field]) for name, rules in RULESETS.items()}
        for field in RULESETS["classic"].settings()
    ]
    assert table_after(RULES, "## Fields") == expected


def test_other_readings_change_the_rule_sets_of_their_row() -> None:
    """Each `--set` of the page is a valid change, and of the sets named before it a real one."""
    changes = 0
    for row in table_after(RULES, "## Where the sheets are silent or damaged"):
        subjects = re.findall(r"[\w-]+", row["place"].partition(":")[0])
        names = list(RULESETS)[:6] if subjects == ["All"] else subjects
        for field, value in re.findall(r"--set (\w+)=(\w+)", row["the other reading"]):
            for name in names:
                rules = RULESETS[name]
                assert rules.override({field: value}).digest != rules.digest, row["place"]
                changes += 1
    assert changes > 20


def test_every_line_of_the_sheets_has_a_test_that_exists() -> None:
    """Every row names one at least; so does whatever else the page says is tested."""
    for sheet in ("classic", "tabletop", "kawu", "stakes"):
        for row in table_after(RULES, f"### The sheet of `{sheet}`"):
            assert TEST.search(row["shown by"]), row
            assert row["where it lives"], row
    named = set(TEST.findall(text_of(RULES)))
    assert len(named) > 60
    for file, function in named:
        assert f"\ndef {function}(" in text_of(ROOT / "tests" / file), (file, function)


def test_rules_hold_every_clause_that_code_and_tests_cite() -> None:
    written = set(re.findall(r"\*\*(R\d+\.\d+)\*\*", text_of(RULES)))
    cited = {
        clause: path.name
        for folder in ("ddzsim", "tests", "docs", "benchmarks")
        for pattern in ("*.py", "*.md")
        for path in (ROOT / folder).rglob(pattern)
        for clause in CLAUSE.findall(text_of(path))
    }
    assert {clause: name for clause, name in cited.items() if clause not in written} == {}


def test_tests_named_by_clause_name_clauses_that_exist() -> None:
    written = set(re.findall(r"\*\*(R\d+\.\d+)\*\*", text_of(RULES)))
    for path in (ROOT / "tests").glob("test_*.py"):
        for chapter, clause in re.findall(r"def test_r(\d+)_(\d+)_", text_of(path)):
            assert f"R{chapter}.{clause}" in written, path.name


def test_bots_are_described_from_the_weakest_to_the_strongest() -> None:
    assert re.findall(r"^## `(\w+)`$", text_of(BOTS_DOC), re.MULTILINE) == list(BOTS)
    rows = table_after(BOTS_DOC, "# The bots")
    assert [(row["bot"], row["version"]) for row in rows] == [
        (bot.name, str(bot.version)) for bot in BOTS.values()
    ]


def test_the_advice_table_holds_the_values_of_the_code() -> None:
    words = {OUT_OF_REACH: "never", -OUT_OF_REACH: "always"}
    expected = [
        {
            "advice": advice.name,
            "measure": advice.measure,
            **{f"for {bid}": words.get(cut, str(cut)) for bid, cut in enumerate(advice.cutoffs, 1)},
            "what it looks at": advice.doc,
        }
        for advice in ADVICE.values()
    ]
    assert table_after(BOTS_DOC, "## Advice") == expected


def test_the_doubling_table_holds_the_values_of_the_code() -> None:
    words = {OUT_OF_REACH: "never", -OUT_OF_REACH: "always"}
    columns = ("against 1", "against 2", "against 3", "redoubles from")
    expected = [
        {
            "doubling advice": advice.name,
            "measure": advice.measure,
            **dict(zip(columns, (words.get(c, str(c)) for c in advice.cutoffs), strict=True)),
            "what it looks at": advice.doc,
        }
        for advice in DOUBLING.values()
    ]
    assert table_after(BOTS_DOC, "## Doubling") == expected


def test_the_view_table_holds_every_field() -> None:
    rows = table_after(BOTS_DOC, "## What a bot sees")
    assert [row["field of View"] for row in rows] == list(View._fields)


def test_the_seat_view_table_holds_every_field() -> None:
    rows = table_after(TABLE, "## A player written in Python")
    named = re.findall(r"\w+", " ".join(row["field of SeatView"] for row in rows))
    assert sorted(named) == sorted(field.name for field in fields(SeatView))


def test_the_page_of_the_table_says_what_the_shell_says() -> None:
    """Its commands print what stands below them, and its player plays a round."""
    text = text_of(TABLE)
    said = re.findall(r"^\$ ddzsim (plays .*)\n((?:not playable.*\n)+)", text, re.MULTILINE)
    assert len(said) == 3
    for words, line in said:
        assert CliRunner().invoke(main, shlex.split(words)).stdout == line
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert code
    told = io.StringIO()
    with redirect_stdout(told):
        exec(code[1], {})
    assert re.search(r"Seat 0 weakest .*\n.*Seat 1 hard .*\n.*Seat 2 normal", told.getvalue())


def test_design_gives_a_reason_for_every_dependency() -> None:
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    extras = chain.from_iterable(project["optional-dependencies"].values())
    wanted = [*project["dependencies"], *extras]
    named = " ".join(row["package"] for row in table_after(DESIGN, "## Dependencies, and why"))
    packages = {re.split(r"[<>=[]", requirement)[0] for requirement in wanted} - {"ddzsim"}
    assert packages == set(re.findall(r"[\w-]+", re.sub(r"\w+:", "", named)))


def test_design_draws_every_module() -> None:
    """A new module has its place in the picture of the layers."""
    _, _, below = text_of(DESIGN).partition("## Layers")
    picture = set(re.findall(r"\w+", below.split("```")[1]))
    package = ROOT / "ddzsim"
    folders = [package, *(package / name for name in ("engine", "core", "bots"))]
    modules = {path.stem for folder in folders for path in folder.glob("[!_]*.py")}
    modules |= {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    assert modules - picture == set()


def test_readme_names_every_command() -> None:
    text = " ".join(text_of(README).split())
    assert [command for command in commands(main) if command not in text] == []


def test_readme_names_every_public_name() -> None:
    assert set(ddzsim.__all__) - {"__version__"} - names_in(README) == set()


def test_contributing_gives_the_checks_that_are_run() -> None:
    _, _, below = text_of(CONTRIBUTING).partition("\n## Check")
    block = re.search(r"```(?:sh)?\n(.*?)```", below, re.DOTALL)
    assert block, "no block of commands below '## Check'"
    run = re.search(r"^# begin\n(.*?)^# end$", text_of(CHECKS), re.DOTALL | re.MULTILINE)
    assert run, ".ci/run does not mark its commands by '# begin' and '# end'"
    assert block[1].splitlines() == run[1].splitlines()


def test_links_between_pages_lead_somewhere() -> None:
    for path in [*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text_of(path)):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_no_file_names_a_folder_of_one_machine() -> None:
    private = ["/".join(("", "work", "")), "/".join(("", "tmp", "v"))]
    found = []
    for path in tracked_files():
        try:
            text = text_of(path)
        except UnicodeDecodeError:
            continue
        found += [f"{path.name}: {name}" for name in private if name in text]
    assert found == []
