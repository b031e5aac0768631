// SPDX-License-Identifier: Apache-2.0
// Last stage of a layer.
//
// With CutsReady, in_ready_o comes out of a flip-flop, so that no path runs through the
// layer from its output's ready to its input's. Without, a plain register, no LUT a bit, whose
// in_ready_o depends combinationally on out_ready_i. Set it, in the design file too, where
// measurement shows that ready limits the clock.
//
// Ready is cut from 256 bits of data on by a FIFO in LUTRAM, 400 to 750 LUTs of a 512-bit layer
// and less than a LUT a bit. Below, in designs for small devices, by a skid buffer: on an ECP5 a
// bit of LUTRAM takes a LUT and a half, and its outputs are slower than flip-flops.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module output_stage #(
    parameter type beat_t = logic,
    parameter int unsigned NextWidth = 1,  // width of the next hop number
    parameter bit CutsReady = 0
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t                 in_i,
    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  logic  [NextWidth-1:0] in_next_i,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o
);

  if (NextWidth < 1) begin : gen_bad_next
    $error("output_stage: NextWidth must be at least 1");
  end

  // The fields that injection needs early, to choose a route and an input.
  typedef struct packed {
    logic [NextWidth-1:0] next;
    logic last;
  } head_t;

  localparam bit Narrow = $bits(in_i.data) < 256;

  if (CutsReady && !Narrow) begin : gen_fifo
    head_t head;
    beat_t body;
    head_fifo #(
        .head_t(head_t),
        .body_t(beat_t),
        .Depth(16)  // costs no more LUTs than a depth of 4
    ) u_fifo (
        .clk_i,
        .rst_i,
        .in_head_i ('{next: in_next_i, last: in_i.last}),
        .in_body_i (in_i),
        .in_valid_i,
        .in_ready_o,
        .out_head_o(head),
        .out_body_o(body),
        .out_valid_o,
        .out_ready_i
    );
    always_comb begin
      out_o = body;
      out_o.last = head.last;
    end
    assign out_next_o = head.next;
  end else begin : gen_register
    typedef struct packed {
      logic [NextWidth-1:0] next;
      beat_t beat;
    } out_t;
    out_t out;
    out_t in;
    assign in = '{next: in_next_i, beat: in_i};
    if (CutsReady) begin : gen_skid
      skid_buffer #(
          .data_t(out_t)
      ) u_skid (
          .clk_i,
          .rst_i,
          .in_i (in),
          .in_valid_i,
          .in_ready_o,
          .out_o(out),
          .out_valid_o,
          .out_ready_i
      );
    end else begin : gen_plain
      stream_register #(
          .data_t(out_t)
      ) u_register (
          .clk_i,
          .rst_i,
          .in_i (in),
          .in_valid_i,
          .in_ready_o,
          .out_o(out),
          .out_valid_o,
          .out_ready_i
      );
    end
    assign out_o = out.beat;
    assign out_next_o = out.next;
  end

endmodule
