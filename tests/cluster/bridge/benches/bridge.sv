// SPDX-License-Identifier: Apache-2.0
// Two boards that send messages, and raw packets of any board, to one that puts them together.
// Streams in: messages of boards 1 and 2, then packets: a beat, with its board. Packets are mixed.
`include "bombus_types.svh"
`include "cluster_types.svh"
`include "bench.svh"

module bench #(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned LinkWidth = 128,
    parameter int unsigned MaxWords = 32,
    parameter int unsigned MaxBytes = 9600,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(DataWidth),
    localparam int unsigned PacketBits = LinkWidth + 32,
    localparam int unsigned InBits = BeatBits > PacketBits ? BeatBits : PacketBits
) (
    `BENCH_PORTS(3, InBits, 2, InBits, 1, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)
  `CLUSTER_BEAT_T(packet_t, LinkWidth)
  localparam int unsigned NumKinds = 3;
  localparam logic [NumKinds-1:0][31:0] Identities = {32'h33333333, 32'h22222222, 32'h11111111};

  packet_t [2:0] packets;
  logic [2:0] packets_valid, packets_ready, selected;
  logic [1:0] unused_busy;
  for (genvar n = 0; n < 2; n++) begin : gen_pack
    packet_t packet;
    bridge_pack #(
        .beat_t(beat_t),
        .DataWidth(DataWidth),
        .packet_t(packet_t),
        .MaxWords(MaxWords),
        .Target(4'd5),
        .NumKinds(NumKinds),
        .Identities(Identities)
    ) u_pack (
        .clk_i,
        .rst_i,
        .in_i(in_i[n][BeatBits-1:0]),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .board_i(8'(n + 7)),
        .out_o(packet),
        .out_valid_o(packets_valid[n]),
        .out_ready_i(packets_ready[n]),
        .busy_o(unused_busy[n])
    );
    always_comb begin
      packets[n] = packet;
      packets[n].header.source = 8'(n + 1);
    end
  end
  assign packets[2] = in_i[2][PacketBits-1:0];
  assign packets_valid[2] = in_valid_i[2];
  assign in_ready_o[2] = packets_ready[2];

  packet_t mixed;
  logic mixed_valid, mixed_ready;
  stream_merge #(
      .beat_t(packet_t),
      .NumInputs(3)
  ) u_mix (
      .clk_i,
      .rst_i,
      .in_i(packets),
      .in_valid_i(packets_valid),
      .in_ready_o(packets_ready),
      .out_o(mixed),
      .out_valid_o(mixed_valid),
      .out_ready_i({3{mixed_ready}}),
      .selected_o(selected)
  );
  // Stream 1 out: the packets as they are. It must not stall.
  always_ff @(posedge clk_i) begin
    out_o[1] <= $bits(out_o[1])'(mixed);
    out_valid_o[1] <= mixed_valid & mixed_ready & ~rst_i;
  end

  logic [3:0] drops;
  logic busy;
  bridge_unpack #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .packet_t(packet_t),
      .MaxWords(MaxWords),
      .MaxBytes(MaxBytes),
      .Target(4'd5),
      .NumSources(2),
      .Sources({8'd2, 8'd1}),
      .NumKinds(NumKinds),
      .Identities(Identities)
  ) u_unpack (
      .clk_i,
      .rst_i,
      .in_i(mixed),
      .in_valid_i(mixed_valid),
      .in_ready_o(mixed_ready),
      .out_o(out_o[0][BeatBits-1:0]),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .drop_o(drops),
      .busy_o(busy)
  );
  if (InBits > BeatBits) begin : gen_rest
    assign out_o[0][$bits(out_o[0])-1:BeatBits] = '0;
  end
  assign status_o = busy;
  assign event_o  = 64'(drops);

endmodule
