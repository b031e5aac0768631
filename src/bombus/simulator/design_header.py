# SPDX-License-Identifier: Apache-2.0
"""Constants of a design for the simulator's C++ (`sim/platform/design.h`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bombus.base.raised_streams import KIND_BITS, LENGTH_BITS
from bombus.registers.plain import from_plain
from bombus.registers.secrets import secret_words


def _largest_count(member: dict[str, Any]) -> int:
    """Entries of the largest array in a part of the register map."""
    count: int = member.get("count", 1)
    return max([count, *map(_largest_count, member.get("members", ()))])


def _message_layout(manifest: dict[str, Any]) -> dict[str, str | int]:
    """Kinds of messages that raised streams carry, with the fields of their metadata."""
    kinds = [
        (f'"{stream["name"]}", "{kind["name"]}"', kind["fields"])
        for stream in manifest.get("streams", ())
        for kind in stream["kinds"]
    ]
    return {
        "BOMBUS_KIND_BITS": KIND_BITS,
        "BOMBUS_LENGTH_BITS": LENGTH_BITS,
        "BOMBUS_MESSAGE_KINDS(X)": " ".join(f"X({kind})" for kind, _ in kinds),
        "BOMBUS_MESSAGE_FIELDS(X)": " ".join(
            f'X({kind}, "{name}", {field["offset"]}, {field["width"]})'
            for kind, fields in kinds
            for name, field in fields.items()
        ),
        "BOMBUS_FIELD_VALUES(X)": " ".join(
            f'X({kind}, "{name}", "{value}", {number})'
            for kind, fields in kinds
            for name, field in fields.items()
            for value, number in field["values"].items()
        ),
    }


def _parameters(manifest: dict[str, Any]) -> Iterator[str]:
    """The parameters of all layers that fit into 64 bits."""
    for tile in manifest["tiles"]:
        for layer in tile["layers"]:
            for name, value in layer["params"].items():
                if 0 <= value < 1 << 64:
                    yield f'X("{tile["name"]}", "{layer["kind"]}", "{name}", {value}ull)'


def design_header(manifest: dict[str, Any], wave_format: str, assertions: bool) -> str:
    """The macros that `sim/platform/design.h` reads; `wave_format`: of waveforms, "" without."""
    top = f"TOP.{manifest['simulation']['instance']}"
    return "".join(
        f"#define {name} {value}\n"
        for name, value in {
            "BOMBUS_DESIGN_NAME": json.dumps(manifest["name"]),
            "BOMBUS_CLOCK_HZ": f"{round(manifest['clock_mhz'] * 1e6)}ull",
            "BOMBUS_DATA_BYTES": manifest["data_width"] // 8,
            "BOMBUS_MAX_FRAME_BYTES": manifest["max_frame_bytes"],
            "BOMBUS_REGISTER_BYTES": manifest["registers"]["size"],
            "BOMBUS_LARGEST_TABLE": _largest_count(manifest["registers"]),
            "BOMBUS_SECRETS(X)": " ".join(
                f"X({address})" for address in secret_words(from_plain(manifest["registers"]))
            ),
            "BOMBUS_MAC_PORTS(X)": " ".join(
                f"X({port})" for port in range(len(manifest["mac_ports"]))
            ),
            "BOMBUS_MAC_PINS(X, Y)": " ".join(
                f"{'X' if given.get('at_top', True) else 'Y'}({port})"
                for port, given in enumerate(manifest["mac_ports"])
            ),
            "BOMBUS_RAISED_PORTS(X)": " ".join(
                f"X({pin['name']}, {pin['bits']}, {int(pin['output'])})"
                for pin in manifest.get("pins", ())
            ),
            "BOMBUS_STREAMS(X)": " ".join(
                f'X("{stream["name"]}", {int(stream["output"])}, "{stream["tile"]}")'
                for stream in manifest.get("streams", ())
            ),
            "BOMBUS_BEAT_LINKS(X)": " ".join(
                f'X("{link["name"]}")' for link in manifest.get("beat_links", ())
            ),
            **_message_layout(manifest),
            "BOMBUS_PARAMETERS(X)": " ".join(_parameters(manifest)),
            "BOMBUS_MAC_CLOCKS(X)": " ".join(
                f"X({port}, {round(given['clock_mhz'] * 1e6)}ull)"
                for port, given in enumerate(manifest["mac_ports"])
                if given.get("clock_mhz")
            ),
            "BOMBUS_WAVE_FORMAT": json.dumps(wave_format),
            "BOMBUS_ASSERTIONS": int(assertions),
            "BOMBUS_TOP_SCOPE": json.dumps(top),
            "BOMBUS_TABLES(X)": " ".join(
                f"X({table['target']}, {table['window']}, {table['offset']}, "
                f"{table['offset'] + table['count'] * table['stride']})"
                for table in manifest.get("hop_tables", ())
            ),
            "BOMBUS_WATCH(X)": " ".join(
                f'X("{top}.{point["scope"]}", "{point["valid"]}", '
                f'"{point["moves"]}", {point["bit"]})'
                for point in manifest.get("watch", ())
            ),
        }.items()
    )
