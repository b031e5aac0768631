// SPDX-License-Identifier: Apache-2.0
// Copies between a host and the memory of a processing element, by two AXI-Streams that the design
// file raises to the top. It stands between `pe_memory` and the kernel, whose bursts it passes on;
// both take turns (axi_share).
//
// A message on copy_in is a copy. Its first beat is the header, with the lowest bytes first:
//
//   bytes 0-7    address
//   bytes 8-11   length in bytes, up to MaxCopyBytes
//   bytes 12-15  opcode, in ASCII: READ or WRIT
//
// Data have the alignment of the memory: of an address that is no multiple of DataBytes, the first
// beat holds the bytes before it too. A write's data are the further beats of its message; bytes
// before the address, and after the length, are not written, whatever tkeep is. The data of a read
// are full beats of its answer.
//
// Each copy has one answer on copy_out, in order: the data of a read, then a beat of one byte, the
// status:
//
//   0  done; a copy of length 0 is done without an access, and its data are dropped
//   1  the memory has answered with an error: read data are as received, others may be written
//   2  refused: bytes beyond the memory, too long, a read with data, or a write without
//   3  a write whose message has fewer or more bytes than its length; those that it has are written
//
// Messages with another opcode are dropped without an answer: a reset within a message leaves its
// rest to a source that is not reset. A copy begins after the answers of the memory to all copies
// of the other direction. Its bursts have up to 16 beats. A read is requested when there is room
// for its data, a write when its data are there, so neither source nor sink delays the kernel. Up
// to 512 beats of answers wait for copy_out; a copy that finds no room there holds copy_in.
//
// A reset is also one of the memory's port: no response to an earlier burst may follow.
//
// Throughput: one beat per cycle, with 4 more cycles for a write's header. Latency: 6 cycles from
// the header to the address of a read, and 2 from its data to copy_out. The kernel's addresses
// take 1 cycle more.
`include "axi_ports.svh"
`include "bombus_assert.svh"

module pe_dma #(
    parameter  int unsigned DataWidth = 512,
    parameter  int unsigned AddrWidth = 32,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] copy_in_tdata_i,
    input logic [DataBytes-1:0] copy_in_tkeep_i,
    input logic copy_in_tvalid_i,
    output logic copy_in_tready_o,
    input logic copy_in_tlast_i,

    output logic [DataWidth-1:0] copy_out_tdata_o,
    output logic [DataBytes-1:0] copy_out_tkeep_o,
    output logic copy_out_tvalid_o,
    input logic copy_out_tready_i,
    output logic copy_out_tlast_o,

    `BOMBUS_AXI_WRITE_TARGET(memory)
    `BOMBUS_AXI_READ_TARGET(memory)

    `BOMBUS_AXI_WRITE_INITIATOR(memory)
    `BOMBUS_AXI_READ_INITIATOR(memory)

    output logic [3:0] event_o,
    output logic       busy_o
);

  localparam string Entry = "";  // not reachable from the mesh
  localparam string MayStayOpen = "memory";
  typedef enum int unsigned {
    EventFailed,    // copies with status 1
    EventRefused,   // 2
    EventMismatch,  // 3
    EventUnknown,   // messages with another opcode
    NumEvents
  } event_e;

  localparam logic [31:0] OpcodeRead = 32'h4441_4552;  // "READ"
  localparam logic [31:0] OpcodeWrite = 32'h5449_5257;  // "WRIT"
  localparam int unsigned MaxCopyBytes = 2 ** 20;
  localparam int unsigned LengthWidth = $clog2(MaxCopyBytes) + 1;
  localparam int unsigned ByteShift = $clog2(DataBytes);
  localparam int unsigned BurstBeats = 16;
  localparam int unsigned QueueBeats = 512;  // of each direction

  if (DataWidth < 128 || DataWidth > 1024 || DataWidth != 2 ** $clog2(DataWidth)) begin : gen_width
    $error("pe_dma: DataWidth must be a power of two, 128 to 1024");
  end
  if (AddrWidth <= ByteShift + 4 || AddrWidth > 62) begin : gen_address
    $error("pe_dma: AddrWidth must be above that of a burst of 16 beats, at most 62");
  end

  typedef logic [LengthWidth-ByteShift:0] beats_t;  // of a copy
  typedef logic [ByteShift-1:0] byte_t;
  typedef logic [$clog2(QueueBeats):0] level_t;
  typedef enum logic [1:0] {
    Done,
    MemoryError,
    Refused,
    Mismatch
  } status_e;
  typedef enum logic [1:0] {
    Nothing,  // no access: the answer is the status
    Read,
    Write
  } access_e;

  // ---- Messages: headers, and data for the queue of writes ----

  typedef enum logic [2:0] {
    Header,
    Measure,  // beats, and what they hold of the copy
    Judge,  // whether it is refused
    Offer,  // to the bursts
    Data,
    Pad,  // beats that the message does not have, which are not written
    Skip  // beats that the copy does not have
  } state_e;
  typedef struct packed {
    logic [31:0] opcode;
    logic [31:0] length;
    logic [63:0] address;
  } header_t;
  header_t header_q;
  state_e  state_q;
  logic
      ended_q,  // the header was all of the message
      empty_q,
      refused_q,
      known_q,
      mismatch_q,  // of the data, so far
      stored_q,  // all of the data
      first_q,  // the next beat is the first one
      is_last_q;  // the last one
  access_e access;
  status_e verdict;
  beats_t beats_q, left_q;  // of the copy; not stored
  byte_t first_byte_q, last_byte_q;  // in the first and the last beat
  logic [DataBytes-1:0] from_first_q, to_last_q;
  logic [3:0] place_q;  // of the beat in its burst
  logic starts, beyond, store;

  wire is_write = header_q.opcode == OpcodeWrite;
  wire [LengthWidth:0] end_of_length = (LengthWidth + 1)'(header_q.length[LengthWidth-1:0]) +
      (LengthWidth + 1)'(byte_t'(header_q.address));
  level_t written_level;
  wire room = written_level != level_t'(QueueBeats);
  wire reads_data = state_q == Data;
  assign copy_in_tready_o = state_q == Header | state_q == Skip | (reads_data & room);
  wire taken = copy_in_tvalid_i & copy_in_tready_o;
  assign store = reads_data ? copy_in_tvalid_i & room : state_q == Pad & room;
  wire [DataBytes-1:0] wanted = (from_first_q | {DataBytes{~first_q}}) &
      (to_last_q | {DataBytes{~is_last_q}});
  wire mismatch = (copy_in_tlast_i != is_last_q) | (|(wanted & ~copy_in_tkeep_i));

  always_ff @(posedge clk_i) begin
    if (state_q == Header) begin
      header_q <= header_t'(copy_in_tdata_i);
      ended_q  <= copy_in_tlast_i;
    end
    known_q <= is_write | header_q.opcode == OpcodeRead;
    empty_q <= header_q.length == '0;
    beats_q <= beats_t'((end_of_length + (LengthWidth + 1)'(DataBytes - 1)) >> ByteShift);
    first_byte_q <= byte_t'(header_q.address);
    last_byte_q <= byte_t'(end_of_length - 1'b1);
    refused_q <= beyond | header_q.length > 32'(MaxCopyBytes) | (is_write == ended_q);
    for (int unsigned n = 0; n < DataBytes; n++) begin
      from_first_q[n] <= byte_t'(n) >= first_byte_q;
      to_last_q[n] <= byte_t'(n) <= last_byte_q;
    end
    if (starts) begin
      left_q <= beats_q;
      is_last_q <= beats_q == beats_t'(1);
      place_q <= 4'(header_q.address >> ByteShift);
      first_q <= 1'b1;
      mismatch_q <= 1'b0;
    end else if (store) begin
      left_q <= left_q - 1'b1;
      is_last_q <= left_q == beats_t'(2);
      place_q <= place_q + 1'b1;
      first_q <= 1'b0;
      mismatch_q <= mismatch_q | (reads_data & mismatch);
    end
    if (rst_i) begin
      state_q  <= Header;
      stored_q <= 1'b0;
    end else begin
      stored_q <= (stored_q & ~starts) | (store & is_last_q);
      case (state_q)
        Header:  if (taken) state_q <= Measure;
        Measure: state_q <= Judge;
        Judge:   state_q <= known_q ? Offer : ended_q ? Header : Skip;
        Offer:   if (starts) state_q <= access == Write ? Data : ended_q ? Header : Skip;
        Data:
        if (store) begin
          if (is_last_q) state_q <= copy_in_tlast_i ? Header : Skip;
          else if (copy_in_tlast_i) state_q <= Pad;
        end
        Pad:     if (store & is_last_q) state_q <= Header;
        default: if (taken & copy_in_tlast_i) state_q <= Header;  // Skip
      endcase
    end
  end
  assign access  = empty_q | refused_q ? Nothing : is_write ? Write : Read;
  assign verdict = empty_q ? Done : Refused;

  // ---- Bursts ----

  typedef struct packed {
    logic last;  // burst of its copy
    logic mismatch;
  } burst_t;
  burst_t burst, ended;
  access_e access_q;  // of the latest copy with an access
  logic left, is_last_burst, burst_valid, burst_ready, bursts_ready, burst_ends, some_left;
  logic unused_body;
  logic [4:0] requested;  // beats of the burst of this cycle; 0: none
  logic [AddrWidth-1:0] burst_address;
  logic [7:0] burst_len;
  level_t unclaimed_q;  // beats in the queue of writes that are of no burst
  level_t reserved_q;  // places for answers that are waiting, or requested
  wire has_room = reserved_q <= level_t'(QueueBeats - BurstBeats);
  // A burst has at most 16 beats, and no other ones than those of the copy.
  wire has_data = unclaimed_q >= level_t'(BurstBeats) | stored_q;
  // Copies of the other direction, or all for a copy without an access, have ended.
  wire in_order = ~some_left | access == access_q;
  assign starts = state_q == Offer & ~left & in_order & has_room;
  wire requests = requested != '0;
  wire decided = starts & access == Nothing;

  level_t reserved;  // in this cycle
  wire closes = decided | (requests & is_last_burst);  // a status, after no data
  assign reserved = access_q == Read & requests ? level_t'(requested) : level_t'(closes);

  axi_bursts #(
      .DataWidth(DataWidth),
      .AddrWidth(AddrWidth)
  ) u_bursts (
      .clk_i,
      .rst_i,
      .start_i  (starts & access != Nothing),
      .address_i({header_q.address[63:ByteShift], ByteShift'(0)}),
      .length_i (64'({beats_q, ByteShift'(0)})),
      .beyond_o (beyond),
      .stop_i   (1'b0),
      .admits_i (has_room & bursts_ready & ~burst_valid & (access_q == Read | has_data)),
      .beats_o  (requested),
      .last_o   (is_last_burst),
      .left_o   (left),
      .addr_o   (burst_address),
      .len_o    (burst_len),
      .valid_o  (burst_valid),
      .ready_i  (burst_ready)
  );

  assign burst = '{last: is_last_burst, mismatch: mismatch_q};
  head_fifo #(
      .head_t(burst_t),
      .body_t(logic),
      .Depth (32)
  ) u_open (
      .clk_i,
      .rst_i,
      .in_head_i  (burst),
      .in_body_i  (1'b0),
      .in_valid_i (requests),
      .in_ready_o (bursts_ready),
      .out_head_o (ended),
      .out_body_o (unused_body),
      .out_valid_o(some_left),
      .out_ready_i(burst_ends)
  );

  // ---- Writes ----

  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [DataBytes-1:0] strobe;
    logic last;  // of the burst
  } data_t;
  data_t stored, written;
  logic written_valid, written_ready;
  assign stored = '{
          data: copy_in_tdata_i,
          strobe: reads_data ? wanted & copy_in_tkeep_i : '0,
          last: is_last_q | place_q == '1
      };
  ram_fifo #(
      .data_t(data_t),
      .Depth (QueueBeats)
  ) u_written (
      .clk_i,
      .rst_i,
      .data_i (stored),
      .write_i(store),
      .level_o(written_level),
      .data_o (written),
      .valid_o(written_valid),
      .ready_i(written_ready)
  );

  // ---- Answers ----

  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic has_data;
    logic last;  // the status follows
    status_e status;
  } answer_t;
  answer_t made, answer;
  logic answer_valid, status_q, error_q, read_valid, read_last, response_valid;
  logic [1:0] read_response, write_response;
  logic [DataWidth-1:0] read_data;
  wire error = error_q | (read_valid ? read_response != '0 : write_response != '0);
  assign burst_ends = response_valid | (read_valid & read_last);
  wire copy_ends = burst_ends & ended.last;
  always_comb begin
    made = '{data: read_data, has_data: read_valid, last: copy_ends, status: Done};
    if (~some_left) made.status = verdict;
    else if (error) made.status = MemoryError;
    else if (ended.mismatch) made.status = Mismatch;
  end
  wire answers = read_valid | copy_ends | decided;
  wire ends = copy_ends | decided;
  wire answer_taken = copy_out_tvalid_o & copy_out_tready_i;
  wire pops = answer_taken & (status_q | ~answer.has_data | ~answer.last);
  level_t unused_level;
  ram_fifo #(
      .data_t(answer_t),
      .Depth (QueueBeats)
  ) u_answers (
      .clk_i,
      .rst_i,
      .data_i (made),
      .write_i(answers),
      .level_o(unused_level),
      .data_o (answer),
      .valid_o(answer_valid),
      .ready_i(pops)
  );

  // After the last beat of a read the entry stays for its status.
  wire is_status = status_q | ~answer.has_data;
  assign copy_out_tvalid_o = answer_valid;
  assign copy_out_tlast_o = is_status;
  assign copy_out_tkeep_o = {{DataBytes - 1{~is_status}}, 1'b1};
  assign copy_out_tdata_o = {
    answer.data[DataWidth-1:8], is_status ? 8'(answer.status) : answer.data[7:0]
  };

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      access_q <= Nothing;
      unclaimed_q <= '0;
      reserved_q <= '0;
      status_q <= 1'b0;
      error_q <= 1'b0;
      event_o <= '0;
    end else begin
      if (starts) access_q <= access;
      unclaimed_q <= unclaimed_q + level_t'(store) - (access_q == Write ? level_t'(requested) : '0);
      reserved_q <= reserved_q + reserved - level_t'(pops);
      if (answer_taken) status_q <= answer.has_data & answer.last & ~status_q;
      if (burst_ends | read_valid) error_q <= error & ~copy_ends;
      event_o[EventFailed]   <= ends & made.status == MemoryError;
      event_o[EventRefused]  <= ends & made.status == Refused;
      event_o[EventMismatch] <= ends & made.status == Mismatch;
      event_o[EventUnknown]  <= state_q == Judge & ~known_q;
    end
  end

  // ---- The memory's port ----

  logic shares, read_ready, write_ready;
  assign burst_ready = access_q == Read ? read_ready : write_ready;
  axi_share #(
      .DataWidth(DataWidth),
      .AddrWidth(AddrWidth)
  ) u_share (
      .clk_i,
      .rst_i,
      .one_awaddr_i (memory_awaddr_i),
      .one_awlen_i  (memory_awlen_i),
      .one_awvalid_i(memory_awvalid_i),
      .one_awready_o(memory_awready_o),
      .one_wdata_i  (memory_wdata_i),
      .one_wstrb_i  (memory_wstrb_i),
      .one_wlast_i  (memory_wlast_i),
      .one_wvalid_i (memory_wvalid_i),
      .one_wready_o (memory_wready_o),
      .one_bresp_o  (memory_bresp_o),
      .one_bvalid_o (memory_bvalid_o),
      .one_bready_i (memory_bready_i),
      .one_araddr_i (memory_araddr_i),
      .one_arlen_i  (memory_arlen_i),
      .one_arvalid_i(memory_arvalid_i),
      .one_arready_o(memory_arready_o),
      .one_rdata_o  (memory_rdata_o),
      .one_rresp_o  (memory_rresp_o),
      .one_rlast_o  (memory_rlast_o),
      .one_rvalid_o (memory_rvalid_o),
      .one_rready_i (memory_rready_i),
      .two_awaddr_i (burst_address),
      .two_awlen_i  (burst_len),
      .two_awvalid_i(burst_valid & access_q == Write),
      .two_awready_o(write_ready),
      .two_wdata_i  (written.data),
      .two_wstrb_i  (written.strobe),
      .two_wlast_i  (written.last),
      .two_wvalid_i (written_valid),
      .two_wready_o (written_ready),
      .two_bresp_o  (write_response),
      .two_bvalid_o (response_valid),
      .two_bready_i (1'b1),
      .two_araddr_i (burst_address),
      .two_arlen_i  (burst_len),
      .two_arvalid_i(burst_valid & access_q == Read),
      .two_arready_o(read_ready),
      .two_rdata_o  (read_data),
      .two_rresp_o  (read_response),
      .two_rlast_o  (read_last),
      .two_rvalid_o (read_valid),
      .two_rready_i (1'b1),
      .axi_awaddr_o (memory_awaddr_o),
      .axi_awlen_o  (memory_awlen_o),
      .axi_awvalid_o(memory_awvalid_o),
      .axi_awready_i(memory_awready_i),
      .axi_wdata_o  (memory_wdata_o),
      .axi_wstrb_o  (memory_wstrb_o),
      .axi_wlast_o  (memory_wlast_o),
      .axi_wvalid_o (memory_wvalid_o),
      .axi_wready_i (memory_wready_i),
      .axi_bresp_i  (memory_bresp_i),
      .axi_bvalid_i (memory_bvalid_i),
      .axi_bready_o (memory_bready_o),
      .axi_araddr_o (memory_araddr_o),
      .axi_arlen_o  (memory_arlen_o),
      .axi_arvalid_o(memory_arvalid_o),
      .axi_arready_i(memory_arready_i),
      .axi_rdata_i  (memory_rdata_i),
      .axi_rresp_i  (memory_rresp_i),
      .axi_rlast_i  (memory_rlast_i),
      .axi_rvalid_i (memory_rvalid_i),
      .axi_rready_o (memory_rready_o),
      .busy_o       (shares)
  );

  assign busy_o = shares | state_q != Header | left | some_left | answer_valid | reserved_q != '0 |
      (|event_o);

  `BOMBUS_ASSERT(RoomForAnswers, reserved_q <= level_t'(QueueBeats))
  `BOMBUS_ASSERT(AnswersAreReserved, !answer_valid || reserved_q != '0)
  `BOMBUS_ASSERT(OneAnswer, !(read_valid && response_valid) && !(decided && some_left))
  `BOMBUS_ASSERT(AnswerToBurst, !(read_valid || response_valid) || some_left)
  `BOMBUS_ASSERT(OnlyStoredData, access_q != Write || level_t'(requested) <= unclaimed_q)

endmodule
