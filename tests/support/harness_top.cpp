// SPDX-License-Identifier: Apache-2.0
// The part of the harness that is compiled with each bench.

#include "harness_top.h"

#include "Vbench.h"
#include "verilated.h"

namespace {

template <typename T>
Port port(T& signal) {
    return {reinterpret_cast<char*>(&signal), sizeof(signal)};
}

class VerilatedTop : public Top {
public:
    explicit VerilatedTop(uint64_t seed) {
        context_.randReset(2);
        context_.errorLimit(1 << 30);  // reports of checkers do not end the process
        context_.randSeed(static_cast<int>(seed % 0x7FFFFFFF) + 1);
        bench_ = new Vbench(&context_, "bench");
        clk_i = port(bench_->clk_i);
        rst_i = port(bench_->rst_i);
        in_i = port(bench_->in_i);
        in_valid_i = port(bench_->in_valid_i);
        in_ready_o = port(bench_->in_ready_o);
        out_o = port(bench_->out_o);
        out_valid_o = port(bench_->out_valid_o);
        out_ready_i = port(bench_->out_ready_i);
        control_i = port(bench_->control_i);
        status_o = port(bench_->status_o);
        event_o = port(bench_->event_o);
        shape_o = port(bench_->shape_o);
    }
    ~VerilatedTop() override {
        bench_->final();
        delete bench_;
    }
    void eval() override { bench_->eval(); }
    int errors() const override { return context_.errorCount(); }

private:
    VerilatedContext context_;
    Vbench* bench_;
};

}  // namespace

std::unique_ptr<Top> make_top(uint64_t seed) { return std::make_unique<VerilatedTop>(seed); }
