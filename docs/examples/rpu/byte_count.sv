// SPDX-License-Identifier: Apache-2.0
// An accelerator of a packet processor: counts the bytes of each packet that have a value.
//
// The verdict is the count. The value is a word on the bus: 0x2001_0000. custom-0 with funct3 4 counts
// the bits of a register.
//
// Latency: the verdict is ready 3 cycles after the last beat. Throughput: one beat per cycle.
module byte_count #(
    parameter int unsigned DataWidth = 512
) (
    input logic clk_i,
    input logic rst_i,

    input logic accel_packet_i,
    input logic accel_packet_first_i,
    input logic accel_packet_last_i,
    input logic [7:0] accel_packet_slot_i,
    input logic [$clog2(DataWidth/8):0] accel_packet_bytes_i,
    input logic [DataWidth-1:0] accel_packet_data_i,
    output logic accel_judges_o,
    output logic accel_judged_o,
    output logic [7:0] accel_judged_slot_o,
    output logic [31:0] accel_verdict_o,

    input logic accel_bus_i,
    input logic accel_write_i,
    input logic [15:0] accel_addr_i,
    input logic [31:0] accel_wdata_i,
    output logic accel_bus_error_o,
    output logic [31:0] accel_rdata_o,

    input logic accel_custom_i,
    input logic [31:0] accel_first_i,
    output logic accel_custom_wait_o,
    output logic [31:0] accel_result_o
);

  localparam string Entry = "";  // receives no messages
  localparam int unsigned Bytes = DataWidth / 8;

  // The value.
  logic [7:0] value_q;
  always_ff @(posedge clk_i) begin
    if (accel_bus_i & accel_write_i & accel_addr_i == '0) value_q <= accel_wdata_i[7:0];
    if (rst_i) value_q <= '0;
  end
  assign accel_rdata_o = 32'(value_q);
  assign accel_bus_error_o = accel_addr_i != '0;

  // Which bytes match; then the count of a beat; then the count of the packet.
  logic [Bytes-1:0] found_q;
  logic [2:0] valid_q, first_q, last_q;
  logic [2:0][7:0] slot_q;
  logic [31:0] beat_q, count_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < Bytes; b++)
    found_q[b] <= accel_packet_data_i[8*b+:8] == value_q & b < 32'(accel_packet_bytes_i);
    beat_q <= $countones(found_q);
    if (valid_q[1]) count_q <= (first_q[1] ? '0 : count_q) + beat_q;

    valid_q <= {valid_q[1:0], accel_packet_i};
    first_q <= {first_q[1:0], accel_packet_first_i};
    last_q  <= {last_q[1:0], accel_packet_last_i};
    slot_q  <= {slot_q[1:0], accel_packet_slot_i};
    if (rst_i) valid_q <= '0;
  end
  assign accel_judges_o = 1'b1;
  assign accel_judged_o = valid_q[2] & last_q[2];
  assign accel_judged_slot_o = slot_q[2];
  assign accel_verdict_o = count_q;

  // The custom instruction: one cycle to count, then the result is ready.
  logic counted_q;
  always_ff @(posedge clk_i) begin
    counted_q <= accel_custom_i & ~counted_q & ~rst_i;
    accel_result_o <= $countones(accel_first_i);
  end
  assign accel_custom_wait_o = ~counted_q;

endmodule
