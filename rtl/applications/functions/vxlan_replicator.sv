// SPDX-License-Identifier: Apache-2.0
// Head-end replication: stores a frame that must be replicated, and sends a copy to each end of a
// list. Other frames pass.
//
// A copy is sent for each entry that is valid when the frame begins and still when its copy begins.
// A frame for an empty list passes.
//
// Latency: 0 cycles; of a replicated frame, its beats and 2 cycles. Throughput: one beat per cycle,
// and one cycle more for each copy.
module vxlan_replicator #(
    parameter type beat_t = logic,
    parameter type head_t = logic,  // what accompanies a frame
    parameter int unsigned NumReplicas = 8,
    parameter int unsigned Depth = 32  // beats of the longest replicated frame
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumReplicas-1:0] list_valid_i,
    input logic [NumReplicas-1:0][31:0] list_i,

    input  beat_t        in_i,
    input  logic         in_first_i,
    input  head_t        head_i,
    input  logic         replicate_i,
    input  logic  [31:0] remote_i,
    input  logic         in_valid_i,
    output logic         in_ready_o,

    output beat_t        out_o,
    output head_t        head_o,
    output logic  [31:0] remote_o,
    output logic         out_valid_o,
    input  logic         out_ready_i,
    output logic         replicated_o,  // a pulse for each replicated frame
    output logic         is_copy_o,
    output logic         copied_o,      // a pulse for each copy, with its last beat
    output logic         busy_o
);

  typedef logic [(Depth > 1 ? $clog2(Depth) : 1)-1:0] place_t;

  typedef enum logic [1:0] {
    StatePass,
    StateStore,
    StateRead,   // the memory is read
    StateSend
  } state_e;
  state_e state_q;
  head_t head_q;
  logic [NumReplicas-1:0] rest_q;  // ends without a copy
  logic [31:0] remote_q;
  place_t write_q, read_q;

  wire begins = state_q == StatePass & in_valid_i & in_first_i & replicate_i & |list_valid_i;
  wire stores = begins | (state_q == StateStore & in_valid_i);
  wire passes = state_q == StatePass & ~begins;
  wire sends = state_q == StateSend;
  wire taken = sends & out_ready_i;
  assign in_ready_o = stores | (passes & out_ready_i);

  wire  [NumReplicas-1:0] rest = sends ? rest_q : rest_q & list_valid_i;
  wire  [NumReplicas-1:0] lowest = rest & (~rest + 1'b1);
  logic [           31:0] remote;
  always_comb begin
    remote = '0;
    for (int unsigned n = 0; n < NumReplicas; n++) remote |= list_i[n] & {32{lowest[n]}};
  end

  beat_t stored;
  wire ends = taken & stored.last;
  wire place_t read_d = ends ? '0 : read_q + place_t'(taken);
  sized_memory #(
      .data_t(beat_t),
      .Depth (Depth < 2 ? 2 : Depth)
  ) u_beats (
      .clk_i,
      .write_addr_i(write_q),
      .data_i(in_i),
      .write_i(stores),
      .read_addr_i(read_d),
      .data_o(stored)
  );

  always_ff @(posedge clk_i) begin
    read_q   <= sends ? read_d : '0;
    remote_q <= sends ? remote_q : remote;
    if (stores) write_q <= in_i.last ? '0 : write_q + 1'b1;
    if (begins) begin
      head_q <= head_i;
      rest_q <= list_valid_i;
    end else if (state_q == StateRead) rest_q <= rest;
    else if (ends) rest_q <= rest_q & ~lowest;
    unique case (state_q)
      StatePass:  if (begins) state_q <= in_i.last ? StateRead : StateStore;
      StateStore: if (in_valid_i & in_i.last) state_q <= StateRead;
      StateRead:  state_q <= rest == '0 ? StatePass : StateSend;
      default:    if (ends) state_q <= (rest_q & ~lowest) == '0 ? StatePass : StateRead;
    endcase
    if (rst_i) begin
      state_q <= StatePass;
      write_q <= '0;
      read_q  <= '0;
    end
  end

  assign is_copy_o = state_q != StatePass;
  assign out_o = is_copy_o ? stored : in_i;
  assign head_o = is_copy_o ? head_q : head_i;
  assign remote_o = is_copy_o ? remote_q : remote_i;
  assign out_valid_o = sends | (passes & in_valid_i);
  assign replicated_o = begins;
  assign copied_o = ends;
  assign busy_o = is_copy_o;

endmodule
