// SPDX-License-Identifier: Apache-2.0
// Accelerator of a packet processor: looks up a frame's IPv4 source address in a list of ranges
// written by registers at run time.
//
// The verdict is that of source_judge; bit 0: the address is on the list. A prefix becomes at most
// two boundaries (bombus.applications.firewall.blacklist): 2^Stages - 1 boundaries hold
// 2^(Stages - 1) - 1 prefixes. A list of half that size can be written into the unused half of the
// table; one write of the register `list` then replaces the list in use for all later frames.
//
// Latency: Stages + 2 cycles. Throughput: one beat per cycle.
module ip_blacklist
  import source_judge_pkg::*;
#(
    parameter type regs_t = logic,
    parameter type boundary_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned Stages = 11,
    localparam int unsigned NumBoundaries = 2 ** Stages - 1
) (
    input logic clk_i,
    input logic rst_i,

    input rpu_pkg::accel_packet_t accel_packet_i,
    input logic [$clog2(DataWidth/8):0] accel_packet_bytes_i,
    input logic [DataWidth-1:0] accel_packet_data_i,
    output rpu_pkg::accel_verdict_t accel_verdict_o,

    input logic                   boundary_request_i,
    input logic      [Stages-1:0] boundary_index_i,
    input logic                   boundary_write_i,
    input boundary_t              boundary_wdata_i,

    input regs_t regs_i,

    output logic [2:0] event_o
);

  localparam string Entry = "";  // receives no messages
  typedef judged_e event_e;

  if (Stages < 2 || NumBoundaries > 65535) begin : gen_bad_stages
    $error("ip_blacklist: Stages must be 2 to 16");
  end

  logic search, found, covered;
  logic [31:0] address;
  judged_frame_t frame, found_frame;
  logic [Stages-1:0] range;
  source_judge #(
      .DataWidth(DataWidth)
  ) u_judge (
      .clk_i,
      .rst_i,
      .packet_i(accel_packet_i),
      .bytes_i(accel_packet_bytes_i),
      .data_i(accel_packet_data_i),
      .verdict_o(accel_verdict_o),
      .event_o(event_o),
      .search_o(search),
      .address_o(address),
      .frame_o(frame),
      .found_i(found),
      .covered_i(covered),
      .range_i(17'(range)),
      .frame_i(found_frame)
  );
  range_search #(
      .Stages(Stages),
      .tag_t (judged_frame_t)
  ) u_search (
      .clk_i,
      .rst_i,
      .valid_i(search),
      .key_i(address),
      .tag_i(frame),
      .valid_o(found),
      .covered_o(covered),
      .range_o(range),
      .tag_o(found_frame),
      .write_i(boundary_request_i & boundary_write_i),
      .write_index_i(boundary_index_i),
      .write_boundary_i(boundary_wdata_i.address),
      .count_i(Stages'(regs_i.list.count)),
      .upper_i(regs_i.list.upper)
  );

endmodule
