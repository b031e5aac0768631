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
  localparam int unsigned QueryCredits = 1;
  localparam string AnswerAnswers = "query";
  localparam int unsigned MaxBusyCycles = 50;

  typedef enum logic [7:0] {
    Late   = 8'd1,  // takes the next datagram too late
    Twice  = 8'd2,  // asks twice at once
    Change = 8'd3,  // changes a request that waits
    Length = 8'd4,  // says a wrong length
    Fall   = 8'd5,  // takes a request back
    Deaf   = 8'd6   // takes its answer too late
  } wrong_e;

  logic [7:0] wrong_q;
  logic asked_q, again_q;
  logic [6:0] late_q, deaf_q;

  wire take = in_valid_i & in_ready_o & in_i.last;
  wire start = take & ~asked_q;
  wire answered = answer_valid_i & answer_ready_o;
  assign in_ready_o = late_q == '0;
  assign answer_ready_o = deaf_q == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      asked_q <= 1'b0;
      again_q <= 1'b0;
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
        again_q <= 1'b0;
        query_valid_o <= again_q;
      end else if (query_valid_o && wrong_q == Fall) begin
        query_valid_o <= 1'b0;
        asked_q <= 1'b0;
      end
      if (start) begin
        asked_q <= 1'b1;
        query_valid_o <= 1'b1;
        again_q <= in_i.data[7:0] == Twice;
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
