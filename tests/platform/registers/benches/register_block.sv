// SPDX-License-Identifier: Apache-2.0
// The registers that Bombus generates from probe.rdl. The bench holds the external ones
// and answers after a number of cycles, or takes a write in every cycle if they are prompt.
//
// Control: wdata, addr, write, valid; index into the table, cycles before an external
// answer, depth, count, single. Status: regs, entry of the table, the program, rdata, ready.
`include "bench.svh"

module bench
  import probe_registers_pkg::*;
#(
    localparam int unsigned ControlBits = 32 + WindowBits + 2 + 5 + 3 + 32 + 48 + 9
) (
    `BENCH_PORTS(1, 8, 1, 8, ControlBits, $bits(probe_regs_t) + $bits(probe_words_t) + 3 * 40 + 33)
);

  `BENCH_SHAPE

  logic reg_valid, reg_write, reg_ready;
  logic [WindowBits-1:0] reg_addr;
  logic [31:0] reg_wdata, reg_rdata;
  logic [4:0] words_index;
  logic [2:0] delay;
  logic [8:0] single;
  probe_status_t driven;
  probe_regs_t registers;
  probe_words_t words;
  assign {single, driven.count.count, driven.depth.depth, delay, words_index, reg_wdata, reg_addr,
          reg_write, reg_valid} = control_i;

  logic cache_request, cache_write, cache_done, single_request, single_done;
  logic [2:0] cache_index;
  probe_cache_t cache_wdata, cache_rdata, cache[5];
  probe_single_t single_rdata;
  logic [2:0] waited_q;
  wire done = waited_q >= delay;
  assign cache_done = cache_request & done;
  assign single_done = single_request & done;
  assign cache_rdata = cache[cache_index];
  assign single_rdata.tag = single;
  always_ff @(posedge clk_i) begin
    waited_q <= (cache_request | single_request) & ~done ? waited_q + 1'b1 : '0;
    if (cache_done & cache_write) cache[cache_index] <= cache_wdata;
    if (rst_i) begin
      waited_q <= '0;
      for (int unsigned i = 0; i < 5; i++) cache[i] <= '0;
    end
  end

  // Prompt ones; the program cannot be read by registers.
  logic memory_request, memory_write, memory_done_q, program_request, program_write;
  logic [2:0] memory_index;
  logic [1:0] program_index;
  probe_memory_t memory_wdata, memory_rdata, memory[6];
  probe_program_t program_wdata;
  logic [2:0][39:0] program_q;
  always_ff @(posedge clk_i) begin
    memory_done_q <= memory_request & ~memory_write & ~memory_done_q & ~rst_i;
    memory_rdata  <= memory[memory_index];
    if (memory_request & memory_write) memory[memory_index] <= memory_wdata;
    if (program_request & program_write) program_q[program_index] <= program_wdata.word;
    if (rst_i) begin
      for (int unsigned i = 0; i < 6; i++) memory[i] <= '0;
      program_q <= '0;
    end
  end

  probe_registers u_registers (
      .clk_i,
      .rst_i,
      .reg_valid_i(reg_valid),
      .reg_write_i(reg_write),
      .reg_addr_i(reg_addr),
      .reg_wdata_i(reg_wdata),
      .reg_ready_o(reg_ready),
      .reg_rdata_o(reg_rdata),
      .probe_regs_o(registers),
      .probe_status_i(driven),
      .probe_words_index_i(words_index),
      .probe_words_o(words),
      .probe_cache_request_o(cache_request),
      .probe_cache_index_o(cache_index),
      .probe_cache_write_o(cache_write),
      .probe_cache_wdata_o(cache_wdata),
      .probe_cache_rdata_i(cache_rdata),
      .probe_cache_done_i(cache_done),
      .probe_memory_request_o(memory_request),
      .probe_memory_index_o(memory_index),
      .probe_memory_write_o(memory_write),
      .probe_memory_wdata_o(memory_wdata),
      .probe_memory_rdata_i(memory_rdata),
      .probe_memory_done_i(memory_done_q),
      .probe_program_request_o(program_request),
      .probe_program_index_o(program_index),
      .probe_program_write_o(program_write),
      .probe_program_wdata_o(program_wdata),
      .probe_single_request_o(single_request),
      .probe_single_rdata_i(single_rdata),
      .probe_single_done_i(single_done)
  );

  assign status_o = {registers, words, program_q, reg_rdata, reg_ready};
  assign in_ready_o = '1;
  assign out_valid_o = '0;
  assign out_o = '0;
  assign event_o = '0;

endmodule
