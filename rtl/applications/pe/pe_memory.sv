// SPDX-License-Identifier: Apache-2.0
// The memory of a processing element: joins a kernel (memory_*) and software to one AXI4 port,
// which the design file raises to the top. The kernel's port is AXI4 without ID, INCR bursts of
// full beats; a kernel that only reads or only writes may leave out the other half.
//
// Software reads and writes words of 32 bits in a window of WindowWords words (pe_memory.rdl), one
// at a time. An access waits until the memory has answered the kernel's bursts of its direction,
// and holds back further ones until it is done. A failed read gives all ones.
//
// Latency: 1 cycle for addresses and written data, 0 for answers. Throughput: a beat per cycle each
// way. Data of a write burst wait for its address.
`include "bombus_assert.svh"

module pe_memory #(
    parameter type regs_t = logic,
    parameter type word_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned AddrWidth = 32,
    parameter int unsigned WindowWords = 256,  // a power of two
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    input  regs_t                           regs_i,
    input  logic                            word_request_i,  // held until word_done_o
    input  logic  [$clog2(WindowWords)-1:0] word_index_i,
    input  logic                            word_write_i,
    input  word_t                           word_wdata_i,
    output word_t                           word_rdata_o,
    output logic                            word_done_o,

    input logic [AddrWidth-1:0] memory_awaddr_i,
    input logic [7:0] memory_awlen_i,
    input logic memory_awvalid_i,
    output logic memory_awready_o,
    input logic [DataWidth-1:0] memory_wdata_i,
    input logic [DataBytes-1:0] memory_wstrb_i,
    input logic memory_wlast_i,
    input logic memory_wvalid_i,
    output logic memory_wready_o,
    output logic [1:0] memory_bresp_o,
    output logic memory_bvalid_o,
    input logic memory_bready_i,
    input logic [AddrWidth-1:0] memory_araddr_i,
    input logic [7:0] memory_arlen_i,
    input logic memory_arvalid_i,
    output logic memory_arready_o,
    output logic [DataWidth-1:0] memory_rdata_o,
    output logic [1:0] memory_rresp_o,
    output logic memory_rlast_o,
    output logic memory_rvalid_o,
    input logic memory_rready_i,

    output logic [AddrWidth-1:0] axi_awaddr_o,
    output logic [7:0] axi_awlen_o,
    output logic axi_awvalid_o,
    input logic axi_awready_i,
    output logic [DataWidth-1:0] axi_wdata_o,
    output logic [DataBytes-1:0] axi_wstrb_o,
    output logic axi_wlast_o,
    output logic axi_wvalid_o,
    input logic axi_wready_i,
    input logic [1:0] axi_bresp_i,
    input logic axi_bvalid_i,
    output logic axi_bready_o,
    output logic [AddrWidth-1:0] axi_araddr_o,
    output logic [7:0] axi_arlen_o,
    output logic axi_arvalid_o,
    input logic axi_arready_i,
    input logic [DataWidth-1:0] axi_rdata_i,
    input logic [1:0] axi_rresp_i,
    input logic axi_rlast_i,
    input logic axi_rvalid_i,
    output logic axi_rready_o,

    output logic [1:0] event_o,
    output logic       busy_o
);

  localparam string Entry = "";  // not reachable from the mesh
  localparam string MayStayOpen = "memory";
  typedef enum int unsigned {
    EventReadError,
    EventWriteError,
    NumEvents
  } event_e;

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

  // ---- An access of software ----

  typedef enum logic [1:0] {
    StepIdle,
    StepSend,   // address and data
    StepAnswer
  } step_e;
  step_e step_q;
  logic [7:0] reads_q, writes_q, data_q;  // bursts of the kernel: unanswered, with data missing
  logic address_sent_q, data_sent_q;
  logic address_taken, data_taken;

  wire reads = word_request_i & ~word_write_i & ~word_done_o;
  wire writes = word_request_i & word_write_i & ~word_done_o;
  wire sends = step_q == StepSend;
  wire sends_address = sends & ~address_sent_q;
  wire sends_data = sends & writes & ~data_sent_q;
  wire read_answered = step_q == StepAnswer & reads & axi_rvalid_i;
  wire write_answered = step_q == StepAnswer & writes & axi_bvalid_i;

  wire [AddrWidth-1:0] word_address = AddrWidth'({regs_i.window.position, word_index_i, 2'b00});
  wire [AddrWidth-1:0] beat_address = {word_address[AddrWidth-1:ByteShift], ByteShift'(0)};
  logic [LaneBits-1:0] lane;
  if (NumLanes > 1) begin : gen_lane
    assign lane = word_address[2+:LaneBits];
  end else begin : gen_one_lane
    assign lane = '0;
  end

  always_ff @(posedge clk_i) begin
    word_rdata_o.bits <= axi_rresp_i == '0 ? axi_rdata_i[32*lane+:32] : '1;
    if (rst_i) begin
      step_q <= StepIdle;
      word_done_o <= 1'b0;
      address_sent_q <= 1'b0;
      data_sent_q <= 1'b0;
    end else begin
      word_done_o <= read_answered | write_answered;
      address_sent_q <= sends & (address_sent_q | address_taken);
      data_sent_q <= sends & (data_sent_q | data_taken);
      unique case (step_q)
        StepIdle: if ((reads & reads_q == '0) | (writes & writes_q == '0)) step_q <= StepSend;
        StepSend:
        if ((address_sent_q | address_taken) & (reads | data_sent_q | data_taken)) begin
          step_q <= StepAnswer;
        end
        StepAnswer: if (read_answered | write_answered) step_q <= StepIdle;
        default: step_q <= StepIdle;
      endcase
    end
  end

  // ---- Addresses ----

  typedef struct packed {
    logic [AddrWidth-1:0] address;
    logic [7:0] len;
  } burst_t;
  burst_t own, read, write;
  assign own = '{address: beat_address, len: '0};

  logic read_ready, write_ready;
  wire admits_reads = ~reads & reads_q != '1;
  wire admits_writes = ~writes & writes_q != '1;
  wire kernel_reads = memory_arvalid_i & admits_reads;
  wire kernel_writes = memory_awvalid_i & admits_writes;
  assign read = sends & reads ? own : '{address: memory_araddr_i, len: memory_arlen_i};
  assign write = sends & writes ? own : '{address: memory_awaddr_i, len: memory_awlen_i};
  assign memory_arready_o = read_ready & admits_reads;
  assign memory_awready_o = write_ready & admits_writes;
  assign address_taken = sends_address & (reads ? read_ready : write_ready);

  stream_register #(
      .data_t(burst_t)
  ) u_read (
      .clk_i,
      .rst_i,
      .in_i(read),
      .in_valid_i(kernel_reads | (sends_address & reads)),
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
      .in_valid_i(kernel_writes | (sends_address & writes)),
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
  data_t own_data, data;
  logic data_ready;
  wire  admits_data = data_q != '0;
  assign own_data = '{
          data: {NumLanes{word_wdata_i.bits}},
          strobe: DataBytes'(4'hF) << 4 * lane,
          last: 1'b1
      };
  assign data = sends_data ? own_data : '{
          data: memory_wdata_i,
          strobe: memory_wstrb_i,
          last: memory_wlast_i
      };
  assign memory_wready_o = data_ready & admits_data;
  assign data_taken = sends_data & data_ready;

  stream_register #(
      .data_t(data_t)
  ) u_data (
      .clk_i,
      .rst_i,
      .in_i(data),
      .in_valid_i((memory_wvalid_i & admits_data) | sends_data),
      .in_ready_o(data_ready),
      .out_o({axi_wdata_o, axi_wstrb_o, axi_wlast_o}),
      .out_valid_o(axi_wvalid_o),
      .out_ready_i(axi_wready_i)
  );

  // ---- Answers ----

  wire own_read = step_q == StepAnswer & reads;
  wire own_write = step_q == StepAnswer & writes;
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
  wire read_ended = memory_rvalid_o & memory_rready_i & axi_rlast_i;
  wire write_ended = memory_bvalid_o & memory_bready_i;
  wire data_ended = memory_wvalid_i & memory_wready_o & memory_wlast_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      reads_q  <= '0;
      writes_q <= '0;
      data_q   <= '0;
      event_o  <= '0;
    end else begin
      reads_q <= reads_q + 8'(read_taken) - 8'(read_ended);
      writes_q <= writes_q + 8'(write_taken) - 8'(write_ended);
      data_q <= data_q + 8'(write_taken) - 8'(data_ended);
      event_o[EventReadError] <= axi_rvalid_i & axi_rready_o & (axi_rresp_i != '0);
      event_o[EventWriteError] <= axi_bvalid_i & axi_bready_o & (axi_bresp_i != '0);
    end
  end

  assign busy_o = step_q != StepIdle | word_request_i | reads_q != '0 | writes_q != '0 | (|event_o);

  `BOMBUS_ASSERT(AnswerToBurst, !memory_rvalid_o || reads_q != '0)
  `BOMBUS_ASSERT(ResponseToBurst, !memory_bvalid_o || writes_q != '0)

endmodule
