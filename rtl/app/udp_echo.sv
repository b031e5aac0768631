// UDP echo (RFC 862): sends every datagram back to where it came from. One from
// port 0 wants no answer (RFC 768) and is dropped.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module udp_echo
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 7  // read by Bombus, which binds the port to this layer
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output next_e       out_next_o,
    output logic  [0:0] drop_o,
    output logic        busy_o
);

  localparam next_e Entry = NextApp0;
  localparam logic [31:0] NextHops = 32'(1) << NextUdpTx;
  typedef enum int unsigned {
    DropNoReplyPort,
    NumDrops
  } drop_e;

  logic first_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (in_valid_i & in_ready_o) first_q <= in_i.last;
  end

  beat_t reply;
  always_comb begin
    reply = in_i;
    reply.meta.l4.ports.src_port = in_i.meta.l4.ports.dst_port;
    reply.meta.l4.ports.dst_port = in_i.meta.l4.ports.src_port;
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
      .in_first_i(first_q),
      .in_next_i(NextUdpTx),
      .in_drop_i(in_i.meta.l4.ports.src_port == '0),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  assign busy_o = out_valid_o;

endmodule
