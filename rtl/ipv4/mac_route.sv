// SPDX-License-Identifier: Apache-2.0
// The MAC port that a packet leaves by: the one that its sender names; where that is
// RoutedPort, the first port whose subnet has the destination, else the first that has
// a gateway, else port 0 (RFC 1122, 3.3.1.1 and 3.3.4.2).
//
// A transport layer whose checksum covers the source address asks before it sums;
// ipv4_tx asks for all others. Combinational.
module mac_route
  import bombus_pkg::*;
#(
    parameter int unsigned NumMacPorts = 1
) (
    input host_t [NumMacPorts-1:0] host_i,
    input logic [31:0] ip_i,
    input mac_port_t port_i,
    output mac_port_t port_o,
    output logic [NumMacPorts-1:0] on_link_o  // the destination is in the port's subnet
);

  if (NumMacPorts < 1 || NumMacPorts > MaxMacPorts) begin : gen_bad_count
    $error("mac_route: NumMacPorts must be from 1 to %0d", MaxMacPorts);
  end

  mac_port_t routed;
  always_comb begin
    routed = '0;
    for (int unsigned p = 0; p < NumMacPorts; p++) begin
      on_link_o[p] = ((ip_i ^ host_i[p].ip) & host_i[p].netmask) == '0;
    end
    for (int unsigned p = NumMacPorts; p > 0; p--) begin
      if (host_i[p-1].gateway != '0) routed = mac_port_t'(p - 1);
    end
    for (int unsigned p = NumMacPorts; p > 0; p--) begin
      if (on_link_o[p-1]) routed = mac_port_t'(p - 1);
    end
  end
  assign port_o = (NumMacPorts > 1 && port_i == RoutedPort) ? routed : port_i;

endmodule
