# SPDX-License-Identifier: Apache-2.0
"""`bombus schema`."""

from __future__ import annotations

import json
import sys


def schema() -> None:
    """Print the JSON schema of design files, for use in editors."""
    from bombus.design.config import DesignConfig

    sys.stdout.write(json.dumps(DesignConfig.model_json_schema(), indent=2) + "\n")
