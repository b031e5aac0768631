// SPDX-License-Identifier: Apache-2.0
// A counter bank, the registers of a tile, those of the host, and the timebase.
//
// Control: tick_us, port (0: tile, 1: host), wdata, addr, write, valid; bank
// read, bank index. Status: host, time, table write (data, index, write), rdata
// and ready of the tile, of the host, data and ready of the bank. Stream 0
// feeds the bank, stream 1 the tile: an item for each cycle with events.
`include "bench.svh"

module bench #(
    localparam int unsigned BankStreams = 2,
    localparam int unsigned NumEvents   = 5,
    localparam int unsigned BankWidth   = 20,
    localparam int unsigned TileStreams = 4
) (
    `BENCH_PORTS(2, 15 * TileStreams + NumEvents, 1, 8, 1 + 4 + 1 + 1 + 12 + 32 + 1 + 16,
                 (1 + BankWidth) + 33 + 33 + 42 + 32 + $bits(bombus_pkg::host_t))
);

  `BENCH_SHAPE

  logic bank_read, bank_ready;
  logic [3:0] bank_index;
  logic [BankWidth-1:0] bank_data;
  logic reg_valid, reg_write, is_host;
  logic [11:0] reg_addr;
  logic [31:0] reg_wdata;
  logic [15:0] tick;
  assign {tick, is_host, reg_wdata, reg_addr, reg_write, reg_valid, bank_read, bank_index} =
      control_i;

  logic [NumEvents-1:0] bank_events, tile_events;
  logic [BankStreams-1:0] bank_messages;
  logic [BankStreams-1:0][13:0] bank_bytes;
  logic [TileStreams-1:0] tile_messages;
  logic [TileStreams-1:0][13:0] tile_bytes;
  assign {bank_events, bank_bytes, bank_messages} =
      in_i[0][15*BankStreams+NumEvents-1:0] & {15 * BankStreams + NumEvents{in_valid_i[0]}};
  assign {tile_events, tile_bytes, tile_messages} =
      in_i[1][15*TileStreams+NumEvents-1:0] & {15 * TileStreams + NumEvents{in_valid_i[1]}};

  counter_bank #(
      .NumStreams(BankStreams),
      .NumEvents (NumEvents),
      .Width     (BankWidth)
  ) u_bank (
      .clk_i,
      .rst_i,
      .message_i(bank_messages),
      .bytes_i(bank_bytes),
      .event_i(bank_events),
      .read_index_i(bank_index),
      .read_i(bank_read),
      .read_ready_o(bank_ready),
      .read_data_o(bank_data)
  );

  logic tile_ready, host_ready, table_write;
  logic [31:0] tile_rdata, host_rdata, table_wdata, time_us;
  logic [8:0] table_index;
  tile_registers #(
      .NumEvents(NumEvents)
  ) u_tile (
      .clk_i,
      .rst_i,
      .in_message_i(tile_messages[0]),
      .in_bytes_i(tile_bytes[0]),
      .out_message_i(tile_messages[1]),
      .out_bytes_i(tile_bytes[1]),
      .mac_in_message_i(tile_messages[2]),
      .mac_in_bytes_i(tile_bytes[2]),
      .mac_out_message_i(tile_messages[3]),
      .mac_out_bytes_i(tile_bytes[3]),
      .event_i(tile_events),
      .reg_valid_i(reg_valid & ~is_host),
      .reg_write_i(reg_write),
      .reg_addr_i(reg_addr),
      .reg_wdata_i(reg_wdata),
      .reg_ready_o(tile_ready),
      .reg_rdata_o(tile_rdata),
      .table_ready_i(1'b1),
      .table_write_o(table_write),
      .table_index_o(table_index),
      .table_wdata_o(table_wdata)
  );

  bombus_pkg::host_t host;
  host_registers #(
      .Init('{mac: 48'h020304050607, ip: 32'h0A000001, netmask: 32'hFFFFFF00, gateway: '0})
  ) u_host (
      .clk_i,
      .rst_i,
      .reg_valid_i(reg_valid & is_host),
      .reg_write_i(reg_write),
      .reg_addr_i(reg_addr),
      .reg_wdata_i(reg_wdata),
      .reg_ready_o(host_ready),
      .reg_rdata_o(host_rdata),
      .host_o(host)
  );

  timebase u_timebase (
      .clk_i,
      .rst_i,
      .tick_us_i(tick),
      .time_us_o(time_us)
  );

  assign status_o = {
    host,
    time_us,
    table_wdata,
    table_index,
    table_write,
    host_rdata,
    host_ready,
    tile_rdata,
    tile_ready,
    bank_data,
    bank_ready
  };
  assign in_ready_o = '1;
  assign out_valid_o = '0;
  assign out_o = '0;
  assign event_o = {62'b0, host_ready, tile_ready};

endmodule
