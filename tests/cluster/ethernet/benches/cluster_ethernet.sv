// SPDX-License-Identifier: Apache-2.0
// Two boards with a link over Ethernet, and a switch between them that loses, repeats, reorders and
// corrupts frames.
//
// Streams in: beats of packets of side A, of side B; beats of frames that the switch sends to B
// besides those of A, and to A. Out: packets that arrive at B, at A; then the beats of the MAC ports
// of A and of B, whose stalls are those of the MAC.
`include "bench.svh"
`include "cluster_types.svh"

module bench #(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned FrameBytes = 1514,
    parameter int unsigned Latency = 75,
    parameter int unsigned GapBeats = 0,  // of a MAC after each frame: preamble, FCS and gap
    parameter int unsigned BufferBeats = 1024 * 64 / DataWidth + 64,
    localparam int unsigned WireBits = DataWidth + DataWidth / 8 + 2,
    localparam int unsigned BeatBits = WireBits > DataWidth + 32 ? WireBits : DataWidth + 32
) (
    `BENCH_PORTS(4, BeatBits, 4, BeatBits, 192, 2)
);

  `BENCH_SHAPE
  `CLUSTER_BEAT_T(beat_t, DataWidth)
  localparam int unsigned NumLinkEvents = cluster_link_pkg::NumEvents;

  typedef struct packed {
    logic [22:0] unused;
    logic bubbles;  // between beats of a frame to a board
    logic [1:0] dead;  // the switch passes nothing on, from A, from B
    logic [1:0] down;  // the MAC port of A, of B
    logic [1:0] resets;
    logic [1:0] strangers;  // the side is board 9
    logic [31:0] corruptions;  // frames of 2**32
    logic [31:0] repetitions;
    logic [31:0] delays;
    logic [31:0] losses;
    logic [31:0] bad_beats;  // beats with a wrong bit of 2**32
  } faults_t;
  faults_t faults;
  assign faults = control_i[$bits(faults_t)-1:0];

  typedef struct packed {logic [7:0] id;} board_t;
  typedef struct packed {
    logic valid;
    logic [1:0] port;
    logic [7:0] board;
  } peer_t;
  typedef struct packed {
    peer_t  peer3;
    peer_t  peer2;
    peer_t  peer1;
    peer_t  peer0;
    board_t board;
  } regs_t;
  typedef logic [WireBits-1:0] wire_t;

  logic [1:0] resets_q, ups, ready, valid, arriving_valid;
  wire_t [1:0] arriving;
  int unsigned cycle_q;
  always_ff @(posedge clk_i) begin
    resets_q <= faults.resets | {2{rst_i}};
    cycle_q  <= rst_i ? 0 : cycle_q + 1;
  end
  assign status_o = ups;

  for (genvar s = 0; s < 2; s++) begin : gen_side
    logic [NumLinkEvents-1:0] link_events;
    logic [3:0] drops;
    logic [2:0] events;
    beat_t out;
    regs_t regs;
    always_comb begin
      regs = '0;
      regs.board.id = faults.strangers[s] ? 8'd9 : 8'(s + 1);
      regs.peer0 = '{valid: 1'b1, port: 2'd0, board: 8'(2 - s)};
    end
    logic [DataWidth-1:0] tx_data, rx_data;
    logic tx_valid, tx_ready, rx_valid, up;
    cluster_link #(
        .beat_t(beat_t),
        .DataWidth(DataWidth),
        .BufferBeats(BufferBeats > 1000 ? 1000 : BufferBeats),
        .RetryBeats(1024)
    ) u_link (
        .clk_i,
        .rst_i(resets_q[s]),
        .in_i(beat_t'(in_i[s][DataWidth+31:0])),
        .in_valid_i(in_valid_i[s] & ~resets_q[s]),
        .in_ready_o(ready[s]),
        .out_o(out),
        .out_valid_o(valid[s]),
        .out_ready_i(out_ready_i[1-s]),
        .phy_tx_data_o(tx_data),
        .phy_tx_valid_o(tx_valid),
        .phy_tx_ready_i(tx_ready),
        .phy_rx_data_i(rx_data),
        .phy_rx_valid_i(rx_valid),
        .phy_up_i(up),
        .control_i('0),
        .up_o(ups[s]),
        .event_o(link_events)
    );
    wire_t sent;
    logic sent_valid, offers;
    int unsigned gap_q;  // beats left
    wire mac_ready = out_ready_i[2+s] & (gap_q == 0);
    assign sent_valid = offers & (gap_q == 0);
    always_ff @(posedge clk_i) begin
      if (rst_i) gap_q <= 0;
      else if (sent_valid & mac_ready & sent[WireBits-2]) gap_q <= GapBeats;
      else if (gap_q != 0) gap_q <= gap_q - 1;
    end
    cluster_ethernet #(
        .regs_t(regs_t),
        .LinkWidth(DataWidth),
        .FrameBytes(FrameBytes)
    ) u_ethernet (
        .clk_i,
        .rst_i(resets_q[s]),
        .regs_i(regs),
        .link0_tx_data_i(tx_data),
        .link0_tx_valid_i(tx_valid),
        .link0_tx_ready_o(tx_ready),
        .link0_rx_data_o(rx_data),
        .link0_rx_valid_o(rx_valid),
        .link0_up_o(up),
        .link1_tx_data_i('0),
        .link1_tx_valid_i(1'b0),
        .link1_tx_ready_o(),
        .link1_rx_data_o(),
        .link1_rx_valid_o(),
        .link1_up_o(),
        .link2_tx_data_i('0),
        .link2_tx_valid_i(1'b0),
        .link2_tx_ready_o(),
        .link2_rx_data_o(),
        .link2_rx_valid_o(),
        .link2_up_o(),
        .link3_tx_data_i('0),
        .link3_tx_valid_i(1'b0),
        .link3_tx_ready_o(),
        .link3_rx_data_o(),
        .link3_rx_valid_o(),
        .link3_up_o(),
        .wire_tx_data_o(sent),
        .wire_tx_valid_o(offers),
        .wire_tx_ready_i(mac_ready),
        .wire_rx_data_i(arriving[s]),
        .wire_rx_valid_i(arriving_valid[s]),
        .wire_up_i(~faults.down[s]),
        .drop_o(drops),
        .event_o(events)
    );
    assign in_ready_o[s] = ready[s] & ~resets_q[s];
    assign out_o[1-s] = $bits(out_o[0])'(out);
    assign out_valid_o[1-s] = valid[s] & ~resets_q[s];
    assign out_o[2+s] = $bits(out_o[0])'(sent);
    assign out_valid_o[2+s] = sent_valid & ~resets_q[s];
    assign event_o[32*s+:32] = {9'b0, events, drops, 16'(link_events)};

    // The switch, from this side to the other one
    wire_t frame[$], held[$], line[$];
    int unsigned due[$];  // of each frame of the line
    int unsigned held_until;
    logic middle, injects;
    wire_t beat;
    int unsigned at;
    wire is_sent = sent_valid & mac_ready & ~resets_q[s];
    wire idle = faults.bubbles && $urandom() % 4 == 0;
    assign in_ready_o[2+s] = ~middle;
    always_ff @(posedge clk_i) begin
      if (is_sent) begin
        beat = sent;
        if ($urandom() < faults.bad_beats) beat[$urandom()%DataWidth] ^= 1'b1;
        frame.push_back(beat);
        if (sent[WireBits-2]) begin
          if ($urandom() < faults.corruptions) begin
            at   = $urandom() % frame.size();
            beat = frame[at];
            beat[$urandom()%DataWidth] ^= 1'b1;
            frame[at] = beat;
          end
          if ($urandom() >= faults.losses && !faults.dead[s]) begin
            if ($urandom() < faults.delays && held.size() == 0) begin
              held = frame;
              held_until = cycle_q + 300;
            end else begin
              for (int n = 0; n < frame.size(); n++) line.push_back(frame[n]);
              due.push_back(cycle_q + Latency);
              if ($urandom() < faults.repetitions && held.size() == 0) begin
                held = frame;
                held_until = cycle_q + $urandom() % 300;
              end
            end
          end
          frame.delete();
        end
      end
      if (held.size() != 0 && held_until == cycle_q) begin
        for (int n = 0; n < held.size(); n++) line.push_back(held[n]);
        due.push_back(cycle_q + Latency);
        held.delete();
      end
      arriving_valid[1-s] <= 1'b0;
      if (in_valid_i[2+s] & in_ready_o[2+s]) begin
        arriving[1-s] <= wire_t'(in_i[2+s]);
        arriving_valid[1-s] <= 1'b1;
        injects <= ~in_i[2+s][WireBits-2];
      end else if (!injects && line.size() != 0 && (middle || due[0] <= cycle_q) && !idle) begin
        beat = line.pop_front();
        arriving[1-s] <= beat;
        arriving_valid[1-s] <= ~faults.down[1-s];
        middle <= ~beat[WireBits-2];
        if (!middle) void'(due.pop_front());
      end
      if (rst_i) begin
        frame.delete();
        held.delete();
        line.delete();
        due.delete();
        middle  <= 1'b0;
        injects <= 1'b0;
        held_until = 0;
        arriving_valid[1-s] <= 1'b0;
      end
    end
  end

endmodule
