// SPDX-License-Identifier: Apache-2.0
// Set-up of a witness, by a message SetUp or by registers: judges it, and keeps the nonce.
//
// Latency: combinational in the cycle of set_up_i; refused_o and recovers one cycle later.
module vr_set_up
  import vr_pkg::*;
  import vr_state_pkg::*;
#(
    parameter type regs_t = logic  // from vr_witness.rdl
) (
    input logic clk_i,
    input logic rst_i,

    input regs_t  regs_i,
    input words_t word_i,     // fields of the message
    input logic   message_i,  // a message begins
    input logic   idle_i,     // no message is handled: the next set-up is by registers
    input logic   set_up_i,   // carries the set-up out
    input logic   renew_i,    // recovery begins again, with the next nonce
    input logic   is_off_i,   // state of the witness

    output facts_t          facts_o,        // those of the set-up; the others are 0
    output logic            set_address_o,
    output replica_t        slot_o,
    output address_t        address_o,
    output logic            recover_o,
    output replica_t        index_o,        // own
    output replica_t        replicas_o,
    output logic     [63:0] nonce_o,        // of the present recovery
    output logic            refused_o
);

  logic address_command_q, recover_command_q, commanded_q;
  logic [MaxReplicas-1:0] known_q;  // their addresses are set
  logic recovers_q;
  always_comb begin
    facts_o = '0;
    facts_o.set_up_pending = address_command_q | recover_command_q;
    facts_o.by_message = ~commanded_q;
    facts_o.recovers = recovers_q;
  end

  wire is_open = commanded_q | ~regs_i.control.locked;
  wire is_address = commanded_q ? address_command_q : word_i[0][31:0] == 32'd1;
  wire is_recover = commanded_q ? ~address_command_q : word_i[0][31:0] == 32'd2;
  wire is_query = ~commanded_q & (word_i[0][31:0] == '0);
  wire replica_t index = commanded_q ? regs_i.group.index : word_i[1][34:32];
  wire replica_t count = commanded_q ? regs_i.group.replicas : word_i[1][2:0];
  wire replica_t slot = commanded_q ? regs_i.address.slot : word_i[2][34:32];
  wire [31:0] ip = commanded_q ? regs_i.address.ip : word_i[2][31:0];
  wire [15:0] port = commanded_q ? regs_i.address.port : word_i[3][47:32];
  wire fits_address = commanded_q | (~|word_i[2][63:35] & ~|word_i[3][63:48]);
  wire fits_group = commanded_q | (~|word_i[1][63:35] & ~|word_i[1][31:3]);
  wire [63:0] message_nonce = {word_i[3][31:0], word_i[4][63:32]};
  wire set_address = is_address & is_open & fits_address;
  wire [MaxReplicas-1:0] group_slots = ~({MaxReplicas{1'b1}} << count);
  wire has_group = ~|(group_slots & ~known_q);
  wire set_recover = is_recover & is_open & fits_group & (index < count) & index[0] &
      (count == 3'd3 | count == 3'd5 | count == 3'd7) & has_group;
  // A nonce is used once: a set-up with the last one or an earlier one is a repeated message.
  wire [63:0] nonce = commanded_q | idle_i ? regs_i.nonce.value : message_nonce;
  logic old_q;
  wire is_repeated = ~is_off_i & old_q;

  assign set_address_o = set_up_i & set_address;
  assign slot_o = slot;
  assign address_o = '{ip: ip, port: port};
  assign recover_o = set_up_i & set_recover & ~is_repeated;
  assign index_o = index;
  assign replicas_o = count;

  always_ff @(posedge clk_i) begin
    if (message_i) commanded_q <= 1'b0;
    else if (idle_i) commanded_q <= 1'b1;
    if (regs_i.command.set_address) address_command_q <= 1'b1;
    else if (set_up_i & commanded_q) address_command_q <= 1'b0;
    if (regs_i.command.recover) recover_command_q <= 1'b1;
    else if (set_up_i & commanded_q & ~address_command_q) recover_command_q <= 1'b0;
    old_q <= nonce <= nonce_o;
    if (set_up_i) begin
      refused_o  <= ~(is_query | set_address | set_recover);
      recovers_q <= recover_o;
    end
    if (set_address_o) known_q[slot_o] <= 1'b1;
    if (recover_o | renew_i) nonce_o <= (set_up_i ? nonce : nonce_o) + 64'(renew_i);
    if (rst_i) begin
      known_q <= '0;
      address_command_q <= 1'b0;
      recover_command_q <= 1'b0;
    end
  end

endmodule
