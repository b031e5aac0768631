// SPDX-License-Identifier: Apache-2.0
// Counters of one tile, in one LUTRAM.
//
// Small accumulators count the events. Each cycle, one counter in turn is updated from its
// accumulator. A counter lags its events by at most two cycles more than there are counters.
// Counters wrap at 2^Width.
//
// Order: message and byte counters of each stream (2 per stream), then one per event. read_ready_o
// is high in the turn of the counter that is read.
`include "bombus_assert.svh"

module counter_bank #(
    parameter int unsigned NumStreams = 4,
    parameter int unsigned NumEvents = 1,
    parameter int unsigned Width = 48,
    localparam int unsigned NumCounters = 2 * NumStreams + NumEvents,
    localparam int unsigned IndexWidth = $clog2(NumCounters)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [NumStreams-1:0] message_i,  // one pulse per message
    input bombus_pkg::length_t [NumStreams-1:0] bytes_i,  // bytes of that message
    input logic [NumEvents-1:0] event_i,  // one pulse per event

    input logic [IndexWidth-1:0] read_index_i,
    input logic read_i,  // held until read_ready_o
    output logic read_ready_o,
    output logic [Width-1:0] read_data_o
);

  // Between two visits an accumulator sees at most NumCounters events.
  localparam int unsigned CountWidth = $clog2(NumCounters + 1);
  localparam int unsigned BytesWidth = CountWidth + $bits(bombus_pkg::length_t);
  typedef logic [IndexWidth-1:0] index_t;

  if (NumStreams < 1 || NumEvents < 1 || Width < BytesWidth) begin : gen_bad_shape
    $error("counter_bank: NumStreams and NumEvents must be at least 1, Width %0d", BytesWidth);
  end

  // Registered first, since the inputs arrive at the end of long paths.
  logic [NumStreams-1:0] message_q;
  bombus_pkg::length_t [NumStreams-1:0] bytes_q;
  logic [NumEvents-1:0] event_q;
  always_ff @(posedge clk_i) begin
    bytes_q <= bytes_i;
    if (rst_i) begin
      message_q <= '0;
      event_q   <= '0;
    end else begin
      message_q <= message_i;
      event_q   <= event_i;
    end
  end

  index_t index_q;
  logic clear_q;  // after reset: a first pass writes zeros
  logic [NumCounters-1:0][BytesWidth-1:0] pending;
  wire index_t next_index = (index_q == index_t'(NumCounters - 1)) ? '0 : index_q + 1'b1;

  for (genvar c = 0; c < NumCounters; c++) begin : gen_accumulator
    localparam bit IsBytes = c < 2 * NumStreams && c % 2 == 1;
    localparam int unsigned AccWidth = IsBytes ? BytesWidth : CountWidth;
    logic [AccWidth-1:0] acc_q, more;
    if (IsBytes) begin : gen_bytes
      assign more = message_q[c/2] ? AccWidth'(bytes_q[c/2]) : '0;
    end else if (c < 2 * NumStreams) begin : gen_messages
      assign more = AccWidth'(message_q[c/2]);
    end else begin : gen_event
      assign more = AccWidth'(event_q[c-2*NumStreams]);
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) acc_q <= '0;
      else acc_q <= (index_q == index_t'(c) ? '0 : acc_q) + more;
    end
    assign pending[c] = BytesWidth'(acc_q);
  end

  // Two steps: fetch the counter and its accumulator; add and write back.
  (* ram_style = "distributed" *) logic [Width-1:0] ram[2**IndexWidth];
  index_t write_q;
  logic [Width-1:0] value_q;
  logic [BytesWidth-1:0] gathered_q;
  logic cleared_q;
  wire [Width-1:0] sum = value_q + Width'(gathered_q);
  always_ff @(posedge clk_i) begin
    write_q <= index_q;
    gathered_q <= pending[index_q];
    value_q <= ram[index_q];
    if (clear_q) value_q <= '0;
    ram[write_q] <= sum;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      index_q   <= '0;
      clear_q   <= 1'b1;
      cleared_q <= 1'b0;
    end else begin
      index_q <= next_index;
      if (next_index == '0) clear_q <= 1'b0;
      cleared_q <= ~clear_q;
    end
  end

  // The reader's paths start after the sum.
  index_t summed_q;
  logic   current_q;
  always_ff @(posedge clk_i) begin
    read_data_o <= sum;
    summed_q <= write_q;
    if (rst_i) current_q <= 1'b0;
    else current_q <= cleared_q;
  end
  assign read_ready_o = read_i & (summed_q == read_index_i) & current_q;

  `BOMBUS_ASSERT(CounterExists, !read_i || 32'(read_index_i) <= NumCounters - 1)

endmodule
