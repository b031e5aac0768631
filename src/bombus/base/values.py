# SPDX-License-Identifier: Apache-2.0
"""Value types of design files, and their limits."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from bombus.base.reserved import language_of

MAX_TILES = 255  # a position is two bytes of a route


def _plain_name(value: str) -> str:
    if not re.fullmatch(r"[a-z](_?[a-z0-9])*", value):
        raise ValueError(
            "should be snake_case: lower-case letters, digits and single underscores, "
            f"starting with a letter; not {value!r}"
        )
    if language := language_of(value):
        raise ValueError(f"is a reserved word of {language}: {value!r}; choose another name")
    return value


def _unicast_mac(value: str) -> str:
    if not re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", value):
        raise ValueError(
            f'should be a MAC address such as "02:b0:0b:05:00:01" (in quotes), not {value!r}'
        )
    if int(value[:2], 16) & 1:
        raise ValueError(f"should be the address of one host; {value} is a group address")
    if not int(value.replace(":", ""), 16):
        raise ValueError(f"should be the address of one host; {value} is not a host address")
    return value.lower()


def mac_number(mac: str) -> int:
    """The 48-bit number of a MAC address; its first byte is the highest."""
    return int(mac.replace(":", ""), 16)


Name = Annotated[str, AfterValidator(_plain_name)]
Mac = Annotated[str, AfterValidator(_unicast_mac)]
Coordinate = Annotated[StrictInt, Field(ge=0, lt=MAX_TILES)]
Position = tuple[Coordinate, Coordinate]  # x, y
Policy = Literal["round_robin", "flow_hash", "dst_port", "least_loaded"]
# Policies that send messages of one flow to several replicas.
SCATTERING: tuple[Policy, ...] = ("round_robin", "least_loaded")
ParamValue = StrictBool | StrictInt | StrictStr
Params = dict[str, ParamValue]


class FileModel(BaseModel):
    """A mapping of a YAML file; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)
