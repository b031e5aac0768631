# SPDX-License-Identifier: Apache-2.0
"""Sweeps: a grid of runs over meshes without tiles, on a Dask cluster.

A sweep file says which fabrics, sizes, patterns, loads and seeds. Each combination
is a point; its result is a row of one Parquet file. A point has a key: its own
content and that of the RTL and of the model around it. Points whose key is in the
file are not run again, so that a sweep that was stopped goes on where it was.

While a sweep runs, each result is appended to a journal beside the file as soon
as it is there; the journal is merged into the file at the end, also at a bad one.
"""

from bombus.measure.sweep.cluster import Outcome, run
from bombus.measure.sweep.grid import Point, Sweep, load
from bombus.measure.sweep.store import Store
from bombus.measure.sweep.worker import RESULT, run_point

__all__ = ["RESULT", "Outcome", "Point", "Store", "Sweep", "load", "run", "run_point"]
