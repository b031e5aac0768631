// SPDX-License-Identifier: Apache-2.0
// Kernel of a processing element that runs until it is stopped. If its argument is odd, it requests
// a burst of 16 beats from address 0 on, whose data it takes when it is stopped.
`include "axi_ports.svh"

module held_burst #(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned AddrWidth = 32,
    localparam int unsigned NumArguments = 1
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

  logic running_q, open_q;
  wire requests = kernel_start_i & kernel_arguments_i[0][0];
  wire ends = running_q & kernel_stop_i & ~open_q;

  assign memory_araddr_o = '0;
  assign memory_arlen_o  = 8'd15;
  assign memory_rready_o = kernel_stop_i;
  assign kernel_result_o = '0;

  always_ff @(posedge clk_i) begin
    kernel_done_o <= ends & ~rst_i;
    if (rst_i) begin
      running_q <= 1'b0;
      open_q <= 1'b0;
      memory_arvalid_o <= 1'b0;
    end else begin
      running_q <= kernel_start_i | (running_q & ~ends);
      open_q <= requests | (open_q & ~(memory_rvalid_i & memory_rready_o & memory_rlast_i));
      memory_arvalid_o <= requests | (memory_arvalid_o & ~memory_arready_i);
    end
  end

  assign busy_o = kernel_start_i | running_q | kernel_done_o;
  wire unused = ^{memory_rdata_i, memory_rresp_i, kernel_arguments_i};

endmodule
