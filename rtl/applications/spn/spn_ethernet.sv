// SPDX-License-Identifier: Apache-2.0
// A kernel for sum-product networks on plain Ethernet: spn_kernel with the frames of frame_rx. The
// header of 14 bytes is followed by a request; the reply goes to the sender's address. Frames of
// another EtherType or to another address are dropped. Short requests may be padded.
//
// Latency: 2 cycles more than spn_kernel. Throughput: that of spn_kernel. IEEE 802.3, 3.2.
`include "bombus_types.svh"

module spn_ethernet
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumMacPorts = 1,
    parameter int unsigned EtherType = 32'h88b5,
    parameter int unsigned NumVariables = 1,
    parameter int unsigned ValueBits = 8,
    parameter int unsigned Copies = 1,
    parameter int unsigned PipelineCycles = 1,
    parameter logic [7:0] Fraction = '0,
    parameter int unsigned MaxReplyBytes = 1500
) (
    input logic clk_i,
    input logic rst_i,
    input host_t [NumMacPorts-1:0] host_i,

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
  localparam int unsigned EthernetBytes = 14;
  typedef struct packed {
    logic [15:0] ether_type;   // the first byte lowest, as in a frame
    logic [47:0] source;
    logic [47:0] destination;
  } ethernet_t;
  typedef struct packed {
    mac_port_t mac_port;
    ethernet_t header;
    logic no_reply;
    logic notice;
  } meta_t;
  `BOMBUS_BEAT_T(kernel_beat_t, DataWidth, meta_t, $bits(in_i.kind))

  beat_t payload;
  logic payload_valid, payload_ready, unused_first;
  ethernet_t header;
  strip #(
      .beat_t(beat_t),
      .HeaderBytes(EthernetBytes)
  ) u_strip (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .keep_i(1'b0),
      .out_o(payload),
      .out_valid_o(payload_valid),
      .out_ready_i(payload_ready),
      .out_first_o(unused_first),
      .header_o(header)
  );

  packet_meta_t in_meta, out_meta;
  assign in_meta = packet_meta_t'(payload.meta);
  host_t host;
  by_mac_port #(
      .data_t(host_t),
      .NumMacPorts(NumMacPorts)
  ) u_host (
      .all_i (host_i),
      .port_i(in_meta.mac_port),
      .one_o (host)
  );
  wire is_ours = header.destination == swap48(
      host.mac
  ) && header.ether_type == {EtherType[7:0], EtherType[15:8]};
  kernel_beat_t kernel_in, kernel_out;
  always_comb begin
    kernel_in.meta = '{
        mac_port: in_meta.mac_port,
        header: header,
        no_reply: ~is_ours,
        notice: 1'b0
    };
    kernel_in.length = payload.length - length_t'(EthernetBytes);
    kernel_in.kind = payload.kind;
    kernel_in.last = payload.last;
    kernel_in.bytes = payload.bytes;
    kernel_in.data = payload.data;
  end

  logic kernel_valid, kernel_ready, kernel_busy;
  spn_kernel #(
      .beat_t(kernel_beat_t),
      .NumVariables(NumVariables),
      .ValueBits(ValueBits),
      .Copies(Copies),
      .PipelineCycles(PipelineCycles),
      .Fraction(Fraction),
      .MaxReplyBytes(MaxReplyBytes),
      .Padded(1'b1)
  ) u_kernel (
      .clk_i,
      .rst_i,
      .in_i(kernel_in),
      .in_valid_i(payload_valid),
      .in_ready_o(payload_ready),
      .out_o(kernel_out),
      .out_valid_o(kernel_valid),
      .out_ready_i(kernel_ready),
      .drop_o,
      .drop_message_o,
      .event_o,
      .busy_o(kernel_busy),
      .samples_o,
      .results_i
  );

  ethernet_t reply_header;
  beat_t body, whole;
  logic whole_valid, whole_ready, unused_whole_first;
  always_comb begin
    reply_header = '{
        destination: kernel_out.meta.header.source,
        source: kernel_out.meta.header.destination,
        ether_type: kernel_out.meta.header.ether_type
    };
    out_meta = '0;
    out_meta.mac_port = kernel_out.meta.mac_port;
    body.meta = $bits(body.meta)'(out_meta);
    body.length = kernel_out.length + length_t'(EthernetBytes);
    body.kind = kernel_out.kind;
    body.last = kernel_out.last;
    body.bytes = kernel_out.bytes;
    body.data = kernel_out.data;
  end
  wire unused = ^{kernel_out.meta.no_reply, kernel_out.meta.notice};
  prepend #(
      .beat_t(beat_t),
      .HeaderBytes(EthernetBytes)
  ) u_prepend (
      .clk_i,
      .rst_i,
      .in_i(body),
      .in_valid_i(kernel_valid),
      .in_ready_o(kernel_ready),
      .header_i(reply_header),
      .skip_i(1'b0),
      .out_o(whole),
      .out_valid_o(whole_valid),
      .out_ready_i(whole_ready),
      .out_first_o(unused_whole_first)
  );
  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(whole),
      .in_valid_i(whole_valid),
      .in_ready_o(whole_ready),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );

  logic in_middle_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) in_middle_q <= 1'b0;
    else if (in_valid_i & in_ready_o) in_middle_q <= ~in_i.last;
  end
  assign busy_o = in_middle_q | payload_valid | kernel_busy | whole_valid | out_valid_o;

endmodule
