// SPDX-License-Identifier: Apache-2.0
// The verilated bench as the harness sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

// A port, its lowest bits first. Bits above its width are 0.
struct Port {
    char* data;
    size_t bytes;
};

class Top {
public:
    virtual ~Top() = default;
    virtual void eval() = 0;
    virtual int errors() const = 0;  // reported by checkers

    Port clk_i, rst_i, in_i, in_valid_i, in_ready_o, out_o, out_valid_o, out_ready_i, control_i,
        status_o, event_o, shape_o;
};

std::unique_ptr<Top> make_top(uint64_t seed);
