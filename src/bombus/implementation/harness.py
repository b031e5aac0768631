# SPDX-License-Identifier: Apache-2.0
"""A top with four pins around a design, so that the design alone can be placed and routed.

A design has hundreds of ports, which would become pins: more than packages have, and paths to
pins would hide those of the design. In the harness, the inputs come from a shift register that
one pin feeds; the outputs go to flip-flops and from there through a chain of XORs to another
pin. So every path of the design starts and ends in a flip-flop, nothing is optimised away, and
the clock is a real one on the device's clock network.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Template
from pyslang import ast

from bombus.design import rtl

HARNESS = "harness"
INSTANCE = "u_design"
_CLOCK = re.compile(r"(?:(mac\d+)_)?clk_i")

_TEMPLATE = Template(
    """\
// SPDX-License-Identifier: Apache-2.0
// Shift registers around {{ top }}, for place and route out of its context.
module {{ module }} (
{% for domain in domains %}
    input  logic {{ domain.clock }},
    input  logic {{ domain.name }}_scan_i,
    output logic {{ domain.name }}_scan_o{{ "" if loop.last else "," }}
{% endfor %}
);
{% for domain in domains %}

  logic [{{ domain.inputs }}:0] {{ domain.name }}_in_q;
  logic [{{ domain.outputs }}:0] {{ domain.name }}_out, {{ domain.name }}_out_q;
  logic [{{ domain.outputs }}:0] {{ domain.name }}_fold_q;
  assign {{ domain.name }}_out[{{ domain.outputs }}] = 1'b0;
  always_ff @(posedge {{ domain.clock }}) begin
    {{ domain.name }}_in_q <= ({{ domain.name }}_in_q << 1) | {{ domain.name }}_scan_i;
    {{ domain.name }}_out_q <= {{ domain.name }}_out;
    {{ domain.name }}_fold_q <= {{ domain.name }}_out_q ^ ({{ domain.name }}_fold_q << 1);
  end
  assign {{ domain.name }}_scan_o = {{ domain.name }}_fold_q[{{ domain.outputs }}];
{% endfor %}

  {{ top }} {{ instance }} (
{% for port, signal in connections.items() %}
      .{{ port }}({{ signal }}){{ "" if loop.last else "," }}
{% endfor %}
  );

endmodule
""",
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


@dataclass
class _Domain:
    """The ports of one clock."""

    name: str
    clock: str
    inputs: int = 0  # bits
    outputs: int = 0
    connections: dict[str, str] = field(default_factory=dict)

    def connect(self, port: Any) -> str:
        width: int = port.type.bitWidth
        if port.direction == ast.ArgumentDirection.In:
            first, self.inputs = self.inputs, self.inputs + width
            return f"{self.name}_in_q[{first}+:{width}]"
        first, self.outputs = self.outputs, self.outputs + width
        return f"{self.name}_out[{first}+:{width}]"


def harness(sources: Mapping[str, str], top: str) -> str:
    """SystemVerilog of the module `harness` around a top, whose sources are given by file."""
    texts = {name: text for name, text in sources.items() if name.endswith(".sv")}
    body = rtl.elaborate([], texts, top=top).instance(top).body
    ports: list[Any] = [member for member in body if member.kind == ast.SymbolKind.Port]
    clocks = [match for port in ports if (match := _CLOCK.fullmatch(port.name))]
    domains = {match[1] or "core": _Domain(match[1] or "core", match[0]) for match in clocks}
    connections = {}
    for port in ports:
        prefix = port.name.partition("_")[0]
        domain = domains[prefix if prefix in domains else "core"]
        is_clock = _CLOCK.fullmatch(port.name) is not None
        connections[port.name] = port.name if is_clock else domain.connect(port)
    text: str = _TEMPLATE.render(
        module=HARNESS,
        instance=INSTANCE,
        top=top,
        domains=list(domains.values()),
        connections=connections,
    )
    return text
