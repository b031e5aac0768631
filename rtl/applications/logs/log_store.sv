// SPDX-License-Identifier: Apache-2.0
// A log: entries of EntryBits bits in block RAM, read over UDP (docs/applications/logs/format.md).
// It is a kernel of udp_stream, in the same tile; the layer of the tile with the ports log_* writes
// the entries, up to one per cycle.
//
// Up to four requests wait; further ones are dropped, and their clients must repeat them. An entry
// that is overwritten in the cycle of its read is still returned whole.
//
// Latency: 3 cycles from a request to its answer. Throughput: one answer per two cycles and its
// beats.
`include "bombus_assert.svh"

module log_store
  import log_pkg::*;
#(
    parameter type regs_t = logic,
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    parameter int unsigned EntryBits = 128,
    parameter int unsigned NumEntries = 1024,
    parameter bit Ring = 0,  // initial value of the register
    localparam int unsigned KeepWidth = DataWidth / 8,
    localparam int unsigned UserWidth = $bits(udp_stream_pkg::datagram_t)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] kernel_rx_tdata_i,
    input logic [KeepWidth-1:0] kernel_rx_tkeep_i,
    input logic kernel_rx_tvalid_i,
    output logic kernel_rx_tready_o,
    input logic kernel_rx_tlast_i,
    input logic [UserWidth-1:0] kernel_rx_tuser_i,
    output logic [DataWidth-1:0] kernel_tx_tdata_o,
    output logic [KeepWidth-1:0] kernel_tx_tkeep_o,
    output logic kernel_tx_tvalid_o,
    input logic kernel_tx_tready_i,
    output logic kernel_tx_tlast_o,
    output logic [UserWidth-1:0] kernel_tx_tuser_o,

    input logic [EntryBits-1:0] log_entry_i,
    input logic log_write_i,

    input regs_t regs_i,

    output logic [4:0] event_o,
    output logic busy_o
);

  if (DataWidth < 64 || DataWidth != 2 ** $clog2(DataWidth)) begin : gen_bad_width
    $error("log_store: DataWidth must be a power of two of at least 64");
  end
  if (EntryBits < 1 || EntryBits > 8192) begin : gen_bad_entry
    $error("log_store: EntryBits must be 1 to 8192");
  end
  if (NumEntries < 2 || NumEntries > 65536 || NumEntries != 2 ** $clog2(
          NumEntries
      )) begin : gen_bad_entries
    $error("log_store: NumEntries must be a power of two, 2 to 65536");
  end

  localparam string Entry = "";  // not reachable from the mesh
  typedef enum int unsigned {
    EventEntry,      // written
    EventLost,       // not written: the log is full
    EventAnswer,
    EventBusy,       // a request is dropped: four others wait
    EventMalformed,  // a request is dropped
    NumEvents
  } event_e;

  // ---- Entries ----

  localparam int unsigned AddressBits = $clog2(NumEntries);
  typedef logic [AddressBits-1:0] address_t;
  index_t next_q, first_q;  // entries from first_q to next_q - 1 exist
  logic [AddressBits:0] level_q;
  logic [31:0] lost_q;
  logic [7:0] generation_q;
  wire full = level_q[AddressBits];
  wire offered = log_write_i & ~regs_i.control.paused;
  wire clears = regs_i.control.clear;
  wire writes = offered & (~full | regs_i.control.ring) & ~clears;
  wire loses = offered & full & ~regs_i.control.ring & ~clears;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      next_q <= '0;
      first_q <= '0;
      level_q <= '0;
      lost_q <= '0;
      generation_q <= '0;
    end else if (clears) begin
      first_q <= next_q;
      level_q <= '0;
      lost_q <= '0;
      generation_q <= generation_q + 8'd1;
    end else begin
      if (writes) next_q <= next_q + index_t'(1);
      if (writes & full) first_q <= first_q + index_t'(1);
      if (writes & ~full) level_q <= level_q + 1'b1;
      if (loses & ~&lost_q) lost_q <= lost_q + 32'd1;
    end
  end

  logic [EntryBits-1:0] entry;
  address_t read_address;
  sized_memory #(
      .data_t(logic [EntryBits-1:0]),
      .Depth (NumEntries)
  ) u_entries (
      .clk_i,
      .write_addr_i(address_t'(next_q)),
      .data_i(log_entry_i),
      .write_i(writes),
      .read_addr_i(read_address),
      .data_o(entry)
  );

  // ---- Requests ----

  localparam int unsigned RequestBits = $bits(request_t);
  localparam int unsigned HeadBeats = DataWidth < RequestBits ? RequestBits / DataWidth : 1;
  localparam int unsigned HeadKeep = DataWidth < RequestBits ? KeepWidth : RequestBits / 8;
  typedef logic [$clog2(HeadBeats+1)-1:0] beat_t;
  typedef struct packed {
    logic [63:0] index;
    logic [31:0] number;
    logic [UserWidth-1:0] user;
  } waiting_t;

  assign kernel_rx_tready_o = 1'b1;
  beat_t beat_q;
  logic [UserWidth-1:0] user_q;
  logic whole_q;
  request_t received;
  wire [UserWidth-1:0] user = beat_q == '0 ? kernel_rx_tuser_i : user_q;
  wire whole = beat_q == beat_t'(HeadBeats - 1) ? kernel_rx_tkeep_i[HeadKeep-1] : whole_q;
  if (HeadBeats == 1) begin : gen_one
    request_t request_q;
    assign received = beat_q == '0 ? request_t'(kernel_rx_tdata_i[RequestBits-1:0]) : request_q;
    always_ff @(posedge clk_i) request_q <= received;
  end else begin : gen_beats
    logic [HeadBeats-1:0][DataWidth-1:0] beats, beats_q;
    always_comb begin
      beats = beats_q;
      for (int unsigned b = 0; b < HeadBeats; b++) begin
        if (beat_q == beat_t'(b)) beats[b] = kernel_rx_tdata_i;
      end
    end
    always_ff @(posedge clk_i) if (kernel_rx_tvalid_i) beats_q <= beats;
    assign received = request_t'(beats);
  end
  wire ends = kernel_rx_tvalid_i & kernel_rx_tlast_i;
  wire well_formed = whole & received.magic == Magic & received.version == Version;
  always_ff @(posedge clk_i) begin
    if (kernel_rx_tvalid_i) user_q <= user;
    if (rst_i | ends) begin
      beat_q  <= '0;
      whole_q <= 1'b0;
    end else if (kernel_rx_tvalid_i) begin
      if (beat_q != beat_t'(HeadBeats)) beat_q <= beat_q + 1'b1;
      whole_q <= whole;
    end
  end

  waiting_t waiting;
  logic waiting_valid, waiting_room, takes, unused_head;
  head_fifo #(
      .head_t(logic),
      .body_t(waiting_t),
      .Depth (4)
  ) u_waiting (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  ('{index: received.index, number: received.number, user: user}),
      .in_valid_i (ends & well_formed),
      .in_ready_o (waiting_room),
      .out_head_o (unused_head),
      .out_body_o (waiting),
      .out_valid_o(waiting_valid),
      .out_ready_i(takes)
  );

  // ---- Answers ----

  localparam int unsigned EntryBytes = (EntryBits + 7) / 8;
  localparam int unsigned HeaderBytes = $bits(answer_t) / 8;
  localparam int unsigned AnswerBeats = (HeaderBytes + EntryBytes + KeepWidth - 1) / KeepWidth;
  typedef logic [$clog2(HeaderBytes+EntryBytes+1)-1:0] count_t;
  typedef enum logic [1:0] {
    Idle,
    Load,
    Send
  } state_e;
  state_e state_q;
  answer_t answer, answer_q;
  logic [UserWidth-1:0] answer_user_q;
  logic [AnswerBeats-1:0][DataWidth-1:0] text_q;
  count_t left_q;
  logic [AnswerBeats*DataWidth-1:0] text;
  assign text = $bits(text)'({entry, answer_q});
  assign takes = state_q == Idle & waiting_valid;
  assign read_address = address_t'(waiting.index);
  always_comb begin
    answer = '{
        ring: regs_i.control.ring,
        generation: generation_q,
        entry_bits: 16'(EntryBits),
        lost: lost_q,
        next: 64'(next_q),
        first: 64'(first_q),
        index: waiting.index,
        number: waiting.number,
        status: Ok,
        version: Version,
        magic: Magic,
        default: '0
    };
    if (waiting.index >= 64'(next_q)) answer.status = NotWritten;
    else if (waiting.index < 64'(first_q)) answer.status = Overwritten;
  end

  wire sends = kernel_tx_tvalid_o & kernel_tx_tready_i;
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        answer_q <= answer;
        answer_user_q <= waiting.user;
        left_q <= answer.status == Ok ? count_t'(HeaderBytes + EntryBytes) : count_t'(HeaderBytes);
        if (waiting_valid) state_q <= Load;
      end
      Load: begin
        text_q  <= text;
        state_q <= Send;
      end
      default: begin
        if (sends) begin
          text_q <= text_q >> DataWidth;
          left_q <= left_q - count_t'(KeepWidth);
          if (kernel_tx_tlast_o) state_q <= Idle;
        end
      end
    endcase
    if (rst_i) state_q <= Idle;
  end

  always_comb begin
    kernel_tx_tlast_o = 32'(left_q) <= KeepWidth;
    for (int unsigned b = 0; b < KeepWidth; b++) begin
      kernel_tx_tkeep_o[b] = b < 32'(left_q);
      kernel_tx_tdata_o[8*b+:8] = b < 32'(left_q) ? text_q[0][8*b+:8] : '0;
    end
  end
  assign kernel_tx_tvalid_o = state_q == Send;
  assign kernel_tx_tuser_o  = answer_user_q;

  always_ff @(posedge clk_i) begin
    event_o[EventEntry] <= writes & ~rst_i;
    event_o[EventLost] <= loses & ~rst_i;
    event_o[EventAnswer] <= sends & kernel_tx_tlast_o & ~rst_i;
    event_o[EventBusy] <= ends & well_formed & ~waiting_room & ~rst_i;
    event_o[EventMalformed] <= ends & ~well_formed & ~rst_i;
  end
  assign busy_o = waiting_valid | state_q != Idle | beat_q != '0;

  `BOMBUS_ASSERT(LevelFits, level_q <= (AddressBits + 1)'(NumEntries))
  `BOMBUS_ASSERT(LevelIsCount, first_q + index_t'(level_q) == next_q)

endmodule
