# SPDX-License-Identifier: Apache-2.0
"""Sum-product networks: read, evaluated, and compiled into hardware."""

from bombus.applications.spn.compiler import Compiled, compile
from bombus.applications.spn.designs import write_design
from bombus.applications.spn.evaluate import log_likelihoods
from bombus.applications.spn.graph import Network
from bombus.applications.spn.pipeline import Pipeline, pipeline
from bombus.applications.spn.spflow import from_spflow
from bombus.applications.spn.text import parse, read

__all__ = [
    "Compiled",
    "Network",
    "Pipeline",
    "compile",
    "from_spflow",
    "log_likelihoods",
    "parse",
    "pipeline",
    "read",
    "write_design",
]
