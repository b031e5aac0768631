// SPDX-License-Identifier: Apache-2.0
// Seals and opens messages. Input: a command {decrypts, has_ad, key, nonce}, then the blocks
// {last, bytes, data}. Outputs: blocks of the text; the tag of each message.
`include "bench.svh"

module bench (
    `BENCH_PORTS(2, 258, 2, 133, 8, 8)
);

  `BENCH_SHAPE

  logic start, active_q, done, ready, is_ad, told_q;
  logic [257:0] command_q;
  logic [127:0] out, tag;
  assign in_ready_o = {active_q & ready, ~active_q};
  assign start = in_valid_i[0] & in_ready_o[0];
  always_ff @(posedge clk_i) begin
    if (start) command_q <= in_i[0];
    if (rst_i) active_q <= 1'b0;
    else active_q <= start | (active_q & ~out_valid_o[1]);
    told_q <= done & active_q;
  end
  wire [257:0] command = start ? in_i[0] : command_q;
  ascon_aead u_ascon (
      .clk_i,
      .rst_i,
      .start_i(start),
      .decrypts_i(command[257]),
      .has_ad_i(command[256]),
      .key_i(command[255:128]),
      .nonce_i(command[127:0]),
      .block_i(in_i[1][127:0]),
      .bytes_i(in_i[1][132:128]),
      .last_i(in_i[1][133]),
      .block_valid_i(in_valid_i[1] & active_q),
      .block_ready_o(ready),
      .block_is_ad_o(is_ad),
      .out_o(out),
      .done_o(done),
      .tag_o(tag)
  );
  assign out_valid_o = {done & active_q & ~told_q, in_valid_i[1] & in_ready_o[1] & ~is_ad};
  assign out_o[0] = {in_i[1][132:128], out};
  assign out_o[1] = 133'(tag);
  assign status_o = '0;
  assign event_o = '0;

endmodule
