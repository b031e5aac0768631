// SPDX-License-Identifier: Apache-2.0
// rpu_core with its memories. In: words for the memories. Out: executed instructions; accesses over
// the bus. On the bus is a memory of 64 words; from 0x2800_0000 on, accesses fail. Custom
// instructions give the sum of their operands and the bits of their operation, and wait for one
// cycle in custom_wait + 1.
`include "bench.svh"

module bench
  import rpu_pkg::*;
#(
    parameter int unsigned CodeBytes = 16384,
    parameter int unsigned DataBytes = 16384
) (
    `BENCH_PORTS(1, 64, 2, $bits(retire_t), 8, 32)
);

  `BENCH_SHAPE

  localparam int unsigned CodeWidth = $clog2(CodeBytes);
  localparam int unsigned DataWidth = $clog2(DataBytes);

  logic external, software, timer, hold;
  logic [3:0] custom_wait;
  assign {custom_wait, timer, software, external, hold} = control_i;

  word_t code[CodeBytes/4];
  word_t data[DataBytes/4];
  word_t code_out, data_out, data_in;
  logic code_enable, data_enable, data_elsewhere, data_elsewhere_q;
  logic [CodeWidth-1:2] code_addr;
  logic [DataWidth-1:2] data_addr;
  logic [3:0] data_write;

  // An item: memory word, whether it belongs to the data memory, its index.
  assign in_ready_o = '1;
  always_ff @(posedge clk_i) begin
    if (code_enable) code_out <= code[code_addr];
    if (data_enable) begin
      data_out <= data[data_addr];
      data_elsewhere_q <= data_elsewhere;
      for (int b = 0; b < 4; b++) if (data_write[b]) data[data_addr][8*b+:8] <= data_in[8*b+:8];
    end
    if (in_valid_i[0]) begin
      if (in_i[0][32]) data[(DataWidth-2)'(in_i[0][63:33])] <= in_i[0][31:0];
      else code[(CodeWidth-2)'(in_i[0][63:33])] <= in_i[0][31:0];
    end
  end

  logic bus_valid, bus_write;
  logic [27:0] bus_addr;
  logic [3:0] bus_bytes;
  word_t bus_data;
  word_t registers[64];
  wire bus_ready = out_ready_i[1];
  wire bus_error = bus_addr[27];
  always_ff @(posedge clk_i)
    if (bus_valid & bus_ready & bus_write & ~bus_error)
      for (int b = 0; b < 4; b++)
        if (bus_bytes[b]) registers[bus_addr[7:2]][8*b+:8] <= bus_data[8*b+:8];
  assign out_valid_o[1] = bus_valid;
  assign out_o[1] = $bits(retire_t)'({bus_write, bus_addr, bus_bytes, bus_data});

  logic custom_valid;
  logic [9:0] custom_op;
  word_t custom_first, custom_second;
  logic [3:0] count_q;
  always_ff @(posedge clk_i) count_q <= rst_i | count_q == custom_wait ? '0 : count_q + 4'd1;
  wire custom_ready = count_q == custom_wait;

  retire_t retire, retire_q;
  always_ff @(posedge clk_i) retire_q <= rst_i ? '0 : retire;
  assign out_valid_o[0] = retire_q.valid;
  assign out_o[0] = retire_q;
  assign event_o = 64'(custom_valid & custom_ready);
  assign status_o = {31'd0, custom_valid};

  rpu_core #(
      .CodeBytes(CodeBytes),
      .DataBytes(DataBytes),
      .Retire(1'b1)
  ) u_core (
      .clk_i,
      .rst_i(rst_i | hold),
      .code_enable_o(code_enable),
      .code_addr_o(code_addr),
      .code_i(code_out),
      .data_enable_o(data_enable),
      .data_elsewhere_o(data_elsewhere),
      .data_addr_o(data_addr),
      .data_write_o(data_write),
      .data_o(data_in),
      .data_i(data_out & {32{~data_elsewhere_q}}),
      .data_fault_i(1'b0),
      .bus_valid_o(bus_valid),
      .bus_write_o(bus_write),
      .bus_addr_o(bus_addr),
      .bus_low_o(),
      .bus_bytes_o(bus_bytes),
      .bus_data_o(bus_data),
      .bus_ready_i(bus_ready),
      .bus_error_i(bus_error),
      .bus_data_i(registers[bus_addr[7:2]] & {32{bus_valid}}),
      .custom_valid_o(custom_valid),
      .custom_op_o(custom_op),
      .custom_first_o(custom_first),
      .custom_second_o(custom_second),
      .custom_ready_i(custom_ready),
      .custom_result_i(custom_first + custom_second + 32'(custom_op)),
      .external_interrupt_i(external),
      .software_interrupt_i(software),
      .timer_interrupt_i(timer),
      .retire_o(retire)
  );

endmodule
