// SPDX-License-Identifier: Apache-2.0
// Training of a link: is the neighbour there, and is it the one that was there before?
//
// A run of TrainBeats equal training words in consecutive beats announces the neighbour. Each is
// alone in its beat, and a run is longer than any packet, so that payload cannot imitate one: the
// header or the CRC of a packet interrupts it.
//
// The session is drawn again when the neighbour is first heard after a reset. It depends on how
// long this board has run until then, which payload does not know.
//
// up_o rises when the neighbour has announced that it has this side's number, and this side has
// announced the same for as long as the neighbour needs to notice. It falls when the channel is
// down, when the neighbour announces another number, or after DeadCycles without a control word.
module cluster_link_session
  import cluster_link_pkg::*;
#(
    parameter int unsigned TrainBeats = 132,
    parameter int unsigned DeadCycles = 8192
) (
    input logic clk_i,
    input logic rst_i,
    input logic phy_up_i,
    input logic forgets_i, // packets are given up: the neighbour has to begin anew; a pulse

    input heard_t heard_i,
    input logic   beat_valid_i,

    input logic run_done_i,
    output logic run_o,  // send a run of training words; a pulse
    output training_t word_o,
    output logic fresh_o,  // the neighbour is new; a pulse
    output logic restart_o,  // the neighbour trains, but is the same as before; a pulse
    output logic up_o,
    output logic [NumEvents-1:0] event_o
);

  localparam int unsigned RunBits = $clog2(TrainBeats + 1);
  localparam int unsigned DeadBits = $clog2(DeadCycles);

  if (DeadCycles != 2 ** DeadBits) begin : gen_bad_cycles
    $error("cluster_link: DeadCycles must be a power of two");
  end

  // Not reset: a number that the neighbour has not heard yet. Its lowest bits count.
  session_t own_q;
  logic [$bits(session_t)-4:0] age_q;
  logic knows_q, announces;
  logic was_reset_q;
  initial own_q = '0;
  initial age_q = '0;
  initial was_reset_q = 1'b0;
  always_ff @(posedge clk_i) begin
    was_reset_q <= rst_i;
    age_q <= age_q + 1'b1;
    if ((rst_i & ~was_reset_q) | forgets_i | (announces & ~knows_q)) begin
      own_q <= {age_q, own_q[2:0] + 3'd1};
    end
  end

  training_t came, last_q;
  assign came = heard_i.control.payload;
  logic [RunBits-1:0] run_q;
  wire trains = heard_i.valid & heard_i.alone & (heard_i.control.kind == WordTrain);
  assign announces = run_q == RunBits'(TrainBeats);  // for one cycle

  session_t heard_q;
  logic run_started_q, ready_q;
  logic new_q;  // everything has already been begun anew for this neighbour
  assign word_o = '{knows: knows_q, up: up_o, heard: heard_q, own: own_q};
  wire same = knows_q & (last_q.own == heard_q);
  wire known = last_q.knows & (last_q.heard == own_q);
  wire changes = announces & ~(same & known) & ~(same & ~up_o & ~known & new_q);

  logic [DeadBits-1:0] dead_q;

  always_ff @(posedge clk_i) begin
    if (beat_valid_i & trains) last_q <= came;
    if (rst_i | announces) run_q <= '0;
    else if (beat_valid_i) begin
      if (~trains) run_q <= '0;
      else if (came != last_q) run_q <= RunBits'(1);
      else run_q <= run_q + 1'b1;
    end
    fresh_o   <= changes & ~rst_i;
    restart_o <= announces & ~changes & ~last_q.up & ~rst_i;
    event_o   <= '0;
    if (rst_i) begin
      up_o <= 1'b0;
      knows_q <= 1'b0;
      new_q <= 1'b0;
      run_o <= 1'b0;
      run_started_q <= 1'b0;
      ready_q <= 1'b0;
      dead_q <= '0;
    end else begin
      run_o  <= 1'b0;
      dead_q <= (heard_i.valid | ~up_o) ? '0 : dead_q + 1'b1;
      if (changes) begin
        heard_q <= last_q.own;
        knows_q <= 1'b1;
        new_q <= 1'b1;
        run_started_q <= 1'b0;
      end
      if (up_o) begin
        new_q <= 1'b0;
        if (announces & run_done_i & ~last_q.up) run_o <= 1'b1;
      end else if (announces & same & known & ~run_started_q) begin
        run_started_q <= 1'b1;
        run_o <= 1'b1;
      end
      ready_q <= run_started_q & ~run_o;
      if (~up_o & run_started_q & ready_q & run_done_i & phy_up_i) begin
        up_o <= 1'b1;
        run_started_q <= 1'b0;
        event_o[EventUp] <= 1'b1;
      end
      if (forgets_i) knows_q <= 1'b0;
      if (~phy_up_i | changes | forgets_i | (&dead_q)) begin
        up_o <= 1'b0;
        run_started_q <= 1'b0;
        ready_q <= 1'b0;
        if (up_o) event_o[EventDown] <= 1'b1;
      end
    end
  end

  wire unused = heard_i.sure;

endmodule
