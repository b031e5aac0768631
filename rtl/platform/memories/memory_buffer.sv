// SPDX-License-Identifier: Apache-2.0
// Buffers messages in an external memory, in order: a queue that is deeper than block RAM allows,
// before a tile that receives messages in bursts. The memory is connected by an AXI4 port, which
// the design file raises to the top (`ports`).
//
// Each message has a slot of SlotBytes, written and read in bursts of up to BurstBeats beats as
// wide as a flit. It is read when all its write responses have arrived. All bursts have the same
// ID, so the port has no ID signals. Memory errors are counted; the message is still sent, with the
// data as received.
//
// BankBytes: consecutive bytes of the memory in one bank, a power of two. Slots begin in successive
// banks, so that short messages do not all wait for the same bank: the BankBytes pieces of a slot
// are ordered by their number XOR the slot's.
//
// WriteBeats, ReadBeats: depth in beats of the queues before and after the memory, so that input
// and output continue while the memory refreshes.
//
// Latency: that of a write and a read of the memory, and 8 cycles. Throughput: one beat per cycle,
// if the memory has the bandwidth for writing and reading and Slots covers its latency.
`include "axi_ports.svh"
`include "bombus_assert.svh"

module memory_buffer
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned AddrWidth = 32,
    parameter logic [63:0] BaseAddress = '0,
    parameter int unsigned Slots = 64,
    parameter int unsigned BurstBeats = 16,
    parameter int unsigned BankBytes = 1024,
    parameter int unsigned WriteBeats = 512,
    parameter int unsigned ReadBeats = 512,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    `BOMBUS_AXI_WRITE_INITIATOR(axi)
    output logic [2:0] axi_awsize_o,
    output logic [1:0] axi_awburst_o,
    `BOMBUS_AXI_READ_INITIATOR(axi)
    output logic [2:0] axi_arsize_o,
    output logic [1:0] axi_arburst_o,

    output logic [$clog2(Slots):0] fill_o,  // messages in the buffer; must also be raised

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic [1:0] event_o,
    output logic       busy_o
);

  localparam string Entry = "";  // the entry of the tile that it precedes
  localparam bit StandsBefore = 1'b1;
  localparam int unsigned MaxBusyCycles = 0;  // 0: waits for the memory
  typedef enum logic [0:0] {NextServed} next_e;
  typedef enum int unsigned {
    EventWriteError,
    EventReadError,
    NumEvents
  } event_e;

  localparam int unsigned SlotBytes = 2 ** $clog2(MaxFrameBytes);
  localparam int unsigned SlotBeats = SlotBytes / DataBytes;
  localparam int unsigned SlotWidth = $clog2(Slots);
  localparam int unsigned LengthWidth = $bits(length_t);
  localparam int unsigned BeatWidth = $clog2(SlotBeats);
  localparam int unsigned ByteShift = $clog2(DataBytes);
  localparam int unsigned BurstShift = $clog2(BurstBeats);
  // A burst does not cross pieces.
  localparam int unsigned PieceShift = BankBytes > BurstBeats * DataBytes ? $clog2(
      BankBytes
  ) - ByteShift : BurstShift;

  // An AXI bus has up to 1024 bits.
  if (DataWidth < 64 || DataWidth > 1024 || DataWidth != 2 ** $clog2(
          DataWidth
      )) begin : gen_bad_width
    $error("memory_buffer: DataWidth must be a power of two, 64 to 1024");
  end
  if (Slots < 2 || Slots != 2 ** SlotWidth) begin : gen_bad_slots
    $error("memory_buffer: Slots must be a power of two, at least 2");
  end
  if (BurstBeats < 2 || BurstBeats > 256 || BurstBeats != 2 ** BurstShift ||
      BurstBeats * DataBytes > 4096) begin : gen_bad_burst
    $error("memory_buffer: BurstBeats must be a power of two, 2 to 256, of at most 4096 bytes");
  end
  if (BankBytes < 1 || BankBytes != 2 ** $clog2(BankBytes)) begin : gen_bad_bank
    $error("memory_buffer: BankBytes must be a power of two");
  end
  if (AddrWidth > 64 || AddrWidth < SlotWidth + $clog2(SlotBytes)) begin : gen_bad_address
    $error("memory_buffer: AddrWidth must be at most 64 and reach all slots");
  end
  if (BaseAddress % 64'(SlotBytes) != 0) begin : gen_bad_base
    $error("memory_buffer: BaseAddress must be a multiple of 16384");
  end
  // One bit wider than an address, so that the sum does not wrap.
  localparam logic [64:0] LastAddress = 65'(BaseAddress) + 65'(Slots) * 65'(SlotBytes) - 65'd1;
  if ((LastAddress >> AddrWidth) != '0) begin : gen_bad_end
    $error("memory_buffer: BaseAddress + Slots * SlotBytes must be at most 2**AddrWidth");
  end

  typedef logic [SlotWidth:0] slot_t;  // with a wrap bit, to distinguish full from empty
  typedef logic [BeatWidth:0] beats_t;

  function automatic logic [AddrWidth-1:0] address(slot_t slot, beats_t beat);
    logic [BeatWidth-1:0] position;
    position = beat[BeatWidth-1:0] ^ (BeatWidth'(slot[SlotWidth-1:0]) << PieceShift);
    return AddrWidth'(BaseAddress) + AddrWidth'({slot[SlotWidth-1:0], position, ByteShift'(0)});
  endfunction

  // Whether the burst that starts at this beat contains the last beat. Bursts start at multiples of
  // BurstBeats.
  function automatic logic is_last_burst(beats_t beat, beats_t last_beat);
    return beat[BeatWidth:BurstShift] == last_beat[BeatWidth:BurstShift];
  endfunction

  // Beats of this burst, minus one.
  function automatic logic [7:0] burst_len(beats_t beat, beats_t last_beat);
    return is_last_burst(beat, last_beat) ? 8'(last_beat[BurstShift-1:0]) : 8'(BurstBeats - 1);
  endfunction

  beat_t  heads[Slots];  // first beats, with zero data
  beats_t lasts[Slots];  // beats of each message, minus one
  slot_t
      write_q,
      acknowledged_q,
      requested_q,
      read_q;  // slots being written, acknowledged, requested, read

  // ---- Writing: the address of a burst is sent one cycle before its data ----

  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic last;  // of the burst
  } write_t;
  beats_t write_beat_q;  // next beat of the message
  wire full = (write_q ^ read_q) == {1'b1, SlotWidth'(0)};
  wire [LengthWidth-1-ByteShift:0] whole_beats = in_i.length[LengthWidth-1:ByteShift];
  wire ends_whole = in_i.length[ByteShift-1:0] == '0 && whole_beats != '0;
  wire beats_t write_last = beats_t'(whole_beats) - beats_t'(ends_whole);
  beats_t write_last_q;
  wire starts = write_beat_q == '0;
  wire beats_t this_last = starts ? write_last : write_last_q;
  wire starts_burst = write_beat_q[BurstShift-1:0] == '0;
  wire ends_burst = in_i.last | (&write_beat_q[BurstShift-1:0]);

  wire address_free = ~axi_awvalid_o | axi_awready_i;
  wire may_write = ~starts_burst | (address_free & ~(starts & full));
  logic data_free;
  assign in_ready_o = data_free & may_write;
  wire wrote = in_valid_i & in_ready_o;

  write_t beat, front;
  logic front_valid, front_ready, unused_writes;
  assign beat = '{data: in_i.data, last: ends_burst};
  stream_queue #(
      .data_t(write_t),
      .Depth (WriteBeats)
  ) u_writes (
      .clk_i,
      .rst_i,
      .in_i(beat),
      .in_valid_i(in_valid_i & may_write),
      .in_ready_o(data_free),
      .out_o(front),
      .out_valid_o(front_valid),
      .out_ready_i(front_ready),
      .holds_o(unused_writes)
  );
  stream_register #(
      .data_t(write_t)
  ) u_write (
      .clk_i,
      .rst_i,
      .in_i(front),
      .in_valid_i(front_valid),
      .in_ready_o(front_ready),
      .out_o({axi_wdata_o, axi_wlast_o}),
      .out_valid_o(axi_wvalid_o),
      .out_ready_i(axi_wready_i)
  );

  always_ff @(posedge clk_i) begin
    if (wrote & starts_burst) begin
      axi_awaddr_o <= address(write_q, write_beat_q);
      axi_awlen_o  <= burst_len(write_beat_q, this_last);
    end
    if (wrote & starts) begin
      write_last_q <= write_last;
      heads[write_q[SlotWidth-1:0]] <= in_i;
      heads[write_q[SlotWidth-1:0]].data <= '0;
      lasts[write_q[SlotWidth-1:0]] <= write_last;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_beat_q <= '0;
      write_q <= '0;
      axi_awvalid_o <= 1'b0;
    end else begin
      if (axi_awready_i) axi_awvalid_o <= 1'b0;
      if (wrote) begin
        if (starts_burst) axi_awvalid_o <= 1'b1;
        write_beat_q <= in_i.last ? '0 : write_beat_q + 1'b1;
        if (in_i.last) write_q <= write_q + 1'b1;
      end
    end
  end
  assign axi_awsize_o  = 3'(ByteShift);
  assign axi_awburst_o = 2'b01;
  assign axi_wstrb_o   = '1;

  // ---- Responses: in order, one per burst ----

  beats_t acknowledged_beat_q;  // first beat of the burst with the next response
  wire is_last_response = is_last_burst(acknowledged_beat_q, lasts[acknowledged_q[SlotWidth-1:0]]);
  assign axi_bready_o = 1'b1;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      acknowledged_q <= '0;
      acknowledged_beat_q <= '0;
    end else if (axi_bvalid_i) begin
      acknowledged_beat_q <= is_last_response ? '0 : acknowledged_beat_q + beats_t'(BurstBeats);
      if (is_last_response) acknowledged_q <= acknowledged_q + 1'b1;
    end
  end

  // ---- Reading: addresses are sent ahead of the data ----

  beats_t requested_beat_q;
  wire beats_t requested_last = lasts[requested_q[SlotWidth-1:0]];
  wire requests = (requested_q != acknowledged_q) & (~axi_arvalid_o | axi_arready_i);

  always_ff @(posedge clk_i) begin
    if (requests) begin
      axi_araddr_o <= address(requested_q, requested_beat_q);
      axi_arlen_o  <= burst_len(requested_beat_q, requested_last);
    end
    if (rst_i) begin
      requested_q <= '0;
      requested_beat_q <= '0;
      axi_arvalid_o <= 1'b0;
    end else begin
      if (axi_arready_i) axi_arvalid_o <= 1'b0;
      if (requests) begin
        axi_arvalid_o <= 1'b1;
        if (is_last_burst(requested_beat_q, requested_last)) begin
          requested_beat_q <= '0;
          requested_q <= requested_q + 1'b1;
        end else requested_beat_q <= requested_beat_q + beats_t'(BurstBeats);
      end
    end
  end
  assign axi_arsize_o  = 3'(ByteShift);
  assign axi_arburst_o = 2'b01;

  logic [DataWidth-1:0] read_data;
  logic read_valid, read_ready, unused_reads;
  stream_queue #(
      .data_t(logic [DataWidth-1:0]),
      .Depth (ReadBeats)
  ) u_read (
      .clk_i,
      .rst_i,
      .in_i(axi_rdata_i),
      .in_valid_i(axi_rvalid_i),
      .in_ready_o(axi_rready_o),
      .out_o(read_data),
      .out_valid_o(read_valid),
      .out_ready_i(read_ready),
      .holds_o(unused_reads)
  );

  beats_t read_beat_q;
  beat_t  read_beat;
  always_comb begin
    read_beat = heads[read_q[SlotWidth-1:0]];
    read_beat.last = read_beat_q == lasts[read_q[SlotWidth-1:0]];
    read_beat.bytes = $bits(read_beat.bytes)'(DataBytes);
    if (read_beat.last) begin
      read_beat.bytes = {
        read_beat.length != '0 & read_beat.length[ByteShift-1:0] == '0,
        read_beat.length[ByteShift-1:0]
      };
    end
    read_beat.data = read_data;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      read_q <= '0;
      read_beat_q <= '0;
    end else if (read_valid & read_ready) begin
      read_beat_q <= read_beat.last ? '0 : read_beat_q + 1'b1;
      if (read_beat.last) read_q <= read_q + 1'b1;
    end
  end

  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .in_i(read_beat),
      .in_valid_i(read_valid),
      .in_ready_o(read_ready),
      .*
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else begin
      event_o[EventWriteError] <= axi_bvalid_i & (axi_bresp_i != '0);
      event_o[EventReadError]  <= axi_rvalid_i & axi_rready_o & (axi_rresp_i != '0);
    end
  end

  wire unused = axi_rlast_i;
  assign fill_o = write_q - read_q;
  assign busy_o = (write_q != read_q) | ~starts | out_valid_o | (|event_o);

  `BOMBUS_ASSERT(NoOverflow, fill_o <= slot_t'(Slots))
  `BOMBUS_ASSERT(ResponseToBurst,
                 !axi_bvalid_i || acknowledged_q != write_q || acknowledged_beat_q != write_beat_q)

endmodule
