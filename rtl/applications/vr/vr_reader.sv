// SPDX-License-Identifier: Apache-2.0
// Reads a message: joins its fragments, decodes its first beat, extracts lines of the others.
//
// The first beat is taken when the message before it has ended; its fields are on word_o one cycle
// later, and header_o, which compares them with the state, after another cycle.
module vr_reader
  import bombus_pkg::*;
  import vr_pkg::*;
  import vr_header_pkg::*;
  import vr_state_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned JoinLines = 0,  // of a message in fragments; 0: they are messages
    parameter int unsigned LineBits = 11  // of the number of a line in the log
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    input st_e            st_i,
    input logic           finish_i,
    input logic           holds_i,    // the next message is not taken yet
    input actions_t       actions_i,
    input replica_state_t now_i,

    output logic         valid_o,    // a message is offered
    output logic         accepts_o,  // it is taken
    output logic         ends_o,     // the one that is handled ends
    output logic         handled_o,  // a message is being handled
    output line_t        first_o,    // its first beat,
    output words_t       word_o,     // the fields in it,
    output length_t      length_o,   // its length,
    output packet_meta_t meta_o,     // and its metadata
    output header_t      header_o,
    output line_t        second_o,   // beat
    output facts_t       facts_o,    // those of the beats; the others are 0

    input  logic [         6:0] count_i,       // bytes to consume, or to extract
    input  logic                is_request_i,  // fields of a request are extracted,
    input  logic                is_entry_i,    // a line of entries,
    input  logic                writes_i,      // or a line of the log,
    input  logic [LineBits-1:0] addr_i,        // at this place
    output logic [         5:0] place_o,       // bytes by which that line is rotated

    output line_t                 found_o,
    output logic  [LineBytes-1:0] keep_o,
    output logic                  found_request_o,
    output logic                  found_entry_o,
    output logic                  found_write_o,
    output logic  [ LineBits-1:0] found_addr_o,

    output logic drop_o,   // a fragment is dropped
    output logic store_o,  // a fragment is held
    output logic busy_o    // with a fragment
);

  if (JoinLines == 1 || JoinLines > 256 || (JoinLines != 0 && 2 ** $clog2(
          JoinLines
      ) != JoinLines)) begin : gen_bad_join
    $error("vr_reader: JoinLines must be 0 or a power of two from 2 to 256");
  end

  beat_t whole;  // a beat of a message that is no fragment
  logic  whole_ready;
  if (JoinLines != 0) begin : gen_join
    vr_join #(
        .beat_t(beat_t),
        .Lines (JoinLines)
    ) u_join (
        .clk_i,
        .rst_i,
        .in_i,
        .in_valid_i,
        .in_ready_o,
        .out_o(whole),
        .out_valid_o(valid_o),
        .out_ready_i(whole_ready),
        .drop_o,
        .store_o,
        .busy_o
    );
  end else begin : gen_no_join
    assign whole = in_i;
    assign valid_o = in_valid_i;
    assign in_ready_o = whole_ready;
    assign {drop_o, store_o, busy_o} = '0;
  end

  logic window_ready, window_ended, has_second, has_line, turns, found_valid;
  wire begins = accepts_o & valid_o;
  assign ends_o = (finish_i | (st_i == StDrain)) & window_ended;
  assign accepts_o = ((st_i == StIdle) | ends_o) & ~holds_i;
  assign whole_ready = accepts_o | window_ready;
  assign word_o = words_of(first_o);
  always_ff @(posedge clk_i) begin
    if (begins) begin
      first_o  <= whole.data;
      length_o <= whole.length;
      meta_o   <= packet_meta_t'(whole.meta);
    end
    handled_o <= begins | (handled_o & ~finish_i);
    if (rst_i) handled_o <= 1'b0;
  end

  vr_header u_header (
      .clk_i,
      .enable_i(st_i == StCheck),
      .line_i(first_o),
      .length_i(length_o),
      .view_i(now_i.view),
      .last_i(now_i.last),
      .committed_i(now_i.committed),
      .cleaned_i(now_i.cleaned),
      .header_o
  );

  typedef struct packed {
    logic                is_request;
    logic                is_entry;
    logic                write;
    logic [LineBits-1:0] addr;
  } tag_t;
  tag_t found_tag;
  vr_window #(
      .tag_t(tag_t)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_i(whole.data),
      .in_valid_i(valid_o & ~accepts_o),
      .in_last_i(whole.last),
      .begin_i(begins),
      .first_i(st_i == StCheck),
      .discard_i(st_i == StDrain),
      .ready_o(window_ready),
      .ended_o(window_ended),
      .next_o(second_o),
      .has_next_o(has_second),
      .count_i,
      .consume_i(actions_i.consume),
      .extract_i(actions_i.extract),
      .rotates_i(~writes_i),
      .place_o,
      .has_o(has_line),
      .turns_o(turns),
      .tag_i('{is_request: is_request_i, is_entry: is_entry_i, write: writes_i, addr: addr_i}),
      .line_o(found_o),
      .keep_o,
      .tag_o(found_tag),
      .valid_o(found_valid)
  );
  assign found_request_o = found_valid & found_tag.is_request;
  assign found_entry_o = found_valid & found_tag.is_entry;
  assign found_write_o = found_valid & found_tag.write;
  assign found_addr_o = found_tag.addr;
  always_comb begin
    facts_o = '0;
    facts_o.has_second = has_second & ~turns;
    facts_o.turns = turns;
    facts_o.has_line = has_line;
    facts_o.has_request = found_request_o;
  end

endmodule
