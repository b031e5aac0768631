// SPDX-License-Identifier: Apache-2.0
// Addresses of AXI4 bursts: `length_i` bytes from `address_i` on, both rounded down to whole beats,
// in bursts of up to 16 beats that end at multiples of 16, so that none crosses 4 KiB. None if some
// of the bytes are beyond the memory. A stop ends it after the burst that it has requested.
//
// Throughput: a burst per cycle. Latency: 2 cycles from the start to the first address.
module axi_bursts #(
    parameter int unsigned DataWidth = 512,  // a power of two, 64 to 1024
    parameter int unsigned AddrWidth = 32,
    localparam int unsigned ByteShift = $clog2(DataWidth / 8)
) (
    input logic clk_i,
    input logic rst_i,

    input logic start_i,  // only while left_o is low
    input logic [63:0] address_i,
    input logic [63:0] length_i,
    output logic beyond_o,  // of address_i and length_i
    input logic stop_i,
    input logic admits_i,  // a burst may be requested

    output logic [4:0] beats_o,  // of the burst that is requested in this cycle; 0: none
    output logic       last_o,   // with it: no further one follows
    output logic       left_o,   // further bursts follow

    output logic [AddrWidth-1:0] addr_o,
    output logic [7:0] len_o,
    output logic valid_o,
    input logic ready_i
);

  if (DataWidth < 64 || DataWidth > 1024 || DataWidth != 2 ** $clog2(DataWidth)) begin : gen_width
    $error("axi_bursts: DataWidth must be a power of two, 64 to 1024");
  end
  if (AddrWidth <= ByteShift + 4 || AddrWidth > 62) begin : gen_address
    $error("axi_bursts: AddrWidth must be above that of a burst, at most 62");
  end

  // ---- Whether all bytes exist ----

  typedef logic [AddrWidth+1:0] sum_t;
  wire sum_t first_beyond = sum_t'(address_i[AddrWidth-1:0]) + sum_t'(length_i[AddrWidth:0]);
  assign beyond_o = address_i >> AddrWidth != '0 | length_i >> AddrWidth + 1 != '0 |
      first_beyond[AddrWidth+1] | (first_beyond[AddrWidth] & first_beyond[AddrWidth-1:0] != '0);

  // ---- Bursts: each is of one block of 16 beats ----

  typedef logic [AddrWidth-ByteShift:0] index_t;  // up to the number of beats in the memory
  typedef logic [AddrWidth-ByteShift-4:0] blocks_t;
  typedef logic [3:0] place_t;  // of a beat in its block
  blocks_t block_q;  // of the next burst
  blocks_t ends_q;  // blocks from it on whose last beat is included
  place_t place_q;  // of its first beat
  place_t end_q;  // after the last beat of all; 0: the end of a block
  logic last_q;  // it is the last burst
  wire index_t first = index_t'(address_i >> ByteShift);
  wire index_t count = index_t'(length_i >> ByteShift);
  wire index_t beyond = count + index_t'(first[3:0]);  // from the begin of the first block on
  wire place_t beats = (last_q ? end_q : '0) - place_q;  // 0: 16
  wire requests = left_o & ~stop_i & admits_i & (~valid_o | ready_i);
  assign last_o  = last_q;
  assign beats_o = requests ? {beats == '0, beats} : '0;

  always_ff @(posedge clk_i) begin
    if (requests) begin
      addr_o <= AddrWidth'({block_q, place_q, ByteShift'(0)});
      len_o  <= 8'(place_t'(beats - 1'b1));
    end
    if (start_i) begin
      block_q <= blocks_t'(first >> 4);
      ends_q  <= blocks_t'(beyond >> 4);
      place_q <= first[3:0];
      end_q   <= beyond[3:0];
      last_q  <= beyond <= index_t'(16);
    end else if (requests) begin
      block_q <= block_q + 1'b1;
      ends_q  <= ends_q - 1'b1;
      place_q <= '0;
      last_q  <= ends_q == (end_q == '0 ? blocks_t'(2) : blocks_t'(1));
    end
    if (rst_i) begin
      valid_o <= 1'b0;
      left_o  <= 1'b0;
    end else begin
      valid_o <= requests | (valid_o & ~ready_i);
      if (start_i) left_o <= ~beyond_o & count != '0;
      else if (stop_i | (requests & last_q)) left_o <= 1'b0;
    end
  end

endmodule
