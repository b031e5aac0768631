// SPDX-License-Identifier: Apache-2.0
// IP in IP (RFC 2003): an IPv4 packet is the payload of another one.
package ip_in_ip_pkg;

  parameter logic [7:0] ProtocolIpInIp = 8'd4;

  // Explicit congestion notification (RFC 3168, 5).
  parameter logic [1:0] NotEct = 2'b00;
  parameter logic [1:0] Ect1 = 2'b01;
  parameter logic [1:0] Ect0 = 2'b10;
  parameter logic [1:0] CongestionExperienced = 2'b11;

endpackage
