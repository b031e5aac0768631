// SPDX-License-Identifier: Apache-2.0
// Kernel of a processing element: writes a word of 32 bits, lowest byte first, to all words of
// `length` bytes of the memory from `address` on. Both are multiples of DataBytes, or are rounded
// down to one. Its value is the number of bytes, or all ones after a write error, or if bytes are
// beyond the memory.
//
// Throughput: one beat per cycle. It ends 2 cycles after the last response. A stop waits for the
// bursts that are requested.
`include "axi_ports.svh"

module fill_words #(
    parameter int unsigned DataWidth = 512,  // 64 to 1024
    parameter int unsigned AddrWidth = 32,
    localparam int unsigned NumArguments = 3,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    input logic kernel_start_i,
    input logic [NumArguments-1:0][63:0] kernel_arguments_i,
    output logic kernel_done_o,
    output logic [63:0] kernel_result_o,
    input logic kernel_stop_i,

    `BOMBUS_AXI_WRITE_INITIATOR(memory)

    output logic busy_o
);

  localparam string Entry = "";
  localparam string Status = "kernel";
  localparam int unsigned ByteShift = $clog2(DataBytes);
  typedef logic [AddrWidth-ByteShift:0] beat_count_t;

  typedef struct packed {
    logic [31:0] unused;
    logic [31:0] word;
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
      .addr_o   (memory_awaddr_o),
      .len_o    (memory_awlen_o),
      .valid_o  (memory_awvalid_o),
      .ready_i  (memory_awready_i)
  );

  beat_count_t missing_q;  // beats of requested bursts that are not sent
  beat_count_t answers_q;  // bursts without a response
  logic [3:0] place_q;  // of the beat: bursts end at a multiple of 16
  logic running_q, error_q;
  logic [63:0] bytes_q;
  wire sent = memory_wvalid_o & memory_wready_i;
  wire ends = running_q & ~left & answers_q == '0;

  assign memory_wdata_o  = {DataWidth / 32{arguments.word}};
  assign memory_wstrb_o  = '1;
  assign memory_wvalid_o = missing_q != '0;
  assign memory_wlast_o  = place_q == '1 | (missing_q == beat_count_t'(1) & ~left);
  assign memory_bready_o = 1'b1;

  always_ff @(posedge clk_i) begin
    kernel_done_o   <= ends & ~rst_i;
    kernel_result_o <= error_q ? '1 : bytes_q;
    if (kernel_start_i) begin
      place_q <= 4'(arguments.address >> ByteShift);
      bytes_q <= '0;
      error_q <= beyond;
    end else begin
      if (sent) begin
        place_q <= place_q + 1'b1;
        bytes_q <= bytes_q + 64'(DataBytes);
      end
      if (memory_bvalid_i & memory_bresp_i != '0) error_q <= 1'b1;
    end
    if (rst_i) begin
      running_q <= 1'b0;
      missing_q <= '0;
      answers_q <= '0;
    end else begin
      running_q <= kernel_start_i | (running_q & ~ends);
      missing_q <= missing_q + beat_count_t'(requested) - beat_count_t'(sent);
      answers_q <= answers_q + beat_count_t'(requested != '0) - beat_count_t'(memory_bvalid_i);
    end
  end

  assign busy_o = kernel_start_i | running_q | kernel_done_o;
  wire unused = &arguments.unused;

endmodule
