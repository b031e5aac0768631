// SPDX-License-Identifier: Apache-2.0
// rpu with its program. In: beats; words for the memories. Out: beats. Control: the core runs, what
// comes is discarded, limit of the watchdog, a message of the host, sent where its lowest bit changes.
// Events: drops, then others; then that ready for a first beat was there, and is not for two cycles,
// although nothing has been taken; then that the core gets the last free slot. A microsecond has 4
// cycles. Accelerated: with the accelerator of the documentation. NeverJudges: with one that gives no
// verdict.
`include "bombus_types.svh"
`include "bench.svh"

module bench
  import bombus_pkg::*;
#(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned NumSlots = 16,
    parameter int unsigned SlotBytes = 2048,
    parameter bit Accelerated = 0,
    parameter bit NeverJudges = 0
) (
    `BENCH_PORTS(2, bench_pkg::beat_bits(DataWidth), 1, bench_pkg::beat_bits(DataWidth), 45, 64)
);

  `BENCH_SHAPE

  `BOMBUS_BEAT_T(beat_t, DataWidth)
  typedef struct packed {
    struct packed {logic [7:0] limit;} watchdog;
    struct packed {
      logic discard;
      logic run;
    } control;
  } regs_t;
  typedef struct packed {
    struct packed {logic [31:0] word;} report;
    struct packed {
      logic [15:0] pc;
      logic [3:0] cause;
      logic [6:0] slots;
      logic exception;
      logic stuck;
    } status;
  } status_t;
  typedef struct packed {logic [31:0] word;} word_t;

  regs_t regs;
  assign regs.control.run = control_i[0];
  assign regs.control.discard = control_i[1];
  assign regs.watchdog.limit = 8'(control_i[7:2]);
  typedef struct packed {
    logic [3:0]  place;
    logic [31:0] word;
  } message_t;
  message_t message;
  assign message = '{place: control_i[12:9], word: control_i[44:13]};
  logic send_q, sends_q, message_done;
  always_ff @(posedge clk_i) begin
    send_q  <= control_i[8];
    sends_q <= ~rst_i & ((control_i[8] ^ send_q) | (sends_q & ~message_done));
  end
  status_t status;
  logic timer;
  logic [33:0] cycles_q;
  always_ff @(posedge clk_i) cycles_q <= rst_i ? 34'h3_ffff_0000 : cycles_q + 34'd1;
  beat_t beat;
  logic next, busy;
  logic [3:0] drop;
  word_t unused_data;
  logic [4:0] events;
  logic offer, given_q;
  logic [36:0] word_sent, word_q;
  always_ff @(posedge clk_i) begin
    given_q <= offer & ~rst_i;
    word_q  <= word_sent;
  end
  assign out_o[0] = $bits(out_o[0])'(beat);
  assign event_o  = 64'({takes_last, closes, events, drop});
  assign status_o = {status, timer, next, busy};

  wire beat_t arriving = beat_t'(in_i[0][$bits(beat_t)-1:0]);
  wire takes_last = u_layer.u_packets.allocated & u_layer.u_packets.num_free == 1;
  logic first_q, closes, was_ready_q, was_closed_q;
  assign closes = first_q & was_closed_q & ~in_ready_o[0];
  always_ff @(posedge clk_i) begin
    if (in_valid_i[0] & in_ready_o[0]) first_q <= arriving.last;
    was_ready_q  <= first_q & in_ready_o[0] & ~in_valid_i[0];
    was_closed_q <= was_ready_q & ~in_ready_o[0];
    if (rst_i) begin
      first_q <= 1'b1;
      was_ready_q <= 1'b0;
      was_closed_q <= 1'b0;
    end
  end

  // A memory word, its index, and whether it belongs to the data memory.
  wire word_t word = in_i[1][31:0];
  wire is_data = in_i[1][63];
  assign in_ready_o[1] = 1'b1;

  rpu_pkg::accel_packet_t packet;
  logic [$clog2(DataWidth/8):0] packet_bytes;
  logic [DataWidth-1:0] packet_data;
  rpu_pkg::accel_verdict_t verdict;
  rpu_pkg::accel_bus_request_t bus_request;
  rpu_pkg::accel_bus_response_t bus_response;
  rpu_pkg::accel_custom_request_t custom_request;
  rpu_pkg::accel_custom_response_t custom_response;
  if (Accelerated) begin : gen_accelerator
    byte_count #(
        .DataWidth(DataWidth)
    ) u_accelerator (
        .clk_i,
        .rst_i,
        .accel_packet_i(packet),
        .accel_packet_bytes_i(packet_bytes),
        .accel_packet_data_i(packet_data),
        .accel_verdict_o(verdict),
        .accel_bus_request_i(bus_request),
        .accel_bus_response_o(bus_response),
        .accel_custom_request_i(custom_request),
        .accel_custom_response_o(custom_response)
    );
  end else begin : gen_none
    assign verdict = '{judges: NeverJudges, default: '0};
    assign bus_response = '0;
    assign custom_response = '0;
  end

  rpu #(
      .beat_t(beat_t),
      .regs_t(regs_t),
      .status_t(status_t),
      .message_t(message_t),
      .code_t(word_t),
      .data_t(word_t),
      .DataWidth(DataWidth),
      .NumSlots(NumSlots),
      .SlotBytes(SlotBytes)
  ) u_layer (
      .clk_i,
      .rst_i,
      .time_us_i(cycles_q[33:2]),
      .in_i(arriving),
      .in_valid_i(in_valid_i[0]),
      .in_ready_o(in_ready_o[0]),
      .out_o(beat),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .out_next_o(next),
      .regs_i(regs),
      .status_o(status),
      .message_request_i(sends_q),
      .message_write_i(1'b1),
      .message_wdata_i(message),
      .message_done_o(message_done),
      .code_request_i(in_valid_i[1] & ~is_data),
      .code_index_i(in_i[1][42:32]),
      .code_write_i(1'b1),
      .code_wdata_i(word),
      .data_request_i(in_valid_i[1] & is_data),
      .data_index_i(in_i[1][42:32]),
      .data_write_i(1'b1),
      .data_wdata_i(word),
      .data_rdata_o(unused_data),
      .data_done_o(),
      .accel_packet_o(packet),
      .accel_packet_bytes_o(packet_bytes),
      .accel_packet_data_o(packet_data),
      .accel_verdict_i(verdict),
      .accel_stopped_o(),
      .accel_bus_request_o(bus_request),
      .accel_bus_response_i(bus_response),
      .accel_custom_request_o(custom_request),
      .accel_custom_response_i(custom_response),
      .share_offer_o(offer),
      .share_word_o(word_sent),
      .share_wait_i(1'b0),
      .share_given_i(given_q),
      .share_got_i(word_q),
      .drop_o(drop),
      .event_o(events),
      .busy_o(busy),
      .timer_o(timer)
  );

endmodule
