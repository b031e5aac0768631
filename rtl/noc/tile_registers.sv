// SPDX-License-Identifier: Apache-2.0
// Register port of a tile: its counters, its next-hop table and slots
// (docs/architecture.md, Registers).
//
// Reading a counter's low word keeps its high word for the read that follows.
// Answers in a few to NumEvents + 12 cycles; an address that nothing stands at
// reads as zero.
module tile_registers #(
    parameter int unsigned NumNetworks = 1,
    parameter int unsigned NumEvents   = 1
) (
    input logic clk_i,
    input logic rst_i,

    // Streams that cross the tile's boundary: from and to the mesh of each network, from
    // and to a MAC.
    input logic [NumNetworks-1:0] in_message_i,
    input logic [NumNetworks-1:0][13:0] in_bytes_i,
    input logic [NumNetworks-1:0] out_message_i,
    input logic [NumNetworks-1:0][13:0] out_bytes_i,
    input logic mac_in_message_i,
    input logic [13:0] mac_in_bytes_i,
    input logic mac_out_message_i,
    input logic [13:0] mac_out_bytes_i,
    input logic [NumEvents-1:0] event_i,

    input  logic        reg_valid_i,  // held until reg_ready_o
    input  logic        reg_write_i,
    input  logic [11:0] reg_addr_i,
    input  logic [31:0] reg_wdata_i,
    output logic        reg_ready_o,
    output logic [31:0] reg_rdata_o,  // zero unless reg_ready_o

    input  logic        table_ready_i,  // a write can be taken
    output logic        table_write_o,
    output logic [ 8:0] table_index_o,
    output logic [31:0] table_wdata_o
);

  localparam int unsigned NumStreams = 2 * NumNetworks + 2;
  localparam int unsigned NumCounters = 2 * NumStreams + NumEvents;
  localparam int unsigned IndexWidth = $clog2(NumCounters);
  localparam int unsigned Width = 48;

  wire is_table = reg_addr_i[11];
  wire [7:0] counter = reg_addr_i[10:3];
  wire is_counter = ~is_table & (32'(counter) < NumCounters);
  wire is_high = reg_addr_i[2];

  // The first network's come first, those of further networks after the MAC's.
  logic [NumStreams-1:0] message;
  logic [NumStreams-1:0][13:0] bytes;
  always_comb begin
    message[3:0] = {mac_out_message_i, mac_in_message_i, out_message_i[0], in_message_i[0]};
    bytes[3:0]   = {mac_out_bytes_i, mac_in_bytes_i, out_bytes_i[0], in_bytes_i[0]};
    for (int unsigned n = 1; n < NumNetworks; n++) begin
      message[2*n+2+:2] = {out_message_i[n], in_message_i[n]};
      bytes[2*n+2+:2]   = {out_bytes_i[n], in_bytes_i[n]};
    end
  end

  logic counter_ready;
  logic [Width-1:0] counter_data;
  counter_bank #(
      .NumStreams(NumStreams),
      .NumEvents (NumEvents),
      .Width     (Width)
  ) u_counters (
      .clk_i,
      .rst_i,
      .message_i(message),
      .bytes_i(bytes),
      .event_i,
      .read_index_i(counter[IndexWidth-1:0]),
      .read_i(reg_valid_i & ~reg_write_i & is_counter & ~is_high & ~reg_ready_o),
      .read_ready_o(counter_ready),
      .read_data_o(counter_data)
  );

  logic [Width-33:0] high_q;
  // Everything but a counter's low word answers at once; the table after it has been filled.
  wire at_once = reg_write_i ? (~is_table | table_ready_i) : (~is_counter | is_high);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      reg_ready_o <= 1'b0;
      reg_rdata_o <= '0;
      high_q <= '0;
    end else begin
      reg_ready_o <= reg_valid_i & ~reg_ready_o & (at_once | counter_ready);
      reg_rdata_o <= is_high ? 32'(high_q) : counter_data[31:0];
      if (~reg_valid_i | reg_ready_o | reg_write_i | ~is_counter | (~is_high & ~counter_ready)) begin
        reg_rdata_o <= '0;
      end
      if (counter_ready) high_q <= counter_data[Width-1:32];
    end
  end

  assign table_write_o = reg_valid_i & reg_ready_o & reg_write_i & is_table;
  assign table_index_o = reg_addr_i[10:2];
  assign table_wdata_o = reg_wdata_i;

endmodule
