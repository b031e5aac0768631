// Chooses the replica with the fewest messages that have been sent to it and are
// not done yet; among equals the next one after the last choice.
//
// Loads are counted up to 2^LoadWidth - 1: one more is not counted, and a done_i
// that has no message is ignored, so that a count that is too low rights itself
// when the replica is through with its messages. One that is too high stays until
// the slot is written: a message must not get lost on its way to the replica, nor
// a slot lead to another replica than the one whose done_i it has.
//
// The choice is in flip-flops. The next one is worked out for both cases, that
// the present one is taken or not, so that take_i may come late. done_i counts
// in the choice after next.
module least_loaded #(
    parameter  int unsigned NumReplicas = 4,
    parameter  int unsigned LoadWidth   = 6,
    localparam int unsigned IndexWidth  = NumReplicas > 1 ? $clog2(NumReplicas) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic take_i,  // a message goes to choice_o
    input logic [NumReplicas-1:0] done_i,  // a replica is through with a message
    input logic [NumReplicas-1:0] forget_i,  // take its load for zero
    output logic [IndexWidth-1:0] choice_o
);

  typedef logic [LoadWidth-1:0] load_t;
  typedef logic [IndexWidth-1:0] index_t;

  load_t [NumReplicas-1:0] loads_q, loads_up;
  index_t choice_q;
  assign choice_o = choice_q;

  always_comb begin
    for (int unsigned i = 0; i < NumReplicas; i++) begin
      loads_up[i] = &loads_q[i] ? loads_q[i] : loads_q[i] + 1'b1;
    end
  end

  for (genvar i = 0; i < NumReplicas; i++) begin : gen_load
    wire up = take_i & (choice_q == index_t'(i));
    always_ff @(posedge clk_i) begin
      if (rst_i | forget_i[i]) loads_q[i] <= '0;
      else if (up & ~done_i[i]) loads_q[i] <= loads_up[i];
      else if (done_i[i] & ~up & |loads_q[i]) loads_q[i] <= loads_q[i] - 1'b1;
    end
  end

  // The least load, by halves; among equals the first one behind the last choice.
  localparam int unsigned Leaves = 1 << IndexWidth;
  typedef struct packed {
    load_t  load;
    logic   later;  // not behind the last choice: comes later among equals
    index_t index;
  } candidate_t;

  for (genvar taken = 0; taken < 2; taken++) begin : gen_case
    candidate_t [2*Leaves-2:0] tree;  // root 0; the children of n are 2n + 1 and 2n + 2
    for (genvar i = 0; i < Leaves; i++) begin : gen_leaf
      if (i < NumReplicas) begin : gen_replica
        wire is_choice = choice_q == index_t'(i);
        // While nothing is taken, the present choice is still the next one.
        wire is_earlier = 32'(choice_q) > i;
        assign tree[Leaves-1+i] = '{
                load: (taken == 1 && is_choice) ? loads_up[i] : loads_q[i],
                later: is_earlier || (taken == 1 && is_choice),
                index: index_t'(i)
            };
      end else begin : gen_absent
        assign tree[Leaves-1+i] = '{load: '1, later: 1'b1, index: index_t'(i)};
      end
    end
    for (genvar n = 0; n < Leaves - 1; n++) begin : gen_node
      wire right = {tree[2*n+2].load, tree[2*n+2].later} < {tree[2*n+1].load, tree[2*n+1].later};
      assign tree[n] = right ? tree[2*n+2] : tree[2*n+1];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) choice_q <= '0;
    else choice_q <= take_i ? gen_case[1].tree[0].index : gen_case[0].tree[0].index;
  end

endmodule
