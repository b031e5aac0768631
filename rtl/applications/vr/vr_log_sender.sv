// SPDX-License-Identifier: Apache-2.0
// Sends a StateTransfer or a DoViewChange: its header and lines of the log, as one datagram, or cut
// into fragments of FragmentLines lines.
//
// The stream of blocks is the header, right-aligned in 64 bytes, then the lines. Each beat joins
// the end of one block and the beginning of the next one. In fragments the stream moves by 28 bytes
// for the header of the first one; since a fragment has whole lines, it does so in all of them.
//
// Latency: 3 cycles. Throughput: one beat in 3 cycles. Both wait for lines of an external log.
module vr_log_sender
  import vr_pkg::*;
#(
    parameter int unsigned LineBits = 11,  // of the number of a line in the log
    parameter int unsigned FragmentLines = 22
) (
    input logic clk_i,
    input logic rst_i,

    input logic                      number_i,   // the id of the next message is nonce_i
    input logic [        63:0]       nonce_i,
    input logic                      start_i,
    input logic                      is_vote_i,  // DoViewChange
    input logic [         4:0][63:0] words_i,    // fields up to the entries: 2 or, of a vote, 5
    input logic [LineBits-1:0]       first_i,    // line
    input logic [  LineBits:0]       lines_i,

    output logic  [LineBits-1:0] read_addr_o,
    output logic                 read_next_o,  // the line is taken
    input  line_t                read_line_i,  // one cycle later,
    input  logic                 read_valid_i, // or when this is high

    output line_t                     data_o,
    output logic                [6:0] bytes_o,
    output logic                      last_o,
    output bombus_pkg::length_t       length_o,
    output logic                      valid_o,
    input  logic                      ready_i,
    output logic                      busy_o
);

  localparam int unsigned TransferBytes = 37;  // of the header of a StateTransfer
  localparam int unsigned VoteBytes = 61;
  localparam int unsigned FragmentData = FragmentLines * LineBytes;
  typedef logic [LineBits+7:0] size_t;  // of a message in bytes

  typedef enum logic [2:0] {
    StIdle,
    StRead,
    StLoad,
    StEmit,
    StBegin  // the first beat of a fragment
  } state_t;
  state_t state_q;

  logic vote_q, cut_q, end_q;
  line_t before_q, line_q;
  logic [LineBits-1:0] addr_q;
  logic [  LineBits:0] left_q;
  size_t rest_q, start_q;  // bytes from the present fragment on, and before it
  logic [63:0] number_q;  // of the message
  logic [$clog2(FragmentLines+1)-1:0] place_q;  // block of the fragment

  wire size_t entries = size_t'({lines_i, 6'b0});
  wire size_t total = entries + (is_vote_i ? size_t'(VoteBytes) : size_t'(TransferBytes));
  wire cut = total > size_t'(FragmentData);

  // The header, at the end of a block.
  logic [8*VoteBytes-1:0] vote;
  logic [8*TransferBytes-1:0] transfer;
  wire [63:0] vote_size = 64'(entries) + 64'(VoteBytes - HeaderBytes);
  wire [63:0] transfer_size = 64'(entries) + 64'(TransferBytes - HeaderBytes);
  assign vote = {
    swap64(64'(entries)),
    swap64(words_i[4]),
    swap64(words_i[3]),
    swap64(words_i[2]),
    swap64(words_i[1]),
    swap64(words_i[0]),
    swap64(vote_size),
    TypeDoViewChange,
    Magic
  };
  assign transfer = {
    swap64(64'(entries)),
    swap64(words_i[1]),
    swap64(words_i[0]),
    swap64(transfer_size),
    TypeStateTransfer,
    Magic
  };
  line_t header;
  always_comb begin
    header = {vote, 24'b0};
    if (~is_vote_i) header = {transfer, 216'b0};
  end

  // The beat: bytes of the block before and of this one.
  localparam int unsigned CutTransfer = TransferBytes + FragmentBytes - LineBytes;
  localparam int unsigned CutVote = VoteBytes + FragmentBytes - LineBytes;
  line_t joined;
  logic [5:0] joint;  // bytes of the block before
  always_comb begin
    unique case ({
      cut_q, vote_q
    })
      2'b00: begin
        joint  = 6'(TransferBytes);
        joined = 512'({line_q, before_q} >> 8 * (LineBytes - TransferBytes));
      end
      2'b01: begin
        joint  = 6'(VoteBytes);
        joined = 512'({line_q, before_q} >> 8 * (LineBytes - VoteBytes));
      end
      2'b10: begin
        joint  = 6'(CutTransfer);
        joined = 512'({line_q, before_q} >> 8 * (LineBytes - CutTransfer));
      end
      default: begin
        joint  = 6'(CutVote);
        joined = 512'({line_q, before_q} >> 8 * (LineBytes - CutVote));
      end
    endcase
  end
  wire [8*FragmentBytes-1:0] fragment = {
    64'(rest_q + start_q), 64'(start_q), number_q, FragmentMagic
  };
  wire boundary = cut_q & (32'(place_q) == FragmentLines);
  wire begins = state_q == StBegin;
  wire ends_fragment = boundary & ~end_q;

  assign valid_o = (state_q == StEmit) | begins;
  assign last_o  = ~begins & (end_q | boundary);
  always_comb begin
    bytes_o = 7'd64;
    if (~begins & end_q) bytes_o = {1'b0, joint};
    else if (~begins & boundary) bytes_o = 7'(FragmentBytes);
  end
  // Bytes after the end of a fragment are those of the next one.
  always_comb begin
    data_o = joined;
    if (begins) data_o[8*FragmentBytes-1:0] = fragment;
    else if (ends_fragment) data_o[511:8*FragmentBytes] = '0;
  end
  wire size_t data_bytes = rest_q > size_t'(FragmentData) ? size_t'(FragmentData) : rest_q;
  assign length_o = cut_q ? 14'(data_bytes) + 14'(FragmentBytes) : 14'(rest_q);
  wire at_end = left_q == '0;
  assign read_addr_o = addr_q;
  assign read_next_o = (state_q == StLoad) & ~at_end;
  assign busy_o = state_q != StIdle;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StIdle:
      if (start_i) begin
        vote_q  <= is_vote_i;
        cut_q   <= cut;
        line_q  <= header;
        addr_q  <= first_i;
        left_q  <= lines_i;
        rest_q  <= total;
        start_q <= '0;
        place_q <= '0;
        end_q   <= 1'b0;
        state_q <= cut ? StBegin : StRead;
      end
      StRead:  if (read_valid_i | at_end) state_q <= StLoad;
      StLoad: begin
        before_q <= line_q;
        line_q <= at_end ? '0 : read_line_i;
        end_q <= at_end;
        left_q <= left_q - 1'b1;
        addr_q <= addr_q + 1'b1;
        place_q <= place_q + 1'b1;
        state_q <= StEmit;
      end
      StEmit:
      if (ready_i) begin
        if (end_q) begin
          state_q <= StIdle;
          if (cut_q) number_q <= number_q + 1'b1;
        end else if (boundary) begin
          rest_q  <= rest_q - size_t'(FragmentData);
          start_q <= start_q + size_t'(FragmentData);
          place_q <= '0;
          state_q <= StBegin;
        end else state_q <= StRead;
      end
      default: if (ready_i) state_q <= StRead;
    endcase
    if (number_i) number_q <= nonce_i;
    if (rst_i) state_q <= StIdle;
  end

endmodule
