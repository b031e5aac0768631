// SPDX-License-Identifier: Apache-2.0
// Takes datagrams of 8 bytes, asks slow_store about each and sends its answer back.
// Meanwhile further datagrams are dropped. The first byte of a
// datagram says what to do wrong.
module rogue #(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 2000
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  beat_t answer_i,
    input  logic  answer_valid_i,
    output logic  answer_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output beat_t query_o,
    output logic  query_valid_o,
    input  logic  query_ready_i,

    output logic drop_o
);

  localparam string Entry = "rogue";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic {NextUdpTx} next_e;
  typedef enum logic {QueryNextSlowStore} query_next_e;
  typedef enum int unsigned {
    DropBusy,
    NumDrops
  } drop_e;

  localparam bit AlwaysTakes = 1;
  localparam int unsigned QueryCredits = 2;
  localparam string AnswerAnswers = "query";
  localparam int unsigned MaxBusyCycles = 50;

  typedef enum logic [7:0] {
    Late = 8'd1,  // takes the next datagram too late
    Often = 8'd2,  // asks four times, before two answers can come
    Change = 8'd3,  // changes a request that waits
    Length = 8'd4,  // says a wrong length
    Fall = 8'd5,  // takes a request back
    Deaf = 8'd6,  // takes its answer too late
    // slow_store does this wrong:
    Beside = 8'd7,  // asks again, as it may, while an answer waits: that takes no request
    Unasked = 8'd8,  // answers twice
    Loses = 8'd9  // does not answer
  } wrong_e;

  logic [7:0] wrong_q;
  logic asked_q;
  logic [1:0] again_q;  // requests that follow
  logic [6:0] late_q, deaf_q;

  wire take = in_valid_i & in_ready_o & in_i.last;
  wire start = take & ~asked_q;
  wire answered = answer_valid_i & answer_ready_o;
  assign in_ready_o = late_q == '0;
  wire beside = wrong_q == Beside && again_q != '0;
  assign answer_ready_o = deaf_q == '0 && ~beside;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      asked_q <= 1'b0;
      again_q <= '0;
      late_q <= '0;
      deaf_q <= '0;
      query_valid_o <= 1'b0;
      drop_o <= 1'b0;
      out_valid_o <= 1'b0;
    end else begin
      drop_o <= take & asked_q;
      if (late_q != '0) late_q <= late_q - 1'b1;
      if (deaf_q != '0) deaf_q <= deaf_q - 1'b1;
      if (answered) out_valid_o <= 1'b1;
      if (out_valid_o & out_ready_i) begin
        out_valid_o <= 1'b0;
        asked_q <= 1'b0;
      end
      if (query_valid_o & query_ready_i) begin
        if (again_q != '0 && ~beside) again_q <= again_q - 1'b1;
        query_valid_o <= again_q != '0 && ~beside;
      end else if (beside & answer_valid_i) begin
        again_q <= '0;
        query_valid_o <= 1'b1;
        deaf_q <= 7'd40;
      end else if (query_valid_o && wrong_q == Fall) begin
        query_valid_o <= 1'b0;
        asked_q <= 1'b0;
      end
      if (start) begin
        asked_q <= 1'b1;
        query_valid_o <= 1'b1;
        again_q <= in_i.data[7:0] == Often ? 2'd3 : 2'(in_i.data[7:0] == Beside);
        late_q <= in_i.data[7:0] == Late ? '1 : '0;
        deaf_q <= in_i.data[7:0] == Deaf ? '1 : '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (answered) begin
      out_o <= answer_i;
      out_o.length <= 14'd8;
      out_o.meta.l4.ports.src_port <= answer_i.meta.l4.ports.dst_port;
      out_o.meta.l4.ports.dst_port <= answer_i.meta.l4.ports.src_port;
    end
    if (start) begin
      wrong_q <= in_i.data[7:0];
      query_o <= in_i;
      query_o.length <= in_i.length + 14'(in_i.data[7:0] == Length);
    end else if (query_valid_o && ~query_ready_i && wrong_q == Change) begin
      query_o.data[63:56] <= ~query_o.data[63:56];
    end
  end

endmodule
