// SPDX-License-Identifier: Apache-2.0
// load_balancer_choice with its table in an external memory (erratic_memory).
//
// In: views (24 bytes) of one service, 10.0.0.1:80; accesses, from the top: whether of a backend
// and not of slots, index (20), word (33). Out: from the top, whether a connection is new, has a
// backend, is balanced, and the backend's address (32). Control: time in us, from bit 32 on the
// half of the slots. Events: unstored, evicted.
`include "bench.svh"

module bench
  import axi_line_pkg::*;
  import load_balancer_pkg::*;
#(
    parameter int unsigned NumConnections = 256,
    parameter int unsigned NumLines = 16,
    parameter int unsigned Latency = 40,
    parameter int unsigned NumSlots = 251
) (
    `BENCH_PORTS(2, 192, 2, 35, 33, 1)
);

  `BENCH_SHAPE

  localparam int unsigned NumBackends = 16;
  localparam int unsigned NumSlotWords = 2 * ((NumSlots + 3) / 4);
  localparam int unsigned NumSets = NumConnections / 4;
  localparam int unsigned AddrWidth = $clog2(NumSets) + 6;

  typedef struct packed {
    logic valid;
    logic [7:0] protocol;
    logic [15:0] port;
    logic [31:0] ip;
  } service_fields_t;
  typedef struct packed {service_fields_t service;} service_regs_t;
  typedef struct packed {
    struct packed {logic [47:0] bits;} secret;
    struct packed {logic upper;} slots;
    service_regs_t [0:0] services;
  } regs_t;
  typedef struct packed {
    logic up;
    logic [31:0] ip;
  } backend_t;
  typedef struct packed {logic [7:0] slot3, slot2, slot1, slot0;} slot_word_t;

  wire regs_t regs =
  '{
      secret: '{bits: 48'h9E3779B97F4A},
      slots: '{upper: control_i[32]},
      services: '{
          0: '{service: '{valid: 1'b1, protocol: 8'd6, port: 16'd80, ip: 32'h0A000001}}
      }
  }
  ;

  logic ready, found_valid, unstored, backend_done, slot_done;
  verdict_t found;
  backend_t unused_backend;
  slot_word_t unused_word;
  axi_request_t request;
  axi_response_t response;
  wire is_backend = in_i[1][53];
  load_balancer_choice #(
      .regs_t(regs_t),
      .backend_t(backend_t),
      .slot_word_t(slot_word_t),
      .NumServices(1),
      .NumBackends(NumBackends),
      .NumSlots(NumSlots),
      .NumConnections(NumConnections),
      .External(1),
      .NumLines(NumLines),
      .AddrWidth(AddrWidth)
  ) u_choice (
      .clk_i,
      .rst_i,
      .time_us_i(control_i[31:0]),
      .regs_i(regs),
      .ready_o(ready),
      .view_valid_i(in_valid_i[0] & ready),
      .view_whole_i(1'b1),
      .view_i(in_i[0]),
      .verdict_o(found),
      .verdict_valid_o(found_valid),
      .unstored_o(unstored),
      .axi_o(request),
      .axi_i(response),
      .backend_request_i(in_valid_i[1] & is_backend),
      .backend_write_i(1'b1),
      .backend_index_i(in_i[1][33+:$clog2(NumBackends)]),
      .backend_wdata_i(in_i[1][32:0]),
      .backend_rdata_o(unused_backend),
      .backend_done_o(backend_done),
      .slot_word_request_i(in_valid_i[1] & ~is_backend),
      .slot_word_write_i(1'b1),
      .slot_word_index_i(in_i[1][33+:$clog2(NumSlotWords)]),
      .slot_word_wdata_i(in_i[1][31:0]),
      .slot_word_rdata_o(unused_word),
      .slot_word_done_o(slot_done)
  );
  assign in_ready_o = {backend_done | slot_done, ready};
  assign out_valid_o = {1'b0, found_valid};
  assign out_o[0] = 40'({found.is_new, found.has_backend, found.is_balanced, found.ip});
  assign out_o[1] = '0;
  assign event_o = 64'({found_valid & found.has_evicted & found.is_balanced, unstored});
  assign status_o = ready;

  erratic_memory #(
      .NumLines(NumSets),
      .Latency (Latency)
  ) u_memory (
      .clk_i,
      .rst_i,
      .hold_writes_i(1'b0),
      .hold_reads_i(1'b0),
      .fail_writes_i(1'b0),
      .fail_reads_i(1'b0),
      .request_i(request),
      .response_o(response)
  );

endmodule
