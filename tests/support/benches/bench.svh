// SPDX-License-Identifier: Apache-2.0
// The ports that every bench has, so that one harness (harness.cpp) drives them
// all: streams in, streams out, and signals without handshake.
//
// control_i: inputs of the module under test that are not streams. status_o:
// its outputs. event_o: pulses, which the harness counts. shape_o tells the
// harness how many streams there are, and their width in bytes.
//
// BENCH_PORTS_OF_CLOCKS and BENCH_SHAPE_OF_CLOCKS are for a bench with two clocks:
// it says by a bit for each stream in, stream out and event which of them belong to
// the second one.
`ifndef BENCH_SVH
`define BENCH_SVH

`define BENCH_PORTS(num_in_, in_bits_, num_out_, out_bits_, control_bits_, status_bits_) \
    `BENCH_PORTS_OF_CLOCKS(1, num_in_, in_bits_, num_out_, out_bits_, control_bits_, status_bits_)

`define BENCH_PORTS_OF_CLOCKS(clocks_, num_in_, in_bits_, num_out_, out_bits_, control_bits_, status_bits_) \
    input logic [(clocks_)-1:0] clk_i, \
    input logic [(clocks_)-1:0] rst_i, \
    input logic [(num_in_)-1:0][((in_bits_)+7)/8*8-1:0] in_i, \
    input logic [(num_in_)-1:0] in_valid_i, \
    output logic [(num_in_)-1:0] in_ready_o, \
    output logic [(num_out_)-1:0][((out_bits_)+7)/8*8-1:0] out_o, \
    output logic [(num_out_)-1:0] out_valid_o, \
    input logic [(num_out_)-1:0] out_ready_i, \
    input logic [(control_bits_)-1:0] control_i, \
    output logic [(status_bits_)-1:0] status_o, \
    output logic [63:0] event_o, \
    output logic [7:0][31:0] shape_o

`define BENCH_SHAPE `BENCH_SHAPE_OF_CLOCKS('0, '0, '0)

`define BENCH_SHAPE_OF_CLOCKS(other_in_, other_out_, other_events_) \
  assign shape_o = {32'(other_events_), 32'(other_out_), 32'(other_in_), 32'($bits(clk_i)), \
                    32'($bits(out_o[0]) / 8), 32'($bits(out_valid_o)), \
                    32'($bits(in_i[0]) / 8), 32'($bits(in_valid_i))};

`endif
