// SPDX-License-Identifier: Apache-2.0
// Selects one MAC port's entry of an array, such as its addresses or values derived from them.
// port_i is the number of an existing port; with a single port it is ignored.
//
// Combinational.
module by_mac_port
  import bombus_pkg::*;
#(
    parameter type data_t = host_t,
    parameter int unsigned NumMacPorts = 1
) (
    input data_t [NumMacPorts-1:0] all_i,
    input mac_port_t port_i,
    output data_t one_o
);

  if (NumMacPorts < 1 || NumMacPorts > MaxMacPorts) begin : gen_bad_count
    $error("NumMacPorts must be from 1 to MaxMacPorts");
  end

  localparam int unsigned PortBits = NumMacPorts > 1 ? $clog2(NumMacPorts) : 1;

  always_comb begin
    one_o = all_i[0];
    for (int unsigned p = 1; p < NumMacPorts; p++) begin
      if (PortBits'(port_i) == PortBits'(p)) one_o = all_i[p];
    end
  end

endmodule
