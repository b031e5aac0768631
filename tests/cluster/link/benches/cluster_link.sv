// SPDX-License-Identifier: Apache-2.0
// Two links and the wires between them, which lose beats and flip bits.
//
// Streams in: beats of side A, of side B; out: those that arrive at B, at A; then the beats of the
// wire from A and from B, whose stalls are those of the channel. status, from bit 0, of A and of B:
// up, drained, the receiver's known; from bit 8: expected.
`include "bench.svh"
`include "cluster_types.svh"

module bench
  import cluster_link_pkg::*;
#(
    parameter int unsigned DataWidth = 128,
    parameter int unsigned Latency = 75,
    parameter int unsigned BufferBeats = DataWidth < 128 ? 400 : 200,
    parameter int unsigned RetryBeats = 512,
    parameter bit Check = 1'b1,
    localparam int unsigned BeatBits = DataWidth + 32
) (
    `BENCH_PORTS(2, BeatBits, 4, BeatBits, 160, 40)
);

  `BENCH_SHAPE
  `CLUSTER_BEAT_T(beat_t, DataWidth)

  typedef struct packed {
    logic [14:0] unused;
    logic [1:0] holds;  // beats of A, of B wait, and then come without gaps
    logic [1:0][15:0] expected;  // for the drain of A, of B
    logic [1:0] known;
    logic [1:0] drains;
    logic [1:0] disables;
    logic [1:0] clean;  // directions without faults
    logic [1:0] resets;
    logic [1:0] down;  // the channel from A, from B
    logic [2:0] unused_burst;
    logic [31:0] losses;  // lost beats of 2**32
    logic [31:0] errors;  // beats with errors of 2**32
    logic [31:0] burst;  // bits from the first to the last error of a beat
  } faults_t;
  faults_t faults;
  assign faults = control_i;

  logic [1:0][DataWidth-1:0] sent, received;
  logic [1:0] sent_valid, received_valid;
  logic [1:0] resets_q, ups_q, ups;

  always_ff @(posedge clk_i) begin
    resets_q <= faults.resets | {2{rst_i}};
    ups_q <= ~faults.down;
  end

  for (genvar s = 0; s < 2; s++) begin : gen_side
    logic [NumEvents-1:0] events;
    beat_t out;
    wire link_control_t control =
    '{
        disable_link: faults.disables[s],
        drain: faults.drains[s],
        known: faults.known[s],
        expected: faults.expected[s]
    }
    ;
    assign status_o[2+s] = states[s].drained;
    assign status_o[4+s] = states[s].known;
    assign status_o[8+16*s+:16] = states[s].expected;
    cluster_link #(
        .beat_t(beat_t),
        .DataWidth(DataWidth),
        .BufferBeats(BufferBeats),
        .RetryBeats(RetryBeats),
        .Check(Check)
    ) u_link (
        .clk_i,
        .rst_i(resets_q[s]),
        .in_i(beat_t'(in_i[s][BeatBits-1:0])),
        .in_valid_i(in_valid_i[s] & ~resets_q[s]),
        .in_ready_o(in_ready[s]),
        .out_o(out),
        .out_valid_o(valid[s]),
        .out_ready_i(out_ready_i[1-s]),
        .phy_tx_data_o(sent[s]),
        .phy_tx_valid_o(sent_valid[s]),
        .phy_tx_ready_i(out_ready_i[2+s]),
        .phy_rx_data_i(received[1-s]),
        .phy_rx_valid_i(received_valid[1-s]),
        .phy_up_i(&ups_q),
        .control_i(control),
        .up_o(ups[s]),
        .state_o(states[s]),
        .event_o(events)
    );
    assign in_ready_o[s] = in_ready[s] & ~resets_q[s];
    // What has been delivered before a reset does not count as lost.
    assign out_o[1-s] = $bits(out_o[0])'(out);
    assign out_valid_o[1-s] = valid[s] & ~resets_q[s];
    assign out_o[2+s] = $bits(out_o[0])'(sent[s]);
    assign out_valid_o[2+s] = sent_valid[s] & ~resets_q[s];
    assign event_o[32*s+:32] = 32'(events);

    // The wire
    logic [DataWidth:0] line[Latency];
    logic [DataWidth-1:0] waiting[$];
    int unsigned at_q;
    logic [DataWidth-1:0] noise;
    always_ff @(posedge clk_i) begin
      noise = '0;
      if ($urandom() < faults.errors && !faults.clean[s]) begin
        for (int unsigned b = 0; b < faults.burst; b++) begin
          if (b == 0 || $urandom() % 2 == 1) noise[b%DataWidth] = 1'b1;
        end
        noise = noise << ($urandom() % DataWidth);
        if (noise == '0) noise[0] = 1'b1;
      end
      if (line[at_q][DataWidth]) waiting.push_back(line[at_q][DataWidth-1:0]);
      received_valid[s] <= 1'b0;
      if (waiting.size() != 0 && !faults.holds[s]) begin
        received[s] <= waiting.pop_front();
        received_valid[s] <= ~faults.down[s];
      end
      line[at_q] <= {
        sent_valid[s] & out_ready_i[2+s] & ~resets_q[s] &
            ~($urandom() < faults.losses && !faults.clean[s]),
        sent[s] ^ noise
      };
      at_q <= at_q + 1 >= Latency ? 0 : at_q + 1;
      if (rst_i) begin
        at_q <= 0;
        received_valid[s] <= 1'b0;
        waiting.delete();
        for (int unsigned n = 0; n < Latency; n++) line[n][DataWidth] <= 1'b0;
      end
    end
  end
  logic [1:0] in_ready, valid;
  link_state_t [1:0] states;

  assign status_o[1:0] = ups;
  assign status_o[7:6] = '0;

endmodule
