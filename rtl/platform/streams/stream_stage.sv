// SPDX-License-Identifier: Apache-2.0
// Stage of a stream: a register or, with CutsReady, one with a registered in_ready_o, so that no
// combinational path runs against the stream.
//
// Without CutsReady it is a plain register, no LUT per bit, whose in_ready_o depends
// combinationally on out_ready_i. With CutsReady and 256 bits of data or more it is a FIFO in
// LUTRAM: 400 to 750 LUTs for a 512-bit layer, less than one LUT per bit. Below 256 bits, as in
// designs for small devices, it is a skid buffer: on an ECP5 a bit of LUTRAM takes 1.5 LUTs, and
// its outputs are slower than flip-flops.
//
// Bits that decisions need early belong in the head, which is always registered.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module stream_stage #(
    parameter type head_t = logic,
    parameter type body_t = logic,
    parameter int unsigned DataBits = 512,  // of a beat in the body
    parameter bit CutsReady = 0
) (
    input logic clk_i,
    input logic rst_i,

    input  head_t in_head_i,
    input  body_t in_body_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output head_t out_head_o,
    output body_t out_body_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  localparam int unsigned NarrowBits = 256;

  if (DataBits < 8) begin : gen_bad_data_bits
    $error("stream_stage: DataBits must be at least 8");
  end

  typedef struct packed {
    head_t head;
    body_t body;
  } whole_t;

  if (CutsReady && DataBits >= NarrowBits) begin : gen_fifo
    head_fifo #(
        .head_t(head_t),
        .body_t(body_t),
        .Depth (16)       // costs no more LUTs than a depth of 4
    ) u_fifo (
        .*
    );
  end else begin : gen_register
    whole_t in, out;
    assign in = '{head: in_head_i, body: in_body_i};
    assign out_head_o = out.head;
    assign out_body_o = out.body;
    if (CutsReady) begin : gen_skid
      skid_buffer #(
          .data_t(whole_t)
      ) u_skid (
          .in_i (in),
          .out_o(out),
          .*
      );
    end else begin : gen_plain
      stream_register #(
          .data_t(whole_t)
      ) u_register (
          .in_i (in),
          .out_o(out),
          .*
      );
    end
  end

endmodule
