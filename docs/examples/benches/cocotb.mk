# SPDX-License-Identifier: Apache-2.0
SIM = verilator
TOPLEVEL_LANG = verilog
COCOTB_TOPLEVEL = first_top
COCOTB_TEST_MODULES = test_first
COMPILE_ARGS = -F first/first.f
VERILOG_SOURCES =
include $(shell cocotb-config --makefiles)/Makefile.sim
