// SPDX-License-Identifier: Apache-2.0
// Returns Ethernet frames with its EtherType to their sender; others are dropped. IEEE 802.3, 3.2.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module my_layer
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter logic [15:0] EtherType = 16'h88b5  // for experiments (IEEE 802)
) (
    input logic clk_i,
    input logic rst_i,

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

  localparam int unsigned DataWidth = $bits(in_i.data);
  if (DataWidth < 128) begin : gen_bad_width
    $error("my_layer: the header must be in the first beat, of 128 bits or more");
  end

  // Declarations that Bombus reads: entry, next hops, counters.
  localparam string Entry = "rpu";  // the next hop of frame_rx
  typedef enum logic [0:0] {NextMacTx} next_e;
  typedef enum int unsigned {
    DropOtherType,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventReturned,
    NumEvents
  } event_e;

  wire  taken = in_valid_i & in_ready_o;
  logic first;  // beat of its frame
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );

  // The first byte of a frame is in the lowest bits. Change the reply here.
  wire   [15:0] ether_type = {in_i.data[103:96], in_i.data[111:104]};
  beat_t        reply;
  always_comb begin
    reply = in_i;
    reply.meta = '0;
    reply.meta.mac_port = in_i.meta.mac_port;
    if (first) reply.data[95:0] = {in_i.data[47:0], in_i.data[95:48]};
  end

  logic [NumDrops-1:0] reasons;  // for dropping, with the first beat: at most one
  always_comb begin
    reasons = '0;
    reasons[DropOtherType] = ether_type != EtherType;
  end

  drop_register #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(reply),
      .in_valid_i,
      .in_ready_o,
      .in_first_i(first),
      .in_next_i(NextMacTx),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else event_o[EventReturned] <= taken & first & ~|reasons;
  end
  assign busy_o = out_valid_o;

endmodule
