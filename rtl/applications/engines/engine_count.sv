// SPDX-License-Identifier: Apache-2.0
// Engine that counts the packets and bytes of each flow, and keeps the hash of its last packet.
// Software reads them as the table `flows` (engine_count.rdl) without disturbing packets.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module engine_count
  import bombus_pkg::*;
  import engine_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type flows_t = logic,  // a table entry as software reads it
    parameter int unsigned Engine = 4,  // its number in engine sequences
    parameter bit CutsReady = 0,  // passed to output_stage
    // Engines that may follow, filled in by Bombus
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NumFlows = engine_pkg::FlowCount,
    localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                          flows_request_i,  // held until flows_done_o
    input  logic   [$clog2(NumFlows)-1:0] flows_index_i,
    output flows_t                        flows_rdata_o,
    output logic                          flows_done_o,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,

    output logic busy_o
);

  localparam string Entry = "engine_count";
  localparam string Takes = "engine_packet";
  localparam string Sends = "engine_packet";
  localparam bit Forwards = 1'b1;
  localparam string Binds = "engine";
  localparam int unsigned BindsWidth = 5;
  typedef enum int unsigned {NextBound} next_e;

  logic first;
  wire  taken = in_valid_i & in_ready_o;

  engine_output #(
      .beat_t(beat_t),
      .Engine(Engine),
      .CutsReady(CutsReady),
      .NumBound(NumBound),
      .NumBoundHops(NumBoundHops),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_out (
      .in_first_o(first),
      .*
  );

  // ---- One packet per cycle: read in the first cycle, add and write in the second ----

  typedef struct packed {
    logic [31:0] packets;
    logic [47:0] bytes;
    logic [31:0] hash;
  } counts_t;

  engine_packet_meta_t meta;
  assign meta = engine_packet_meta_t'(in_i.meta);
  logic counting_q;
  flow_t flow_q;
  length_t length_q;
  logic [31:0] hash_q;
  always_ff @(posedge clk_i) begin
    counting_q <= taken & first & ~rst_i;
    flow_q <= meta.flow;
    length_q <= in_i.length;
    hash_q <= meta.hash;
  end

  (* ram_style = "distributed" *) counts_t ram[NumFlows];
  logic [NumFlows-1:0] used_q;  // entries not used yet read as zero
  counts_t counted_q, next, shown;
  logic adding_q;
  flow_t adding_flow_q;
  length_t adding_length_q;
  logic [31:0] adding_hash_q;
  assign next = '{
          packets: counted_q.packets + 1'b1,
          bytes: counted_q.bytes + 48'(adding_length_q),
          hash: adding_hash_q
      };
  always_ff @(posedge clk_i) begin
    adding_q <= counting_q & ~rst_i;
    adding_flow_q <= flow_q;
    adding_length_q <= length_q;
    adding_hash_q <= hash_q;
    // The sum being added is not in the memory yet.
    if (adding_q & (adding_flow_q == flow_q)) counted_q <= next;
    else counted_q <= used_q[flow_q] ? ram[flow_q] : '0;
  end
  always_ff @(posedge clk_i) begin
    if (adding_q) ram[adding_flow_q] <= next;
    if (rst_i) used_q <= '0;
    else if (adding_q) used_q[adding_flow_q] <= 1'b1;
  end

  // ---- Software reads an entry atomically ----

  assign shown = used_q[flows_index_i] ? ram[flows_index_i] : '0;
  always_ff @(posedge clk_i) begin
    flows_rdata_o.packets <= shown.packets;
    flows_rdata_o.bytes <= shown.bytes;
    flows_rdata_o.hash <= shown.hash;
    flows_done_o <= flows_request_i & ~flows_done_o & ~rst_i;
  end

  assign busy_o = out_valid_o | counting_q | adding_q;

endmodule
