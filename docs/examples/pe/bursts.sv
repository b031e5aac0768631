// SPDX-License-Identifier: Apache-2.0
// Addresses of AXI4 bursts for kernels: `length_i` bytes from `address_i` on, both rounded down to
// whole beats, in bursts of up to 16 beats that end at multiples of 16. None if some of the bytes
// are beyond the memory. A stop ends it after the burst that it has requested.
//
// Throughput: a burst per cycle. Latency: 2 cycles from the start to the first address.
module bursts #(
    parameter int unsigned DataWidth = 512,  // 64 to 1024, so that no burst crosses 4 KiB
    parameter int unsigned AddrWidth = 32,
    localparam int unsigned ByteShift = $clog2(DataWidth / 8)
) (
    input logic clk_i,
    input logic rst_i,

    input logic start_i,
    input logic [63:0] address_i,
    input logic [63:0] length_i,
    output logic beyond_o,  // with start_i
    input logic stop_i,

    output logic [4:0] beats_o,  // of the burst that is requested in this cycle; 0: none
    output logic       left_o,   // further bursts follow

    output logic [AddrWidth-1:0] addr_o,
    output logic [7:0] len_o,
    output logic valid_o,
    input logic ready_i
);

  localparam int unsigned BurstBeats = 16;
  typedef logic [AddrWidth-ByteShift:0] index_t;  // up to the number of beats in the memory

  wire [64:0] first_beyond = 65'(address_i) + 65'(length_i);
  assign beyond_o = first_beyond > 65'(1) << AddrWidth;

  index_t next_q, left_q;
  wire [4:0] room = 5'(BurstBeats) - 5'(next_q[3:0]);
  wire [4:0] beats = left_q < index_t'(room) ? 5'(left_q) : room;
  assign left_o  = left_q != '0;
  assign beats_o = left_o & ~stop_i & (~valid_o | ready_i) ? beats : '0;

  always_ff @(posedge clk_i) begin
    if (beats_o != '0) begin
      addr_o <= AddrWidth'({next_q, ByteShift'(0)});
      len_o  <= 8'(beats_o - 1'b1);
    end
    if (start_i) next_q <= index_t'(address_i >> ByteShift);
    else next_q <= next_q + index_t'(beats_o);
    if (rst_i) begin
      valid_o <= 1'b0;
      left_q  <= '0;
    end else begin
      valid_o <= beats_o != '0 | (valid_o & ~ready_i);
      if (start_i) left_q <= beyond_o ? '0 : index_t'(length_i >> ByteShift);
      else if (stop_i) left_q <= '0;
      else left_q <= left_q - index_t'(beats_o);
    end
  end

endmodule
