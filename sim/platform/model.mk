# SPDX-License-Identifier: Apache-2.0
# Makes a library or a program of a verilated model and what drives it. Run in the directory that
# Verilator wrote (--prefix Vtop), with these variables:
#   TARGET        what is made
#   FAST_UNITS, SLOW_UNITS   names of .cc files that include all of Verilator's: what runs each
#                 cycle, what runs once
#   SOURCES       C++ files that drive the model and need its headers
#   SHARED        further ones, which do not
#   SOURCE_FLAGS  of both, beside -std, optimisation and warnings
#   LINK_FLAGS, LIBRARIES
#   RUNTIME       directory of Verilator's own objects and that of SHARED, which the target
#                 `runtime` makes
#   PRECOMPILES   not empty: `runtime` also makes precompiled headers, which the units read
#   OPT_FAST, OPT_SLOW, OPT_GLOBAL   optimisation: of FAST_UNITS, of SLOW_UNITS, of SOURCES and of
#                 Verilator's own code
include Vtop.mk

FAST_OBJECTS := $(addsuffix .o,$(FAST_UNITS))
SLOW_OBJECTS := $(addsuffix .o,$(SLOW_UNITS))
# The same for models with and without DPI, which thus share them.
RUNTIME_OBJECTS := $(sort $(VK_GLOBAL_OBJS) verilated_dpi.o) $(if $(SHARED),shared.o)
HEADERS := $(if $(PRECOMPILES),fast.h.gch slow.h.gch)

# Verilator's headers are not ours to warn about.
SYSTEM_FLAGS := -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd
SYSTEM_FLAGS += -DVM_TRACE=$(VM_TRACE) -DVM_TRACE_FST=$(VM_TRACE_FST) -DVM_TRACE_VCD=$(VM_TRACE_VCD)

$(TARGET): driver.o $(FAST_OBJECTS) $(SLOW_OBJECTS)
	$(CXX) $(LINK_FLAGS) -o $@ $^ $(addprefix $(RUNTIME)/,$(RUNTIME_OBJECTS)) $(LIBRARIES) -pthread

$(FAST_OBJECTS): %.o: %.cc
	$(CXX) $(OPT_FAST) $(CXXFLAGS) $(CPPFLAGS) $(if $(HEADERS),-include $(RUNTIME)/fast.h) -c -o $@ $<

$(SLOW_OBJECTS): %.o: %.cc
	$(CXX) $(OPT_SLOW) $(CXXFLAGS) $(CPPFLAGS) $(if $(HEADERS),-include $(RUNTIME)/slow.h) -c -o $@ $<

ifeq ($(filter verilated_dpi.o,$(VK_GLOBAL_OBJS)),)
verilated_dpi.o: verilated_dpi.cpp
	$(CXX) $(OPT_GLOBAL) $(CXXFLAGS) $(CPPFLAGS) -c -o $@ $<
endif

fast.h.gch: OPTIMISATION = $(OPT_FAST)
slow.h.gch: OPTIMISATION = $(OPT_SLOW)
$(HEADERS): %.h.gch:
	printf '#include "verilated.h"\n' > $*.h
	$(CXX) $(OPTIMISATION) $(CXXFLAGS) $(CPPFLAGS) -x c++-header -o $@ $*.h

driver.o shared.o: %.o: %.cc
	$(CXX) -std=c++17 $(OPT_GLOBAL) -Wall -Wextra $(SOURCE_FLAGS) -I. $(SYSTEM_FLAGS) -c -o $@ $<

driver.cc: $(SOURCES)
shared.cc: $(SHARED)
driver.cc shared.cc:
	printf '#include "%s"\n' $^ > $@

# These depend on nothing else.
.PHONY: runtime runtime-key
runtime: $(RUNTIME_OBJECTS) $(HEADERS)
runtime-key:
	@echo $(RUNTIME_OBJECTS) $(HEADERS) $(CXX) $(OPT_GLOBAL) $(CXXFLAGS) $(CPPFLAGS) \
	  $(if $(SHARED),$(SOURCE_FLAGS)) $(if $(HEADERS),$(OPT_FAST) $(OPT_SLOW))
