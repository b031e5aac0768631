// SPDX-License-Identifier: Apache-2.0
// A counter bank and the timebase.
//
// Control: tick_us; bank read, bank index. Status: time, data and ready of the bank.
// Stream 0 feeds the bank: an item for each cycle with events.
`include "bench.svh"

module bench #(
    localparam int unsigned BankStreams = 2,
    localparam int unsigned NumEvents   = 5,
    localparam int unsigned BankWidth   = 20
) (
    `BENCH_PORTS(1, 15 * BankStreams + NumEvents, 1, 8, 1 + 4 + 16, (1 + BankWidth) + 32)
);

  `BENCH_SHAPE

  logic bank_read, bank_ready;
  logic [3:0] bank_index;
  logic [BankWidth-1:0] bank_data;
  logic [15:0] tick;
  logic [31:0] time_us;
  assign {tick, bank_read, bank_index} = control_i;

  logic [NumEvents-1:0] bank_events;
  logic [BankStreams-1:0] bank_messages;
  bombus_pkg::length_t [BankStreams-1:0] bank_bytes;
  assign {bank_events, bank_bytes, bank_messages} =
      in_i[0][15*BankStreams+NumEvents-1:0] & {15 * BankStreams + NumEvents{in_valid_i[0]}};

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

  timebase u_timebase (
      .clk_i,
      .rst_i,
      .tick_us_i(tick),
      .time_us_o(time_us)
  );

  assign status_o = {time_us, bank_data, bank_ready};
  assign in_ready_o = '1;
  assign out_valid_o = '0;
  assign out_o = '0;
  assign event_o = '0;

endmodule
