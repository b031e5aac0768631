# SPDX-License-Identifier: Apache-2.0
"""All kinds of fabrics, by the name that a design file gives. A new one needs a line here."""

from __future__ import annotations

from collections.abc import Mapping

from bombus.fabric.crosspoint import Crosspoint
from bombus.fabric.kind import FabricKind
from bombus.fabric.virtual_channels import VirtualChannels
from bombus.fabric.wormhole import Wormhole

KINDS: Mapping[str, FabricKind] = {
    kind.name: kind for kind in (Wormhole(), VirtualChannels(), Crosspoint())
}


def kind_of_label(label: str) -> FabricKind:
    """The kind whose `label` this is."""
    return next(kind for kind in KINDS.values() if label.startswith(kind.name))
