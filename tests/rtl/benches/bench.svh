// The ports that every bench has, so that one harness (harness.cpp) drives them
// all: streams in, streams out, and signals without handshake.
//
// control_i: inputs of the module under test that are not streams. status_o:
// its outputs. event_o: pulses, which the harness counts. shape_o tells the
// harness how many streams there are, and their width in bytes.
`ifndef BENCH_SVH
`define BENCH_SVH

`define BENCH_PORTS(num_in_, in_bits_, num_out_, out_bits_, control_bits_, status_bits_) \
    input logic clk_i, \
    input logic rst_i, \
    input logic [(num_in_)-1:0][((in_bits_)+7)/8*8-1:0] in_i, \
    input logic [(num_in_)-1:0] in_valid_i, \
    output logic [(num_in_)-1:0] in_ready_o, \
    output logic [(num_out_)-1:0][((out_bits_)+7)/8*8-1:0] out_o, \
    output logic [(num_out_)-1:0] out_valid_o, \
    input logic [(num_out_)-1:0] out_ready_i, \
    input logic [(control_bits_)-1:0] control_i, \
    output logic [(status_bits_)-1:0] status_o, \
    output logic [63:0] event_o, \
    output logic [3:0][31:0] shape_o

`define BENCH_SHAPE \
  assign shape_o = {32'($bits(out_o[0]) / 8), 32'($bits(out_valid_o)), \
                    32'($bits(in_i[0]) / 8), 32'($bits(in_valid_i))};

`endif
