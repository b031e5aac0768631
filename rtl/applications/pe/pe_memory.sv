// SPDX-License-Identifier: Apache-2.0
// The memory of a processing element: joins a kernel (memory_*) and software to one AXI4 port,
// which the design file raises to the top. The kernel's port is AXI4 without ID, INCR bursts of
// full beats; a kernel that only reads or only writes may leave out the other half. All bursts have
// one ID, so the memory answers those of a direction in order.
//
// Software reads and writes words of 32 bits in a window of WindowWords words (pe_memory.rdl), one
// at a time. Its address is sent before the next one of the kernel: a read follows the bursts that
// the kernel has begun; a write also waits until their data are sent. A burst is sent while fewer
// than OutstandingBeats beats are outstanding, so at most 511 beats precede an access. They take
// few cycles only if the kernel takes beats and responses, and gives data, without waiting.
//
// Whatever kernel and memory do, an access ends within AccessCycles. One that fails, by an error
// response or by this limit, is counted (`failed`); a failed read gives all ones. A write that has
// not been sent at the limit has no effect; one that has been sent may still take effect. The next
// access is sent after the response to a late one.
//
// A reset is also one of the memory's port: no response to an earlier burst may follow.
//
// Latency: 1 cycle for addresses and written data, 0 for answers. Throughput: a beat per cycle each
// way, if the memory's latency is below OutstandingBeats. Data of a write burst wait for its
// address.
`include "axi_ports.svh"
`include "bombus_assert.svh"

module pe_memory #(
    parameter type regs_t = logic,
    parameter type status_t = logic,
    parameter type word_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned AddrWidth = 32,
    parameter int unsigned WindowWords = 256,  // a power of two
    parameter int unsigned AccessCycles = 16384,  // limit of an access of software
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    input  regs_t                             regs_i,
    output status_t                           status_o,
    input  logic                              word_request_i,  // held until word_done_o
    input  logic    [$clog2(WindowWords)-1:0] word_index_i,
    input  logic                              word_write_i,
    input  word_t                             word_wdata_i,
    output word_t                             word_rdata_o,
    output logic                              word_done_o,

    `BOMBUS_AXI_WRITE_TARGET(memory)
    `BOMBUS_AXI_READ_TARGET(memory)

    `BOMBUS_AXI_WRITE_INITIATOR(axi)
    `BOMBUS_AXI_READ_INITIATOR(axi)

    output logic [2:0] event_o,
    output logic       busy_o
);

  localparam string Entry = "";  // not reachable from the mesh
  localparam string Leads = "memory";
  localparam string MayStayOpen = "memory";
  typedef enum int unsigned {
    EventReadError,
    EventWriteError,
    EventLate,  // an access of software that reached its limit
    NumEvents
  } event_e;

  localparam int unsigned OutstandingBeats = 256;  // a burst is sent while fewer are outstanding
  localparam int unsigned WindowBits = $clog2(WindowWords);
  localparam int unsigned ByteShift = $clog2(DataBytes);
  localparam int unsigned NumLanes = DataWidth / 32;
  localparam int unsigned LaneBits = NumLanes > 1 ? $clog2(NumLanes) : 1;

  if (DataWidth < 32 || DataWidth > 1024 || DataWidth != 2 ** $clog2(DataWidth)) begin : gen_width
    $error("pe_memory: DataWidth must be a power of two, 32 to 1024");
  end
  if (WindowWords < 2 || WindowWords > 65536 || WindowWords != 2 ** WindowBits) begin : gen_window
    $error("pe_memory: WindowWords must be a power of two, 2 to 65536");
  end
  if (AddrWidth <= WindowBits + 2 || AddrWidth > WindowBits + 34 || AddrWidth <= ByteShift)
  begin : gen_address
    $error("pe_memory: AddrWidth must be above that of a beat and of the window, at most 32 more");
  end

  if (AccessCycles < 2 || AccessCycles > 2 ** 19) begin : gen_access
    $error("pe_memory: AccessCycles must be 2 to 524288, half of what the register hub waits for");
  end

  typedef logic [$clog2(OutstandingBeats + 255)-1:0] beats_t;
  beats_t read_beats_q, data_beats_q;  // of the kernel: unanswered, without data
  logic [7:0] writes_q;  // bursts of the kernel without a response
  wire beat_taken = memory_rvalid_o & memory_rready_i;
  wire write_ended = memory_bvalid_o & memory_bready_i;
  wire data_taken = memory_wvalid_i & memory_wready_o;

  // ---- An access of software ----

  logic read_ready, write_ready, data_ready;  // room for an address, or for data
  logic sent_q, late_q;  // one has no response; software does not wait for it any more
  logic sent_write_q;
  beats_t ahead_q;  // beats, or responses, of the kernel before its response
  logic [$clog2(AccessCycles)-1:0] cycles_q;
  logic [31:0] failed_q;

  wire waits = word_request_i & ~word_done_o;
  wire reads = waits & ~sent_q & ~word_write_i;
  wire writes = waits & ~sent_q & word_write_i;
  wire own_read = sent_q & ~sent_write_q & ahead_q == '0;
  wire own_write = sent_q & sent_write_q & ahead_q == '0;
  wire answered = (own_read & axi_rvalid_i) | (own_write & axi_bvalid_i);
  wire bad = own_read ? axi_rresp_i != '0 : axi_bresp_i != '0;
  wire ends = answered & ~late_q;
  wire is_last = cycles_q == $bits(cycles_q)'(AccessCycles - 1);
  wire expires = waits & ~ends & is_last;
  wire fails = expires | (ends & bad);
  wire passes = sent_write_q ? write_ended : beat_taken;
  wire sends_read = reads & ~is_last & read_ready;
  wire sends_write = writes & ~is_last & write_ready & data_ready & data_beats_q == '0;

  wire [AddrWidth-1:0] word_address = AddrWidth'({regs_i.window.position, word_index_i, 2'b00});
  wire [AddrWidth-1:0] beat_address = {word_address[AddrWidth-1:ByteShift], ByteShift'(0)};
  logic [LaneBits-1:0] lane;
  if (NumLanes > 1) begin : gen_lane
    assign lane = word_address[2+:LaneBits];
  end else begin : gen_one_lane
    assign lane = '0;
  end

  always_ff @(posedge clk_i) begin
    word_rdata_o.bits <= ends & axi_rresp_i == '0 ? axi_rdata_i[32*lane+:32] : '1;
    if (sends_read | sends_write) sent_write_q <= word_write_i;
    if (sends_read) ahead_q <= read_beats_q - beats_t'(beat_taken);
    else if (sends_write) ahead_q <= beats_t'(writes_q) - beats_t'(write_ended);
    else ahead_q <= ahead_q - beats_t'(passes);
    if (rst_i) begin
      sent_q <= 1'b0;
      late_q <= 1'b0;
      word_done_o <= 1'b0;
      cycles_q <= '0;
      failed_q <= '0;
    end else begin
      sent_q <= sends_read | sends_write | (sent_q & ~answered);
      late_q <= (late_q | expires) & sent_q & ~answered;
      word_done_o <= ends | expires;
      cycles_q <= waits ? cycles_q + 1'b1 : '0;
      failed_q <= failed_q + 32'(fails);
    end
  end
  assign status_o.failed.count = failed_q;

  // ---- Addresses ----

  typedef struct packed {
    logic [AddrWidth-1:0] address;
    logic [7:0] len;
  } burst_t;
  burst_t own, read, write;
  assign own = '{address: beat_address, len: '0};

  wire admits_reads = ~reads & read_beats_q < beats_t'(OutstandingBeats);
  wire admits_writes = ~writes & data_beats_q < beats_t'(OutstandingBeats) & writes_q != '1;
  assign read = reads ? own : '{address: memory_araddr_i, len: memory_arlen_i};
  assign write = writes ? own : '{address: memory_awaddr_i, len: memory_awlen_i};
  assign memory_arready_o = read_ready & admits_reads;
  assign memory_awready_o = write_ready & admits_writes;

  stream_register #(
      .data_t(burst_t)
  ) u_read (
      .clk_i,
      .rst_i,
      .in_i(read),
      .in_valid_i((memory_arvalid_i & admits_reads) | sends_read),
      .in_ready_o(read_ready),
      .out_o({axi_araddr_o, axi_arlen_o}),
      .out_valid_o(axi_arvalid_o),
      .out_ready_i(axi_arready_i)
  );
  stream_register #(
      .data_t(burst_t)
  ) u_write (
      .clk_i,
      .rst_i,
      .in_i(write),
      .in_valid_i((memory_awvalid_i & admits_writes) | sends_write),
      .in_ready_o(write_ready),
      .out_o({axi_awaddr_o, axi_awlen_o}),
      .out_valid_o(axi_awvalid_o),
      .out_ready_i(axi_awready_i)
  );

  // ---- Written data ----

  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [DataBytes-1:0] strobe;
    logic last;
  } data_t;
  data_t own_data, burst_data, data;
  wire admits_data = data_beats_q != '0;
  assign own_data = '{
          data: {NumLanes{word_wdata_i.bits}},
          strobe: DataBytes'(4'hF) << 4 * lane,
          last: 1'b1
      };
  assign burst_data = '{data: memory_wdata_i, strobe: memory_wstrb_i, last: memory_wlast_i};
  assign data = admits_data ? burst_data : own_data;
  assign memory_wready_o = data_ready & admits_data;

  stream_register #(
      .data_t(data_t)
  ) u_data (
      .clk_i,
      .rst_i,
      .in_i(data),
      .in_valid_i(admits_data ? memory_wvalid_i : sends_write),
      .in_ready_o(data_ready),
      .out_o({axi_wdata_o, axi_wstrb_o, axi_wlast_o}),
      .out_valid_o(axi_wvalid_o),
      .out_ready_i(axi_wready_i)
  );

  // ---- Answers ----

  assign memory_rdata_o  = axi_rdata_i;
  assign memory_rresp_o  = axi_rresp_i;
  assign memory_rlast_o  = axi_rlast_i;
  assign memory_rvalid_o = axi_rvalid_i & ~own_read;
  assign axi_rready_o    = own_read | memory_rready_i;
  assign memory_bresp_o  = axi_bresp_i;
  assign memory_bvalid_o = axi_bvalid_i & ~own_write;
  assign axi_bready_o    = own_write | memory_bready_i;

  wire read_taken = memory_arvalid_i & memory_arready_o;
  wire write_taken = memory_awvalid_i & memory_awready_o;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      read_beats_q <= '0;
      data_beats_q <= '0;
      writes_q <= '0;
      event_o <= '0;
    end else begin
      read_beats_q <= read_beats_q + (read_taken ? beats_t'(memory_arlen_i) + 1'b1 : '0) -
          beats_t'(beat_taken);
      data_beats_q <= data_beats_q + (write_taken ? beats_t'(memory_awlen_i) + 1'b1 : '0) -
          beats_t'(data_taken);
      writes_q <= writes_q + 8'(write_taken) - 8'(write_ended);
      event_o[EventReadError] <= axi_rvalid_i & axi_rready_o & (axi_rresp_i != '0);
      event_o[EventWriteError] <= axi_bvalid_i & axi_bready_o & (axi_bresp_i != '0);
      event_o[EventLate] <= expires;
    end
  end

  assign busy_o = word_request_i | sent_q | read_beats_q != '0 | writes_q != '0 | (|event_o);

  `BOMBUS_ASSERT(AnswerToBurst, !memory_rvalid_o || read_beats_q != '0)
  `BOMBUS_ASSERT(ResponseToBurst, !memory_bvalid_o || writes_q != '0)
  `BOMBUS_ASSERT(OneBeatForSoftware, !(own_read && axi_rvalid_i) || axi_rlast_i)

endmodule
