# SPDX-License-Identifier: Apache-2.0
"""Runs a program whose simulations are all checked by `message_sums` when they are closed.

`python -m tests.support.watched PROGRAM [argument...]`: a Python file, or the name of a module.
"""

import runpy
import sys

from tests.support import message_sums

if __name__ == "__main__":
    message_sums.watch()
    del sys.argv[0]
    if sys.argv[0].endswith(".py"):
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
