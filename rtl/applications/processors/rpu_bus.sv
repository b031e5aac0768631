// SPDX-License-Identifier: Apache-2.0
// Peripherals that the core of a packet processor accesses by custom instructions and over its bus:
// descriptors, timer, accelerator, packet memory.
//
//   0x2000_0000  read: a descriptor, or 0        0x2001_0000  accelerator, 64 KiB
//   0x2000_0004  write: sends a descriptor       0x2010_0000  packet memory, slot after slot
//   0x2000_0010  timer (rpu_timer)
//   0x2000_0020  broadcast words (rpu_mailbox)
//
// custom-0: funct3 0 waits for a descriptor, 1 sends one, 2 takes one or 0, 3 takes an empty slot
// or 0; 4 to 7 are for the accelerator. Accesses to other addresses, and to slots that the core
// does not own, are bus errors.
//
// Latency: descriptors in the cycle of the request; other accesses over the bus one cycle after
// their response.
`include "bombus_assert.svh"

module rpu_bus
  import rpu_pkg::*;
#(
    parameter int unsigned NumSlots  = 16,
    parameter int unsigned SlotBytes = 2048,

    localparam int unsigned SlotWidth  = $clog2(NumSlots),
    localparam int unsigned PlaceWidth = $clog2(SlotBytes)
) (
    input  logic clk_i,
    input  logic rst_i,
    input  logic core_reset_i,
    output logic released_o,    // while the core does not run: it owns no slot
    input  logic discards_i,    // while the core does not run, also drop waiting packets

    // The core
    input logic bus_valid_i,
    input logic bus_write_i,
    input logic [27:0] bus_addr_i,
    input logic bus_low_i,  // bus_addr_i is below 8
    input word_t bus_data_i,
    output logic bus_ready_o,
    output logic bus_error_o,
    output word_t bus_data_o,  // 0 while bus_valid_i is low
    input logic custom_valid_i,  // may coincide with bus_valid_i, which has priority
    input logic [2:0] custom_op_i,
    input word_t custom_first_i,
    output logic custom_ready_o,
    output word_t custom_result_o,

    // Descriptors to and from the core, and empty slots
    input rx_descriptor_t rx_i,
    input logic rx_valid_i,
    output logic rx_ready_o,
    output tx_descriptor_t tx_o,
    output logic tx_valid_o,
    input logic tx_ready_i,
    input logic [SlotWidth-1:0] empty_slot_i,
    input logic empty_valid_i,
    input logic empty_ready_i,
    output logic empty_request_o,

    // Packet memory: a request is held until it is done.
    output logic memory_near_o,  // a read may be requested; early
    output logic memory_request_o,
    output logic [SlotWidth-1:0] memory_slot_o,
    output logic [PlaceWidth-1:0] memory_offset_o,
    input logic memory_done_i,
    input logic memory_error_i,
    input word_t memory_data_i,

    // Broadcast words
    output logic  mail_request_o,
    input  logic  mail_done_i,
    input  word_t mail_data_i,

    // The timer
    output logic  timer_write_o,
    input  word_t timer_data_i,

    // The accelerator
    output logic accel_bus_o,
    input accel_bus_response_t accel_bus_response_i,
    output logic accel_custom_o,
    input accel_custom_response_t accel_custom_response_i
);

  if (NumSlots < 4 || NumSlots > 64 || NumSlots != 2 ** SlotWidth) begin : gen_bad_slots
    $error("rpu_bus: NumSlots must be a power of two, 4 to 64");
  end
  if (SlotBytes < 16 || SlotBytes > 16384 || SlotBytes != 2 ** PlaceWidth) begin : gen_bad_bytes
    $error("rpu_bus: SlotBytes must be a power of two, 16 to 16384");
  end

  // ---- Descriptors ----

  word_t rx_descriptor, empty;
  assign rx_descriptor = rx_valid_i ?
      {1'b0, rx_i.verdict, rx_i.port, rx_i.slot, 2'b10, rx_i.length} : '0;
  assign empty = empty_valid_i ? {8'd0, 8'(empty_slot_i), 16'h8000} : '0;

  wire is_quick = bus_low_i;  // completed in the same cycle, through a path in the core
  wire bus_sends = bus_valid_i & is_quick & bus_write_i & bus_addr_i[2];
  wire bus_takes = bus_valid_i & is_quick & ~bus_write_i & ~bus_addr_i[2];
  wire custom = custom_valid_i & ~bus_valid_i;
  wire custom_sends = custom & custom_op_i == 3'd1;
  wire custom_takes = custom & (custom_op_i == 3'd0 | custom_op_i == 3'd2);
  // While the core does not run, not if an empty slot may be taken: one slot per cycle is handed
  // out.
  assign rx_ready_o = bus_takes | custom_takes | core_reset_i & discards_i & ~empty_ready_i;
  assign empty_request_o = custom & custom_op_i == 3'd3;

  // While the core does not run, the slots that it owned are dropped one by one.
  logic [SlotWidth-1:0] abandoned_q;
  // Slots released since the core was stopped, or last received one
  logic [  SlotWidth:0] released_q;
  always_ff @(posedge clk_i) begin
    abandoned_q <= rst_i ? '0 : abandoned_q + SlotWidth'(tx_ready_i);
    if (~core_reset_i | (rx_valid_i & rx_ready_o)) released_q <= '0;
    else if (tx_ready_i & ~released_q[SlotWidth]) released_q <= released_q + 1'b1;
  end
  assign released_o = released_q[SlotWidth];
  word_t tx_descriptor;
  assign tx_descriptor = bus_valid_i ? bus_data_i : custom_first_i;
  assign tx_o = '{
          slot: core_reset_i ? 6'(abandoned_q) : tx_descriptor[21:16],
          length: tx_descriptor[13:0],
          port: tx_descriptor[23:22],
          drop: core_reset_i | tx_descriptor[31]
      };
  assign tx_valid_o = core_reset_i | bus_sends | custom_sends;

  always_comb begin
    unique case (custom_op_i)
      3'd0: custom_ready_o = rx_valid_i;
      3'd1: custom_ready_o = tx_ready_i;
      3'd2: custom_ready_o = 1'b1;
      3'd3: custom_ready_o = empty_ready_i;
      default: custom_ready_o = ~accel_custom_response_i.stall;
    endcase
    if (bus_valid_i) custom_ready_o = 1'b0;
    custom_result_o = custom_op_i[0] ? empty : rx_descriptor;
    if (custom_op_i[2]) custom_result_o = accel_custom_response_i.result;
  end
  assign accel_custom_o = custom & custom_op_i[2];

  // ---- Peripherals with a registered response ----

  logic done_q, error_q;
  word_t data_q, memory_q;
  wire requests = bus_valid_i & ~done_q;
  wire is_memory = bus_addr_i[27:20] == 8'h01;
  wire is_accel = bus_addr_i[27:16] == 12'h001;
  wire is_timer = bus_addr_i[27:4] == 24'h1;
  wire is_mail = bus_addr_i[27:7] == 21'h1 | bus_addr_i[27:3] == 25'h4;
  wire is_unknown = ~is_memory & ~is_accel & ~is_timer & ~is_mail & ~is_quick;
  assign mail_request_o = requests & is_mail;
  assign timer_write_o = requests & is_timer & bus_write_i;
  assign accel_bus_o = requests & is_accel;
  // Addresses after the last slot are not mapped.
  wire past = is_memory & bus_addr_i[19:0] >> (PlaceWidth + SlotWidth) != '0;
  assign memory_request_o = requests & is_memory & ~past;
  // Only the packet memory has this address bit; an address with further bits is an error and may
  // take a cycle.
  assign memory_near_o = bus_valid_i & ~done_q & ~bus_write_i & bus_addr_i[20];
  assign memory_slot_o = bus_addr_i[PlaceWidth+:SlotWidth];
  assign memory_offset_o = bus_addr_i[PlaceWidth-1:0];
  always_ff @(posedge clk_i) begin
    done_q <= accel_bus_o & ~accel_bus_response_i.stall | memory_request_o & memory_done_i |
        requests & past | requests & (is_timer | is_unknown) | mail_request_o & mail_done_i;
    error_q <= is_unknown | is_accel & accel_bus_response_i.error |
        is_memory & (memory_error_i | past);
    // Each is 0 unless selected, so that an OR joins them.
    data_q <= is_timer ? timer_data_i : is_mail ? mail_data_i : accel_bus_response_i.data;
    memory_q <= memory_data_i;
    if (~requests | is_quick | is_memory) data_q <= '0;
    if (~requests | ~is_memory) memory_q <= '0;
    if (rst_i) done_q <= 1'b0;
  end

  assign bus_ready_o = done_q | is_quick & (~(bus_write_i & bus_addr_i[2]) | tx_ready_i);
  assign bus_error_o = done_q & error_q;
  assign bus_data_o  = data_q | memory_q | rx_descriptor & {32{bus_valid_i & is_quick}};

  // The sources of bus_data_o, which an OR joins
  `BOMBUS_ASSERT(OneSource, $onehot0({data_q != '0, memory_q != '0, bus_valid_i && is_quick}))

endmodule
