# SPDX-License-Identifier: Apache-2.0
"""`bombus firmware`, `bombus processor`, and their options of `bombus run`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from rich.table import Table

from bombus.applications.processors import LEAST_BYTES, MEMORY_BYTES
from bombus.base.commands import Command, Group
from bombus.base.console import reading_console
from bombus.base.errors import UserError
from bombus.base.output import check_different
from bombus.base.tables import print_table
from bombus.base.values import Policy
from bombus.live.options import RunOptions

if TYPE_CHECKING:
    from bombus.design.resolved import Design
    from bombus.live.software import Software

firmware = typer.Typer(
    cls=Group, help="Build programs for packet processors.", no_args_is_help=True
)


@firmware.command(cls=Command)
def build(
    sources: Annotated[list[Path], typer.Argument(metavar="FILE", help="C and assembler files.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="ELF file to write.")
    ],
    code_bytes: Annotated[
        int, typer.Option(metavar="BYTES", help="Size of the code memory, as in the design file.")
    ] = MEMORY_BYTES,
    data_bytes: Annotated[
        int, typer.Option(metavar="BYTES", help="Size of the data memory, as in the design file.")
    ] = MEMORY_BYTES,
    cycles: Annotated[
        bool,
        typer.Option(
            "--cycles",
            help="Also measure the cycles per packet on the RTL; the first time, this builds a "
            "simulator.",
        ),
    ] = False,
    frame_bytes: Annotated[
        int, typer.Option(metavar="BYTES", help="With --cycles: size of the frames, without FCS.")
    ] = LEAST_BYTES,
    design: Annotated[
        Path | None,
        typer.Option(
            metavar="DESIGN",
            help="With --cycles: a design with one packet processor. Default: one between two MAC "
            "ports, without accelerator.",
        ),
    ] = None,
) -> None:
    """Compile firmware; print how much memory it uses, and its cycles per packet."""
    from bombus.applications.processors import build as compiling
    from bombus.applications.processors import image

    if not cycles and (design is not None or frame_bytes != LEAST_BYTES):
        raise UserError("--design and --frame-bytes are for --cycles")
    files = [*(("source", file) for file in sources), ("design", design), ("output", output)]
    check_different(files)
    compiling.build(sources, output, code_bytes=code_bytes, data_bytes=data_bytes)
    found = image.read(output)
    typer.echo(f"{output}: {found.code_bytes} of {code_bytes} bytes of code, ", nl=False)
    typer.echo(f"{found.data_bytes} of {data_bytes} bytes of data")
    if cycles:
        from bombus.applications.processors.firmware_cycles import ONE_PROCESSOR, measure

        result = measure(output, frame_bytes, design or ONE_PROCESSOR)
        typer.echo(
            f"{output}: {result.per_packet:.1f} cycles per packet of {frame_bytes} bytes; "
            f"latency {result.latency} cycles"
        )


processor = typer.Typer(
    cls=Group,
    help="Control the packet processors of a live run (`bombus run --control FILE`).",
    no_args_is_help=True,
)
_SOCKET = Path("bombus.sock")
_POLICIES: tuple[str, ...] = get_args(Policy)
SocketOption = Annotated[
    Path, typer.Option("--control", "-c", metavar="FILE", help="Socket of the run.")
]
NumberArgument = Annotated[
    int, typer.Argument(metavar="N", help="Number of the processor.", show_default=False)
]
FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="Program (ELF).", show_default=False)
]


def _ask(socket: Path, call: str, *arguments: Any) -> Any:
    from bombus.applications.processors.control import request

    return request(socket, call, arguments)


@processor.command(cls=Command)
def status(control: SocketOption = _SOCKET) -> None:
    """List the processors and what they do."""
    from bombus.applications.processors.processor import state

    table = Table("N", "name", "program", "enabled")
    for label in ("slots in use", "messages inside"):
        table.add_column(label, justify="right")
    for each in _ask(control, "status"):
        program = state(each["running"], each["stuck"], each["exception"])
        enabled = "yes" if each["enabled"] else "no"
        numbers = (str(each["slots"]), str(each["inside"]))
        table.add_row(str(each["number"]), each["name"], program, enabled, *numbers)
    print_table(reading_console(), table)


@processor.command(cls=Command)
def load(n: NumberArgument, file: FileArgument, control: SocketOption = _SOCKET) -> None:
    """Stop a processor and load a program, without starting it. Its packets are lost."""
    _ask(control, "load", n, str(file.resolve()))


@processor.command(cls=Command)
def reload(n: NumberArgument, file: FileArgument, control: SocketOption = _SOCKET) -> None:
    """Replace the program of a processor while others do its work, without loss."""
    _ask(control, "reload", n, str(file.resolve()))
    typer.echo(f"processor {n} runs {file}")


# Calls that take only the number of a processor.
_PLAIN = {
    "boot": "Start the program of a processor from its beginning.",
    "stop": "Stop a processor. Its packets are lost.",
    "evict": (
        "Stop a processor without loss: it first finishes its packets, and gets no further ones."
    ),
    "enable": "Let the balancer send packets to a processor.",
    "disable": "Let the balancer send no further packets to a processor, which goes on running.",
}


def _add_plain(name: str, text: str) -> None:
    def command(n: NumberArgument, control: SocketOption = _SOCKET) -> None:
        _ask(control, name, n)

    processor.command(name, cls=Command, help=text)(command)


for _name, _text in _PLAIN.items():
    _add_plain(_name, _text)


@processor.command(cls=Command)
def policy(
    name: Annotated[
        str,
        typer.Argument(
            metavar="POLICY",
            help=f"{', '.join(_POLICIES[:-1])} or {_POLICIES[-1]}, if the design file allows it.",
            show_default=False,
        ),
    ],
    control: SocketOption = _SOCKET,
) -> None:
    """Change the policy of the balancer."""
    _ask(control, "policy", name)


@processor.command(cls=Command)
def send(
    n: NumberArgument,
    word: Annotated[
        int,
        typer.Argument(metavar="WORD", help="Word to send, 0 to 2**32 - 1.", show_default=False),
    ],
    place: Annotated[
        int, typer.Argument(metavar="INDEX", help="Index of the message, 0 to 15.")
    ] = 0,
    control: SocketOption = _SOCKET,
) -> None:
    """Send a word to the program of a processor, which `rpu_message` returns."""
    _ask(control, "send", n, word, place)


@processor.command(cls=Command)
def report(n: NumberArgument, control: SocketOption = _SOCKET) -> None:
    """Print the last word that the program passed to `rpu_report`."""
    typer.echo(_ask(control, "report", n))


@processor.command(cls=Command)
def read(
    n: NumberArgument,
    address: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS",
            help="Address in data memory, such as 0x10000000.",
            show_default=False,
        ),
    ],
    count: Annotated[int, typer.Argument(metavar="BYTES", help="Bytes to read.")] = 4,
    control: SocketOption = _SOCKET,
) -> None:
    """Print bytes of the data memory of a stopped processor, in hexadecimal."""
    typer.echo(_ask(control, "read", n, _number(address), count))


def _number(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number such as 0x10000000") from None


def _software(design: Design, given: Mapping[str, Any], stack: ExitStack) -> list[Software]:
    from bombus.applications.processors.control import Control
    from bombus.applications.processors.processors import check_design
    from bombus.applications.processors.software import keep_loaded

    parts: list[Software] = []
    if given["firmware"] is not None:
        check_design(design)
        parts.append(keep_loaded(given["firmware"]))
    if given["control"] is not None:
        parts.append(stack.enter_context(Control(given["control"])))
    return parts


COMMANDS = {"firmware": firmware, "processor": processor}
RUN = RunOptions(
    {
        "firmware": Annotated[
            Path | None,
            typer.Option(
                metavar="FILE",
                help="Load this program (ELF) into all packet processors; when the file changes, "
                "reload them one after another, without loss.",
            ),
        ],
        "control": Annotated[
            Path | None,
            typer.Option(
                metavar="FILE",
                help="Create a Unix socket at FILE, for `bombus ctl` and `bombus processor`.",
            ),
        ],
    },
    _software,
    written=("control",),
)
