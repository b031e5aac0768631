// SPDX-License-Identifier: Apache-2.0
// Sends a StateTransfer or a DoViewChange: its header and lines of the log, as one datagram, or cut
// into fragments of FragmentLines lines. vr_reply composes the header in its output register, where
// beats are then assembled.
//
// A beat joins the end of one line and the beginning of the next one, at byte `joint`. Each line is
// rotated in place, by 8 bytes or by 1 in a cycle, until it begins there: its first bytes complete
// a beat, the others begin the next one. This also undoes the rotation of operations in the log
// (vr_log). In fragments the joint moves by 28 bytes for the header of the first one; since a
// fragment has whole lines, it is the same in all of them.
//
// Latency: 4 cycles. Throughput: one beat in 3 cycles, of a DoViewChange in 7 (whole) or 8, of a
// whole StateTransfer in 10; for operations that the log holds rotated, in 3 to 17. Lines of an
// external log are waited for.
module vr_log_sender
  import vr_pkg::*;
#(
    parameter int unsigned LineBits = 11,  // of the number of a line in the log
    parameter int unsigned FragmentLines = 22
) (
    input logic clk_i,
    input logic rst_i,

    input logic                number_i,   // the id of the next message is nonce_i
    input logic [        63:0] nonce_i,
    input logic                start_i,
    input logic                is_vote_i,  // DoViewChange
    input logic [LineBits-1:0] first_i,    // line
    input logic [  LineBits:0] lines_i,

    output logic  [LineBits-1:0] read_addr_o,
    output logic                 read_next_o,  // the line is taken
    input  line_t                read_line_i,  // one cycle later,
    input  logic                 read_valid_i, // or when this is high

    // To the output register, while it is free.
    output logic joins_o,  // bytes of line_o, not the header
    output logic begins_o,  // after the header of a fragment
    output line_t line_o,
    output logic [LineBytes-1:0] writes_o,  // these bytes
    output logic [LineBytes-1:0] clears_o,  // of which these become 0
    output logic [LineBits:0] entries_o,  // lines, of the header
    output logic [8*FragmentBytes-1:0] fragment_o,
    input line_t register_i,  // holds the header
    output logic [6:0] bytes_o,
    output logic last_o,
    output bombus_pkg::length_t length_o,
    output logic valid_o,  // the beat is complete
    input logic ready_i,  // the register is free
    output logic busy_o
);

  localparam int unsigned TransferBytes = 37;  // of the header of a StateTransfer
  localparam int unsigned VoteBytes = 61;
  localparam int unsigned CutTransfer = TransferBytes + FragmentBytes - LineBytes;
  localparam int unsigned CutVote = VoteBytes + FragmentBytes - LineBytes;
  localparam int unsigned FragmentData = FragmentLines * LineBytes;
  typedef logic [LineBits+7:0] size_t;  // of a message in bytes

  typedef enum logic [2:0] {
    StIdle,
    StHeader,
    StShift,
    StBegin,  // the first beat of a fragment
    StKeep,  // the end of a line begins a beat
    StLoad,
    StTurn,
    StEmit  // the beginning of a line completes it
  } state_t;
  state_t state_q;

  logic vote_q, cut_q;
  line_t line_q;
  logic [LineBits-1:0] addr_q;
  logic [LineBits:0] left_q;
  size_t rest_q, start_q;  // bytes from the present fragment on, and before it
  logic [63:0] number_q;  // of the message
  logic [$clog2(FragmentLines+1)-1:0] place_q;  // lines of the fragment
  wire at_end = left_q == '0;
  wire boundary = cut_q & (32'(place_q) == FragmentLines);

  wire size_t total = size_t'({lines_i, 6'b0}) +
      (is_vote_i ? size_t'(VoteBytes) : size_t'(TransferBytes));

  // ---- The line ----

  logic [5:0] joint, turn_base;
  always_comb begin
    unique case ({
      cut_q, vote_q
    })
      2'b00:   joint = 6'(TransferBytes);
      2'b01:   joint = 6'(VoteBytes);
      2'b10:   joint = 6'(CutTransfer);
      default: joint = 6'(CutVote);
    endcase
    turn_base = 6'(CutTransfer) - joint;  // a line is loaded where it begins in fragments
  end

  logic [7:0] op_left_q;  // lines of the operation
  logic [5:0] rotation_q, turn_q;  // of its lines; of this line, bytes that are left
  wire is_first = op_left_q == '0;  // line of an entry
  wire [13:0] entry_bytes = {read_line_i[6*8+:6], read_line_i[7*8+:8]};
  wire [5:0] turn = turn_base + (is_first ? 6'd0 : rotation_q);
  wire by_more = |turn_q[5:3];
  wire [5:0] turn_left = turn_q - (by_more ? 6'd8 : 6'd1);
  line_t loaded;
  always_comb begin
    loaded = read_line_i;
    if (is_first) loaded[32*8+:6] = '0;
  end

  // A binary choice among four: one LUT6 for each bit.
  line_t [3:0] lines;
  assign lines = {
    {line_q[63:0], line_q[511:64]},
    {line_q[7:0], line_q[511:8]},
    {loaded[8*(LineBytes-CutTransfer)-1:0], loaded[511-:8*CutTransfer]},
    {register_i[8*(LineBytes-FragmentBytes)-1:0], register_i[511-:8*FragmentBytes]}
  };
  wire turning = state_q == StTurn;
  wire [1:0] choice = {turning, turning ? by_more : state_q == StLoad};
  always_ff @(posedge clk_i) begin
    if (turning || state_q == StLoad || state_q == StShift) line_q <= lines[choice];
  end

  // ---- The beat ----

  assign joins_o = (state_q == StBegin) | (state_q == StKeep) | (state_q == StEmit);
  assign begins_o = state_q == StBegin;
  assign line_o = line_q;
  assign entries_o = left_q;
  assign fragment_o = {64'(rest_q + start_q), 64'(start_q), number_q, FragmentMagic};
  always_comb begin
    for (int unsigned b = 0; b < LineBytes; b++) begin
      unique case (state_q)
        StIdle, StHeader, StBegin: writes_o[b] = 1'b1;
        StKeep: writes_o[b] = at_end | (6'(b) < joint);
        StEmit: writes_o[b] = 6'(b) >= joint;
        default: writes_o[b] = 1'b0;
      endcase
      // Bytes after the end of a fragment are those of the next one.
      clears_o[b] = (state_q == StKeep && 6'(b) >= joint) ||
          (state_q == StEmit && boundary && b >= FragmentBytes);
    end
  end
  wire only = (state_q == StHeader) & at_end;  // without entries, which is never cut
  wire ends = only | ((state_q == StKeep) & at_end);
  assign valid_o = begins_o | (state_q == StEmit) | ends;
  assign last_o  = ends | ((state_q == StEmit) & boundary);
  always_comb begin
    bytes_o = 7'd64;
    if (ends) bytes_o = {1'b0, joint};
    else if ((state_q == StEmit) & boundary) bytes_o = 7'(FragmentBytes);
  end
  wire size_t data_bytes = rest_q > size_t'(FragmentData) ? size_t'(FragmentData) : rest_q;
  assign length_o = cut_q ? 14'(data_bytes) + 14'(FragmentBytes) : 14'(rest_q);
  assign read_addr_o = addr_q;
  assign read_next_o = (state_q == StLoad) & read_valid_i;
  assign busy_o = state_q != StIdle;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StIdle:
      if (start_i) begin
        vote_q <= is_vote_i;
        cut_q <= total > size_t'(FragmentData);
        addr_q <= first_i;
        left_q <= lines_i;
        rest_q <= total;
        start_q <= '0;
        place_q <= '0;
        op_left_q <= '0;
        state_q <= StHeader;
      end
      StHeader:
      if (ready_i) begin
        if (cut_q) state_q <= StShift;
        else state_q <= at_end ? StIdle : StLoad;
      end
      StShift: state_q <= StBegin;
      StBegin: if (ready_i) state_q <= StKeep;
      StKeep:
      if (ready_i) begin
        state_q <= at_end ? StIdle : StLoad;
        if (at_end & cut_q) number_q <= number_q + 1'b1;
      end
      StLoad:
      if (read_valid_i) begin
        left_q <= left_q - 1'b1;
        addr_q <= addr_q + 1'b1;
        place_q <= place_q + 1'b1;
        op_left_q <= is_first ? entry_bytes[13:6] - 8'(entry_bytes[5:0] == '0) : op_left_q - 1'b1;
        if (is_first) rotation_q <= read_line_i[32*8+:6];
        turn_q  <= turn;
        state_q <= turn == '0 ? StEmit : StTurn;
      end
      StTurn: begin
        turn_q <= turn_left;
        if (turn_left == '0) state_q <= StEmit;
      end
      default:  // StEmit
      if (ready_i) begin
        if (boundary) begin
          rest_q  <= rest_q - size_t'(FragmentData);
          start_q <= start_q + size_t'(FragmentData);
          place_q <= '0;
          state_q <= StBegin;
        end else state_q <= StKeep;
      end
    endcase
    if (number_i) number_q <= nonce_i;
    if (rst_i) state_q <= StIdle;
  end

endmodule
