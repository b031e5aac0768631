// SPDX-License-Identifier: Apache-2.0
// Reports the flits that leave a network with credits in a tile (docs/fabrics.md), one pulse for
// each.
//
// A flit for a layer where messages leave the network has left on arrival. Flits for layers that
// forward messages stay in flight until the tile sends as many. Flits that are still counted as
// inside when the layers are idle have been dropped, or their messages shortened, in the tile.
//
// Latency: 2 cycles, 4 for flits dropped or shortened. At most one pulse per cycle; flits that
// leave at the same time are reported one after the other.
`include "bombus_assert.svh"

module credit_returns #(
    parameter int unsigned CountWidth = 16,
    parameter int unsigned NumSinks = 1,
    parameter int unsigned PortWidth = 1,
    parameter logic [NumSinks-1:0] Passes = '0,  // the layer forwards messages
    parameter logic [NumSinks-1:0] Leaves = '0  // messages leave the network there
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                 received_i,  // a flit has arrived from the mesh
    input  logic [PortWidth-1:0] port_i,      // its sink
    input  logic                 sent_i,      // an output of a forwarding layer has sent a flit
    input  logic                 lost_i,      // a flit bound for the mesh had no route
    input  logic                 idle_i,      // no message is arriving or inside forwarding layers
    output logic                 left_o
);

  if (NumSinks < 1 || CountWidth < 2) begin : gen_bad_size
    $error("credit_returns: NumSinks must be at least 1, CountWidth 2");
  end
  if (PortWidth < 1 || $clog2(NumSinks) > PortWidth) begin : gen_bad_port
    $error("credit_returns: PortWidth bits must tell the sinks apart");
  end

  typedef logic [CountWidth-1:0] count_t;

  logic passes, leaves;
  always_comb begin
    passes = 1'b0;
    leaves = 1'b0;
    for (int unsigned s = 0; s < NumSinks; s++) begin
      if (32'(port_i) == s) begin
        passes = Passes[s];
        leaves = Leaves[s];
      end
    end
  end

  logic entered_q, exited_q, sent_q, lost_q, idle_q;
  count_t inside_q;  // flits that layers have taken and may still send
  count_t pending_q;  // flits that have left and are not reported yet
  count_t stale_q;  // flits that were still counted as inside when the layers became idle
  wire count_t held = (idle_q ? '0 : inside_q) + count_t'(entered_q) - count_t'(sent_q);
  wire left = pending_q != '0 | exited_q | lost_q;
  // exited_q + lost_q - left, which is -1, 0 or 1: one adder less in the path.
  wire count_t change = {{CountWidth - 1{left & ~exited_q & ~lost_q}}, left & (exited_q == lost_q)};

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      entered_q <= 1'b0;
      exited_q <= 1'b0;
      sent_q <= 1'b0;
      lost_q <= 1'b0;
      idle_q <= 1'b0;
      inside_q <= '0;
      stale_q <= '0;
      pending_q <= '0;
      left_o <= 1'b0;
    end else begin
      entered_q <= received_i & passes;
      exited_q <= received_i & leaves;
      sent_q <= sent_i;
      lost_q <= lost_i;
      idle_q <= idle_i;
      inside_q <= held;
      stale_q <= idle_q ? inside_q : '0;
      pending_q <= pending_q + stale_q + change;
      left_o <= left;
    end
  end

  `BOMBUS_ASSERT(ForwardsOnlyTaken, !(sent_q && (inside_q == '0 || idle_q)))

endmodule
