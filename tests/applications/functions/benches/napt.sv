// SPDX-License-Identifier: Apache-2.0
// napt at 64, 128, 256 and 512 bits side by side. In: beats. Out: next hop, beat. Control, from the
// lowest bit: microseconds that pass in a cycle (16), first port (16), eighths (4). Events: 16 of
// each width, first the drops. Status: time (32), busy_o of each width (4). Ports 80
// (TCP) and 53 (UDP) are forwarded to 10.1.0.7, port 8080, and 10.1.0.8, port 5353.
`include "bombus_types.svh"
`include "bench.svh"

module napt_at_width
  import bombus_pkg::*;
#(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned NumPorts = 128,
    parameter type regs_t = logic,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(
        DataWidth, $bits(ipv4_pkg::routed_packet_meta_t)
    )
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input regs_t regs_i,
    input logic [BeatBits-1:0] item_i,
    input logic in_valid_i,
    output logic in_ready_o,
    output logic [BeatBits+4:0] item_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic busy_o,
    output logic [15:0] counted_o
);

  `BOMBUS_BEAT_T(beat_t, DataWidth, ipv4_pkg::routed_packet_meta_t)

  wire host_t [2:0] host_i = {
    host_t'{mac: '0, ip: 32'hC0A80001, netmask: 32'hFFFFFF00, gateway: '0},
    host_t'{mac: '0, ip: 32'hC6336405, netmask: 32'hFFFFFF00, gateway: 32'hC6336401},
    host_t'{mac: '0, ip: 32'h0A010001, netmask: 32'hFFFF0000, gateway: '0}
  };
  beat_t out;
  logic [0:0] next;
  logic [5:0] drops;
  logic [3:0] events;
  napt #(
      .beat_t(beat_t),
      .regs_t(regs_t),
      .CutsReady(DataWidth == 256),
      .NumMacPorts(3),
      .NumPorts(NumPorts),
      .NumForwards(2)
  ) u_napt (
      .clk_i,
      .rst_i,
      .time_us_i,
      .host_i,
      .regs_i,
      .in_i(item_i),
      .in_valid_i,
      .in_ready_o,
      .out_o(out),
      .out_valid_o,
      .out_ready_i,
      .out_next_o(next),
      .drop_o(drops),
      .event_o(events),
      .busy_o
  );
  assign item_o = {5'(next), out};
  assign counted_o = 16'({events, drops});

endmodule

module bench #(
    parameter int unsigned NumPorts = 128,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(
        512, $bits(ipv4_pkg::routed_packet_meta_t)
    )
) (
    `BENCH_PORTS(4, BeatBits, 4, BeatBits + 5, 36, 36)
);

  `BENCH_SHAPE

  typedef struct packed {
    struct packed {
      struct packed {
        logic valid;
        logic [7:0] protocol;
        logic [15:0] outside_port;
        logic [15:0] inside_port;
        logic [31:0] inside_ip;
      } forward;
    } [1:0] forwards;
    struct packed {
      logic [15:0] tcp_transitory;
      logic [15:0] tcp_established;
      logic [15:0] echo;
      logic [15:0] udp;
    } timeouts;
    struct packed {
      logic [3:0]  eighths;
      logic [15:0] first;
    } ports;
    struct packed {logic [49:0] bits;} secret;
  } regs_t;
  regs_t regs;
  always_comb begin
    regs.secret.bits = 50'h2468ACE13579;
    regs.ports = control_i[35:16];
    regs.timeouts = '{
        tcp_transitory: 16'd20,
        tcp_established: 16'd90,
        echo: 16'd5,
        udp: 16'd30
    };
    regs.forwards[0].forward = '{1'b1, 8'd6, 16'd80, 16'd8080, 32'h0A010007};
    regs.forwards[1].forward = '{1'b1, 8'd17, 16'd53, 16'd5353, 32'h0A010008};
  end

  logic [31:0] time_us;
  logic [ 3:0] busy;
  assign status_o = {busy, time_us};
  timebase u_timebase (
      .clk_i,
      .rst_i,
      .tick_us_i(control_i[15:0]),
      .time_us_o(time_us)
  );

  for (genvar n = 0; n < 4; n++) begin : gen_width
    napt_at_width #(
        .DataWidth(64 << n),
        .NumPorts(NumPorts),
        .regs_t(regs_t)
    ) u_napt (
        .clk_i,
        .rst_i,
        .time_us_i(time_us),
        .regs_i(regs),
        .item_i(in_i[n]),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .item_o(out_o[n]),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n]),
        .busy_o(busy[n]),
        .counted_o(event_o[16*n+:16])
    );
  end

endmodule
