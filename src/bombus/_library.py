"""The C interface of a simulator (`sim/bombus_sim.h`) for ctypes."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bombus.errors import UserError
from bombus.impairment import Impairment

API_VERSION = 1
BAD_FRAME = 1
RX, TX = 0, 1


class Design(Structure):
    _fields_ = (
        ("name", c_char_p),
        ("clock_hz", c_uint64),
        ("data_bytes", c_uint32),
        ("mac_ports", c_uint32),
        ("wave_format", c_char_p),
        ("assertions", c_uint32),
    )


class Options(Structure):
    _fields_ = (
        ("seed", c_uint64),
        ("queue_limit", c_uint32),
        ("timer_step_us", c_uint32),
        ("rx_bubble", c_double),
        ("tx_stall", c_double),
    )


class FrameInfo(Structure):
    _fields_ = (
        ("first_cycle", c_uint64),
        ("last_cycle", c_uint64),
        ("time_ns", c_uint64),
        ("length", c_uint32),
        ("port", ctypes.c_uint16),
        ("flags", ctypes.c_uint16),
    )


class ImpairmentParameters(Structure):
    _fields_ = (
        ("loss", c_double),
        ("duplicate", c_double),
        ("corrupt", c_double),
        ("bad_fcs", c_double),
        ("reorder", c_double),
        ("reorder_distance", c_uint32),
        ("reorder_hold_us", c_double),
        ("delay_us", c_double),
        ("jitter_us", c_double),
        ("seed", c_uint64),
    )


class Errors(Structure):
    _fields_ = tuple(
        (name, c_uint64)
        for name in (
            "tx_valid_dropped",
            "tx_data_changed",
            "tx_keep_invalid",
            "tx_underrun",
            "tx_too_long",
            "rx_not_ready",
            "register_timeout",
            "assertions_failed",
        )
    )


class Stall(Structure):
    _fields_ = (("point", c_uint32), ("since_cycle", c_uint64))


class PortStatistics(Structure):
    _fields_ = (
        ("rx_frames", c_uint64),
        ("rx_bytes", c_uint64),
        ("tx_frames", c_uint64),
        ("tx_bytes", c_uint64),
        ("lost", c_uint64 * 2),
        ("duplicated", c_uint64 * 2),
        ("corrupted", c_uint64 * 2),
        ("bad_fcs", c_uint64 * 2),
        ("reordered", c_uint64 * 2),
        ("file_errors", c_uint64),
    )


class ExchangeRequest(Structure):
    _fields_ = (
        ("frames", c_char_p),
        ("lengths", POINTER(c_uint32)),
        ("ports", c_char_p),
        ("count", c_uint64),
        ("window", c_uint64),
        ("gap_cycles", c_uint64),
        ("expected", c_uint64),
        ("limit_cycles", c_uint64),
        ("data_capacity", c_uint64),
        ("received_capacity", c_uint64),
        ("sent", POINTER(FrameInfo)),
        ("data", ctypes.c_void_p),
        ("received", POINTER(FrameInfo)),
        ("sent_count", c_uint64),
        ("received_count", c_uint64),
        ("data_used", c_uint64),
        ("cycles", c_uint64),
    )


_SIM = ctypes.c_void_p
_INFO = POINTER(FrameInfo)
# Result, then arguments.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "bombus_api_version": (c_uint32,),
    "bombus_describe": (POINTER(Design),),
    "bombus_open": (_SIM, POINTER(Options)),
    "bombus_close": (None, _SIM),
    "bombus_reset": (c_int, _SIM),
    "bombus_last_error": (c_char_p, _SIM),
    "bombus_send_frame": (c_int, _SIM, c_uint32, c_char_p, c_size_t, c_uint32),
    "bombus_receive_frame": (c_int, _SIM, c_uint32, c_char_p, c_size_t, _INFO),
    "bombus_next_sent": (c_int, _SIM, c_uint32, _INFO),
    "bombus_exchange": (c_int, _SIM, POINTER(ExchangeRequest)),
    "bombus_cycle": (c_uint64, _SIM),
    "bombus_time_ns": (c_uint64, _SIM),
    "bombus_time_us": (c_uint64, _SIM),
    "bombus_evaluated_cycles": (c_uint64, _SIM),
    "bombus_busy": (c_int, _SIM),
    "bombus_in_flight": (c_int, _SIM),
    "bombus_advance_cycles": (c_int, _SIM, c_uint64),
    "bombus_advance_until_frame": (c_int, _SIM, c_uint32, c_uint64),
    "bombus_advance_until_idle": (c_int, _SIM, c_uint64),
    "bombus_elapse_us": (c_int, _SIM, c_uint64),
    "bombus_read_register": (c_int, _SIM, c_uint32, POINTER(c_uint32)),
    "bombus_write_register": (c_int, _SIM, c_uint32, c_uint32),
    "bombus_read_counters": (c_int, _SIM, c_uint32, c_uint32, c_uint32, POINTER(c_uint64)),
    "bombus_set_pace": (c_int, _SIM, c_uint32, c_double, c_double),
    "bombus_set_line_rate": (c_int, _SIM, c_uint32, c_double),
    "bombus_set_impairment": (c_int, _SIM, c_uint32, c_int, POINTER(ImpairmentParameters)),
    "bombus_pcap_in": (c_int, _SIM, c_uint32, c_char_p, c_int),
    "bombus_pcap_out": (c_int, _SIM, c_uint32, c_char_p, c_uint32),
    "bombus_watch": (c_int, _SIM, c_uint64),
    "bombus_get_stalls": (c_int, _SIM, POINTER(Stall), c_size_t),
    "bombus_wave_start": (c_int, _SIM, c_char_p),
    "bombus_wave_stop": (c_int, _SIM),
    "bombus_get_errors": (None, _SIM, POINTER(Errors)),
    "bombus_get_statistics": (c_int, _SIM, c_uint32, POINTER(PortStatistics)),
    "bombus_attach": (c_int, _SIM, c_uint32, c_int),
    "bombus_run_live": (c_int, _SIM, c_uint32),
}


def load(path: Path) -> ctypes.CDLL:
    """Loads a simulator's library and checks that it speaks this version."""
    library = ctypes.CDLL(str(path))
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    version = library.bombus_api_version()
    if version != API_VERSION:
        raise UserError(f"{path}: interface version {version}, but this is for {API_VERSION}")
    return library


def impairment_parameters(impairment: Impairment) -> ImpairmentParameters:
    return ImpairmentParameters(**asdict(impairment))


def as_dict(structure: Structure) -> dict[str, Any]:
    """The fields of a struct of numbers and pairs of numbers."""
    values = {}
    for name, *_ in structure._fields_:
        value = getattr(structure, name)
        values[name] = value if isinstance(value, int) else tuple(value)
    return values
