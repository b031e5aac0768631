// SPDX-License-Identifier: Apache-2.0
// Drives a module under test through the ports that benches/bench.svh gives every bench: with
// random gaps on input streams and random stalls on output streams. The link rules are checked in
// every cycle. Python provides the input and checks the output (harness.py).
//
// Compiled once for all benches: harness_top.cpp, compiled with each, gives the ports as bytes.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "harness_top.h"

namespace {

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}
    uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }
    bool chance(double probability) {
        return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
    }

private:
    uint64_t state_;
};

struct Source {
    std::deque<std::string> queue;
    std::vector<uint64_t> taken;  // cycle of each item
    double gap = 0;
    bool offering = false;
};

struct Sink {
    std::string data;
    std::vector<uint64_t> cycles;
    std::string waiting;  // offered and not taken in the previous cycle
    double stall = 0;
    bool offered = false;
};

struct Clock {
    uint64_t period = 1;  // in any unit: only the ratio matters
    uint64_t next_edge = 0;
    uint64_t cycle = 0;
};

// Up to 64 bits of a port.
uint64_t get_bits(const Port& port) {
    uint64_t value = 0;
    std::memcpy(&value, port.data, std::min(port.bytes, sizeof(value)));
    return value;
}

void set_bits(const Port& port, uint64_t value) {
    std::memcpy(port.data, &value, std::min(port.bytes, sizeof(value)));
}

class Bench {
public:
    explicit Bench(uint64_t seed) : top_(make_top(seed)), random_(seed) {
        set_bits(top_->clk_i, 0);
        std::memset(top_->rst_i.data, 0xFF, top_->rst_i.bytes);
        std::memset(top_->control_i.data, 0, top_->control_i.bytes);
        set_bits(top_->in_valid_i, 0);
        set_bits(top_->out_ready_i, 0);
        top_->eval();
        const auto* shape = reinterpret_cast<const uint32_t*>(top_->shape_o.data);
        sources_.resize(shape[0]);
        in_bytes_ = shape[1];
        sinks_.resize(shape[2]);
        out_bytes_ = shape[3];
        clocks_.resize(shape[4]);
        other_in_ = shape[5];
        other_out_ = shape[6];
        other_events_ = shape[7];
    }

    void reset(unsigned cycles) {
        flush(~uint64_t{0});
        set_reset(~uint64_t{0});
        const uint64_t until = clocks_[0].cycle + cycles;
        while (clocks_[0].cycle < until) step();
        set_reset(0);
    }

    // The clocks whose reset is active, as bits.
    void set_reset(uint64_t clocks) {
        reset_ = clocks & ((uint64_t{1} << clocks_.size()) - 1);
        set_bits(top_->rst_i, reset_);
        for (size_t s = 0; s < sinks_.size(); s++) {
            if (reset_ & clock_of(other_out_, s)) sinks_[s].offered = false;
        }
    }

    // Discards everything queued in the domains of some clocks.
    void flush(uint64_t clocks) {
        for (size_t s = 0; s < sources_.size(); s++) {
            if (!(clocks & clock_of(other_in_, s))) continue;
            sources_[s].queue.clear();
            sources_[s].offering = false;
        }
    }

    // One edge of one clock, or of both if they coincide.
    void step() {
        uint64_t now = clocks_[0].next_edge;
        for (const Clock& clock : clocks_) now = std::min(now, clock.next_edge);
        uint64_t edges = 0;
        for (size_t c = 0; c < clocks_.size(); c++) {
            if (clocks_[c].next_edge == now) edges |= uint64_t{1} << c;
        }
        const uint64_t running = edges & ~reset_;  // domains in reset are ignored

        for (size_t s = 0; s < sources_.size(); s++) {
            if (edges & clock_of(other_in_, s)) drive(s, running & clock_of(other_in_, s));
        }
        uint64_t sinking = 0;
        for (size_t s = 0; s < sinks_.size(); s++) {
            const uint64_t bit = uint64_t{1} << s;
            if (!(edges & clock_of(other_out_, s))) continue;
            sinking |= bit;
            ready_ = random_.chance(sinks_[s].stall) ? ready_ & ~bit : ready_ | bit;
        }
        set_bits(top_->in_valid_i, valid_);
        // An offer must not depend on whether it is taken.
        set_bits(top_->out_ready_i, ready_ & ~sinking);
        top_->eval();
        const uint64_t offered = get_bits(top_->out_valid_o);
        offered_data_.assign(top_->out_o.data,
                             sinks_.size() * out_bytes_);
        const uint64_t accepting = get_bits(top_->in_ready_o);
        set_bits(top_->out_ready_i, ready_);
        top_->eval();
        combinational_ |= accepting ^ get_bits(top_->in_ready_o);
        check_outputs(offered, ready_, running);
        const uint64_t accepted = valid_ & get_bits(top_->in_ready_o);
        const uint64_t events = get_bits(top_->event_o);
        for (unsigned e = 0; e < 64; e++) {
            if (running & clock_of(other_events_, e)) events_[e] += events >> e & 1;
        }
        if (running) active_ = offered != 0 || valid_ != 0;
        set_bits(top_->clk_i, edges);
        top_->eval();
        set_bits(top_->clk_i, 0);
        top_->eval();
        for (size_t s = 0; s < sources_.size(); s++) {
            if (!(accepted >> s & 1) || !(running & clock_of(other_in_, s))) continue;
            sources_[s].queue.pop_front();
            sources_[s].taken.push_back(cycle_of(other_in_, s));
            sources_[s].offering = false;
            valid_ &= ~(uint64_t{1} << s);
        }
        for (size_t c = 0; c < clocks_.size(); c++) {
            if (!(edges >> c & 1)) continue;
            clocks_[c].cycle++;
            clocks_[c].next_edge += clocks_[c].period;
        }
    }

    // Runs until nothing has been offered anywhere for `quiet` cycles.
    bool drain(uint64_t limit, uint64_t quiet) {
        uint64_t idle = 0;
        for (uint64_t c = 0; c < limit && error_.empty(); c++) {
            step();
            bool waiting = active_;
            for (const Source& source : sources_) waiting |= !source.queue.empty();
            idle = waiting ? 0 : idle + 1;
            if (idle >= quiet) return true;
        }
        return false;
    }

    std::unique_ptr<Top> top_;
    Random random_;
    std::vector<Source> sources_;
    std::vector<Sink> sinks_;
    uint64_t in_bytes_ = 0;
    uint64_t out_bytes_ = 0;
    std::vector<Clock> clocks_;
    uint64_t events_[64] = {};
    uint64_t combinational_ = 0;
    std::string error_;

private:
    // Streams and events belong to clock 0, or to clock 1 if their bit is set.
    static uint64_t clock_of(uint64_t others, size_t s) { return others >> s & 1 ? 2 : 1; }
    uint64_t cycle_of(uint64_t others, size_t s) const { return clocks_[others >> s & 1].cycle; }

    void drive(size_t s, bool running) {
        Source& source = sources_[s];
        char* port = top_->in_i.data + s * in_bytes_;
        if (!source.offering && !source.queue.empty() && running &&
            !random_.chance(source.gap)) {
            source.offering = true;
        }
        if (source.offering) {
            valid_ |= uint64_t{1} << s;
            std::memcpy(port, source.queue.front().data(), in_bytes_);
        } else {  // invalid data must not matter
            valid_ &= ~(uint64_t{1} << s);
            for (uint64_t b = 0; b < in_bytes_; b++) port[b] = static_cast<char>(random_.next());
        }
    }

    void check_outputs(uint64_t offered, uint64_t ready, uint64_t running) {
        const char* data = top_->out_o.data;
        if (running && get_bits(top_->out_valid_o) != offered) fail("valid depends on ready", 0);
        for (size_t s = 0; s < sinks_.size(); s++) {
            if (!(running & clock_of(other_out_, s))) continue;
            Sink& sink = sinks_[s];
            const bool valid = offered >> s & 1;
            const char* item = data + s * out_bytes_;
            if (sink.offered && !valid) fail("valid fell without a handshake", s);
            if (valid) {
                if (std::memcmp(item, offered_data_.data() + s * out_bytes_, out_bytes_) != 0) {
                    fail("data depend on ready", s);
                }
                if (sink.offered && std::memcmp(item, sink.waiting.data(), out_bytes_) != 0) {
                    fail("data changed while waiting", s);
                }
                sink.waiting.assign(item, out_bytes_);
            }
            const bool taken = valid && (ready >> s & 1);
            sink.offered = valid && !taken;
            if (taken) {
                sink.data.append(item, out_bytes_);
                sink.cycles.push_back(cycle_of(other_out_, s));
            }
        }
    }

    void fail(const char* what, size_t stream) {
        if (!error_.empty()) return;
        error_ = std::string(what) + " (stream " + std::to_string(stream) + ", cycle " +
                 std::to_string(clocks_[0].cycle) + ")";
    }

    uint64_t valid_ = 0;
    uint64_t ready_ = 0;
    uint64_t reset_ = 0;
    uint64_t other_in_ = 0;
    uint64_t other_out_ = 0;
    uint64_t other_events_ = 0;
    bool active_ = false;
    std::string offered_data_;
};

}  // namespace

#define API extern "C" __attribute__((visibility("default")))

API Bench* bench_open(uint64_t seed) { return new Bench(seed); }
API void bench_close(Bench* bench) { delete bench; }
API void bench_shape(Bench* bench, uint64_t* shape) {
    shape[0] = bench->sources_.size();
    shape[1] = bench->in_bytes_;
    shape[2] = bench->sinks_.size();
    shape[3] = bench->out_bytes_;
    shape[4] = bench->top_->control_i.bytes;
    shape[5] = bench->top_->status_o.bytes;
}
API void bench_reset(Bench* bench, uint64_t cycles) { bench->reset(static_cast<unsigned>(cycles)); }
API void bench_push(Bench* bench, uint64_t stream, const char* data, uint64_t items) {
    for (uint64_t i = 0; i < items; i++) {
        bench->sources_[stream].queue.emplace_back(data + i * bench->in_bytes_, bench->in_bytes_);
    }
}
API void bench_set_gap(Bench* bench, uint64_t stream, double chance) {
    bench->sources_[stream].gap = chance;
}
API void bench_set_stall(Bench* bench, uint64_t stream, double chance) {
    bench->sinks_[stream].stall = chance;
}
API void bench_set_control(Bench* bench, const char* data) {
    std::memcpy(bench->top_->control_i.data, data, bench->top_->control_i.bytes);
}
// Combinational outputs follow the control at once.
API void bench_status(Bench* bench, char* data) {
    bench->top_->eval();
    std::memcpy(data, bench->top_->status_o.data, bench->top_->status_o.bytes);
}
API void bench_run(Bench* bench, uint64_t cycles) {
    for (uint64_t c = 0; c < cycles; c++) bench->step();
}
API int bench_drain(Bench* bench, uint64_t limit, uint64_t quiet) {
    return bench->drain(limit, quiet);
}
API uint64_t bench_cycle(Bench* bench) { return bench->clocks_[0].cycle; }
API void bench_set_period(Bench* bench, uint64_t clock, uint64_t period, uint64_t phase) {
    Clock& of = bench->clocks_[clock];
    of.period = period;
    of.next_edge = bench->clocks_[0].next_edge + phase;
}
API void bench_set_reset(Bench* bench, uint64_t clocks) { bench->set_reset(clocks); }
API void bench_flush(Bench* bench, uint64_t clocks) { bench->flush(clocks); }
API uint64_t bench_combinational(Bench* bench) { return bench->combinational_; }
API uint64_t bench_waiting(Bench* bench, uint64_t stream) {
    return bench->sources_[stream].queue.size();
}
API uint64_t bench_taken(Bench* bench, uint64_t stream, const uint64_t** cycles) {
    *cycles = bench->sources_[stream].taken.data();
    return bench->sources_[stream].taken.size();
}
API uint64_t bench_received(Bench* bench, uint64_t stream, const char** data,
                            const uint64_t** cycles) {
    *data = bench->sinks_[stream].data.data();
    *cycles = bench->sinks_[stream].cycles.data();
    return bench->sinks_[stream].cycles.size();
}
API void bench_forget(Bench* bench) {
    for (Source& source : bench->sources_) source.taken.clear();
    for (Sink& sink : bench->sinks_) {
        sink.data.clear();
        sink.cycles.clear();
    }
    std::memset(bench->events_, 0, sizeof(bench->events_));
}
API void bench_events(Bench* bench, uint64_t* counts) {
    std::memcpy(counts, bench->events_, sizeof(bench->events_));
}
API const char* bench_error(Bench* bench) {
    if (bench->error_.empty() && bench->top_->errors()) {
        bench->error_ = "a checker has told of an error: see the output";
    }
    return bench->error_.c_str();
}
