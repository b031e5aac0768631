// SPDX-License-Identifier: Apache-2.0
// The host's addresses: registers that start with Init and can be rewritten
// (docs/architecture.md, Registers). Write and read take 1 cycle.
module host_registers
  import bombus_pkg::*;
#(
    parameter host_t Init = '0
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        reg_valid_i,  // held until reg_ready_o
    input  logic        reg_write_i,
    input  logic [11:0] reg_addr_i,
    input  logic [31:0] reg_wdata_i,
    output logic        reg_ready_o,
    output logic [31:0] reg_rdata_o,  // zero unless reg_ready_o

    output host_t host_o
);

  localparam logic [11:0] AddrMacLow = 12'h00;
  localparam logic [11:0] AddrMacHigh = 12'h04;
  localparam logic [11:0] AddrIp = 12'h08;
  localparam logic [11:0] AddrNetmask = 12'h0C;
  localparam logic [11:0] AddrGateway = 12'h10;

  wire request = reg_valid_i & ~reg_ready_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      host_o <= Init;
      reg_ready_o <= 1'b0;
      reg_rdata_o <= '0;
    end else begin
      reg_ready_o <= request;
      reg_rdata_o <= '0;
      if (request & reg_write_i) begin
        case (reg_addr_i)
          AddrMacLow: host_o.mac[31:0] <= reg_wdata_i;
          AddrMacHigh: host_o.mac[47:32] <= reg_wdata_i[15:0];
          AddrIp: host_o.ip <= reg_wdata_i;
          AddrNetmask: host_o.netmask <= reg_wdata_i;
          AddrGateway: host_o.gateway <= reg_wdata_i;
          default: ;
        endcase
      end else if (request) begin
        case (reg_addr_i)
          AddrMacLow: reg_rdata_o <= host_o.mac[31:0];
          AddrMacHigh: reg_rdata_o <= {16'b0, host_o.mac[47:32]};
          AddrIp: reg_rdata_o <= host_o.ip;
          AddrNetmask: reg_rdata_o <= host_o.netmask;
          AddrGateway: reg_rdata_o <= host_o.gateway;
          default: ;
        endcase
      end
    end
  end

endmodule
