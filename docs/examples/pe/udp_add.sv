// SPDX-License-Identifier: Apache-2.0
// Kernel of a processing element: adds `addend` to each byte of `count` UDP datagrams, modulo 256,
// returns each to its sender, and ends. Its value is the number of bytes. Datagrams while it does
// not run are dropped, as are further ones. A stop waits for the end of a datagram.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module udp_add
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned UdpPort = 7,
    localparam int unsigned NumArguments = 2,
    localparam int unsigned DataBytes = DataWidth / 8
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
    output logic  [0:0] drop_o,

    input logic kernel_start_i,
    input logic [NumArguments-1:0][63:0] kernel_arguments_i,
    output logic kernel_done_o,
    output logic [63:0] kernel_result_o,
    input logic kernel_stop_i,

    output logic busy_o
);

  localparam string Entry = "udp_add";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam string Status = "kernel";
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum int unsigned {
    DropNotRunning,
    NumDrops
  } drop_e;

  typedef struct packed {
    logic [55:0] unused;
    logic [7:0]  addend;
    logic [63:0] count;
  } arguments_t;
  arguments_t arguments;
  assign arguments = kernel_arguments_i;

  logic running_q, first;
  logic [63:0] left_q;  // datagrams that have not begun
  wire taken = in_valid_i & in_ready_o;
  wire accepts = running_q & (left_q != '0) & ~kernel_stop_i;
  logic accepted_q;
  wire accepted = first ? accepts : accepted_q;
  wire ends = running_q & (left_q == '0 | kernel_stop_i) & first;

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );
  always_ff @(posedge clk_i) begin
    if (taken) accepted_q <= accepted;
    kernel_done_o <= ends & ~rst_i;
    if (rst_i) begin
      running_q <= 1'b0;
      left_q <= '0;
      kernel_result_o <= '0;
    end else if (kernel_start_i) begin
      running_q <= 1'b1;
      left_q <= arguments.count;
      kernel_result_o <= '0;
    end else begin
      if (ends) running_q <= 1'b0;
      if (taken & accepted) begin
        kernel_result_o <= kernel_result_o + 64'(in_i.bytes);
        if (first) left_q <= left_q - 1'b1;
      end
    end
  end

  beat_t reply;
  always_comb begin
    reply = in_i;
    reply.meta.l4.ports.src_port = in_i.meta.l4.ports.dst_port;
    reply.meta.l4.ports.dst_port = in_i.meta.l4.ports.src_port;
    for (int unsigned n = 0; n < DataBytes; n++) begin
      if (n < 32'(in_i.bytes)) reply.data[8*n+:8] = in_i.data[8*n+:8] + arguments.addend;
    end
  end
  drop_register #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(reply),
      .in_valid_i,
      .in_ready_o,
      .in_first_i(first),
      .in_next_i(NextUdpTx),
      .in_drop_i(~accepts),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  assign busy_o = out_valid_o | kernel_done_o | kernel_start_i | kernel_stop_i;
  wire unused = &arguments.unused;

endmodule
