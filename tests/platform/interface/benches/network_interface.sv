// SPDX-License-Identifier: Apache-2.0
// A network interface at (1, 1). Streams in: two sources with 29 and 32 next hops (next hop,
// beat), the mesh (flit); out: two sinks (beat), the mesh (flit), and the counted messages
// and bytes, in and out. Events: a message lost, one coming in, the end of one
// that goes out. Control: table data, index, write, done of the three
// least loaded. With HasGroups, next hops 24 to 27 of each source lead to groups of replicas,
// one of each policy.
`include "bombus_types.svh"
`include "bench.svh"

module bench
  import bombus_pkg::*;
#(
    parameter bit HasSinks = 1,
    parameter bit HasGroups = 0,
    parameter int unsigned Limit = 0,  // of the least loaded
    parameter int unsigned Columns = 4,
    localparam int unsigned DataWidth = 64,
    localparam int unsigned FlitBits = bench_pkg::beat_bits(DataWidth) + 3 + 2 + 2 + 2
) (
    `BENCH_PORTS(3, FlitBits, 5, FlitBits, 32 + 9 + 1 + 3, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)
  `BOMBUS_FLIT_T(flit_t, beat_t, 2, 2, 2)

  localparam int unsigned BeatBits = $bits(beat_t);

  // A table word, as written by the tests.
  typedef struct packed {
    logic valid;
    logic is_group;
    logic [5:0] unused;
    logic [7:0] port;
    logic [7:0] y;
    logic [7:0] x;
  } word_t;

  // Next hop n of either source leads to x = n % 4, y = n / 4 % 4, port n / 16, if n is not 7.
  localparam int unsigned NumHops = 29 + 32;
  function automatic word_t [NumHops-1:0] init();
    word_t [NumHops-1:0] table_;
    for (int unsigned entry = 0; entry < NumHops; entry++) begin
      automatic int unsigned n = entry < 29 ? entry : entry - 29;
      table_[entry] = {1'(n != 7), 7'b0, 8'(n / 16), 8'(n / 4 % 4), 8'(n % 4)};
      if (HasGroups && n / 4 == 6) table_[entry] = {2'b11, 22'b0, 8'(n % 4)};
    end
    return table_;
  endfunction

  localparam int unsigned NumSlots = 128;
  localparam noc_pkg::group_t [3:0] Groups = '{
      0: '{noc_pkg::FlowHash, noc_pkg::FlowMeta, 8'd5, 8'd0, 4'd6, 1'b1, 8'd0},
      1: '{noc_pkg::DstPort, noc_pkg::FlowPayload, 8'd6, 8'd64, 4'd3, 1'b0, 8'd0},
      2: '{noc_pkg::RoundRobin, noc_pkg::FlowMeta, 8'd3, 8'd72, 4'd2, 1'b1, 8'd0},
      3: '{noc_pkg::LeastLoaded, noc_pkg::FlowMeta, 8'd3, 8'd76, 4'd2, 1'b1, 8'(Limit)}
  };

  // Slot n leads to x = n % 4, y = n / 4 % 4, port n / 16 % 4.
  function automatic word_t [NumSlots-1:0] slot_init();
    word_t [NumSlots-1:0] slots;
    for (int unsigned n = 0; n < NumSlots; n++) begin
      slots[n] = {8'h80, 8'(n / 16 % 4), 8'(n / 4 % 4), 8'(n % 4)};
    end
    return slots;
  endfunction

  beat_t sink;
  flit_t injected;
  logic in_message, out_message, in_message_q, out_message_q, no_route, entering, out_end;
  logic unknown_kind;
  length_t in_bytes, out_bytes, in_bytes_q, out_bytes_q;
  logic table_ready;
  logic [(HasGroups ? NumSlots : 1)-1:0] unused_dispatched;
  logic [(HasGroups ? NumSlots : 1)-1:0] done;
  if (HasGroups) begin : gen_done
    assign done = {49'b0, control_i[44:42], 76'b0};
  end else begin : gen_no_done
    assign done = '0;
  end

  network_interface #(
      .beat_t(beat_t),
      .flit_t(flit_t),
      .word_t(word_t),
      .Place('{x: 1, y: 1, first_x: 0, first_y: 0, columns: Columns, rows: 4}),
      .NumSources(2),
      .NumSinks(2),
      .HasSinks(HasSinks),
      .NumKinds(6),
      .Takes({6'b001001, 6'b100111}),
      .NumHops(NumHops),
      .NextWidth(5),
      .FirstHop({16'd29, 16'd0}),
      .TableInit(init()),
      .NumGroups(HasGroups ? 4 : 0),
      .NumSlots(HasGroups ? NumSlots : 1),
      .Groups(HasGroups ? Groups : '0),
      .SlotInit(HasGroups ? slot_init() : '0)
  ) u_interface (
      .clk_i,
      .rst_i,
      .src_i({in_i[1][BeatBits-1:0], in_i[0][BeatBits-1:0]}),
      .src_valid_i(in_valid_i[1:0]),
      .src_ready_o(in_ready_o[1:0]),
      .src_next_i({in_i[1][BeatBits+:5], in_i[0][BeatBits+:5]}),
      .sink_o(sink),
      .sink_valid_o(out_valid_o[1:0]),
      .sink_ready_i(out_ready_i[1:0]),
      .inj_o(injected),
      .inj_valid_o(out_valid_o[2]),
      .inj_ready_i({noc_pkg::NumDirs{out_ready_i[2]}}),
      .ej_i(flit_t'(in_i[2])),
      .ej_valid_i(in_valid_i[2]),
      .ej_ready_o(in_ready_o[2]),
      .table_ready_o(table_ready),
      .hop_write_i(control_i[41] & ~control_i[40] & ~|control_i[39:38]),
      .hop_index_i(control_i[37:32]),
      .hop_word_i(control_i[31:0]),
      .slot_write_i(control_i[41] & control_i[40] & ~control_i[39]),
      .slot_index_i(control_i[32+:(HasGroups?7 : 1)]),
      .slot_word_i(control_i[31:0]),
      .done_i(done),
      .others_i('0),
      .dispatched_o(unused_dispatched),
      .in_message_o(in_message),
      .in_bytes_o(in_bytes),
      .out_message_o(out_message),
      .out_bytes_o(out_bytes),
      .no_route_o(no_route),
      .unknown_kind_o(unknown_kind),
      .entering_o(entering),
      .out_end_o(out_end),
      .busy_o(status_o)
  );

  always_ff @(posedge clk_i) begin
    in_bytes_q <= in_bytes;
    out_bytes_q <= out_bytes;
    in_message_q <= in_message & ~rst_i;
    out_message_q <= out_message & ~rst_i;
  end
  assign out_o[0] = sink;
  assign out_o[1] = sink;
  assign out_o[2] = injected;
  assign out_o[3] = in_bytes_q;
  assign out_o[4] = out_bytes_q;
  assign out_valid_o[4:3] = {out_message_q, in_message_q};
  assign event_o = 64'({unknown_kind, out_end, entering, no_route});

endmodule
