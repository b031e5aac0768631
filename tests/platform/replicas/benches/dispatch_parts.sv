// SPDX-License-Identifier: Apache-2.0
// The parts of a choice between replicas: hashes of every width, the least loaded of 2, 3, 5 and 8,
// with NumOthers further senders, and completions with two ends and undispatched messages.
//
// Control, from the lowest bits: idle, finished, entered; for each of the four forget (8), done
// (8), take; data to hash; an undispatched message; for each of the four away, and what two others send
// (8 x 2); hold of completions. Status: done of completions; the four choices,
// 3 bits each; the hashes of 1 to 8 bits, 8 bits each; the messages that the four dispatched, 8 bits
// each; whether they have room, and whether it is scarce.
`include "bench.svh"

module bench #(
    parameter  int unsigned NumOthers   = 0,
    parameter  int unsigned Limit       = 0,
    localparam int unsigned OtherWidth  = NumOthers > 0 ? NumOthers : 1,
    localparam int unsigned NumChoices  = 4,
    localparam int unsigned MaxReplicas = 8,
    localparam int unsigned ChoiceBits  = 2 * MaxReplicas + 1
) (
    `BENCH_PORTS(1, 8, 1, 8, 6 + NumChoices * (ChoiceBits + 17) + 64,
                 1 + 3 * NumChoices + 64 + NumChoices * (MaxReplicas + 2))
);

  `BENCH_SHAPE

  logic [1:0] finished;
  logic idle, entered, other, hold, done_told;
  logic [NumChoices-1:0] has_room, scarce;
  logic [NumChoices-1:0] take;
  logic [NumChoices-1:0][MaxReplicas-1:0] done, forget;
  logic [NumChoices-1:0][2:0] choice;
  logic [63:0] data;
  logic [7:0][7:0] hash;

  assign {idle, finished, entered} = {control_i[0], control_i[2:1], control_i[3]};
  assign data = control_i[4+NumChoices*ChoiceBits+:64];
  assign other = control_i[4+NumChoices*ChoiceBits+64];
  for (genvar n = 0; n < NumChoices; n++) begin : gen_control
    assign {take[n], done[n], forget[n]} = control_i[4+n*ChoiceBits+:ChoiceBits];
  end
  logic [NumChoices-1:0] away;
  logic [NumChoices-1:0][MaxReplicas-1:0][1:0] others;
  logic [NumChoices-1:0][MaxReplicas-1:0] dispatched;
  assign {hold, others, away} = control_i[5+NumChoices*ChoiceBits+64+:1+NumChoices*17];
  assign status_o = {scarce, has_room, dispatched, hash, choice, done_told};

  for (genvar n = 0; n < NumChoices; n++) begin : gen_choice
    localparam int unsigned NumReplicas = n == 3 ? 8 : n == 2 ? 5 : n + 2;
    logic [$clog2(NumReplicas)-1:0] index;
    logic [NumReplicas-1:0][OtherWidth-1:0] other_takes;
    always_comb begin
      for (int unsigned r = 0; r < NumReplicas; r++) other_takes[r] = others[n][r][OtherWidth-1:0];
    end
    logic [NumReplicas-1:0] own_dispatched;
    assign dispatched[n] = MaxReplicas'(own_dispatched);
    least_loaded #(
        .NumReplicas(NumReplicas),
        .LoadWidth  (n == 0 ? 2 : 6),
        .NumOthers  (NumOthers),
        .Limit      (n == 0 ? 0 : Limit)
    ) u_least_loaded (
        .clk_i,
        .rst_i,
        .take_i(take[n]),
        .lost_i(1'b0),
        .done_i(done[n][NumReplicas-1:0]),
        .others_i(other_takes),
        .clear_i(forget[n][NumReplicas-1:0]),
        .redirected_i(away[n]),
        .dispatched_o(own_dispatched),
        .choice_o(index),
        .has_room_o(has_room[n]),
        .scarce_o(scarce[n])
    );
    assign choice[n] = 3'(index);
  end

  for (genvar n = 1; n <= 8; n++) begin : gen_hash
    logic [n-1:0] value;
    crc_hash #(
        .DataWidth(64),
        .HashWidth(n)
    ) u_hash (
        .data_i(data),
        .hash_o(value)
    );
    assign hash[n-1] = 8'(value);
  end

  completions #(
      .NumEnds  (2),
      .NumOthers(1)
  ) u_completions (
      .clk_i,
      .rst_i,
      .entered_i(entered),
      .others_i(other),
      .finished_i(finished),
      .idle_i(idle),
      .hold_i(hold),
      .done_o(done_told)
  );

  assign in_ready_o = '1;
  assign out_valid_o = '0;
  assign out_o = '0;
  assign event_o = '0;

endmodule
