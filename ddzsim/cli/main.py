"""`ddzsim`: the group of commands, and the place where an error becomes a line and a code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

import ddzsim
from ddzsim.cli.advise import advise
from ddzsim.cli.bench import bench
from ddzsim.cli.counterfactual import counterfactual
from ddzsim.cli.deal import deal
from ddzsim.cli.options import CONTEXT, Commands
from ddzsim.cli.play import play
from ddzsim.cli.plays import plays
from ddzsim.cli.replay import replay
from ddzsim.cli.rules import rules
from ddzsim.cli.run import run
from ddzsim.cli.session import session
from ddzsim.cli.summary import summary
from ddzsim.cli.verify import verify
from ddzsim.errors import DdzError, one_line

BAD_INPUT = 2
INTERRUPTED = 130
READER_GONE = 1
"""Nobody reads the output any more; the same code as click gives where it notices first."""


class Shell(Commands):
    """The outermost group: bad input is one line on stderr and exit code 2, never a traceback."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run a command line and leave with its exit code."""
        words = list(sys.argv[1:] if args is None else args)
        _never_fail_to_print()
        extra |= {"standalone_mode": False, "obj": words}
        try:
            code = super().main(words, *rest, **extra)
            sys.stdout.flush()
        except click.ClickException as error:
            code = _complain(error.format_message())
        except DdzError as error:
            code = _complain(str(error))
        except BrokenPipeError:
            _drop_stdout()
            code = READER_GONE
        except OSError as error:
            code = _complain(
                f"{error.filename}: {error.strerror}" if error.filename else str(error)
            )
        except (KeyboardInterrupt, click.Abort):
            code = INTERRUPTED
        sys.exit(code if isinstance(code, int) else 0)


@click.group(cls=Shell, context_settings=CONTEXT)
@click.version_option(ddzsim.__version__, prog_name="ddzsim", help="Show the version and leave.")
def main() -> None:
    """A laboratory for Dou Dizhu: seeded rounds between bots, logged and judged with error bars.

    \b
    Example:
        ddzsim run --games 10000 --seed 7 --bots hard,normal,normal
    """


COMMANDS = (
    run,
    session,
    counterfactual,
    summary,
    verify,
    replay,
    play,
    deal,
    plays,
    advise,
    rules,
    bench,
)
for command in COMMANDS:
    main.add_command(command)


def _complain(message: str) -> int:
    """Say what is wrong in one line."""
    click.echo(f"Error: {one_line(message)}", err=True)
    return BAD_INPUT


def _never_fail_to_print() -> None:
    """Let a terminal that lacks a character, such as ×, show a question mark in its place."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _drop_stdout() -> None:
    """Point stdout nowhere, so that flushing it at exit does not fail once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
