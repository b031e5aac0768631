// SPDX-License-Identifier: Apache-2.0
// Kernel of a processing element: sums `length` bytes of the memory from `address` on as unsigned
// words of 32 bits, lowest byte first, modulo 2^64. Both are multiples of DataBytes, or are rounded
// down to one. A read error, or bytes beyond the memory, make the value all ones.
//
// Throughput: one beat per cycle. Latency after the last beat: 4 cycles. A stop waits for the
// beats of the bursts that are requested.
`include "axi_ports.svh"

module sum_words #(
    parameter int unsigned DataWidth = 512,  // 64 to 1024
    parameter int unsigned AddrWidth = 32,
    localparam int unsigned NumArguments = 2
) (
    input logic clk_i,
    input logic rst_i,

    input logic kernel_start_i,
    input logic [NumArguments-1:0][63:0] kernel_arguments_i,
    output logic kernel_done_o,
    output logic [63:0] kernel_result_o,
    input logic kernel_stop_i,

    `BOMBUS_AXI_READ_INITIATOR(memory)

    output logic busy_o
);

  localparam string Entry = "";
  localparam string Status = "kernel";
  localparam int unsigned ByteShift = $clog2(DataWidth / 8);
  localparam int unsigned NumWords = DataWidth / 32;
  typedef logic [AddrWidth-ByteShift:0] beat_count_t;

  typedef struct packed {
    logic [63:0] length;
    logic [63:0] address;
  } arguments_t;
  arguments_t arguments;
  assign arguments = kernel_arguments_i;

  logic [4:0] requested;
  logic left, beyond, unused_last;
  axi_bursts #(
      .DataWidth(DataWidth),
      .AddrWidth(AddrWidth)
  ) u_bursts (
      .clk_i,
      .rst_i,
      .start_i  (kernel_start_i),
      .address_i(arguments.address),
      .length_i (arguments.length),
      .beyond_o (beyond),
      .stop_i   (kernel_stop_i),
      .admits_i (1'b1),
      .beats_o  (requested),
      .last_o   (unused_last),
      .left_o   (left),
      .addr_o   (memory_araddr_o),
      .len_o    (memory_arlen_o),
      .valid_o  (memory_arvalid_o),
      .ready_i  (memory_arready_i)
  );
  assign memory_rready_o = 1'b1;

  // ---- Sum: of a beat in one cycle, of all beats in the next ----

  beat_count_t expected_q;  // beats that are requested and have not arrived
  logic [DataWidth-1:0] data_q;
  logic [1:0] valid_q;  // stages that hold a beat
  logic running_q, error_q;
  logic [63:0] sum, sum_q, total_q;
  always_comb begin
    sum = '0;
    for (int unsigned n = 0; n < NumWords; n++) sum += 64'(data_q[32*n+:32]);
  end
  wire ends = running_q & ~left & expected_q == '0 & valid_q == '0;
  always_ff @(posedge clk_i) begin
    data_q <= memory_rdata_i;
    sum_q <= sum;
    valid_q <= {valid_q[0], memory_rvalid_i & ~rst_i};
    kernel_done_o <= ends & ~rst_i;
    kernel_result_o <= error_q ? '1 : total_q;
    if (kernel_start_i) begin
      total_q <= '0;
      error_q <= beyond;
    end else begin
      if (valid_q[1]) total_q <= total_q + sum_q;
      if (memory_rvalid_i & memory_rresp_i != '0) error_q <= 1'b1;
    end
    if (rst_i) begin
      running_q  <= 1'b0;
      expected_q <= '0;
    end else begin
      running_q  <= kernel_start_i | (running_q & ~ends);
      expected_q <= expected_q + beat_count_t'(requested) - beat_count_t'(memory_rvalid_i);
    end
  end

  assign busy_o = kernel_start_i | running_q | kernel_done_o;
  wire unused = memory_rlast_i;

endmodule
