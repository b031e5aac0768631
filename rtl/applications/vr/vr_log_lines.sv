// SPDX-License-Identifier: Apache-2.0
// The lines of a log: in block RAM or, with External, in a memory with an AXI4 port of 512 bits.
//
// Block RAM: a line is read with a latency of one cycle, and all lines are stored at once.
//
// External: line n is at BaseAddress plus 64 times a permutation of n in which 16 lines after each
// other are in 16 banks. Bursts have a single beat and no ID, so that responses are in order.
// Lines that will be written are announced before; announced_o and stored_o count them up to their
// write responses. Reading begins when all are stored: start_i gives the first line and how many,
// and line_o is the next one, while valid_o is high, until next_i. Up to ReadLines reads are
// outstanding. The memory must be reset with the witness: it holds no valid line after that.
//
// A write error counts as stored; error_o is high at the latest when stored_o counts the line.
`include "bombus_assert.svh"

module vr_log_lines
  import vr_pkg::*;
  import axi_line_pkg::*;
#(
    parameter int unsigned LogLines = 2048,  // a power of two
    parameter bit External = 0,
    parameter int unsigned AddrWidth = 34,  // External: of the memory
    parameter logic [63:0] BaseAddress = '0,  // External: a multiple of the bytes of the log
    localparam int unsigned LineBits = $clog2(LogLines)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic    [1:0] announce_i,   // lines that will be written, in any later cycle
    output logic          stalls_o,     // announce no more than 8 lines
    output writes_t       announced_o,
    output writes_t       stored_o,

    input logic                 write_i,
    input logic  [LineBits-1:0] write_addr_i,
    input line_t                line_i,

    input  logic                 start_i,      // External: reads
    input  logic  [LineBits-1:0] first_i,
    input  logic  [  LineBits:0] lines_i,
    input  logic  [LineBits-1:0] read_addr_i,  // block RAM: one cycle before line_o
    input  logic                 next_i,
    output line_t                line_o,
    output logic                 valid_o,

    output axi_request_t  axi_o,
    input  axi_response_t axi_i,
    output logic          error_o,  // one-cycle pulse
    output logic          busy_o
);

  if (External) begin : gen_external
    localparam int unsigned WriteLines = 64;  // announced lines, at most
    localparam int unsigned ReadLines = 64;
    localparam int unsigned BankBits = 2;  // lines of a bank before the next bank: those of HBM2
    localparam int unsigned SpreadBits = LineBits >= 6 ? 4 : LineBits - BankBits;
    localparam int unsigned LowBits = SpreadBits + BankBits;
    localparam logic [63:0] LogBytes = 64'(LogLines) * 64'(LineBytes);
    typedef logic [LineBits-1:0] addr_t;

    if (AddrWidth > 64 || BaseAddress % LogBytes != 0 ||
        ((65'(BaseAddress) + 65'(LogBytes) - 65'd1) >> AddrWidth) != '0) begin : gen_bad_address
      $error("vr_log_lines: BaseAddress must be a multiple of the log, which AddrWidth reaches");
    end

    // The lowest bits of the number of a line choose its bank.
    function automatic logic [63:0] address(addr_t line);
      addr_t place;
      place = line;
      place[LowBits-1:0] = {line[SpreadBits-1:0], line[LowBits-1:SpreadBits]};
      return BaseAddress | 64'({place, 6'b0});
    endfunction

    // ---- Writes ----

    wire writes_t open = announced_o - stored_o;
    logic address_valid, data_valid, unused_address_ready, unused_data_ready;
    logic unused_address_holds, unused_data_holds;
    addr_t write_addr;
    line_t write_line;
    stream_queue #(
        .data_t(addr_t),
        .Depth (WriteLines)
    ) u_addresses (
        .clk_i,
        .rst_i,
        .in_i(write_addr_i),
        .in_valid_i(write_i),
        .in_ready_o(unused_address_ready),
        .out_o(write_addr),
        .out_valid_o(address_valid),
        .out_ready_i(axi_i.awready),
        .holds_o(unused_address_holds)
    );
    stream_queue #(
        .data_t(line_t),
        .Depth (WriteLines)
    ) u_data (
        .clk_i,
        .rst_i,
        .in_i(line_i),
        .in_valid_i(write_i),
        .in_ready_o(unused_data_ready),
        .out_o(write_line),
        .out_valid_o(data_valid),
        .out_ready_i(axi_i.wready),
        .holds_o(unused_data_holds)
    );
    always_ff @(posedge clk_i) begin
      announced_o <= announced_o + writes_t'(announce_i);
      if (axi_i.bvalid) stored_o <= stored_o + 1'b1;
      stalls_o <= open > writes_t'(WriteLines - 16);
      error_o <= (axi_i.bvalid & (axi_i.bresp != '0)) |
          (axi_i.rvalid & axi_o.rready & (axi_i.rresp != '0));
      if (rst_i) begin
        announced_o <= '0;
        stored_o <= '0;
        stalls_o <= 1'b0;
        error_o <= 1'b0;
      end
    end

    // ---- Reads ----

    addr_t ask_q;  // next line
    logic [LineBits:0] left_q;
    logic [$clog2(ReadLines):0] pending_q;  // asked for, and not taken
    wire asks = (left_q != '0) & (open == '0) & (32'(pending_q) < ReadLines);
    wire asked = asks & axi_i.arready;
    wire taken = next_i & valid_o;
    logic unused_read_holds, read_ready;
    stream_queue #(
        .data_t(line_t),
        .Depth (ReadLines)
    ) u_read (
        .clk_i,
        .rst_i,
        .in_i(axi_i.rdata),
        .in_valid_i(axi_i.rvalid),
        .in_ready_o(read_ready),
        .out_o(line_o),
        .out_valid_o(valid_o),
        .out_ready_i(next_i),
        .holds_o(unused_read_holds)
    );
    always_ff @(posedge clk_i) begin
      if (start_i) begin
        ask_q  <= first_i;
        left_q <= lines_i;
      end else if (asked) begin
        ask_q  <= ask_q + 1'b1;
        left_q <= left_q - 1'b1;
      end
      pending_q <= pending_q + $bits(pending_q)'(asked) - $bits(pending_q)'(taken);
      if (rst_i) begin
        left_q <= '0;
        pending_q <= '0;
      end
    end

    assign axi_o = '{
            awaddr: address(write_addr),
            awvalid: address_valid,
            wdata: write_line,
            wstrb: '1,
            wlast: 1'b1,
            wvalid: data_valid,
            bready: 1'b1,
            araddr: address(ask_q),
            arvalid: asks,
            rready: read_ready
        };
    assign busy_o = (open != '0) | (pending_q != '0);
    wire unused = ^{read_addr_i, axi_i.rlast};

    `BOMBUS_ASSERT(RoomForLines, open <= writes_t'(WriteLines))
    `BOMBUS_ASSERT(LinesAreAnnounced, !write_i || open != '0)
    `BOMBUS_ASSERT(ResponseToWrite, !axi_i.bvalid || open != '0)
    `BOMBUS_ASSERT(RoomForReads, !axi_i.rvalid || read_ready)
    `BOMBUS_ASSERT(ReadsWhenStored, pending_q == '0 || open == '0)
  end else begin : gen_block
    sized_memory #(
        .data_t(line_t),
        .Depth (LogLines)
    ) u_memory (
        .clk_i,
        .write_addr_i,
        .data_i(line_i),
        .write_i,
        .read_addr_i,
        .data_o(line_o)
    );
    assign valid_o = 1'b1;
    assign {announced_o, stored_o} = '0;
    assign {stalls_o, error_o, busy_o} = '0;
    assign axi_o = '0;
    wire unused = ^{rst_i, announce_i, start_i, first_i, lines_i, next_i, axi_i};
  end

endmodule
