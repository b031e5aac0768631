// SPDX-License-Identifier: Apache-2.0
// Receiver of a serial lane: finds bytes and beats in the symbols of the transceiver.
//
// The transceiver aligns bits to commas, but a comma may be in either byte of a symbol. An idle
// symbol sets the alignment of bytes and beats; a beat that it cuts is lost. A beat with a K byte
// in it is lost. The lane is aligned from the first idle symbol until none has been received for
// 2 * IdleCycles cycles.
//
// Latency: 3 cycles from the last symbol of a beat. Throughput: one symbol per cycle.
`include "bombus_assert.svh"

module serial_lane_receive
  import serial_pkg::*;
#(
    parameter int unsigned DataWidth  = 64,   // bits of a beat
    parameter int unsigned IdleCycles = 4096  // as in the sender
) (
    input logic clk_i,  // recovered
    input logic rst_i,  // the transceiver is not ready

    input symbol_t symbol_i,

    output logic [DataWidth-1:0] out_o,
    output logic out_valid_o,  // for one cycle
    output logic aligned_o
);

  localparam int unsigned Symbols = DataWidth / 16;
  typedef logic [$clog2(Symbols)-1:0] index_t;

  function automatic logic is_comma(symbol_t symbol, logic position);
    return symbol.k[position] & (symbol.bytes[position] == Comma);
  endfunction

  symbol_t symbol_q;
  logic [1:0] comma_q;  // in byte 0, in byte 1
  logic k_before_q;
  logic [7:0] byte_before_q;  // byte 1 of the symbol before
  logic swapped_q;  // byte 1 of the transceiver is the first one
  symbol_t word_q;
  logic idle_q;
  index_t index_q;
  logic [DataWidth-17:0] rest_q;
  logic damaged_q;  // a K byte before in this beat
  logic [$clog2(IdleCycles):0] since_q;

  // A comma is the first byte of its symbol.
  wire swapped = |comma_q ? comma_q[1] : swapped_q;
  wire symbol_t word = swapped ?
  '{k: {symbol_q.k[0], k_before_q}, bytes: {symbol_q.bytes[0], byte_before_q}}
  : symbol_q;
  wire damaged = damaged_q | (|word_q.k);
  wire last = index_q == index_t'(Symbols - 1);

  always_ff @(posedge clk_i) begin
    symbol_q <= symbol_i;
    comma_q <= {is_comma(symbol_i, 1'b1), is_comma(symbol_i, 1'b0)};
    k_before_q <= symbol_q.k[1];
    byte_before_q <= symbol_q.bytes[1];
    word_q <= word;
    idle_q <= word == Idle;
    if (last) out_o <= {word_q.bytes, rest_q};
    rest_q <= (DataWidth - 16)'({word_q.bytes, rest_q} >> 16);

    if (rst_i) begin
      swapped_q   <= 1'b0;
      index_q     <= '0;
      since_q     <= '0;
      damaged_q   <= 1'b0;
      aligned_o   <= 1'b0;
      out_valid_o <= 1'b0;
    end else begin
      swapped_q <= swapped;
      if (idle_q) begin
        since_q   <= '0;
        aligned_o <= 1'b1;
      end else begin
        since_q <= since_q + 1'b1;
        if (&since_q) aligned_o <= 1'b0;
      end
      index_q <= idle_q | last ? '0 : index_q + 1'b1;
      damaged_q <= ~(idle_q | last) & damaged;
      out_valid_o <= aligned_o & ~idle_q & last & ~damaged;
    end
  end

  `BOMBUS_ASSERT(BeatEnds, !out_valid_o || index_q == '0)

endmodule
