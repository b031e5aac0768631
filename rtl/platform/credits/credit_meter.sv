// SPDX-License-Identifier: Apache-2.0
// Measures the use of the credits of a network: flits in flight, and the time for which messages
// have waited for credits.
//
// Latency: 1 cycle.
`include "bombus_assert.svh"

module credit_meter #(
    parameter int unsigned NumSources = 1,
    parameter int unsigned NumReturns = 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [NumReturns-1:0] left_i,       // a flit has left the network in a tile
    input  logic [NumSources-1:0] sent_i,       // a source has sent a flit
    input  logic [NumSources-1:0] waits_i,      // a source waits for credits
    output logic [          31:0] in_flight_o,  // flits sent that have not left
    output logic [          31:0] waited_o      // cycles waited, summed over all sources; wraps
);

  if (NumSources < 1 || NumReturns < 1) begin : gen_bad_size
    $error("credit_meter: NumSources and NumReturns must be at least 1");
  end

  logic [31:0] in_flight, waited;
  always_comb begin
    in_flight = in_flight_o;
    waited = waited_o;
    for (int unsigned s = 0; s < NumSources; s++) begin
      in_flight += 32'(sent_i[s]);
      waited += 32'(waits_i[s]);
    end
    for (int unsigned r = 0; r < NumReturns; r++) in_flight -= 32'(left_i[r]);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_flight_o <= '0;
      waited_o <= '0;
    end else begin
      in_flight_o <= in_flight;
      waited_o <= waited;
    end
  end

  `BOMBUS_ASSERT(NoUnderflow, !in_flight_o[31])

endmodule
