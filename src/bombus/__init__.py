"""Bombus: hardware network stacks from a design file.

The pipeline, one module per step, each usable alone:
config -> check (with place) -> generate -> build -> simulation.
"""
