// SPDX-License-Identifier: Apache-2.0
// Packet processor: firmware on a RISC-V core decides what becomes of each datagram.
//
// A datagram is stored, and the core gets a descriptor of one word: length, slot. It reads and
// writes the first beat and the metadata (rpu_packets), and sends or drops the packet. Descriptors
// come and go by custom instructions (funct3 0: wait for one; 1: send; 2: one, or 0) or over the
// bus (0x2000_0000: one, or 0; 0x2000_0004: send). A datagram that waits is the core's external
// interrupt. The window of slot n is at 0x1000_8000 + 128 n: the first beat, from 64 on the metadata.
// Programs are loaded by registers, while the core does not run.
//
// Latency: 9 cycles for a packet of one beat, with a loop that only forwards. Throughput: one beat per
// cycle in, one cycle more a packet out, and what the firmware takes for a packet, 3 cycles in that
// loop.
module rpu
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,
    parameter type code_t = logic,
    parameter type data_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned UdpPort = 7,  // read by Bombus, which binds the port to this layer
    parameter int unsigned CodeBytes = 8192,
    parameter int unsigned DataBytes = 8192,
    parameter int unsigned NumSlots = 16,
    parameter int unsigned SlotBytes = 2048,
    localparam int unsigned CodeWords = CodeBytes / 4,
    localparam int unsigned DataWords = DataBytes / 4,
    localparam int unsigned CodeWidth = $clog2(CodeWords),
    localparam int unsigned WordWidth = $clog2(DataWords)
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,

    input  regs_t                 regs_i,
    input  logic                  code_request_i,  // held until code_done_o
    input  logic  [CodeWidth-1:0] code_index_i,
    input  logic                  code_write_i,
    input  code_t                 code_wdata_i,
    output logic                  code_done_o,
    input  logic                  data_request_i,  // held until data_done_o
    input  logic  [WordWidth-1:0] data_index_i,
    input  logic                  data_write_i,
    input  data_t                 data_wdata_i,
    output logic                  data_done_o,

    output logic [1:0] drop_o,
    output logic [0:0] event_o,
    output logic       busy_o
);

  localparam string Entry = "rpu";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam int unsigned MaxBusyCycles = 0;  // as the firmware takes
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum int unsigned {
    DropTooLong,
    DropByFirmware,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventBadDescriptor,
    NumEvents
  } event_e;

  if (UdpPort < 1 || UdpPort > 65535) begin : gen_bad_port
    $error("rpu: UdpPort must be 1 to 65535");
  end
  if (DataBytes < 64 || DataBytes > 32768 || DataBytes != 4 << WordWidth) begin : gen_bad_data
    $error("rpu: DataBytes must be a power of two, 64 to 32768");
  end
  if (CodeBytes > 32768) begin : gen_bad_code
    $error("rpu: CodeBytes must be at most 32768");
  end

  localparam int unsigned SlotWidth = $clog2(NumSlots);
  localparam int unsigned MapBytes = 65536;  // data memory, and from the middle on the windows

  // ---- Core and its memories ----

  logic core_reset_q;
  always_ff @(posedge clk_i) core_reset_q <= rst_i | ~regs_i.control.run;

  logic code_enable, data_enable;
  logic [$clog2(CodeBytes)-1:2] code_addr;
  logic [15:2] data_addr;
  logic [3:0] data_write;
  rpu_pkg::word_t code_q, ram_q, stored, data;

  // Memories are written by the register port while the core does not run.
  rpu_pkg::word_t code[CodeWords];
  wire load_code = code_request_i & code_write_i & core_reset_q;
  wire load_data = data_request_i & data_write_i & core_reset_q;
  always_ff @(posedge clk_i) begin
    code_done_o <= code_request_i & ~code_done_o & ~rst_i;
    data_done_o <= data_request_i & ~data_done_o & ~rst_i;
  end
  always_ff @(posedge clk_i) begin
    if (load_code) code[code_index_i] <= code_wdata_i.word;
    else if (code_enable) code_q <= code[code_addr];
  end

  wire is_window = data_addr[15];
  wire [WordWidth-1:0] ram_addr = load_data ? data_index_i : WordWidth'(data_addr);
  wire [31:0] ram_data = load_data ? data_wdata_i.word : stored;
  wire [3:0] ram_write = {4{load_data}} | data_write & {4{~is_window}};
  for (genvar b = 0; b < 4; b++) begin : gen_byte
    (* ram_style = "block" *) logic [7:0] bytes[DataWords];
    always_ff @(posedge clk_i) begin
      if (data_enable | load_data) begin
        if (ram_write[b]) bytes[ram_addr] <= ram_data[8*b+:8];
        ram_q[8*b+:8] <= bytes[ram_addr];
      end
    end
  end

  logic window_q;
  logic [31:0] window_data;
  always_ff @(posedge clk_i) if (data_enable) window_q <= is_window;
  assign data = window_q ? window_data : ram_q;

  logic come_valid, go_ready;
  logic [SlotWidth-1:0] come_slot;
  logic [13:0] come_length;
  logic bus_valid, bus_write, bus_ready, custom_valid, custom_ready;
  logic [27:0] bus_addr;
  logic [ 9:0] custom_op;
  rpu_pkg::word_t bus_data, custom_first, come;
  logic [3:0] unused_bytes;
  rpu_pkg::word_t unused_second;
  rpu_pkg::retire_t unused_retire;
  rpu_core #(
      .CodeBytes(CodeBytes),
      .DataBytes(MapBytes),
      .CustomOps(8'b0000_0111)
  ) u_core (
      .clk_i,
      .rst_i(core_reset_q),
      .code_enable_o(code_enable),
      .code_addr_o(code_addr),
      .code_i(code_q),
      .data_enable_o(data_enable),
      .data_addr_o(data_addr),
      .data_write_o(data_write),
      .data_o(stored),
      .data_i(data),
      .bus_valid_o(bus_valid),
      .bus_write_o(bus_write),
      .bus_addr_o(bus_addr),
      .bus_bytes_o(unused_bytes),
      .bus_data_o(bus_data),
      .bus_ready_i(bus_ready),
      .bus_error_i(bus_addr[27:3] != '0),
      .bus_data_i(come),
      .custom_valid_o(custom_valid),
      .custom_op_o(custom_op),
      .custom_first_o(custom_first),
      .custom_second_o(unused_second),
      .custom_ready_i(custom_ready),
      .custom_result_i(come),
      .external_interrupt_i(come_valid),
      .software_interrupt_i(1'b0),
      .timer_interrupt_i(1'b0),
      .retire_o(unused_retire)
  );

  // ---- Descriptors ----

  // bus_valid excludes a custom instruction.
  wire is_send = custom_op[0];
  wire may_wait = custom_op[1:0] == 2'd0;
  wire bus_send = bus_write & bus_addr[2];
  wire bus_receive = ~bus_write & ~bus_addr[2];
  assign come = come_valid ? {8'd0, 8'(come_slot), 2'b10, come_length} : '0;
  assign bus_ready = ~bus_send | go_ready;
  assign custom_ready = ~bus_valid & (is_send ? go_ready : come_valid | ~may_wait);
  wire accepts_bus = bus_valid & bus_addr[27:3] == '0;
  wire go_valid = core_reset_q | accepts_bus & bus_send | custom_valid & is_send & ~bus_valid;
  wire come_ready = accepts_bus & bus_receive | custom_valid & ~is_send & ~bus_valid;
  // While the core does not run, what it has had is dropped, slot by slot.
  logic [SlotWidth-1:0] abandoned_q;
  always_ff @(posedge clk_i) abandoned_q <= rst_i ? '0 : abandoned_q + SlotWidth'(go_ready);
  rpu_pkg::word_t go;
  always_comb begin
    go = bus_valid ? bus_data : custom_first;
    if (core_reset_q) go = {1'b1, 31'(abandoned_q) << 16};
  end

  logic too_long, dropped, bad_descriptor;
  rpu_packets #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .NumSlots(NumSlots),
      .SlotBytes(SlotBytes)
  ) u_packets (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .come_slot_o(come_slot),
      .come_length_o(come_length),
      .come_valid_o(come_valid),
      .come_ready_i(come_ready),
      .go_slot_i(go[16+:SlotWidth]),
      .go_length_i(go[13:0]),
      .go_drop_i(go[31]),
      .go_valid_i(go_valid),
      .go_ready_o(go_ready),
      .window_access_i(data_enable & is_window),
      .window_slot_i(data_addr[7+:SlotWidth]),
      .window_place_i(data_addr[6:2]),
      .window_write_i(data_write & {4{is_window}}),
      .window_data_i(stored),
      .window_data_o(window_data),
      .too_long_o(too_long),
      .dropped_o(dropped),
      .bad_descriptor_o(bad_descriptor),
      .busy_o
  );
  assign out_next_o = NextUdpTx;

  always_ff @(posedge clk_i) begin
    drop_o[DropTooLong] <= too_long & ~rst_i;
    drop_o[DropByFirmware] <= dropped & ~rst_i;
    event_o[EventBadDescriptor] <= bad_descriptor & ~core_reset_q;
  end

endmodule
