// SPDX-License-Identifier: Apache-2.0
// Drops the received packets of one peer, whose address software writes; others pass.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module my_layer
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic   // from my_layer.rdl: registers that software writes
) (
    input logic clk_i,
    input logic rst_i,

    input regs_t regs_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic        out_next_o,
    output logic  [0:0] drop_o,
    output logic  [0:0] event_o,
    output logic        busy_o
);

  // Declarations that Bombus reads: position, next hops, counters.
  localparam string Entry = "";  // takes the messages of the layer named by `before`
  localparam bit StandsBefore = 1'b1;
  localparam bit Forwards = 1'b1;
  typedef enum logic [0:0] {NextPassed} next_e;
  typedef enum int unsigned {
    DropBlocked,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventPassed,
    NumEvents
  } event_e;

  wire  taken = in_valid_i & in_ready_o;
  logic first;  // beat of its message
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );

  // What is dropped, with the first beat: change it here. Address 0 is no peer.
  wire [31:0] blocked = regs_i.blocked.ip;
  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    reasons[DropBlocked] = blocked != '0 && in_i.meta.ip == blocked;
  end

  drop_register #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .in_first_i(first),
      .in_next_i (NextPassed),
      .in_drop_i (reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else event_o[EventPassed] <= taken & first & ~|reasons;
  end
  assign busy_o = out_valid_o;

endmodule
