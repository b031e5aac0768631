// SPDX-License-Identifier: Apache-2.0
// Boards in a ring, each with cluster_collective. A link has the latency of LinkCycles, room for
// BufferPackets at its end, and an idle cycle after each packet, for its header and CRC.
//
// In: command of each board, then beats to load of each, then beats of packets to board 0, which
// stand in for those of its link while they last. Out: results, `last` above the data. Control:
// bit n aborts at board n. Status: bit n: busy. Events: from bit 0 done of each, then, from bit 21,
// bad packets of each, and from bit 42 old ones.
`include "bench.svh"
`include "cluster_types.svh"

module bench
  import collective_pkg::*;
#(
    parameter int unsigned NumBoards = 4,
    parameter int unsigned DataWidth = 128,
    parameter int unsigned MaxBytes = 65536,
    parameter int unsigned PacketBeats = 32,
    parameter int unsigned LinkCycles = 75,
    parameter int unsigned BufferPackets = 4
) (
    `BENCH_PORTS(2 * NumBoards + 1, DataWidth + 32, NumBoards, DataWidth + 1, NumBoards, NumBoards)
);

  `BENCH_SHAPE

  `CLUSTER_BEAT_T(beat_t, DataWidth)
  localparam int unsigned BufferBeats = 2 ** $clog2(BufferPackets * (PacketBeats + 1));

  beat_t [NumBoards-1:0] sent, arrived;
  logic [NumBoards-1:0] sent_valid, sent_ready, arrived_valid, arrived_ready;

  function automatic cluster_pkg::board_t board(int unsigned position);
    return cluster_pkg::board_t'(position % NumBoards * 7 + 3);
  endfunction

  assign event_o[63] = 1'b0;
  for (genvar n = 0; n < NumBoards; n++) begin : gen_board
    localparam int unsigned Before = (n + NumBoards - 1) % NumBoards;
    localparam ring_t Ring = '{
        position: position_t'(n),
        last: position_t'(NumBoards - 1),
        following: board(n + 1),
        preceding: board(Before)
    };

    beat_t received;
    logic received_valid, received_ready, done, load_valid;
    logic [2:0] event_bits;
    if (n == 0) begin : gen_foreign
      wire foreign = in_valid_i[2*NumBoards];
      wire [DataWidth+31:0] beat = in_i[2*NumBoards][DataWidth+31:0];
      assign received = foreign ? beat_t'(beat) : arrived[n];
      assign received_valid = foreign | arrived_valid[n];
      assign arrived_ready[n] = received_ready & ~foreign;
      assign in_ready_o[2*NumBoards] = received_ready;
    end else begin : gen_own
      assign received = arrived[n];
      assign received_valid = arrived_valid[n];
      assign arrived_ready[n] = received_ready;
    end

    cluster_collective #(
        .beat_t(beat_t),
        .DataWidth(DataWidth),
        .MaxBytes(MaxBytes),
        .PacketBeats(PacketBeats)
    ) u_collective (
        .clk_i(clk_i[0]),
        .rst_i(rst_i[0]),
        .ring_i(Ring),
        .command_i(command_t'(in_i[n][$bits(command_t)-1:0])),
        .command_valid_i(in_valid_i[n]),
        .command_ready_o(in_ready_o[n]),
        .abort_i(control_i[n]),
        .done_o(done),
        .has_result_o(),
        .load_i(in_i[NumBoards+n][DataWidth-1:0]),
        .load_valid_i(in_valid_i[NumBoards+n]),
        .load_ready_o(in_ready_o[NumBoards+n]),
        .result_o(out_o[n][DataWidth-1:0]),
        .result_last_o(out_o[n][DataWidth]),
        .result_valid_o(out_valid_o[n]),
        .result_ready_i(out_ready_i[n]),
        .in_i(received),
        .in_valid_i(received_valid),
        .in_ready_o(received_ready),
        .out_o(sent[n]),
        .out_valid_o(sent_valid[n]),
        .out_ready_i(sent_ready[n]),
        .event_o(event_bits),
        .busy_o(status_o[n])
    );
    assign out_o[n][$bits(out_o[n])-1:DataWidth+1] = '0;
    assign event_o[n] = event_bits[0];
    assign event_o[21+n] = event_bits[1];
    assign event_o[42+n] = event_bits[2];

    // The link to the following board: packets leave while their buffer has room.
    beat_t [LinkCycles-1:0] wire_q;
    logic [LinkCycles-1:0] wire_valid_q;
    logic [$clog2(BufferBeats):0] used_q;
    logic gap_q;
    localparam int unsigned After = (n + 1) % NumBoards;
    wire leaves = sent_valid[n] & sent_ready[n];
    assign sent_ready[n] = ~gap_q & 32'(used_q) < BufferBeats;
    always_ff @(posedge clk_i[0]) begin
      wire_q <= {wire_q[LinkCycles-2:0], sent[n]};
      wire_q[0].header.source <= board(n);
      wire_valid_q <= rst_i[0] ? '0 : {wire_valid_q[LinkCycles-2:0], leaves};
      gap_q <= ~rst_i[0] & leaves & sent[n].last;
      used_q <= rst_i[0] ? '0 : used_q + ($clog2(
          BufferBeats
      ) + 1)'(leaves) - ($clog2(
          BufferBeats
      ) + 1)'(arrived_valid[After] & arrived_ready[After]);
    end

    stream_queue #(
        .data_t(beat_t),
        .Depth (BufferBeats)
    ) u_buffer (
        .clk_i(clk_i[0]),
        .rst_i(rst_i[0]),
        .in_i(wire_q[LinkCycles-1]),
        .in_valid_i(wire_valid_q[LinkCycles-1]),
        .in_ready_o(),
        .out_o(arrived[After]),
        .out_valid_o(arrived_valid[After]),
        .out_ready_i(arrived_ready[After]),
        .holds_o()
    );
  end
  for (genvar e = 0; e < 21; e++) begin : gen_no_event
    if (e >= NumBoards) begin : gen_zero
      assign event_o[e] = 1'b0;
      assign event_o[21+e] = 1'b0;
      assign event_o[42+e] = 1'b0;
    end
  end

endmodule
