// SPDX-License-Identifier: Apache-2.0
// Sessions of a TCP application that are queued for service, examined round robin.
//
// The session at index_o is examined: take_i removes it from the queue if it is queued, next_i
// moves on to the next one. A session that is queued in the cycle in which it is taken stays
// queued, because its service may not have seen the cause.
module tcp_session_scan
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned NumCauses = 1,
    localparam type index_t = logic [$clog2(NumSessions)-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input logic   [NumCauses-1:0] queue_i,
    input index_t [NumCauses-1:0] queue_index_i,

    output index_t index_o,
    output logic   queued_o,
    input  logic   take_i,
    input  logic   next_i,
    output logic   busy_o     // a session is queued
);

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_session_scan: NumSessions must be a power of two, 2 to 16384");
  end
  if (NumCauses < 1) begin : gen_bad_causes
    $error("tcp_session_scan: NumCauses must be at least 1");
  end

  logic [NumSessions-1:0] queued_q;
  index_t index_q;
  assign index_o  = index_q;
  assign queued_o = queued_q[index_q];
  assign busy_o   = |queued_q;
  always_ff @(posedge clk_i) begin
    if (take_i) queued_q[index_q] <= 1'b0;
    for (int unsigned c = 0; c < NumCauses; c++) begin
      if (queue_i[c]) queued_q[queue_index_i[c]] <= 1'b1;
    end
    if (next_i) index_q <= index_q + 1'b1;
    if (rst_i) begin
      queued_q <= '0;
      index_q  <= '0;
    end
  end

endmodule
