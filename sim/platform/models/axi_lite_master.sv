// SPDX-License-Identifier: Apache-2.0
// A register port as the master of an AXI4-Lite bus, for simulation only. An access is finished
// with the bus's response; one with an error ends the simulation.
module axi_lite_master #(
    parameter int unsigned AddressBits = 20
) (
    input logic clk_i,
    input logic rst_i,

    input logic reg_valid_i,
    input logic reg_write_i,
    input logic [AddressBits-1:0] reg_addr_i,
    input logic [31:0] reg_wdata_i,
    output logic reg_ready_o,
    output logic [31:0] reg_rdata_o,

    output logic [AddressBits-1:0] axi_awaddr_o,
    output logic [2:0] axi_awprot_o,
    output logic axi_awvalid_o,
    input logic axi_awready_i,
    output logic [31:0] axi_wdata_o,
    output logic [3:0] axi_wstrb_o,
    output logic axi_wvalid_o,
    input logic axi_wready_i,
    input logic [1:0] axi_bresp_i,
    input logic axi_bvalid_i,
    output logic axi_bready_o,
    output logic [AddressBits-1:0] axi_araddr_o,
    output logic [2:0] axi_arprot_o,
    output logic axi_arvalid_o,
    input logic axi_arready_i,
    input logic [31:0] axi_rdata_i,
    input logic [1:0] axi_rresp_i,
    input logic axi_rvalid_i,
    output logic axi_rready_o
);

  logic aw_q, w_q, ar_q;  // was taken
  assign axi_awaddr_o  = reg_addr_i;
  assign axi_awprot_o  = '0;
  assign axi_awvalid_o = reg_valid_i & reg_write_i & ~aw_q;
  assign axi_wdata_o   = reg_wdata_i;
  assign axi_wstrb_o   = '1;
  assign axi_wvalid_o  = reg_valid_i & reg_write_i & ~w_q;
  assign axi_bready_o  = 1'b1;
  assign axi_araddr_o  = reg_addr_i;
  assign axi_arprot_o  = '0;
  assign axi_arvalid_o = reg_valid_i & ~reg_write_i & ~ar_q;
  assign axi_rready_o  = 1'b1;
  assign reg_ready_o   = axi_bvalid_i | axi_rvalid_i;
  assign reg_rdata_o   = axi_rdata_i;

  always_ff @(posedge clk_i) begin
    if (rst_i | reg_ready_o) begin
      aw_q <= 1'b0;
      w_q  <= 1'b0;
      ar_q <= 1'b0;
    end else begin
      aw_q <= aw_q | (axi_awvalid_o & axi_awready_i);
      w_q  <= w_q | (axi_wvalid_o & axi_wready_i);
      ar_q <= ar_q | (axi_arvalid_o & axi_arready_i);
    end
    if (~rst_i & ((axi_bvalid_i & axi_bresp_i != '0) | (axi_rvalid_i & axi_rresp_i != '0))) begin
      $fatal(1, "axi_lite_master: the access to %h has an error", reg_addr_i);
    end
  end

endmodule
