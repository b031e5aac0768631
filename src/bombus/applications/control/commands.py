# SPDX-License-Identifier: Apache-2.0
"""`bombus ctl`, and options of `bombus run` for the live page."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from bombus.base.commands import Command, Group
from bombus.base.console import new_console
from bombus.base.errors import UsageError, UserError
from bombus.base.tables import print_table
from bombus.live.options import RunOptions

if TYPE_CHECKING:
    from bombus.applications.control.controller import Controller
    from bombus.design.resolved import Design
    from bombus.live.software import Software


class _Ctl(Group):
    """`bombus ctl`: its errors name its own options."""

    def get_params(self, ctx: Any) -> list[Any]:
        parameters = super().get_params(ctx)
        for each in parameters:
            if each.param_type_name == "argument":  # the usage would have its name in braces
                each.get_usage_pieces = lambda _, name=each.metavar: [name]
        return parameters

    def invoke(self, ctx: Any) -> Any:
        from bombus.applications.control.controller import UnknownDesignError

        try:
            return super().invoke(ctx)
        except UnknownDesignError as error:
            raise UserError(error.for_command) from None
        except Exception as error:
            # Of a class that Typer does not export: an option which the verb does not have.
            option = getattr(error, "option_name", None)
            if option in {name for each in self.params for name in each.opts}:
                error.message += "; options of `ctl` stand before ADDRESS"  # type: ignore[attr-defined]
            raise


ctl = typer.Typer(
    cls=_Ctl,
    help="Read and write the registers of a running design.",
    no_args_is_help=True,
    subcommand_metavar="VERB [ARGS]...",
)
table = typer.Typer(cls=Group, help="Read and change a table.", no_args_is_help=True)
ctl.add_typer(table, name="table")
arp = typer.Typer(cls=Group, help="Read and change the ARP cache.", no_args_is_help=True)
ctl.add_typer(arp, name="arp")
session = typer.Typer(
    cls=Group, help="Move a TCP connection to or from another stack.", no_args_is_help=True
)
ctl.add_typer(session, name="session")

PathArgument = Annotated[
    str,
    typer.Argument(
        metavar="PATH", help="Such as `echo.next_hop[2]` or `host[0].ip`.", show_default=False
    ),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Write even if the design could deadlock then.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@ctl.callback()
def _connect(
    context: typer.Context,
    address: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS",
            help="udp://HOST[:PORT], tcp://HOST[:PORT], or the control socket of a live run "
            "(unix:FILE).",
            show_default=False,
        ),
    ],
    design: Annotated[
        Path | None,
        typer.Option(
            "--design",
            "-d",
            envvar="BOMBUS_DESIGN",
            metavar="DESIGN",
            help="Design file, or the folder that `bombus generate` made. The analysis of next "
            "hops needs the design file; a live run knows its registers.",
        ),
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with the key. Default: BOMBUS_KEY_FILE, or the key itself in BOMBUS_KEY.",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.001, metavar="SECONDS", help="Until a request is repeated.")
    ] = 0.5,
) -> None:
    context.obj = {"address": address, "design": design, "key": key_file, "timeout": timeout}


def _controller(context: typer.Context) -> Controller:
    from bombus.applications.control.controller import Controller
    from bombus.applications.control.description import find_key

    given = context.obj
    controller = Controller(
        given["address"],
        key=find_key(given["key"]),
        manifest=given["design"],
        timeout=given["timeout"],
    )
    context.call_on_close(controller.close)
    return controller


@ctl.command(cls=Command)
def get(context: typer.Context, path: PathArgument, as_json: JsonOption = False) -> None:
    """Print a field, a register, or all registers of a table, layer or tile."""
    from bombus.applications.control import text
    from bombus.registers.access import path_of

    controller = _controller(context)
    _, field = text.element(controller.registers, path)
    found = list(text.values_of(controller, path))
    if as_json:
        suffix = "" if field is None else f".{field}"
        typer.echo(json.dumps({f"{path_of(each)}{suffix}": fields for each, fields in found}))
    elif field is not None:
        typer.echo(text.line(*found[0], field=field))
    else:
        for line in text.lines(found):
            typer.echo(line)


@ctl.command("set", cls=Command)
def set_(
    context: typer.Context,
    path: PathArgument,
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="VALUE...",
            help="A value for a field, FIELD=VALUE for a register: numbers, IPv4 or MAC addresses.",
            show_default=False,
        ),
    ],
    force: ForceOption = False,
) -> None:
    """Write a field, or several fields of a register at once; others keep their values."""
    from bombus.applications.control import text

    with _controller(context).batch(force=force) as made:
        written = text.write(made.registers, path, values)
    typer.echo(text.line(*written))


@table.command("list", cls=Command)
def list_(context: typer.Context, path: PathArgument, as_json: JsonOption = False) -> None:
    """Print the entries in use."""
    from bombus.applications.control.text import entries, table, value_text
    from bombus.registers.access import format_of

    controller = _controller(context)
    found = entries(controller, path)
    if as_json:
        typer.echo(json.dumps(found))
        return
    kind = format_of(table(controller.registers, path))
    assert kind is not None
    fields = list(next(iter(found.values()), {}))
    shown = Table("entry", *fields)
    for number, entry in found.items():
        shown.add_row(str(number), *(value_text(kind, name, entry[name]) for name in fields))
    print_table(new_console(), shown)


@table.command(cls=Command)
def insert(
    context: typer.Context,
    path: PathArgument,
    fields: Annotated[
        list[str], typer.Argument(metavar="FIELD=VALUE...", help="Others are 0; `valid` is 1.")
    ],
    at: Annotated[
        int | None, typer.Option(metavar="N", help="Entry. Default: the first free one.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write an entry."""
    from bombus.applications.control import text

    given = text.assignments(fields)
    number = text.insert(_controller(context), path, given, at, force=force)
    typer.echo(f"{path}[{number}]")


@table.command(cls=Command)
def delete(
    context: typer.Context,
    path: PathArgument,
    which: Annotated[
        list[str], typer.Argument(metavar="N|FIELD=VALUE...", help="Entries, or what they have.")
    ],
    force: ForceOption = False,
) -> None:
    """Empty entries, in one batch."""
    from bombus.applications.control import text

    for number in text.delete(_controller(context), path, which, force=force):
        typer.echo(f"{path}[{number}]")


@table.command(cls=Command)
def load(
    context: typer.Context,
    path: PathArgument,
    file: Annotated[Path, typer.Argument(metavar="CSV", help="Its columns are fields.")],
    keep: Annotated[bool, typer.Option("--keep", help="Keep the entries after its rows.")] = False,
    force: ForceOption = False,
) -> None:
    """Replace a table by the rows of a CSV file, in one batch."""
    from bombus.applications.control import text

    count = text.load(_controller(context), path, file, keep=keep, force=force)
    typer.echo(f"{path}: entries written: {count}")


IpArgument = Annotated[str, typer.Argument(metavar="IP", show_default=False)]
VlanOption = Annotated[int, typer.Option(metavar="N", help="VLAN; 0: none.")]
MacPortOption = Annotated[int, typer.Option("--port", metavar="N", help="MAC port.")]


@arp.command("list", cls=Command)
def arp_list(context: typer.Context, as_json: JsonOption = False) -> None:
    """Print the neighbours whose MAC addresses are known."""
    from bombus.applications.control.arp import bindings

    found = list(bindings(_controller(context)))
    if as_json:
        typer.echo(json.dumps([each._asdict() for each in found]))
        return
    shown = Table("tile", "IP", "MAC", "VLAN", "port", "permanent", "used lately")
    for each in found:
        flags = ("yes" if flag else "" for flag in (each.permanent, each.used))
        numbers = (str(each.vlan or ""), str(each.port))
        shown.add_row(each.tile, each.ip, each.mac, *numbers, *flags)
    print_table(new_console(), shown)


@arp.command("insert", cls=Command)
def arp_insert(
    context: typer.Context,
    ip: IpArgument,
    mac: Annotated[str, typer.Argument(metavar="MAC", show_default=False)],
    vlan: VlanOption = 0,
    port: MacPortOption = 0,
) -> None:
    """Make a binding permanent, whether or not the neighbour is known."""
    from bombus.applications.control.arp import bind

    for tile in bind(_controller(context), ip, mac, vlan=vlan, port=port):
        typer.echo(f"{tile}: {ip} at {mac}, permanent")


@arp.command("delete", cls=Command)
def arp_delete(
    context: typer.Context, ip: IpArgument, vlan: VlanOption = 0, port: MacPortOption = 0
) -> None:
    """Remove a neighbour's binding, permanent or not."""
    from bombus.applications.control.arp import unbind

    for tile in unbind(_controller(context), ip, vlan=vlan, port=port):
        typer.echo(f"{tile}: {ip} removed")


InterfaceOption = Annotated[
    str, typer.Option(metavar="IF", help="In the network of the stack.", show_default=False)
]
CarrierOption = Annotated[
    str, typer.Option(metavar="IP", help="An address that no host has.", show_default=False)
]


@session.command("export", cls=Command)
def session_export(
    context: typer.Context,
    interface: InterfaceOption,
    carrier: CarrierOption,
    port: Annotated[int, typer.Option(metavar="PORT", help="Of the stack.", show_default=False)],
    peer: Annotated[str, typer.Option(metavar="IP:PORT", show_default=False)],
    to: Annotated[Path, typer.Option(metavar="FILE", show_default=False)],
) -> None:
    """Take a connection out of the TCP engine. Its peer is held until `release`."""
    from bombus.applications.functions import sessions

    controller = _controller(context)
    try:
        address, number = peer.rsplit(":", 1)
        remote = (address, int(number))
        file = to.open("x", encoding="utf-8")  # before the connection is taken out
    except ValueError:
        raise UsageError(f"--peer {peer!r}: should be IP:PORT") from None
    except OSError as error:
        raise UserError(f"cannot write {to}: {error.strerror}") from None
    try:
        with file, sessions.on_interface(controller.registers, interface, carrier) as there:
            try:
                found = sessions.export(
                    controller.registers, controller.manifest, there, own_port=port, peer=remote
                )
            except sessions.SessionError as error:
                if error.session is not None:
                    file.write(error.session.to_json())
                raise
            file.write(found.to_json())
    except BaseException:
        if not to.stat().st_size:
            to.unlink()
        raise
    typer.echo(f"{to}: {len(found.unacknowledged)} bytes are not acknowledged")


@session.command("import", cls=Command)
def session_import(
    context: typer.Context,
    interface: InterfaceOption,
    carrier: CarrierOption,
    from_: Annotated[Path, typer.Option("--from", metavar="FILE", show_default=False)],
    replay: Annotated[
        bool, typer.Option("--replay", help="The application is an echo and writes them again.")
    ] = False,
) -> None:
    """Put a connection into the TCP engine."""
    from bombus.applications.functions import sessions

    controller = _controller(context)
    try:
        found = sessions.Session.from_json(from_.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read {from_}: {error.strerror}") from None
    with sessions.on_interface(controller.registers, interface, carrier) as there:
        sessions.restore(controller.registers, controller.manifest, there, found, replay=replay)
    typer.echo(f"port {found.own[1]}: connected with {found.peer[0]}:{found.peer[1]}")


@session.command("release", cls=Command)
def session_release(context: typer.Context) -> None:
    """End the hold after an export; packets of the peer must lead to the other stack."""
    from bombus.applications.functions import sessions

    controller = _controller(context)
    sessions.release(controller.registers, controller.manifest)


@ctl.command(cls=Command)
def batch(
    context: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A line each: `get PATH`, `set PATH VALUE...`, `next-hop TILE HOP TO`, "
            "`slot TILE HOP N TO`.",
            show_default=False,
        ),
    ],
    force: ForceOption = False,
) -> None:
    """Carry out the commands of a file, all or none."""
    from bombus.applications.control.text import line, read_batch
    from bombus.registers.access import unpack

    controller = _controller(context)
    with controller.batch(force=force) as made:
        results = read_batch(controller, made, file)
    for register, result in results:
        typer.echo(line(register, unpack(register._type, result.value)))


@ctl.command(cls=Command)
def counters(
    context: typer.Context,
    tile: Annotated[str | None, typer.Argument(metavar="TILE", help="Default: all.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print the counters that are not 0."""
    controller = _controller(context)
    found = controller.counters() if tile is None else {tile: controller.tile_counters(tile)}
    if as_json:
        typer.echo(json.dumps(found))
        return
    shown = Table("tile", "counter")
    shown.add_column("count", justify="right")
    for name, values in found.items():
        for counter, value in values.items():
            if value:
                shown.add_row(name, counter, f"{value:,}")
    print_table(new_console(), shown)


@ctl.command(cls=Command)
def watch(
    context: typer.Context,
    tile: Annotated[str | None, typer.Argument(metavar="TILE", help="Default: all.")] = None,
    interval: Annotated[float, typer.Option(min=0.05, metavar="SECONDS")] = 1.0,
    times: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="End after this many intervals.")
    ] = None,
) -> None:
    """Show the counters that are not 0, and their rates, until Ctrl-C."""
    from rich.live import Live

    from bombus.applications.control.rates import Rates

    controller = _controller(context)
    rates = Rates()

    def look() -> Table:
        found = controller.counters() if tile is None else {tile: controller.tile_counters(tile)}
        return rates.table(found, time.monotonic())

    console = new_console()
    done = 0
    shown = look()
    live = Live(shown, console=console, auto_refresh=False)
    with suppress(KeyboardInterrupt), live:
        while times is None or done < times:
            time.sleep(interval)
            live.update(look(), refresh=True)
            done += 1
    if not console.is_terminal:
        console.line()  # which Live prints only in a terminal


def _print_change(
    controller: Controller, before: Mapping[int, int], tile: str, table: str, number: int
) -> None:
    """Prints where an entry led and leads; `before`: the words written before."""
    from bombus.applications.control.tables import entry_name, leads_to

    old, new = (
        leads_to(controller.registers, controller.manifest, tile, table, number, written)
        for written in (before, controller.table_writes())
    )
    place = controller.registers.tiles[tile][table][number].where()
    if not controller.knows_table_writes and place not in before:
        old += " (by the design file)"
    typer.echo(f"{entry_name(controller.manifest, tile, table, number)}: {old} -> {new}")


@ctl.command("next-hop", cls=Command)
def next_hop(
    context: typer.Context,
    tile: Annotated[str, typer.Argument(metavar="TILE", show_default=False)],
    hop: Annotated[
        str | None,
        typer.Argument(metavar="HOP", help="Name or number. Default: list them."),
    ] = None,
    to: Annotated[
        str | None, typer.Argument(metavar="TO", help="TILE, TILE:ENTRY or `none`.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Point a next hop of a tile elsewhere, after an analysis of deadlocks; or list its next hops
    of the design file.
    """
    from bombus.applications.control import text
    from bombus.applications.control.tables import NOWHERE
    from bombus.simulator.register_map import find_tile, hop_number

    controller = _controller(context)
    if hop is None:
        numbers = find_tile(controller.manifest, tile)["next_hops"]
        shown = Table("next hop", "name", "leads to, by the design file")
        for name, number in numbers.items():
            hops = [
                each
                for each in controller.manifest["hops"]
                if each["from"].partition(".")[0] == tile and each["entry"] == number
            ]
            ends = dict.fromkeys(each["group"] or each["to"] or NOWHERE for each in hops)
            shown.add_row(str(number), name, ", ".join(ends))
        print_table(new_console(), shown)
        return
    if to is None:
        raise UserError(f"next-hop {tile} {hop}: say where it leads, TILE, TILE:ENTRY or none")
    name_to, port = text.target(to)
    number = hop_number(find_tile(controller.manifest, tile), text.hop_name(hop))
    before = controller.table_writes()
    controller.set_next_hop(tile, number, name_to, port=port, force=force)
    _print_change(controller, before, tile, "next_hop", number)


@ctl.command(cls=Command)
def slots(
    context: typer.Context,
    tile: Annotated[str, typer.Argument(metavar="TILE", show_default=False)],
    hop: Annotated[str | None, typer.Argument(metavar="HOP")] = None,
    slot: Annotated[int | None, typer.Argument(metavar="N")] = None,
    to: Annotated[
        str | None, typer.Argument(metavar="TO", help="TILE, TILE:ENTRY or `none`.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Point a slot of a group of replicas elsewhere, after an analysis of deadlocks; or list the
    slots of the design file.
    """
    from bombus.applications.control import text
    from bombus.simulator.register_map import find_tile, slot_number

    controller = _controller(context)
    if hop is None or slot is None:
        find_tile(controller.manifest, tile)
        shown = Table("next hop", "group", "policy", "slot", "leads to, by the design file")
        for group in controller.manifest["dispatch"]:
            if group["tile"] == tile and (hop is None or hop in group["next"]):
                for number, each in enumerate(group["slots"]):
                    names = (", ".join(group["next"]), group["group"], group["policy"])
                    shown.add_row(*names, str(number), each["to"])
        if shown.row_count:
            print_table(new_console(), shown)
        else:
            typer.echo(f"{' '.join(filter(None, (tile, hop)))} has no slots")
        return
    if to is None:
        raise UserError(f"slots {tile} {hop} {slot}: say where it leads, TILE, TILE:ENTRY or none")
    name_to, port = text.target(to)
    number = slot_number(controller.manifest, tile, text.hop_name(hop), slot)
    before = controller.table_writes()
    controller.set_slot(tile, text.hop_name(hop), slot, name_to, port=port, force=force)
    _print_change(controller, before, tile, "slot", number)


@ctl.command(cls=Command)
def sessions(context: typer.Context, as_json: JsonOption = False) -> None:
    """Print the sessions of the TCP engines."""
    from bombus.applications.control.tcp_sessions import engines, state_name

    controller = _controller(context)
    found = list(controller.sessions())
    if not as_json and not engines(controller):
        typer.echo(f"{controller.manifest['name']} has no TCP engine")
        return
    if as_json:
        typer.echo(json.dumps([{"tile": t, "session": n, **fields} for t, n, fields in found]))
        return
    names = ("mss", "una", "nxt", "rcv_nxt")
    shown = Table("tile", "session", "state", *names)
    for tile, number, fields in found:
        values = (str(fields.get(name, "")) for name in names)
        shown.add_row(tile, str(number), state_name(fields["state"]), *values)
    print_table(new_console(), shown)


@ctl.command(cls=Command)
def host(
    context: typer.Context,
    port: Annotated[int, typer.Option(metavar="N", help="MAC port.")] = 0,
    mac: Annotated[str | None, typer.Option(metavar="MAC")] = None,
    ip: Annotated[str | None, typer.Option(metavar="IP")] = None,
    netmask: Annotated[str | None, typer.Option(metavar="MASK")] = None,
    gateway: Annotated[str | None, typer.Option(metavar="IP", help="0.0.0.0: none.")] = None,
) -> None:
    """Change addresses of a MAC port; without options, print them."""
    from bombus.applications.control.text import line, values_of

    controller = _controller(context)
    given: dict[str, Any] = {"mac": mac, "ip": ip, "netmask": netmask, "gateway": gateway}
    if any(each is not None for each in given.values()):
        controller.set_host(port, **given)
        for name, value in given.items():
            if value is not None:
                typer.echo(f"host[{port}].{name} = {value}")
        return
    for register, fields in values_of(controller, f"host[{port}]"):
        typer.echo(line(register, fields))


@ctl.command(cls=Command)
def routes(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="CSV", help="With the columns to, via and mac_port."),
    ] = None,
) -> None:
    """Replace the routing table as a whole by the rows of a CSV file; without one, print it."""
    from bombus.applications.control.routes import read_routes, routes_of

    controller = _controller(context)
    if file is not None:
        found = read_routes(file)
        controller.set_routes(found)
        typer.echo(f"routes: {len(found)}")
        return
    shown = Table("to", "via", "MAC port")
    for to, via, port in routes_of(controller):
        shown.add_row(to, via or "", str(port))
    print_table(new_console(), shown)


@ctl.command(cls=Command)
def export(
    context: typer.Context,
    listen: Annotated[
        str, typer.Option(metavar="IP", help="Address of this machine to serve at.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", help="0: any free one.")] = 9464,
    duration: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Default: until Ctrl-C.")
    ] = None,
) -> None:
    """Serve counters and TCP sessions to Prometheus, at /metrics."""
    from bombus.applications.control.export import serve

    with serve(_controller(context), listen, port) as where:
        typer.echo(f"metrics at http://{where}/metrics; press Ctrl-C to stop")
        with suppress(KeyboardInterrupt):
            time.sleep(duration if duration is not None else 1e9)


@ctl.command(cls=Command)
def web(
    context: typer.Context,
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS:PORT", help="Where to serve the page.")
    ] = "127.0.0.1:8080",
) -> None:
    """Serve a web page that shows the design and can change it."""
    from bombus.applications.control.description import find_key
    from bombus.applications.control.web.child import listener_at, new_key, require_page, url

    require_page("bombus ctl web")
    from bombus.applications.control.web.server import serve
    from bombus.applications.control.web.source import Source

    found = find_key(context.obj["key"])
    key = found.secret.hex() if found.secret is not None else new_key()
    with listener_at(listen, "--listen") as listener:
        shown = key if found.secret is None else "that of the design, in hexadecimal"
        typer.echo(f"page: {url(listener)}   key for changes: {shown}; press Ctrl-C to stop")
        with suppress(KeyboardInterrupt):
            serve(Source(_controller(context)), key, listener)


def _software(design: Design, given: Mapping[str, Any], stack: ExitStack) -> list[Software]:
    from bombus.applications.control.web.child import DEFAULT_ADDRESS, Page

    address = given["web_address"]
    if not given["web"]:
        if address is None:
            return []
        raise UsageError("--web-address is for --web")
    return [stack.enter_context(Page(address or DEFAULT_ADDRESS, design.file.path))]


COMMANDS = {"ctl": ctl}
RUN = RunOptions(
    {
        "web": Annotated[
            bool | None,
            typer.Option("--web", help="Serve a web page that shows the run and can change it."),
        ],
        "web_address": Annotated[
            str | None,
            typer.Option(
                metavar="ADDRESS:PORT", help="Where to serve it. Default: 127.0.0.1:8080."
            ),
        ],
    },
    _software,
)
