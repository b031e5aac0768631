// SPDX-License-Identifier: Apache-2.0
// Packet processor: firmware on a RISC-V core decides what happens to each datagram.
//
// A datagram is stored, and the core receives a descriptor of one word: length, slot. The core
// reads and writes the first beat and the metadata (rpu_packets), and sends or drops the packet.
// Descriptors are exchanged by custom instructions or over the bus (rpu_bus). A waiting datagram
// raises the external interrupt. The view of slot n is at 0x1000_8000 + 128 n: the first beat, at
// 64 the metadata, at 80 the verdict. Registers load programs while the core does not run. A
// watchdog stops a core that has packets, or for which packets wait, and makes no progress;
// arriving packets are then dropped.
//
// An accelerator is a layer of the same tile. It has those of the ports accel_* that it needs
// (types in rpu_pkg): the stored beats, one cycle later; the verdict on a packet, for which the
// packet then waits (judges); an access over the bus and a custom instruction, each held while its
// response stalls it.
//
// Broadcast words and messages written by software (rpu_mailbox) raise the software interrupt.
//
// With Frames the messages are whole frames from frame_rx. They are sent to the MAC port in the
// descriptor, one of up to three; a frame for a port that does not exist is dropped. In the
// metadata sent, meta.ip is a word of the firmware, and meta.csum identifies the sender: TileIndex,
// and Lane in the lowest 3 bits. The firmware cannot change meta.csum.
//
// Latency: 7 cycles for a packet of one beat, with a loop that only forwards; 8 with Frames.
// Throughput: one beat per cycle in, one more cycle per packet out, and the cycles of the firmware
// per packet, 3 in that loop.
//
// The file is longer than 450 lines because it only connects its parts: a port list, and instances
// with a connection per line.
`include "bombus_assert.svh"

module rpu
  import bombus_pkg::*;
  import rpu_tile_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,
    parameter type status_t = logic,
    parameter type message_t = logic,
    parameter type code_t = logic,
    parameter type data_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned UdpPort = 7,  // read by Bombus, which binds the port to this layer
    parameter int unsigned CodeBytes = 8192,
    parameter int unsigned DataBytes = 8192,
    parameter int unsigned NumSlots = 16,
    parameter int unsigned SlotBytes = 2048,
    parameter bit Frames = 0,
    parameter int unsigned Lane = 0,  // 1 to 4: after an rpu_share in the same tile
    parameter int unsigned TileIndex = 0,  // filled in by Bombus
    // MAC ports and their bound next hops, filled in by Bombus
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = $clog2(1 + NumBoundHops),
    localparam int unsigned CodeWords = CodeBytes / 4,
    localparam int unsigned DataWords = DataBytes / 4,
    localparam int unsigned CodeWidth = $clog2(CodeWords),
    localparam int unsigned WordWidth = $clog2(DataWords)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    input  logic                     message_request_i,  // held until message_done_o
    input  logic                     message_write_i,
    input  message_t                 message_wdata_i,
    output logic                     message_done_o,
    input  logic                     code_request_i,
    input  logic     [CodeWidth-1:0] code_index_i,
    input  logic                     code_write_i,
    input  code_t                    code_wdata_i,
    input  logic                     data_request_i,     // a read is held until data_done_o
    input  logic     [WordWidth-1:0] data_index_i,
    input  logic                     data_write_i,
    input  data_t                    data_wdata_i,
    output data_t                    data_rdata_o,
    output logic                     data_done_o,

    // The accelerator
    output rpu_pkg::accel_packet_t accel_packet_o,
    output logic [$clog2(DataWidth/8):0] accel_packet_bytes_o,
    output logic [DataWidth-1:0] accel_packet_data_o,
    input rpu_pkg::accel_verdict_t accel_verdict_i,
    output logic accel_stopped_o,  // the core does not run
    output rpu_pkg::accel_bus_request_t accel_bus_request_o,
    input rpu_pkg::accel_bus_response_t accel_bus_response_i,
    output rpu_pkg::accel_custom_request_t accel_custom_request_o,
    input rpu_pkg::accel_custom_response_t accel_custom_response_i,

    // Broadcast words
    output logic share_offer_o,
    output logic [36:0] share_word_o,
    input logic share_wait_i,
    input logic share_given_i,
    input logic [36:0] share_got_i,

    input  regs_t   regs_i,
    output status_t status_o,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,

    output logic [3:0] drop_o,
    output logic [4:0] event_o,
    output logic       busy_o,
    output logic       timer_o,
    output logic       discards_o
);

  localparam string Entry = Lane == 0 ? "rpu" :
      Lane == 1 ? "rpu_lane1" : Lane == 2 ? "rpu_lane2" : Lane == 3 ? "rpu_lane3" : "rpu_lane4";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam string MayStayOpen = "accel";
  localparam string Broadcasts = "share";
  localparam string Begins = "empty_slot";  // which a program then sends or drops
  localparam int unsigned MaxBusyCycles = 0;  // depends on the firmware
  localparam int unsigned MaxInside = NumSlots;
  localparam string Binds = "mac_port";
  localparam int unsigned BindsWidth = $bits(mac_port_t);
  localparam bit BindsZero = 1;  // ports are numbered from 0
  typedef enum int unsigned {
    NextUdpTx,
    NextBound   // the first MAC port
  } next_e;
  typedef enum int unsigned {
    DropTooLong,
    DropByFirmware,
    DropNoPort,
    DropDiscarded,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventBadDescriptor,
    EventEmptySlot,
    EventException,
    EventStuck,
    EventMessageLost,
    NumEvents
  } event_e;

  if (UdpPort < 1 || UdpPort > 65535) begin : gen_bad_port
    $error("rpu: UdpPort must be 1 to 65535");
  end
  if (Lane > MaxLanes) begin : gen_bad_lane
    $error("rpu: Lane must be at most %0d", MaxLanes);
  end
  if (TileIndex >= 2 ** (16 - LaneBits)) begin : gen_bad_index
    $error("rpu: TileIndex must be less than 8192");
  end
  if (DataBytes < LeastDataBytes || DataBytes > 32768 ||
      DataBytes != 4 << WordWidth) begin : gen_bad_data
    $error("rpu: DataBytes must be a power of two, %0d to 32768", LeastDataBytes);
  end
  if (CodeBytes > 32768) begin : gen_bad_code
    $error("rpu: CodeBytes must be at most 32768");
  end

  typedef logic [$clog2(NumSlots)-1:0] slot_t;
  if (Frames && $bits(mac_port_t) > 2) begin : gen_bad_ports
    $error("rpu: frames need a design with up to three MAC ports");
  end

  // The longest payload of a frame with all headers: networks have no room for more, and lengths of
  // 14 bits would wrap.
  localparam int unsigned MaxBytes = Frames ? MaxFrameBytes :
      MaxFrameBytes - ethernet_pkg::HeaderBytes - ipv4_pkg::HeaderBytes - udp_pkg::HeaderBytes;
  // data memory in the lower half, packet views in the upper half
  localparam int unsigned MapBytes = 65536;

  // ---- Core and its memories ----

  logic core_reset_q, run_q, discards_q, abandons_q, fires, released;
  always_ff @(posedge clk_i) begin
    run_q <= regs_i.control.run & ~rst_i;
    // A program starts once all slots of the previous program have been released.
    core_reset_q <= rst_i | ~regs_i.control.run | fires | (core_reset_q & ~released);
    discards_q <= regs_i.control.discard | fires;
    abandons_q <= (regs_i.control.discard & ~regs_i.control.run) | fires;
  end

  logic code_enable, data_enable, data_elsewhere;
  logic [$clog2(CodeBytes)-1:2] code_addr;
  logic [15:2] data_addr;
  logic [3:0] data_write;
  rpu_pkg::word_t code_q, ram_q, stored, data;

  // The register port writes the memories, and reads the data memory, while the core does not run.
  rpu_pkg::word_t code[CodeWords];
  // A write may arrive in the cycle before the core is in reset, in which run is cleared.
  wire is_stopped = core_reset_q | ~regs_i.control.run;
  wire load_code = code_request_i & code_write_i & is_stopped;
  wire load_data = data_request_i & is_stopped;
  always_ff @(posedge clk_i) begin
    data_done_o <= data_request_i & ~data_write_i & ~data_done_o & ~rst_i;
  end
  always_ff @(posedge clk_i) begin
    if (load_code) code[code_index_i] <= code_wdata_i.word;
    // Also while a word is written: the enable is late, and the core fetches again when it starts.
    if (code_enable) code_q <= code[code_addr];
  end

  wire is_view = data_addr[15];
  wire [WordWidth-1:0] ram_addr = load_data ? data_index_i : WordWidth'(data_addr);
  wire [31:0] ram_data = load_data ? data_wdata_i.word : stored;
  wire is_past = 32'(data_addr[14:2]) >> WordWidth != '0;
  // A read by the register port suppresses the core's last store.
  wire [3:0] ram_write = load_data ? {4{data_write_i}} : data_write & {4{~is_view & ~is_past}};
  for (genvar b = 0; b < 4; b++) begin : gen_byte
    (* ram_style = "block" *) logic [7:0] bytes[DataWords];
    always_ff @(posedge clk_i) begin
      if (data_enable | load_data) begin
        if (ram_write[b]) bytes[ram_addr] <= ram_data[8*b+:8];
        ram_q[8*b+:8] <= bytes[ram_addr];
      end
    end
  end

  assign data_rdata_o.word = core_reset_q ? ram_q : '0;

  logic view_q, ram_is_q;
  logic [31:0] view_data;
  logic past_q, view_fault;
  always_ff @(posedge clk_i) begin
    if (data_enable) begin
      view_q   <= is_view;
      ram_is_q <= ~is_view & ~data_elsewhere;
      past_q   <= is_view ? 32'(data_addr[14:7]) >> $clog2(NumSlots) != '0 : is_past;
    end
  end
  // view_data is 0 after an access to the memory; both are 0 after an access over the bus.
  assign data = view_data | ram_q & {32{ram_is_q}};

  logic bus_valid, bus_write, bus_ready, bus_error, custom_valid, custom_ready;
  logic [27:0] bus_addr;
  logic bus_low;
  logic [9:0] custom_op;
  logic [3:0] bus_bytes;
  rpu_pkg::word_t bus_data, bus_answer, custom_first, custom_second, custom_result;
  logic rx_valid;
  logic armed, due, timer_write, exception;
  logic mail_request, mail_done, mail_interrupt, mail_lost, mail_busy;
  rpu_pkg::word_t mail_data;
  logic [3:0] cause;
  logic [31:2] exception_pc;
  rpu_pkg::word_t timer_data;
  rpu_pkg::retire_t unused_retire;
  rpu_core #(
      .CodeBytes(CodeBytes),
      .DataBytes(MapBytes),
      .CustomOps(8'b1111_1111)
  ) u_core (
      .clk_i,
      .rst_i(core_reset_q),
      .code_enable_o(code_enable),
      .code_addr_o(code_addr),
      .code_i(code_q),
      .data_enable_o(data_enable),
      .data_elsewhere_o(data_elsewhere),
      .data_addr_o(data_addr),
      .data_write_o(data_write),
      .data_o(stored),
      .data_i(data),
      .data_fault_i(past_q | view_q & view_fault),
      .bus_valid_o(bus_valid),
      .bus_write_o(bus_write),
      .bus_addr_o(bus_addr),
      .bus_low_o(bus_low),
      .bus_bytes_o(bus_bytes),
      .bus_data_o(bus_data),
      .bus_ready_i(bus_ready),
      .bus_error_i(bus_error),
      .bus_data_i(bus_answer),
      .custom_valid_o(custom_valid),
      .custom_op_o(custom_op),
      .custom_first_o(custom_first),
      .custom_second_o(custom_second),
      .custom_ready_i(custom_ready),
      .custom_result_i(custom_result),
      .external_interrupt_i(rx_valid),
      .software_interrupt_i(mail_interrupt),
      .timer_interrupt_i(due),
      .exception_o(exception),
      .exception_cause_o(cause),
      .exception_pc_o(exception_pc),
      .retire_o(unused_retire)
  );

  // ---- Bus: descriptors and peripherals ----

  rpu_pkg::rx_descriptor_t rx;
  rpu_pkg::tx_descriptor_t tx;
  logic rx_ready, tx_valid, tx_ready, empty_valid, empty_request, empty_ready;
  slot_t empty_slot, memory_slot;
  logic memory_near, memory_request, memory_done, memory_error;
  logic [$clog2(SlotBytes)-1:0] memory_offset;
  rpu_pkg::word_t memory_data;
  logic accel_bus, accel_custom;
  rpu_bus #(
      .NumSlots (NumSlots),
      .SlotBytes(SlotBytes)
  ) u_bus (
      .clk_i,
      .rst_i,
      .core_reset_i(core_reset_q),
      .released_o(released),
      .discards_i(abandons_q),
      .bus_valid_i(bus_valid),
      .bus_write_i(bus_write),
      .bus_addr_i(bus_addr),
      .bus_low_i(bus_low),
      .bus_data_i(bus_data),
      .bus_ready_o(bus_ready),
      .bus_error_o(bus_error),
      .bus_data_o(bus_answer),
      .custom_valid_i(custom_valid),
      .custom_op_i(custom_op[2:0]),
      .custom_first_i(custom_first),
      .custom_ready_o(custom_ready),
      .custom_result_o(custom_result),
      .rx_i(rx),
      .rx_valid_i(rx_valid),
      .rx_ready_o(rx_ready),
      .tx_o(tx),
      .tx_valid_o(tx_valid),
      .tx_ready_i(tx_ready),
      .empty_slot_i(empty_slot),
      .empty_valid_i(empty_valid),
      .empty_ready_i(empty_ready),
      .empty_request_o(empty_request),
      .memory_near_o(memory_near),
      .memory_request_o(memory_request),
      .memory_slot_o(memory_slot),
      .memory_offset_o(memory_offset),
      .memory_done_i(memory_done),
      .memory_error_i(memory_error),
      .memory_data_i(memory_data),
      .mail_request_o(mail_request),
      .mail_done_i(mail_done),
      .mail_data_i(mail_data),
      .timer_write_o(timer_write),
      .timer_data_i(timer_data),
      .accel_bus_o(accel_bus),
      .accel_bus_response_i,
      .accel_custom_o(accel_custom),
      .accel_custom_response_i
  );
  assign accel_stopped_o = core_reset_q;
  assign accel_bus_request_o = '{
          valid: accel_bus,
          write: bus_write,
          addr: bus_addr[15:0],
          bytes: bus_bytes,
          data: bus_data
      };
  assign accel_custom_request_o = '{
          valid: accel_custom,
          op: custom_op,
          first: custom_first,
          second: custom_second
      };

  rpu_mailbox u_mailbox (
      .clk_i,
      .rst_i,
      .core_reset_i(core_reset_q),
      .request_i(mail_request),
      .write_i(bus_write),
      .addr_i(bus_addr[7:2]),
      .data_i(bus_data),
      .done_o(mail_done),
      .data_o(mail_data),
      .interrupt_o(mail_interrupt),
      .lost_o(mail_lost),
      .busy_o(mail_busy),
      .message_request_i,
      .message_write_i,
      .message_i({message_wdata_i.place, message_wdata_i.word}),
      .message_done_o,
      .report_o(status_o.report.word),
      .share_offer_o,
      .share_word_o,
      .share_wait_i,
      .share_given_i,
      .share_got_i
  );

  rpu_timer u_timer (
      .clk_i,
      .rst_i  (core_reset_q),
      .time_us_i,
      .write_i(timer_write),
      .index_i(bus_addr[3:2]),
      .data_i (bus_data),
      .read_o (timer_data),
      .armed_o(armed),
      .due_o  (due)
  );

  logic too_long, dropped, discarded, bad_descriptor, allocated, taken, taken_first;
  logic has_work, moves, stalls;
  logic [$clog2(NumSlots):0] used;
  slot_t taken_slot;
  beat_t sent;
  logic sent_valid, sent_ready, packets_busy;
  rpu_packets #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .NumSlots(NumSlots),
      .SlotBytes(SlotBytes),
      .MaxBytes(MaxBytes),
      .HasPorts(Frames)
  ) u_packets (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .out_o(sent),
      .out_valid_o(sent_valid),
      .out_ready_i(sent_ready),
      .rx_o(rx),
      .rx_valid_o(rx_valid),
      .rx_ready_i(rx_ready),
      .tx_i(tx),
      .tx_valid_i(tx_valid),
      .tx_ready_o(tx_ready),
      .empty_slot_o(empty_slot),
      .empty_valid_o(empty_valid),
      .empty_ready_o(empty_ready),
      .empty_request_i(empty_request),
      // From the memory stage of the core, the cycle after an access to the view.
      .write_data_i(bus_data),
      .memory_near_i(memory_near),
      .memory_request_i(memory_request),
      .memory_slot_i(memory_slot),
      .memory_offset_i(memory_offset),
      .memory_write_i(bus_bytes & {4{bus_write}}),
      .memory_done_o(memory_done),
      .memory_error_o(memory_error),
      .memory_data_o(memory_data),
      .taken_o(taken),
      .taken_first_o(taken_first),
      .taken_slot_o(taken_slot),
      .judges_i(accel_verdict_i.judges),
      .judged_i(accel_verdict_i.valid),
      .judged_slot_i(slot_t'(accel_verdict_i.slot)),
      .verdict_i(accel_verdict_i.verdict),
      .view_access_i(data_enable & is_view),
      .view_elsewhere_i(data_elsewhere),
      .view_slot_i(data_addr[7+:$clog2(NumSlots)]),
      .view_index_i(data_addr[6:2]),
      .view_write_i(data_write & {4{is_view}}),
      .view_data_o(view_data),
      .view_fault_o(view_fault),
      .view_past_i(past_q),
      .discards_i(discards_q),
      .discarded_o(discarded),
      .too_long_o(too_long),
      .dropped_o(dropped),
      .bad_descriptor_o(bad_descriptor),
      .allocated_o(allocated),
      .has_work_o(has_work),
      .moves_o(moves),
      .stalls_o(stalls),
      .used_o(used),
      .busy_o(packets_busy)
  );

  // ---- Output ----

  if (Frames) begin : gen_frames
    logic first, has_port;
    logic [NextWidth-1:0] port;
    first_beat u_first (
        .clk_i,
        .rst_i,
        .taken_i(sent_valid & sent_ready),
        .last_i (sent.last),
        .first_o(first)
    );
    bound_hop #(
        .NumBound (NumBound),
        .HopWidth (NextWidth),
        .ZeroKey  (1'b1),
        .BoundKeys(BoundKeys),
        .BoundHops(BoundHops)
    ) u_port (
        .key_i  (16'(sent.meta.mac_port)),
        .found_o(has_port),
        .hop_o  (port)
    );
    beat_t frame;  // unchanged: no tag to insert, no checksum to write
    always_comb begin
      frame = sent;
      frame.meta = '0;
      frame.meta.mac_port = sent.meta.mac_port;
      frame.meta.ip = sent.meta.ip;  // for frame_loop and rpu_host
      // no checksum is written, so this is not its seed
      frame.meta.csum = {(16 - LaneBits)'(TileIndex), LaneBits'(Lane)};
    end
    drop_register #(
        .beat_t(beat_t),
        .NextWidth(NextWidth)
    ) u_out (
        .in_i(frame),
        .in_valid_i(sent_valid),
        .in_ready_o(sent_ready),
        .in_first_i(first),
        .in_next_i(NextWidth'(NextBound) + port),
        .in_drop_i(~has_port),
        .drop_o(drop_o[DropNoPort]),
        .*
    );
    assign busy_o = packets_busy | mail_busy | out_valid_o;
  end else begin : gen_datagrams
    assign out_o = sent;
    assign out_valid_o = sent_valid;
    assign sent_ready = out_ready_i;
    assign out_next_o = NextWidth'(NextUdpTx);
    assign drop_o[DropNoPort] = 1'b0;
    assign busy_o = packets_busy | mail_busy;
  end

  always_ff @(posedge clk_i) begin
    accel_packet_o <= '{
        valid: taken & ~rst_i,
        first: taken_first,
        last: in_i.last,
        slot: 8'(taken_slot),
        length: in_i.length,
        meta: 128'(in_i.meta)
    };
    accel_packet_bytes_o <= in_i.last ? in_i.bytes : ($clog2(DataWidth / 8) + 1)'(DataWidth / 8);
    accel_packet_data_o <= in_i.data;
  end

  // ---- Status of the core ----

  rpu_watchdog u_watchdog (
      .clk_i,
      .rst_i(~run_q),
      .limit_i(regs_i.watchdog.limit),
      .has_work_i(has_work),
      .moves_i(moves),
      .stalls_i(stalls),
      .fires_o(fires)
  );

  logic fires_q, exception_q;
  logic [ 3:0] cause_q;
  logic [15:2] pc_q;
  always_ff @(posedge clk_i) begin
    fires_q <= fires & run_q;
    exception_q <= run_q & (exception_q | exception);
    if (exception) begin
      cause_q <= cause;
      pc_q <= exception_pc[15:2];
    end
    timer_o <= armed & ~rst_i;
    drop_o[DropTooLong] <= too_long & ~rst_i;
    drop_o[DropByFirmware] <= dropped & ~rst_i;
    drop_o[DropDiscarded] <= discarded & ~rst_i;
    event_o[EventBadDescriptor] <= bad_descriptor & ~core_reset_q;
    event_o[EventEmptySlot] <= allocated & ~rst_i;
    event_o[EventException] <= exception & ~core_reset_q;
    event_o[EventStuck] <= fires & ~fires_q & run_q;
    event_o[EventMessageLost] <= mail_lost & ~rst_i;
  end
  assign discards_o = discards_q;
  assign status_o.status.stuck = fires_q;
  assign status_o.status.exception = exception_q;
  assign status_o.status.slots = 7'(used);
  assign status_o.status.cause = cause_q;
  assign status_o.status.pc = {pc_q, 2'b00};

  `BOMBUS_ASSERT(OneDataSource, !(view_data != '0 && ram_is_q))

endmodule
