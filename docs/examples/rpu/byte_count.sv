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

    input rpu_pkg::accel_packet_t accel_packet_i,
    input logic [$clog2(DataWidth/8):0] accel_packet_bytes_i,
    input logic [DataWidth-1:0] accel_packet_data_i,
    output rpu_pkg::accel_verdict_t accel_verdict_o,

    input  rpu_pkg::accel_bus_request_t  accel_bus_request_i,
    output rpu_pkg::accel_bus_response_t accel_bus_response_o,

    input  rpu_pkg::accel_custom_request_t  accel_custom_request_i,
    output rpu_pkg::accel_custom_response_t accel_custom_response_o
);

  localparam string Entry = "";  // receives no messages
  localparam int unsigned Bytes = DataWidth / 8;

  // The value.
  logic [7:0] value_q;
  always_ff @(posedge clk_i) begin
    if (accel_bus_request_i.valid & accel_bus_request_i.write & accel_bus_request_i.addr == '0)
      value_q <= accel_bus_request_i.data[7:0];
    if (rst_i) value_q <= '0;
  end
  assign accel_bus_response_o = '{
          stall: 1'b0,
          error: accel_bus_request_i.addr != '0,
          data: 32'(value_q)
      };

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

    valid_q <= {valid_q[1:0], accel_packet_i.valid};
    first_q <= {first_q[1:0], accel_packet_i.first};
    last_q  <= {last_q[1:0], accel_packet_i.last};
    slot_q  <= {slot_q[1:0], accel_packet_i.slot};
    if (rst_i) valid_q <= '0;
  end
  assign accel_verdict_o = '{
          judges: 1'b1,
          valid: valid_q[2] & last_q[2],
          slot: slot_q[2],
          verdict: count_q
      };

  // The custom instruction: one cycle to count, then the result is ready.
  logic counted_q;
  logic [31:0] result_q;
  always_ff @(posedge clk_i) begin
    counted_q <= accel_custom_request_i.valid & ~counted_q & ~rst_i;
    result_q  <= $countones(accel_custom_request_i.first);
  end
  assign accel_custom_response_o = '{stall: ~counted_q, result: result_q};

endmodule
