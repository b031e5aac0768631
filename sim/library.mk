# SPDX-License-Identifier: Apache-2.0
# Makes the simulator's shared library of one design. Run in the directory that
# Verilator wrote, with LIBRARY, SIM (this directory), DESIGN_FLAGS and SANITIZE (flags of
# sanitizers, or nothing) set.
include Vtop.mk

SIM_SOURCES := $(wildcard $(SIM)/*.cpp)
SIM_OBJECTS := $(notdir $(SIM_SOURCES:.cpp=.o))
# Only the documented interface is visible, and nothing is shared between the
# libraries of two designs in one process.
LIBRARY_FLAGS := -fPIC -fvisibility=hidden -fno-gnu-unique $(SANITIZE)

SIM_FLAGS := -std=c++17 -O2 -Wall -Wextra $(LIBRARY_FLAGS) $(DESIGN_FLAGS) -I. -I$(SIM)
# Verilator's headers are not ours to warn about.
SIM_FLAGS += -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd
SIM_FLAGS += -DVM_TRACE=$(VM_TRACE) -DVM_TRACE_FST=$(VM_TRACE_FST) -DVM_TRACE_VCD=$(VM_TRACE_VCD)

$(SIM_OBJECTS): %.o: $(SIM)/%.cpp $(wildcard $(SIM)/*.h) bombus_design.h
	$(CXX) $(SIM_FLAGS) -c -o $@ $<

# The model's own library makes its headers first.
$(SIM_OBJECTS): | libVtop.a

$(LIBRARY): $(SIM_OBJECTS) libVtop.a libverilated.a
	$(CXX) -shared $(SANITIZE) -Wl,-Bsymbolic -o $@ $(SIM_OBJECTS) -Wl,--whole-archive libVtop.a \
	  -Wl,--no-whole-archive libverilated.a $(LIBRARY_LIBS) -pthread
