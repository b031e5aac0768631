// SPDX-License-Identifier: Apache-2.0
// A kernel for sum-product networks on TCP: spn_kernel with the messages of tcp_framer, in the same
// tile. Requests of a session are answered in order; the end of a session is acknowledged after its
// last reply.
//
// tcp_framer must take the length from the header: length_offset 4, length_bytes 2, length_is_big
// false, length_bias 10.
//
// Latency: 2 cycles more than spn_kernel. Throughput: that of spn_kernel.
`include "bombus_types.svh"

module spn_tcp
  import bombus_pkg::*;
  import spn_kernel_pkg::*;
  import tcp_stream_pkg::from_peer_t;
  import tcp_stream_pkg::to_peer_t;
#(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned NumVariables = 1,
    parameter int unsigned ValueBits = 8,
    parameter int unsigned Copies = 1,
    parameter int unsigned PipelineCycles = 1,
    parameter logic [7:0] Fraction = '0,
    parameter int unsigned MaxReplyBytes = 8192,
    localparam int unsigned FromWidth = $bits(from_peer_t),
    localparam int unsigned ToWidth = $bits(to_peer_t)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] message_rx_tdata_i,
    input logic [DataWidth/8-1:0] message_rx_tkeep_i,
    input logic message_rx_tvalid_i,
    output logic message_rx_tready_o,
    input logic message_rx_tlast_i,
    input logic [FromWidth-1:0] message_rx_tuser_i,
    output logic [DataWidth-1:0] message_tx_tdata_o,
    output logic [DataWidth/8-1:0] message_tx_tkeep_o,
    output logic message_tx_tvalid_o,
    input logic message_tx_tready_i,
    output logic message_tx_tlast_o,
    output logic [ToWidth-1:0] message_tx_tuser_o,

    output logic [1:0] drop_o,
    output logic [3:0] event_o,
    output logic       busy_o,

    output logic [Copies-1:0][NumVariables-1:0][ValueBits-1:0] samples_o,
    input  logic [Copies-1:0][            31:0]                results_i
);

  if (DataWidth < 64) begin : gen_bad_width
    $error("spn_tcp: DataWidth must be at least 64: the length is in the first beat");
  end

  typedef struct packed {
    to_peer_t peer;
    logic no_reply;
    logic notice;
  } meta_t;
  `BOMBUS_BEAT_T(kernel_beat_t, DataWidth, meta_t)

  // ---- From tcp_framer ----

  localparam int unsigned DataBytes = DataWidth / 8;
  from_peer_t from;
  assign from = message_rx_tuser_i;
  wire is_notice = ~message_rx_tkeep_i[0];
  wire [15:0] length = message_rx_tdata_i[47:32];  // of header_t
  kernel_beat_t kernel_in, kernel_out;
  always_comb begin
    kernel_in.meta.peer = '{
        session: from.session,
        close: from.closed,
        done: from.ended,
        default: '0
    };
    kernel_in.meta.no_reply = 1'b0;
    kernel_in.meta.notice = is_notice;
    kernel_in.length = is_notice ? '0 : length_t'(length) + length_t'(HeaderBytes);
    kernel_in.kind = '0;
    kernel_in.last = message_rx_tlast_i;
    kernel_in.bytes = '0;
    for (int unsigned n = 0; n < DataBytes; n++) begin
      if (message_rx_tkeep_i[n]) kernel_in.bytes = $bits(kernel_in.bytes)'(n + 1);
      kernel_in.data[8*n+:8] = message_rx_tkeep_i[n] ? message_rx_tdata_i[8*n+:8] : '0;
    end
  end
  wire unused_from = ^from;

  // The beginning of a session needs no reply.
  wire ignored = is_notice & ~from.closed & ~from.ended;
  logic kernel_ready, out_valid, out_ready, kernel_busy;
  assign message_rx_tready_o = kernel_ready | ignored;
  message_number_t [1:0] unused_numbers;
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
      .in_i(kernel_in),
      .in_valid_i(message_rx_tvalid_i & ~ignored),
      .in_ready_o(kernel_ready),
      .out_o(kernel_out),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready),
      .drop_o,
      .drop_message_o(unused_numbers),
      .event_o,
      .busy_o(kernel_busy),
      .samples_o,
      .results_i
  );

  // ---- To tcp_framer: tuser is that of the first beat ----

  logic first;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(out_valid & out_ready),
      .last_i (kernel_out.last),
      .first_o(first)
  );
  to_peer_t peer_q;
  wire to_peer_t peer = first ? kernel_out.meta.peer : peer_q;
  always_ff @(posedge clk_i) if (out_valid & out_ready) peer_q <= peer;
  to_axi_stream #(
      .beat_t(kernel_beat_t),
      .DataWidth(DataWidth),
      .UserWidth(ToWidth)
  ) u_tx (
      .clk_i,
      .rst_i,
      .in_i(kernel_out),
      .in_valid_i(out_valid),
      .in_ready_o(out_ready),
      .user_i(peer),
      .tdata_o(message_tx_tdata_o),
      .tkeep_o(message_tx_tkeep_o),
      .tvalid_o(message_tx_tvalid_o),
      .tready_i(message_tx_tready_i),
      .tlast_o(message_tx_tlast_o),
      .tuser_o(message_tx_tuser_o)
  );

  assign busy_o = kernel_busy | message_tx_tvalid_o;

endmodule
