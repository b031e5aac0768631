// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite (AMBA AXI protocol, part B) to the register port of a design: 32 bits of data.
//
// One access is carried out at a time; reads and writes that wait take turns. A write is answered
// once the register port has taken it: reads that follow see it. The lowest two bits of an address
// are ignored, and so is axi_*prot_i.
//
// Responses: OKAY, also at unused addresses of the map, which read as zero. DECERR: the address is
// beyond the map (MapBytes). SLVERR: a write of a part of a word, which has no effect; without any
// byte strobe it is OKAY, and has no effect either.
//
// All outputs are from registers, except for the readies in reset, which are low. A reset of the
// design forgets transactions that have begun: reset the master with it.
//
// Latency: to the register port, 2 cycles; back, 1. Throughput: an access in 3 cycles, and those
// of the register port.
`include "bombus_assert.svh"

module axi_lite_registers #(
    parameter int unsigned AddressBits = 32,  // of the bus
    parameter int unsigned RegisterBits = 20,  // of the register port's addresses
    parameter longint unsigned MapBytes = 64'd1 << RegisterBits
) (
    input logic clk_i,
    input logic rst_i,

    input logic [AddressBits-1:0] axi_awaddr_i,
    input logic [2:0] axi_awprot_i,
    input logic axi_awvalid_i,
    output logic axi_awready_o,
    input logic [31:0] axi_wdata_i,
    input logic [3:0] axi_wstrb_i,
    input logic axi_wvalid_i,
    output logic axi_wready_o,
    output logic [1:0] axi_bresp_o,
    output logic axi_bvalid_o,
    input logic axi_bready_i,
    input logic [AddressBits-1:0] axi_araddr_i,
    input logic [2:0] axi_arprot_i,
    input logic axi_arvalid_i,
    output logic axi_arready_o,
    output logic [31:0] axi_rdata_o,
    output logic [1:0] axi_rresp_o,
    output logic axi_rvalid_o,
    input logic axi_rready_i,

    output logic reg_valid_o,
    output logic reg_write_o,
    output logic [RegisterBits-1:0] reg_addr_o,
    output logic [31:0] reg_wdata_o,
    input logic reg_ready_i,
    input logic [31:0] reg_rdata_i
);

  if (RegisterBits < 3 || RegisterBits > 32 || AddressBits < RegisterBits || AddressBits > 64 ||
      MapBytes < 4 || MapBytes > 64'd1 << RegisterBits) begin : gen_bad_shape
    $error(
        "axi_lite_registers: RegisterBits must be 3 to 32, AddressBits from there to 64, %s",
        "MapBytes 4 to 2 ** RegisterBits"
    );
  end

  localparam logic [1:0] Okay = 2'b00, SlvErr = 2'b10, DecErr = 2'b11;
  typedef logic [AddressBits-1:0] address_t;

  // What has come, until its response is given
  logic aw_q, w_q, ar_q;
  address_t awaddr_q, araddr_q;
  logic [3:0] wstrb_q;
  logic ready_q;  // low in reset
  assign axi_awready_o = ready_q & ~aw_q;
  assign axi_wready_o  = ready_q & ~w_q;
  assign axi_arready_o = ready_q & ~ar_q;

  // The access that begins, unless one is under way. After a write, a read that waits is next:
  // the next write has not been taken yet.
  wire writes = aw_q & w_q & ~axi_bvalid_o;
  wire read_waits = ar_q & ~axi_rvalid_o;
  wire begins = ~reg_valid_o & (writes | read_waits);
  wire address_t address = writes ? awaddr_q : araddr_q;
  wire exists = 64'(address) < MapBytes;
  wire whole = &wstrb_q | ~writes;
  wire accesses = begins & exists & whole;

  // Responses: of the register port, or at once
  wire done = reg_valid_o & reg_ready_i;
  wire refused = begins & ~accesses;
  wire write_done = (done & reg_write_o) | (refused & writes);
  wire read_done = (done & ~reg_write_o) | (refused & ~writes);
  logic [1:0] refusal;
  always_comb begin
    refusal = Okay;
    if (~exists) refusal = DecErr;
    else if (|wstrb_q) refusal = SlvErr;
  end

  always_ff @(posedge clk_i) begin
    if (axi_awready_o) awaddr_q <= axi_awaddr_i;
    if (axi_arready_o) araddr_q <= axi_araddr_i;
    if (axi_wready_o) begin
      reg_wdata_o <= axi_wdata_i;
      wstrb_q <= axi_wstrb_i;
    end
    if (begins) begin
      reg_write_o <= writes;
      reg_addr_o  <= {address[RegisterBits-1:2], 2'b00};
    end
    if (write_done) axi_bresp_o <= done ? Okay : refusal;
    if (read_done) begin
      axi_rresp_o <= done ? Okay : DecErr;
      axi_rdata_o <= done ? reg_rdata_i : '0;
    end
    if (rst_i) begin
      ready_q <= 1'b0;
      aw_q <= 1'b0;
      w_q <= 1'b0;
      ar_q <= 1'b0;
      reg_valid_o <= 1'b0;
      axi_bvalid_o <= 1'b0;
      axi_rvalid_o <= 1'b0;
    end else begin
      ready_q <= 1'b1;
      aw_q <= (aw_q & ~write_done) | (axi_awvalid_i & axi_awready_o);
      w_q <= (w_q & ~write_done) | (axi_wvalid_i & axi_wready_o);
      ar_q <= (ar_q & ~read_done) | (axi_arvalid_i & axi_arready_o);
      reg_valid_o <= accesses | (reg_valid_o & ~reg_ready_i);
      axi_bvalid_o <= write_done | (axi_bvalid_o & ~axi_bready_i);
      axi_rvalid_o <= read_done | (axi_rvalid_o & ~axi_rready_i);
    end
  end

  wire unused = ^{axi_awprot_i, axi_arprot_i, address[1:0]};

  // Rules for the master (A3.2.1): what it offers stays until it is taken.
`ifndef SYNTHESIS
  logic aw_waits_q, w_waits_q, ar_waits_q;
  address_t awaddr_before_q, araddr_before_q;
  logic [35:0] w_before_q;
  always_ff @(posedge clk_i) begin
    aw_waits_q <= axi_awvalid_i & ~axi_awready_o & ~rst_i;
    w_waits_q <= axi_wvalid_i & ~axi_wready_o & ~rst_i;
    ar_waits_q <= axi_arvalid_i & ~axi_arready_o & ~rst_i;
    awaddr_before_q <= axi_awaddr_i;
    araddr_before_q <= axi_araddr_i;
    w_before_q <= {axi_wstrb_i, axi_wdata_i};
  end
`endif
  `BOMBUS_ASSERT(AwStays, !aw_waits_q || (axi_awvalid_i && axi_awaddr_i == awaddr_before_q))
  `BOMBUS_ASSERT(WStays, !w_waits_q || (axi_wvalid_i && {axi_wstrb_i, axi_wdata_i} == w_before_q))
  `BOMBUS_ASSERT(ArStays, !ar_waits_q || (axi_arvalid_i && axi_araddr_i == araddr_before_q))
  `BOMBUS_ASSERT(OneResponse, !(write_done && axi_bvalid_o) && !(read_done && axi_rvalid_o))

endmodule
