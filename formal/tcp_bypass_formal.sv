// SPDX-License-Identifier: Apache-2.0
// tcp_bypass forwards every message for the port of an application whole, unchanged and in order to
// that application. A message for another port is dropped whole and counted once. Proved for all
// time, by induction.
module tcp_bypass_formal
  import tcp_pkg::*;
#(
    localparam int unsigned KindTcpData = 1,
    localparam logic [2:0][15:0] Keys = {16'd9, 16'd7, 16'd5},
    localparam logic [2:0][7:0] Hops = {8'd1, 8'd0, 8'd1}
) (
    input logic clk_i,
    input logic rst_i,
    input logic [$bits(tcp_event_meta_t)-1:0] meta_i,
    input logic kind_i,  // payload, or an event
    input logic last_i,
    input logic [15:0] data_i,
    input logic valid_i,
    input logic out_ready_i
);

  typedef struct packed {
    tcp_event_meta_t meta;
    logic [1:0] kind;
    logic last;
    logic [15:0] data;
  } beat_t;
  beat_t in, out;
  assign in = '{meta: meta_i, kind: {1'b0, kind_i}, last: last_i, data: data_i};
  logic in_ready, out_valid, next, drop, busy;
  tcp_bypass #(
      .beat_t(beat_t),
      .KindTcpData(KindTcpData),
      .NumBound(3),
      .NumBoundHops(2),
      .BoundKeys(Keys),
      .BoundHops(Hops)
  ) u_bypass (
      .clk_i,
      .rst_i,
      .in_i(in),
      .in_valid_i(valid_i),
      .in_ready_o(in_ready),
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_next_o(next),
      .drop_o(drop),
      .busy_o(busy)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (rst_i == ~started_q);

  // ---- Destination of the message: given by its first beat ----

  tcp_data_meta_t data_meta;
  assign data_meta = tcp_data_meta_t'(in.meta);
  logic first_q, known_q, hop_q, counts_q;
  wire [15:0] port = kind_i ? data_meta.port : in.meta.port;
  wire known = first_q ? port == 16'd5 | port == 16'd7 | port == 16'd9 : known_q;
  wire hop = first_q ? port != 16'd7 : hop_q;
  wire taken = valid_i & in_ready;

  // Received and not yet sent: at most one beat
  logic holds_q, held_next_q;
  beat_t held_q;
  always_ff @(posedge clk_i) begin
    if (taken & known) {held_q, held_next_q} <= {in, hop};
    if (taken) {known_q, hop_q} <= {known, hop};
    counts_q <= ~rst_i & taken & first_q & ~known;
    if (rst_i) begin
      first_q <= 1'b1;
      holds_q <= 1'b0;
    end else begin
      if (taken) first_q <= in.last;
      holds_q <= (taken & known) | (holds_q & ~out_ready_i);
    end
  end

  always_comb begin
    if (started_q) begin
      assert (out_valid == holds_q);
      if (out_valid) assert (out == held_q & next == held_next_q);
      assert (in_ready == (~holds_q | out_ready_i));
      assert (drop == counts_q);
      // Registers
      assert (u_bypass.first == first_q);
      if (~first_q) assert (u_bypass.found_q == known_q & (~known_q | u_bypass.next_q == hop_q));
    end
  end

  always_comb begin
    if (started_q) begin
      cover (drop & taken & known);
      cover (~first_q & ~known & taken & last_i);
    end
  end

endmodule
