// SPDX-License-Identifier: Apache-2.0
// Requests of applications against registers of each session: a request changes only its fields and
// its session, and a read in the next cycle returns the new values; a new session has no requests
// of the previous one. Proved for all time, by induction.
module tcp_session_requests_formal
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter  int unsigned NumSessions = 2,
    parameter  int unsigned RingBytes   = 65536,
    localparam int unsigned IndexWidth  = $clog2(NumSessions)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [3:0] request_i,
    input logic [IndexWidth-1:0] session_i,
    input seq_t position_i,
    input logic toggle_i,
    input logic open_i,
    input logic synchronise_i,
    input logic [IndexWidth-1:0] open_session_i,
    input seq_t open_send_i,
    input seq_t open_receive_i,
    input logic [IndexWidth-1:0] index_i
);

  wire request_e request = request_e'(request_i);
  session_requests_t requests;
  tcp_session_requests #(
      .NumSessions(NumSessions),
      .RingBytes  (RingBytes)
  ) u_requests (
      .clk_i,
      .request_i (request),
      .session_i,
      .position_i,
      .toggle_i,
      .open_i,
      .synchronise_i,
      .open_session_i,
      .open_send_i,
      .open_receive_i,
      .index_i,
      .requests_o(requests)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb begin
    assume (rst_i == ~started_q);
    // Requests stall meanwhile.
    if (open_i | synchronise_i) assume (request == RequestNone);
  end

  // ---- Reference model ----

  session_requests_t [NumSessions-1:0] kept_q;
  logic [NumSessions-1:0] opened_q;  // not read before
  // The end is set before it is read.
  logic [NumSessions-1:0] ends_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) {opened_q, ends_q} <= '0;
    else if (open_i) begin
      opened_q[open_session_i] <= 1'b1;
      ends_q[open_session_i] <= 1'b0;
      kept_q[open_session_i] <= '{
          send_end: open_send_i,
          release_edge: open_receive_i + RingBytes,
          default: '0
      };
    end else if (synchronise_i) begin
      kept_q[open_session_i].release_edge <= open_receive_i + RingBytes;
    end else begin
      case (request)
        RequestSend: kept_q[session_i].send_end <= position_i;
        RequestRelease: kept_q[session_i].release_edge <= position_i + RingBytes;
        RequestReadable:
        {kept_q[session_i].read_toggle, kept_q[session_i].read_position} <= {toggle_i, position_i};
        RequestWritable:
        {kept_q[session_i].write_toggle, kept_q[session_i].write_position} <= {
          toggle_i, position_i
        };
        RequestClose, RequestCloseBoth: begin
          kept_q[session_i].closing <= 1'b1;
          if (request == RequestCloseBoth) kept_q[session_i].reads_no_more <= 1'b1;
          kept_q[session_i].close_position <= position_i;
          ends_q[session_i] <= 1'b1;
        end
        RequestFree: begin
          kept_q[session_i].freed <= 1'b1;
          kept_q[session_i].close_position <= position_i;
          ends_q[session_i] <= 1'b1;
        end
        RequestAbort: kept_q[session_i].aborted <= 1'b1;
        RequestSet: kept_q[session_i].settings <= settings_of(position_i);
        default: ;
      endcase
    end
  end

  logic reads_q;
  session_requests_t expected_q, expected, read;
  logic has_end_q;
  always_ff @(posedge clk_i) begin
    reads_q <= ~rst_i & opened_q[index_i];
    expected_q <= kept_q[index_i];
    has_end_q <= ends_q[index_i];
  end
  // Positions without the request or the end to which they belong are arbitrary.
  always_comb begin
    expected = expected_q;
    read = requests;
    if (~has_end_q) {expected.close_position, read.close_position} = '0;
    if (started_q & reads_q) begin
      assert (read == expected);
      if (~has_end_q) assert (~requests.closing & ~requests.freed);
    end
  end

  // ---- Invariants between memories and model ----

  always_comb begin
    if (started_q) begin
      for (int unsigned s = 0; s < NumSessions; s++) begin
        if (opened_q[s]) begin
          assert (u_requests.u_sends.gen_distributed.ram[s] == kept_q[s].send_end);
          assert (u_requests.u_releases.gen_distributed.ram[s] == kept_q[s].release_edge);
          assert (u_requests.gen_mark[3].u_memory.gen_distributed.ram[s] == kept_q[s].closing);
          assert (u_requests.gen_mark[2].u_memory.gen_distributed.ram[s] == kept_q[s].aborted);
          assert (u_requests.gen_mark[1].u_memory.gen_distributed.ram[s] == kept_q[s].freed);
          assert (u_requests.gen_mark[0].u_memory.gen_distributed.ram[s] ==
                  kept_q[s].reads_no_more);
          assert (u_requests.u_settings.gen_distributed.ram[s] == kept_q[s].settings);
          assert (u_requests.u_reads.gen_distributed.ram[s] ==
                  {kept_q[s].read_toggle, kept_q[s].read_position});
          assert (u_requests.u_writes.gen_distributed.ram[s] ==
                  {kept_q[s].write_toggle, kept_q[s].write_position});
          if (ends_q[s])
            assert (u_requests.u_ends.gen_distributed.ram[s] == kept_q[s].close_position);
            else assert (~kept_q[s].closing & ~kept_q[s].freed);
        end
      end
    end
  end

  always_comb begin
    if (started_q)
      cover (reads_q & requests.closing & requests.write_toggle & requests.send_end != '0);
  end

endmodule
