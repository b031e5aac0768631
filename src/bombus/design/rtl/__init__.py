# SPDX-License-Identifier: Apache-2.0
"""What the SystemVerilog says about layers, next hops and metadata; it is stated nowhere else."""

from bombus.design.rtl.beat import BEAT, Beat
from bombus.design.rtl.contract import MAIN_INPUT, MAIN_OUTPUT
from bombus.design.rtl.elaboration import (
    Elaboration,
    Source,
    elaborate,
    include_dirs,
    modules,
    rtl_files,
)
from bombus.design.rtl.layers import (
    BEFORE,
    FILLED_IN,
    InputStream,
    LayerKind,
    OutputStream,
    Parameter,
)
from bombus.design.rtl.library import Library, library
from bombus.design.rtl.packages import StructField, constant, struct_layout
from bombus.design.rtl.remarks import remarks, with_parameters

__all__ = [
    "BEAT",
    "BEFORE",
    "FILLED_IN",
    "MAIN_INPUT",
    "MAIN_OUTPUT",
    "Beat",
    "Elaboration",
    "InputStream",
    "LayerKind",
    "Library",
    "OutputStream",
    "Parameter",
    "Source",
    "StructField",
    "constant",
    "elaborate",
    "include_dirs",
    "library",
    "modules",
    "remarks",
    "rtl_files",
    "struct_layout",
    "with_parameters",
]
