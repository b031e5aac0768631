// SPDX-License-Identifier: Apache-2.0
// rpu_core with any program, any data, any responses of bus and custom instructions, and interrupts
// at any time: the retired instructions follow the instruction set. One register is tracked: it has
// the value last written. Bounded: from reset, for the number of cycles checked. Multiplication and
// division are replaced by stand-ins (stand_in_pkg); the content of CSRs is not checked. With
// OnlyMuldiv, programs have only instructions of these two kinds, ADDI and LW, so that more cycles
// can be checked.
module rpu_core_formal
  import rpu_pkg::*;
  import stand_in_pkg::*;
#(
    parameter bit OnlyMuldiv = 0
) (
    input logic clk_i,
    input logic rst_i,
    input word_t code_i,
    input word_t data_i,
    input logic bus_ready_i,
    input logic bus_error_i,
    input word_t bus_data_i,
    input logic custom_ready_i,
    input word_t custom_result_i,
    input logic external_interrupt_i,
    input logic [4:0] register_i  // the register tracked
);

  logic [4:0] register;
  logic started;
  proof_start #(
      .Width(5)
  ) u_start (
      .clk_i,
      .rst_i,
      .watched_i(register_i),
      .started_o(started),
      .watched_o(register)
  );

  // The code memory keeps its output while not enabled. The output of the data memory is free.
  logic code_enable, data_enable, data_elsewhere, code_enable_q, data_elsewhere_q;
  word_t code_q;
  always_ff @(posedge clk_i) begin
    code_enable_q <= code_enable;
    if (data_enable) data_elsewhere_q <= data_elsewhere;
    code_q <= code_i;
  end
  always_comb begin
    if (started & ~code_enable_q) assume (code_i == code_q);
    if (OnlyMuldiv) begin
      assume (code_i[6:0] == 7'h33 && code_i[25] ||
              {code_i[14:12], code_i[6:0]} inside {10'h013, 10'h103});
    end
  end

  logic [13:2] unused_code_addr;
  logic [13:2] data_addr;
  logic [3:0] data_write, unused_bus_bytes;
  word_t data_out, bus_data, unused_first, unused_second;
  logic bus_valid, bus_write, custom_valid;
  logic [27:0] bus_addr;
  logic bus_low;
  logic [9:0] unused_op;
  retire_t done;
  rpu_core #(
      .NumTargets(2),
      .Retire(1'b1)
  ) u_core (
      .clk_i,
      .rst_i,
      .code_enable_o(code_enable),
      .code_addr_o(unused_code_addr),
      .code_i,
      .data_enable_o(data_enable),
      .data_elsewhere_o(data_elsewhere),
      .data_addr_o(data_addr),
      .data_write_o(data_write),
      .data_o(data_out),
      .data_i(data_i & {32{~data_elsewhere_q}}),
      .data_fault_i(1'b0),
      .bus_valid_o(bus_valid),
      .bus_write_o(bus_write),
      .bus_addr_o(bus_addr),
      .bus_low_o(bus_low),
      .bus_bytes_o(unused_bus_bytes),
      .bus_data_o(bus_data),
      .bus_ready_i,
      .bus_error_i,
      .bus_data_i(bus_data_i & {32{bus_valid}}),
      .custom_valid_o(custom_valid),
      .custom_op_o(unused_op),
      .custom_first_o(unused_first),
      .custom_second_o(unused_second),
      .custom_ready_i,
      .custom_result_i,
      .external_interrupt_i,
      .software_interrupt_i(1'b0),
      .timer_interrupt_i(1'b0),
      .retire_o(done)
  );

  wire [6:0] opcode = done.insn[6:0];
  wire [2:0] funct3 = done.insn[14:12];
  wire executed = started & done.valid & ~done.trap & ~done.interrupted;

  // The tracked register.
  word_t value_q;
  logic known_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) known_q <= 1'b0;
    else if (executed & done.rd == register & |register) begin
      known_q <= 1'b1;
      value_q <= done.rd_value;
    end
  end
  wire uses_first = opcode inside {7'h03, 7'h13, 7'h23, 7'h33, 7'h63, 7'h67, 7'h0b};
  wire uses_second = opcode inside {7'h23, 7'h33, 7'h63, 7'h0b};
  always_comb begin
    if (executed & known_q) begin
      if (uses_first & done.insn[19:15] == register) assert (done.rs1_value == value_q);
      if (uses_second & done.insn[24:20] == register) assert (done.rs2_value == value_q);
    end
    if (executed & uses_first & done.insn[19:15] == '0) assert (done.rs1_value == '0);
    if (executed & uses_second & done.insn[24:20] == '0) assert (done.rs2_value == '0);
  end

  // The PC of each instruction is the next PC of the previous one.
  word_t next_q;
  logic  any_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) any_q <= 1'b0;
    else if (done.valid) begin
      any_q  <= 1'b1;
      next_q <= done.next_pc;
    end
  end
  always_comb if (started & done.valid) assert (done.pc == (any_q ? next_q : '0));

  // Expected results according to the instruction set.
  word_t first, second, immediate, result, target;
  logic taken, is_alu, is_writing;
  logic [4:0] amount;
  always_comb begin
    first = done.rs1_value;
    second = opcode == 7'h13 ? 32'($signed(done.insn[31:20])) : done.rs2_value;
    amount = second[4:0];
    immediate = 32'($signed(done.insn[31:20]));
    if (opcode == 7'h23) immediate = 32'($signed({done.insn[31:25], done.insn[11:7]}));
    is_alu = opcode inside {7'h13, 7'h33};
    result = '0;
    unique case (funct3)
      3'd0: result = opcode == 7'h33 && done.insn[30] ? first - second : first + second;
      3'd1: result = first << amount;
      3'd2: result = 32'($signed(first) < $signed(second));
      3'd3: result = 32'(first < second);
      3'd4: result = first ^ second;
      3'd5: begin
        result = done.insn[30] ? $unsigned($signed(first) >>> amount) : first >> amount;
        if (opcode == 7'h13 && done.insn[29])
          result = {first[7:0], first[15:8], first[23:16], first[31:24]};
      end
      3'd6: result = first | second;
      3'd7: result = first & second;
    endcase
    if (opcode == 7'h33 && done.insn[25]) result = muldiv(funct3, first, second);
    if (opcode == 7'h37) result = {done.insn[31:12], 12'd0};
    if (opcode == 7'h17) result = done.pc + {done.insn[31:12], 12'd0};
    if (opcode inside {7'h67, 7'h6f}) result = done.pc + 32'd4;
    unique case (funct3[2:1])
      2'd0: taken = done.rs1_value == done.rs2_value;
      2'd2: taken = $signed(done.rs1_value) < $signed(done.rs2_value);
      default: taken = done.rs1_value < done.rs2_value;
    endcase
    target = done.pc + 32'd4;
    if (opcode == 7'h63 && taken != funct3[0])
      target = done.pc + 32'($signed(
          {done.insn[31], done.insn[7], done.insn[30:25], done.insn[11:8], 1'b0}
      ));
    if (opcode == 7'h6f)
      target = done.pc + 32'($signed(
          {done.insn[31], done.insn[19:12], done.insn[20], done.insn[30:21], 1'b0}
      ));
    if (opcode == 7'h67) target = (first + immediate) & ~32'd1;
    is_writing = is_alu || opcode inside {7'h37, 7'h17, 7'h67, 7'h6f};
  end
  always_comb begin
    if (executed) begin
      if (is_writing) begin
        assert (done.rd == done.insn[11:7]);
        if (done.rd != '0) assert (done.rd_value == result);
      end
      if (opcode inside {7'h63, 7'h23}) assert (done.rd == '0);
      if (done.insn != 32'h30200073) assert (done.next_pc == target);
      assert (done.next_pc[1:0] == '0);
      if (opcode inside {7'h03, 7'h23}) assert (done.mem_addr == first + immediate);
      assert ((done.mem_read != '0) == (opcode == 7'h03));
      assert ((done.mem_write != '0) == (opcode == 7'h23));
      assert (done.insn[1:0] == 2'b11);
      assert (opcode inside {7'h03, 7'h0b, 7'h0f, 7'h13, 7'h17, 7'h23, 7'h33, 7'h37, 7'h63, 7'h67,
                             7'h6f, 7'h73});
    end
  end

  // A write to the data memory belongs to the instruction that retires one cycle later.
  logic [3:0] write_q;
  logic [13:2] addr_q;
  word_t stored_q;
  always_ff @(posedge clk_i) begin
    write_q  <= rst_i ? '0 : data_write;
    addr_q   <= data_addr;
    stored_q <= data_out;
  end
  wire is_data = done.mem_addr[31:14] == 18'h4000;
  always_comb begin
    if (started) assert ((write_q != '0) == (executed & done.mem_write != '0 & is_data));
    if (started & write_q != '0) begin
      assert (addr_q == done.mem_addr[13:2]);
      assert (write_q == done.mem_write << done.mem_addr[1:0]);
      for (int b = 0; b < 4; b++)
      if (write_q[b]) assert (stored_q[8*b+:8] == done.rs2_value[8*(2'(b)-done.mem_addr[1:0])+:8]);
    end
    if (started & bus_valid & bus_ready_i & ~bus_error_i) begin
      assert (executed & bus_addr == done.mem_addr[27:0]);
      assert (bus_low == (bus_addr[27:3] == '0));
      assert (bus_write == (done.mem_write != '0));
    end
  end

  // Cover: three consecutive instructions, a backward branch, an exception; products and quotients
  // as operands.
  logic [1:0] row_q;
  always_ff @(posedge clk_i) row_q <= executed ? row_q + 2'(row_q != 2'd3) : '0;
  logic [4:0] muldiv_rd_q;
  logic is_quotient_q;
  wire is_muldiv = executed & opcode == 7'h33 & done.insn[25];
  always_ff @(posedge clk_i)
    if (done.valid)
      {muldiv_rd_q, is_quotient_q} <= {is_muldiv ? done.rd : '0, funct3[2]};
  wire uses_it = executed & uses_first & done.insn[19:15] == muldiv_rd_q & muldiv_rd_q != '0;
  always_comb begin
    if (started) begin
      cover (row_q == 2'd3);
      cover (uses_it & is_quotient_q);
      cover (uses_it & ~is_quotient_q);
      cover (executed & opcode == 7'h03 & |done.rd);
      if (!OnlyMuldiv) begin
        cover (executed & opcode == 7'h63 & done.next_pc < done.pc);
        cover (done.valid & done.trap);
        cover (executed & custom_valid & custom_ready_i);
      end
    end
  end

endmodule
