// SPDX-License-Identifier: Apache-2.0
// A kernel for sum-product networks on UDP: spn_kernel with datagrams. Requests from port 0, which
// expect no reply (RFC 768), are dropped.
//
// Latency and throughput: those of spn_kernel.
`include "bombus_types.svh"

module spn_udp
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumVariables = 1,
    parameter int unsigned ValueBits = 8,
    parameter int unsigned Copies = 1,
    parameter int unsigned PipelineCycles = 1,
    parameter logic [7:0] Fraction = '0,
    parameter int unsigned MaxReplyBytes = 1472
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic            [1:0] drop_o,
    output message_number_t [1:0] drop_message_o,
    output logic            [3:0] event_o,
    output logic                  busy_o,

    output logic [Copies-1:0][NumVariables-1:0][ValueBits-1:0] samples_o,
    input  logic [Copies-1:0][            31:0]                results_i
);

  localparam int unsigned DataWidth = $bits(in_i.data);
  typedef struct packed {
    packet_meta_t packet;
    logic no_reply;
    logic notice;
  } meta_t;
  `BOMBUS_BEAT_T(kernel_beat_t, DataWidth, meta_t, $bits(in_i.kind))

  packet_meta_t in_meta, out_meta;
  kernel_beat_t kernel_in, kernel_out;
  assign in_meta = packet_meta_t'(in_i.meta);
  always_comb begin
    kernel_in.meta = '{packet: in_meta, no_reply: in_meta.l4.ports.src_port == '0, notice: 1'b0};
    kernel_in.length = in_i.length;
    kernel_in.kind = in_i.kind;
    kernel_in.last = in_i.last;
    kernel_in.bytes = in_i.bytes;
    kernel_in.data = in_i.data;
    out_meta = kernel_out.meta.packet;
    out_meta.l4.ports.src_port = kernel_out.meta.packet.l4.ports.dst_port;
    out_meta.l4.ports.dst_port = kernel_out.meta.packet.l4.ports.src_port;
    out_o.meta = $bits(out_o.meta)'(out_meta);
    out_o.length = kernel_out.length;
    out_o.kind = kernel_out.kind;
    out_o.last = kernel_out.last;
    out_o.bytes = kernel_out.bytes;
    out_o.data = kernel_out.data;
  end
  wire unused = ^{kernel_out.meta.no_reply, kernel_out.meta.notice};

  spn_kernel #(
      .beat_t(kernel_beat_t),
      .NumVariables(NumVariables),
      .ValueBits(ValueBits),
      .Copies(Copies),
      .PipelineCycles(PipelineCycles),
      .Fraction(Fraction),
      .MaxReplyBytes(MaxReplyBytes)
  ) u_kernel (
      .clk_i,
      .rst_i,
      .in_i (kernel_in),
      .in_valid_i,
      .in_ready_o,
      .out_o(kernel_out),
      .out_valid_o,
      .out_ready_i,
      .drop_o,
      .drop_message_o,
      .event_o,
      .busy_o,
      .samples_o,
      .results_i
  );

endmodule
