// SPDX-License-Identifier: Apache-2.0
// Strips the TCP header off segments (RFC 9293, 3.1) and stores the payload in block RAM until it
// is sent, in the order in which segments are pushed.
//
// The input never stalls. The words of a beat are rotated by the length of the header and written
// to their rows: every word has its own write address, so no beat has to be held and merged. Rows
// of segments that are not accepted are overwritten. A segment without payload also occupies a row.
//
// Beats of a pushed segment are sent as soon as they are complete. One segment at a time may be
// pushed later than its successors; no row is reused before it has been sent.
//
// Latency: 3 cycles from the push. Throughput: one beat per cycle, no gap between messages.
`include "bombus_assert.svh"

module tcp_payload #(
    parameter type beat_t = logic,
    parameter int unsigned DataBytes = 64,
    // Rows of one beat: two segments of maximum length and some more
    parameter int unsigned Rows = 512,
    // Segments that are pushed and not yet sent
    parameter int unsigned Segments = 32,
    localparam int unsigned RowWidth = $clog2(Rows),
    localparam int unsigned ShiftWidth = $clog2(DataBytes / 4)
) (
    input logic clk_i,
    input logic rst_i,

    // Arriving beats
    input beat_t                  in_i,
    input logic                   in_valid_i,
    input logic  [ShiftWidth-1:0] in_shift_i,   // words of the header, minus those in whole beats
    // the first beat after those that contain only header bytes
    input logic                   in_leads_i,
    input logic                   in_follows_i, // a later beat

    // One cycle after each beat: the beat belongs to an accepted segment.
    input  logic                accept_i,
    input  logic                late_i,        // with the first beat: this segment is pushed late
    output logic [RowWidth-1:0] row_o,         // with late_i: first row of its payload
    output logic                late_full_o,   // there is no room for a segment that is pushed late
    output logic                nearly_full_o, // room for only 8 rows: the input should stall

    // Segments to send, in order
    input logic                               push_i,
    input logic                [RowWidth-1:0] push_row_i,
    input bombus_pkg::length_t                push_length_i,
    input logic                [         3:0] push_header_i,  // header words before the payload
    input logic                               push_late_i,

    output beat_t out_o,
    output logic [5:0] out_header_o,  // header bytes before the payload
    output logic out_valid_o,
    input logic out_ready_i,
    output logic sent_o  // the last row of a segment has left the memory
);

  if (DataBytes < 8 || DataBytes > 64 || DataBytes != 2 ** $clog2(DataBytes)) begin : gen_bad_data
    $error("tcp_payload: DataBytes must be 8, 16, 32 or 64");
  end
  if (Rows < 16 || Rows != 2 ** RowWidth) begin : gen_bad_rows
    $error("tcp_payload: Rows must be a power of two, at least 16");
  end

  localparam int unsigned Words = DataBytes / 4;
  // Bits of the shift done in the first stage
  localparam int unsigned FineWidth = ShiftWidth < 2 ? ShiftWidth : 2;
  typedef logic [ShiftWidth-1:0] shift_t;
  typedef logic [RowWidth-1:0] row_t;
  typedef logic [$bits(in_i.bytes)-1:0] count_t;
  typedef logic [Words-1:0][31:0] words_t;

  // ---- Input: rotate by up to three words before the register, by the rest after it ----

  function automatic words_t rotated(words_t words, int unsigned amount);
    words_t result;
    for (int unsigned w = 0; w < Words; w++) result[w] = words[(w+amount)%Words];
    return result;
  endfunction

  localparam int unsigned CoarseWidth = ShiftWidth - FineWidth;
  words_t [2**FineWidth-1:0] fine;  // rotated by each amount
  words_t fine_q, aligned;
  shift_t shift_q;
  logic valid_q, last_q;
  logic joins_q;  // the upper words belong to the previous row
  logic completes_q;  // a row is complete, and the message continues
  logic spills_q;  // the last beat needs one more row
  wire  joins = in_follows_i & (in_shift_i != '0);

  always_comb begin
    for (int unsigned s = 0; s < 2 ** FineWidth; s++) fine[s] = rotated(in_i.data, s);
  end
  if (CoarseWidth == 0) begin : gen_no_coarse
    assign aligned = fine_q;
  end else begin : gen_coarse
    words_t [2**CoarseWidth-1:0] coarse;
    always_comb begin
      for (int unsigned s = 0; s < 2 ** CoarseWidth; s++) coarse[s] = rotated(fine_q, 4 * s);
    end
    assign aligned = coarse[shift_q[ShiftWidth-1:FineWidth]];
  end

  always_ff @(posedge clk_i) begin
    fine_q <= fine[in_shift_i[FineWidth-1:0]];
    shift_q <= in_shift_i;
    last_q <= in_i.last;
    joins_q <= joins;
    completes_q <= joins | ((in_leads_i | in_follows_i) & (in_shift_i == '0));
    spills_q <= joins & (in_i.bytes > count_t'({in_shift_i, 2'b0}));
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else valid_q <= in_valid_i;
  end

  // ---- Rows ----

  row_t write_q, after_q;  // the next row to be completed, and the one after it
  row_t sent_q;  // rows sent, one cycle late
  row_t kept_q;
  logic late_q, crowded_q;
  logic fetch, fetch_last, fetched_q;
  logic head_late;
  wire two = last_q & spills_q;
  wire one = last_q | completes_q;
  wire row_t used = write_q - kept_q;

  assign row_o = write_q;
  assign late_full_o = late_q | crowded_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      after_q <= row_t'(1);
      fetched_q <= 1'b0;
      sent_q <= '0;
      kept_q <= '0;
      late_q <= 1'b0;
      crowded_q <= 1'b0;
      nearly_full_o <= 1'b0;
    end else begin
      if (valid_q & accept_i & one) begin
        write_q <= two ? after_q + row_t'(1) : after_q;
        after_q <= after_q + (two ? row_t'(2) : row_t'(1));
      end
      fetched_q <= fetch;
      sent_q <= sent_q + row_t'(fetched_q);
      // Except while a segment is late, the rows sent are contiguous.
      if (~late_q & ~late_i) kept_q <= sent_q;
      if (late_i) late_q <= 1'b1;
      else if (fetch & fetch_last & head_late) late_q <= 1'b0;
      nearly_full_o <= &used[RowWidth-1:3];
      // No row is freed while a segment is late. There must be room for it and for the longest
      // segment that may be pushed before it; otherwise they deadlock.
      crowded_q <= used[RowWidth-1-:2] != '0;
    end
  end

  // ---- Segments to send ----

  typedef struct packed {
    logic late;
    row_t row;
    bombus_pkg::length_t length;
    logic [3:0] header;
  } head_t;
  head_t head;
  logic head_valid, head_ready, unused_ready, unused_body;
  head_fifo #(
      .head_t(head_t),
      .body_t(logic),
      .Depth (Segments)
  ) u_heads (
      .clk_i,
      .rst_i,
      .in_head_i(
      '{late: push_late_i, row: push_row_i, length: push_length_i, header: push_header_i}
      ),
      .in_body_i(1'b0),
      .in_valid_i(push_i),
      .in_ready_o(unused_ready),
      .out_head_o(head),
      .out_body_o(unused_body),
      .out_valid_o(head_valid),
      .out_ready_i(head_ready)
  );

  logic begun_q;  // some rows of the first segment have been sent
  row_t row_q;
  bombus_pkg::length_t left_q;
  wire row_t row = begun_q ? row_q : head.row;
  wire bombus_pkg::length_t left = begun_q ? left_q : head.length;
  logic read_ready, read_valid_q;
  assign fetch_last = left <= 14'(DataBytes);
  assign fetch = head_valid & (row != write_q) & (~read_valid_q | read_ready);
  assign head_ready = fetch & fetch_last;
  assign head_late = head.late;
  assign sent_o = head_ready;

  always_ff @(posedge clk_i) begin
    if (fetch) begin
      row_q  <= row + row_t'(1);
      left_q <= left - 14'(DataBytes);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      begun_q <= 1'b0;
      read_valid_q <= 1'b0;
    end else begin
      if (fetch) begun_q <= ~fetch_last;
      if (~read_valid_q | read_ready) read_valid_q <= fetch;
    end
  end

  // ---- Memory ----

  words_t read_q;
  for (genvar w = 0; w < Words; w++) begin : gen_word
    (* ram_style = "block" *) logic [31:0] ram[Rows];
    // The upper words of a beat complete the row that the previous beat began.
    wire upper = 32'(shift_q) + 32'(w) >= 32'(Words);
    wire row_t address = joins_q & ~upper ? after_q : write_q;
    always_ff @(posedge clk_i) begin
      if (valid_q) ram[address] <= aligned[w];
      if (fetch) read_q[w] <= ram[row];
    end
  end

  // ---- Output: words beyond the end become zero ----

  // In the last beat, of 0 to DataBytes bytes. Without carry chains.
  localparam int unsigned OffsetWidth = $clog2(DataBytes);
  wire [OffsetWidth-1:0] offset = left[OffsetWidth-1:0];
  wire [Words-1:0] from = '1 << (offset >> 2);
  logic [Words-1:0] beyond;
  always_comb begin
    beyond = offset[1:0] == '0 ? from : from << 1;
    if (offset == '0) beyond = {Words{~left[OffsetWidth]}};
  end

  typedef struct packed {
    bombus_pkg::length_t length;
    logic [3:0] header;
    logic last;
    count_t bytes;
    logic [Words-1:0] beyond;
  } read_t;
  read_t fetched, side_q;
  always_comb begin
    fetched.length = head.length;
    fetched.header = head.header;
    fetched.last   = fetch_last;
    fetched.bytes  = fetch_last ? count_t'(left) : count_t'(DataBytes);
    fetched.beyond = fetched.last ? beyond : '0;
  end
  always_ff @(posedge clk_i) begin
    if (fetch) side_q <= fetched;
  end

  assign read_ready = ~out_valid_o | out_ready_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) out_valid_o <= 1'b0;
    else if (read_ready) out_valid_o <= read_valid_q;
  end
  words_t out_words_q;
  read_t  out_q;
  always_ff @(posedge clk_i) begin
    if (read_ready) begin
      out_q <= side_q;
      for (int unsigned w = 0; w < Words; w++) begin
        out_words_q[w] <= side_q.beyond[w] ? '0 : read_q[w];
      end
    end
  end
  always_comb begin
    out_o = '0;
    out_o.kind = $bits(out_o.kind)'(bombus_pkg::KindPacket);
    out_o.length = out_q.length;
    out_o.last = out_q.last;
    out_o.bytes = out_q.bytes;
    out_o.data = out_words_q;
    out_header_o = {out_q.header, 2'b0};
  end

  `BOMBUS_ASSERT(HeadsHaveRoom, !push_i || unused_ready)

endmodule
