// SPDX-License-Identifier: Apache-2.0
// Answers a request of 8 bytes with its bytes XOR a pattern from a table, which software
// can write while requests arrive, AND a mask. The request's last byte chooses the
// pattern. The answer goes to the sender of the request: it keeps the request's metadata,
// which distinguishes replicas of a client.
//
// Latency: 2 cycles. Throughput: one request every second cycle. For data widths of 64
// bits and more.
module store #(
    parameter type beat_t = logic,
    // From store.rdl: registers that software writes, those that it reads, an entry of the table
    parameter type regs_t = logic,
    parameter type status_t = logic,
    parameter type patterns_t = logic,
    parameter int unsigned NumEntries = 256,  // a power of two, up to 256
    localparam int unsigned IndexWidth = $clog2(NumEntries)
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    input regs_t regs_i,
    output status_t status_o,
    output logic [IndexWidth-1:0] patterns_index_o,
    input patterns_t patterns_i,  // entry at the index of the previous cycle

    output logic busy_o
);

  localparam string Entry = "store";
  typedef enum logic [0:0] {NextUdpLookupAnswer} next_e;
  localparam string Serves = "in";  // every request is answered, once

  if (NumEntries < 2 || NumEntries > 256 || 2 ** IndexWidth != NumEntries) begin : gen_bad_entries
    $error("store: NumEntries must be a power of two from 2 to 256");
  end

  // The pattern is read while the request arrives, and is available in the next cycle.
  beat_t request_q;
  logic waits_q, answer_ready;
  logic [63:0] pattern_q;
  logic read_q;
  assign patterns_index_o = in_i.data[56+:IndexWidth];
  assign in_ready_o = ~waits_q;
  wire taken = in_valid_i & in_ready_o;

  always_ff @(posedge clk_i) begin
    if (taken) request_q <= in_i;
    if (read_q) pattern_q <= patterns_i.value;
    if (rst_i) begin
      waits_q <= 1'b0;
      read_q <= 1'b0;
      status_o.requests.count <= '0;
    end else begin
      waits_q <= taken | (waits_q & ~answer_ready);
      read_q  <= taken;
      if (taken) status_o.requests.count <= status_o.requests.count + 1'b1;
    end
  end

  // While the answer waits, the table's output may change.
  wire [63:0] pattern = read_q ? patterns_i.value : pattern_q;
  beat_t answer;
  always_comb begin
    answer = request_q;
    answer.data[63:0] = (request_q.data[63:0] ^ pattern) & regs_i.mask.bits;
  end

  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(answer),
      .in_valid_i(waits_q),
      .in_ready_o(answer_ready),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );

  assign busy_o = waits_q | out_valid_o;

endmodule
