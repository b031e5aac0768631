# SPDX-License-Identifier: Apache-2.0
"""Layers, next hops and metadata as the SystemVerilog declares them; this is stated nowhere
else.
"""

from bombus.design.rtl.beat import BEAT, Beat
from bombus.design.rtl.declared_names import MAIN_INPUT, MAIN_OUTPUT
from bombus.design.rtl.elaboration import (
    Elaboration,
    Source,
    elaborate,
    modules,
    rtl_files,
)
from bombus.design.rtl.layer_kind import (
    BEFORE,
    SENDS,
    InputStream,
    LayerKind,
    OutputStream,
    Parameter,
)
from bombus.design.rtl.library import Library, library
from bombus.design.rtl.messages import ANY, PACKET, TAKEN, MessageKind, widest
from bombus.design.rtl.packages import (
    StructField,
    constant,
    length_bits,
    struct_layout,
    without_unused_packages,
)
from bombus.design.rtl.parser import include_dirs
from bombus.design.rtl.remarks import remarks, with_parameters
from bombus.design.rtl.shared import Shared

__all__ = [
    "ANY",
    "BEAT",
    "BEFORE",
    "MAIN_INPUT",
    "MAIN_OUTPUT",
    "PACKET",
    "SENDS",
    "TAKEN",
    "Beat",
    "Elaboration",
    "InputStream",
    "LayerKind",
    "Library",
    "MessageKind",
    "OutputStream",
    "Parameter",
    "Shared",
    "Source",
    "StructField",
    "constant",
    "elaborate",
    "include_dirs",
    "length_bits",
    "library",
    "modules",
    "remarks",
    "rtl_files",
    "struct_layout",
    "widest",
    "with_parameters",
    "without_unused_packages",
]
