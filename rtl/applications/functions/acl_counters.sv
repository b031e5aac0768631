// SPDX-License-Identifier: Apache-2.0
// A counter for each rule in block RAM, for a count in each cycle.
//
// Software reads a counter, or writes it, with an access that takes two cycles; in the first one,
// hold_o, there must be no count. After reset all counters are cleared, one per cycle, with hold_o.
module acl_counters #(
    parameter int unsigned NumCounters = 512,
    localparam type index_t = logic [$clog2(NumCounters)-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input  logic   count_i,
    input  index_t count_index_i,
    output logic   hold_o,

    input  logic          request_i,  // held until done_o
    input  logic          write_i,
    input  index_t        index_i,
    input  logic   [63:0] wdata_i,
    output logic   [63:0] rdata_o,
    output logic          done_o,
    output logic          busy_o
);

  if (NumCounters < 2 || NumCounters != 2 ** $clog2(NumCounters)) begin : gen_bad_count
    $error("acl_counters: NumCounters must be a power of two");
  end

  typedef struct packed {
    logic   valid;
    logic   by_software;
    index_t index;
  } access_t;
  access_t access_q;
  logic    repeats_q;  // the index of the access before, whose value is being written
  logic   clearing_q;
  index_t clear_q;

  assign done_o = access_q.valid & access_q.by_software;
  assign hold_o = clearing_q | (request_i & ~done_o);
  assign busy_o = access_q.valid | clearing_q;

  // The value of the access: one written in the cycle before is not yet read.
  logic [63:0] read, last_q;
  wire [63:0] value = repeats_q ? last_q : read;
  // One LUT after the sum.
  wire counts = ~clearing_q & ~access_q.by_software;
  wire [63:0] other = clearing_q ? '0 : write_i ? wdata_i : value;
  wire [63:0] next = counts ? value + 64'd1 : other;
  assign rdata_o = value;

  wire index_t read_index = request_i & ~done_o ? index_i : count_index_i;
  sized_memory #(
      .data_t(logic [63:0]),
      .Depth (NumCounters)
  ) u_memory (
      .clk_i,
      .write_addr_i(clearing_q ? clear_q : access_q.index),
      .data_i(next),
      .write_i(clearing_q | access_q.valid),
      .read_addr_i(read_index),
      .data_o(read)
  );
  always_ff @(posedge clk_i) begin
    access_q <= '{
        valid: (count_i | request_i & ~done_o) & ~clearing_q & ~rst_i,
        by_software: request_i & ~done_o,
        index: read_index
    };
    repeats_q <= access_q.valid & access_q.index == read_index;
    last_q <= next;
    if (rst_i) begin
      clearing_q <= 1'b1;
      clear_q <= '0;
    end else if (clearing_q) begin
      clear_q <= clear_q + 1'b1;
      clearing_q <= clear_q != '1;
    end
  end

endmodule
