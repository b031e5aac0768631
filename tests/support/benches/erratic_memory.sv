// SPDX-License-Identifier: Apache-2.0
// A memory at a port of axi_line_pkg, as bad as AXI allows: a read returns what the memory had when
// its address was taken, a write takes effect with its response, addresses and data are taken at
// random, and answers come after Latency cycles and up to Jitter more. After a reset it has
// anything. Errors: addresses outside it; if Strict, reads of lines that are not stored.
module erratic_memory
  import axi_line_pkg::*;
#(
    parameter int unsigned NumLines = 256,  // of 64 bytes; a power of two
    parameter logic [63:0] BaseAddress = '0,  // a multiple of its size
    parameter int unsigned Latency = 40,
    parameter int unsigned Jitter = 0,
    parameter bit Strict = 0
) (
    input logic clk_i,
    input logic rst_i,
    input logic hold_writes_i,  // no write is answered,
    input logic hold_reads_i,  // no read
    input logic fail_writes_i,  // writes have no effect and are answered by SLVERR,
    input logic fail_reads_i,  // reads by SLVERR
    input axi_request_t request_i,
    output axi_response_t response_o
);

  localparam int unsigned AddrBits = $clog2(NumLines);
  localparam int unsigned Depth = 256;  // of each queue
  localparam logic [1:0] Slverr = 2'b10;
  typedef logic [AddrBits-1:0] addr_t;
  logic [511:0] memory[NumLines];
  logic [511:0] read_data[Depth], write_data[Depth];
  logic [31:0] read_due[Depth], write_due[Depth];
  logic [63:0] write_strobe[Depth];
  addr_t write_addr[Depth];
  logic [7:0] reads_in, reads_out, addresses_in, data_in, writes_begun, writes_out;
  logic [31:0] now, random;
  logic awready, wready, arready;
  initial random = 32'h12345;

  wire rvalid = reads_in != reads_out & now >= read_due[reads_out] & ~hold_reads_i;
  wire bvalid = writes_begun != writes_out & now >= write_due[writes_out] & ~hold_writes_i;
  assign response_o = '{
          awready: awready,
          wready: wready,
          bresp: fail_writes_i ? Slverr : 2'b00,
          bvalid: bvalid,
          arready: arready,
          rdata: read_data[reads_out],
          rresp: fail_reads_i ? Slverr : 2'b00,
          rlast: 1'b1,
          rvalid: rvalid
      };
  wire [31:0] jitter = Jitter == 0 ? '0 : 32'(random[31:16]) % (Jitter + 1);
  wire addr_t asked = request_i.araddr[6+:AddrBits];
  always @(posedge clk_i) begin
    random <= {random[30:0], random[31] ^ random[21] ^ random[1] ^ random[0]};
    now <= now + 1;
    awready <= random[3] | random[4];
    wready <= random[5] | random[6];
    arready <= random[7:4] != '0 && 8'(reads_in - reads_out) < 8'd200;
    if (request_i.arvalid & arready) begin
      read_data[reads_in] <= memory[asked];
      read_due[reads_in] <= now + Latency + jitter;
      reads_in <= reads_in + 1'b1;
    end
    if (rvalid & request_i.rready) reads_out <= reads_out + 1'b1;
    if (request_i.awvalid & awready) begin
      write_addr[addresses_in] <= request_i.awaddr[6+:AddrBits];
      addresses_in <= addresses_in + 1'b1;
    end
    if (request_i.wvalid & wready) begin
      write_data[data_in] <= request_i.wdata;
      write_strobe[data_in] <= request_i.wstrb;
      data_in <= data_in + 1'b1;
    end
    if (writes_begun != addresses_in && writes_begun != data_in) begin
      write_due[writes_begun] <= now + Latency + jitter;
      writes_begun <= writes_begun + 1'b1;
    end
    if (bvalid & request_i.bready) begin
      for (int b = 0; b < 64; b++) begin
        if (write_strobe[writes_out][b] & ~fail_writes_i) begin
          memory[write_addr[writes_out]][8*b+:8] <= write_data[writes_out][8*b+:8];
        end
      end
      writes_out <= writes_out + 1'b1;
    end
    if (rst_i) begin
      now <= '0;
      reads_in <= '0;
      reads_out <= '0;
      addresses_in <= '0;
      data_in <= '0;
      writes_begun <= '0;
      writes_out <= '0;
    end
  end

  function automatic logic is_inside(logic [63:0] address);
    return address >> (AddrBits + 6) == BaseAddress >> (AddrBits + 6) && address[5:0] == '0;
  endfunction
  always @(posedge clk_i) begin
    if (~rst_i & request_i.arvalid & ~is_inside(request_i.araddr)) $error("%m: araddr is outside");
    if (~rst_i & request_i.awvalid & ~is_inside(request_i.awaddr)) $error("%m: awaddr is outside");
  end

  if (Strict) begin : gen_strict
    bit stored[NumLines];
    always @(posedge clk_i) begin
      if (request_i.arvalid & arready & ~rst_i) begin
        if (addresses_in != writes_out) $error("%m: a read before a write is answered");
        if (!stored[asked]) $error("%m: a read of a line that is not stored");
      end
      if (bvalid & request_i.bready & ~fail_writes_i) stored[write_addr[writes_out]] <= 1'b1;
      if (rst_i) for (int n = 0; n < NumLines; n++) stored[n] <= 1'b0;
    end
  end
  wire unused = request_i.wlast;

endmodule
