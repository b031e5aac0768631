// SPDX-License-Identifier: Apache-2.0
// FIFO in LUTRAM whose front entry is split: `head` (control bits for decisions) is in flip-flops,
// `body` (everything else) in LUTRAM.
//
// The pointers step through all addresses in the order of a shift register (de Bruijn sequence):
// the order does not matter to a FIFO, and a step takes one LUT instead of a carry chain.
//
// Latency: 1 cycle. Throughput: one entry per cycle. Depth: 4 to 64, a power of two; all entries
// are usable. in_ready_o is registered.
`include "bombus_assert.svh"

module head_fifo #(
    parameter type head_t = logic [7:0],
    parameter type body_t = logic [31:0],
    parameter int unsigned Depth = 32
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

  localparam int unsigned AddrWidth = $clog2(Depth);
  typedef logic [AddrWidth-1:0] addr_t;

  if (Depth < 4 || Depth > 64 || Depth != 2 ** AddrWidth) begin : gen_bad_depth
    $error("head_fifo: Depth must be 4, 8, 16, 32 or 64");
  end

  // Taps of a maximal-length shift register for each width (x^2+x+1, x^3+x^2+1,
  // x^4+x^3+1, x^5+x^3+1, x^6+x^5+1); the zero test adds the missing state.
  localparam int unsigned Tap = AddrWidth == 5 ? 2 : AddrWidth - 2;
  function automatic addr_t next_addr(addr_t addr);
    return {addr[AddrWidth-2:0], addr[AddrWidth-1] ^ addr[Tap] ^ ~|addr[AddrWidth-2:0]};
  endfunction

  head_t head_ram[Depth];
  body_t body_ram[Depth];
  head_t head_q;
  logic valid_q, ready_q;
  // read_next_q is always next_addr(read_q).
  addr_t write_q, read_q, read_next_q;

  wire push = in_valid_i & ready_q;
  wire pop = valid_q & out_ready_i;
  // Another entry follows the front one.
  wire more = read_next_q != write_q;

  assign in_ready_o  = ready_q;
  assign out_head_o  = head_q;
  assign out_body_o  = body_ram[read_q];
  assign out_valid_o = valid_q;

  always_ff @(posedge clk_i) begin
    if (push) begin
      head_ram[write_q] <= in_head_i;
      body_ram[write_q] <= in_body_i;
    end
    if (pop | ~valid_q) begin
      head_q <= (valid_q & more) ? head_ram[read_next_q] : in_head_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q     <= 1'b0;
      ready_q     <= 1'b1;
      write_q     <= '0;
      read_q      <= '0;
      read_next_q <= next_addr('0);
    end else begin
      valid_q <= push | (valid_q & (more | ~pop));
      if (pop) ready_q <= 1'b1;
      else if (push & (next_addr(write_q) == read_q)) ready_q <= 1'b0;
      if (push) write_q <= next_addr(write_q);
      if (pop) begin
        read_q      <= read_next_q;
        read_next_q <= next_addr(read_next_q);
      end
    end
  end

  `BOMBUS_ASSERT(EmptyIsReady, valid_q || ready_q)
  `BOMBUS_ASSERT(NextFollowsRead, read_next_q == next_addr(read_q))

endmodule
