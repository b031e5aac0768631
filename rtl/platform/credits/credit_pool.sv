// SPDX-License-Identifier: Apache-2.0
// Returns the credits of flits that have left a network to the outputs that admit messages: to the
// only one, or in turn to those with flits in flight.
//
// The output that sent a flit is not identified when the flit leaves, and need not be: an output
// never receives more credits than it has sent flits, so each stays within its share, and the flits
// in flight never exceed the sum of the shares.
//
// Latency: 1 cycle with one source, else 2. Throughput: each source receives one credit per cycle
// while two per source are free; otherwise one source does.
`include "bombus_assert.svh"

module credit_pool #(
    parameter int unsigned CountWidth = 16,
    parameter int unsigned NumSources = 1,
    parameter int unsigned NumReturns = 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [NumReturns-1:0] left_i,   // a flit has left the network in a tile
    input  logic [NumSources-1:0] sent_i,   // a source has sent a flit
    output logic [NumSources-1:0] return_o  // a credit is returned to the source
);

  if (NumSources < 1 || NumReturns < 1) begin : gen_bad_size
    $error("credit_pool: NumSources and NumReturns must be at least 1");
  end
  if (CountWidth < $clog2(2 * NumSources + 1)) begin : gen_bad_width
    $error("credit_pool: CountWidth must hold 2 * NumSources");
  end

  typedef logic [CountWidth-1:0] count_t;

  count_t free_q;  // credits not assigned to a source
  count_t left;
  always_comb begin
    left = '0;
    for (int unsigned r = 0; r < NumReturns; r++) left += count_t'(left_i[r]);
  end

  if (NumSources == 1) begin : gen_one
    count_t free;
    assign free = free_q + left;
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        free_q   <= '0;
        return_o <= '0;
      end else begin
        free_q   <= free - count_t'(free != '0);
        return_o <= free != '0;
      end
    end
    wire unused = ^sent_i;
  end else begin : gen_several
    typedef logic [$clog2(NumSources)-1:0] sel_t;
    count_t [NumSources-1:0] outstanding_q;  // flits sent by each source, without credits returned
    logic [NumSources-1:0] requests, unused_wins, grant;
    logic plenty_q;  // still one free credit per source after the grants of the last cycle
    sel_t last_q, chosen;
    count_t granted;
    round_robin #(
        .NumInputs(NumSources)
    ) u_turn (
        .last_i(last_q),
        .request_i(requests),
        .grant_o(chosen),
        .wins_o(unused_wins)
    );
    for (genvar s = 0; s < NumSources; s++) begin : gen_requests
      assign requests[s] = outstanding_q[s] != '0;
    end
    always_comb begin
      grant = '0;
      if (plenty_q) grant = requests;
      else if (free_q != '0) grant[chosen] = requests[chosen];
      // The number of these grants, independent of the choice: some source requests a free credit.
      granted = '0;
      if (plenty_q) begin
        for (int unsigned s = 0; s < NumSources; s++) granted += count_t'(requests[s]);
      end else begin
        granted[0] = free_q != '0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        free_q <= '0;
        plenty_q <= 1'b0;
        outstanding_q <= '0;
        last_q <= '0;
        return_o <= '0;
      end else begin
        free_q   <= free_q + left - granted;
        plenty_q <= free_q >= count_t'(2 * NumSources);
        for (int unsigned s = 0; s < NumSources; s++) begin
          outstanding_q[s] <= outstanding_q[s] + count_t'(sent_i[s]) - count_t'(grant[s]);
        end
        if (|grant) last_q <= chosen;
        return_o <= grant;
      end
    end

    `BOMBUS_ASSERT(GrantsFree, granted <= free_q)
    `BOMBUS_ASSERT(FreeIsRequested, free_q == '0 || |requests)
  end

endmodule
