# SPDX-License-Identifier: Apache-2.0
"""Values of layer parameters as the design file gives them."""

from __future__ import annotations

import ipaddress
import re

from bombus.base.values import mac_number
from bombus.design.rtl import Parameter


def parameter_value(value: bool | int | str, parameter: Parameter) -> int:
    """A value of the design file as a number; ValueError says what is wrong."""
    if isinstance(value, bool) and parameter.width > 1:
        raise ValueError(f"should be a whole number, not {str(value).lower()}")
    if isinstance(value, str):
        if re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", value):
            number = mac_number(value)
        else:
            try:
                number = int(ipaddress.IPv4Address(value))
            except ValueError:
                expected = "a whole number, an IPv4 or a MAC address"
                if parameter.width == 1:
                    expected = "true or false"
                raise ValueError(f"should be {expected}, not {value!r}") from None
    else:
        number = int(value)
    low = -(1 << (parameter.width - 1)) if parameter.is_signed else 0
    high = (1 << (parameter.width - int(parameter.is_signed))) - 1
    if not low <= number <= high:
        raise ValueError(f"should be between {low} and {high}, not {number}")
    return number
