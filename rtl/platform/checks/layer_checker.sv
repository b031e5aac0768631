// SPDX-License-Identifier: Apache-2.0
// Simulation only: checks the declarations of a layer about waiting (docs/architecture.md,
// "Waiting"), and reports violations with the name of the layer.
//
// - An input may stall a beat for longer than MaxBusyCycles only while an output that it may wait
//   for is stalled, or a message is missing on an input that it waits for. If the messages of that
//   input are answers, a request must be outstanding. Cycles in which a beat is stalled without
//   such an excuse are added up.
// - An input with room for n messages takes n, whatever else is stalled: n unanswered messages if
//   an output serves the input, else the first n after the layer was idle. (The checker does not
//   know which of these have left since; the room may be larger.)
// - An output that serves an input sends one message for each received there, and has answered all
//   of them when the layer is idle.
// - An output with one message for each of an input sends as many as that has taken, none later
//   because another output is stalled, and has sent all of them when the layer is idle.
// - An output that has begun a message ends it, even while other outputs are stalled, or while the
//   layer lacks an answer or another message that it waits for.
// - An output has no more requests outstanding than credits, and gets no more answers than it has
//   sent requests. The senders of the answers are named, since the fault is theirs.
// - A layer that forwards sends no more messages and beats than it has taken and not yet sent.
//   Those that remain when it is idle count as dropped.
module layer_checker #(
    parameter int unsigned NumInputs = 1,
    parameter int unsigned NumOutputs = 1,
    parameter logic [NumInputs-1:0][NumOutputs-1:0] WaitsForOutputs = '1,
    parameter logic [NumInputs-1:0][NumInputs-1:0] WaitsForInputs = '0,
    parameter logic [NumInputs-1:0][31:0] Room = '0,  // in messages
    parameter logic [NumOutputs-1:0][31:0] Credits = '0,  // 0: no bound
    // By output: the input with the requests that it answers
    parameter logic [NumOutputs-1:0][NumInputs-1:0] Serves = '0,
    // By output: the inputs for each of whose messages it sends one
    parameter logic [NumOutputs-1:0][NumInputs-1:0] OneForEach = '0,
    // By output: the input on which its requests are answered
    parameter logic [NumOutputs-1:0][NumInputs-1:0] AnsweredBy = '0,
    parameter string AnswersFrom = "",  // layers that send the answers
    parameter bit Forwards = 0,
    parameter int unsigned MaxBusyCycles = 4096  // 0: no bound
) (
    input logic clk_i,
    input logic rst_i,
    input logic busy_i, // a message is inside

    input logic [ NumInputs-1:0] in_valid_i,
    input logic [ NumInputs-1:0] in_ready_i,
    input logic [ NumInputs-1:0] in_last_i,
    input logic [NumOutputs-1:0] out_valid_i,
    input logic [NumOutputs-1:0] out_ready_i,
    input logic [NumOutputs-1:0] out_last_i
);

  if (NumInputs < 1 || NumOutputs < 1) begin : gen_bad_shape
    $error("layer_checker: NumInputs and NumOutputs must be at least 1");
  end

  logic [ NumInputs-1:0] in_inside_q;  // inside a message
  logic [NumOutputs-1:0] out_inside_q;
  wire  [ NumInputs-1:0] in_taken = in_valid_i & in_ready_i;
  wire  [NumOutputs-1:0] out_taken = out_valid_i & out_ready_i;
  wire  [NumOutputs-1:0] out_stopped = out_valid_i & ~out_ready_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_inside_q  <= '0;
      out_inside_q <= '0;
    end else begin
      in_inside_q  <= (in_inside_q | in_taken) & ~(in_taken & in_last_i);
      out_inside_q <= (out_inside_q | out_taken) & ~(out_taken & out_last_i);
    end
  end

  // An answer counts as missing only while a request for it is outstanding or offered.
  logic [NumOutputs-1:0] awaits;
  logic [ NumInputs-1:0] missing;
  logic [ NumInputs-1:0] lacking;  // missing, and the layer may need it
  always_comb begin
    missing = ~in_valid_i;
    lacking = '0;
    for (int unsigned i = 0; i < NumInputs; i++) lacking |= WaitsForInputs[i];
    for (int unsigned o = 0; o < NumOutputs; o++) begin
      lacking |= AnsweredBy[o];
      if (Credits[o] != '0 && !awaits[o]) missing &= ~AnsweredBy[o];
    end
    lacking &= missing;
  end

  for (genvar i = 0; i < NumInputs; i++) begin : gen_input
    int unsigned stopped_q, held_q;  // held: messages taken since the layer was idle
    wire excused = |(WaitsForOutputs[i] & out_stopped) | |(WaitsForInputs[i] & missing);
    int unsigned open_q;  // for a served input: messages begun and not answered
    logic [NumOutputs-1:0] serving;
    for (genvar o = 0; o < NumOutputs; o++) begin : gen_serving
      assign serving[o] = Serves[o][i];
    end
    wire served = |serving;
    wire between = ~in_inside_q[i];
    wire begins = in_taken[i] & between;
    wire [31:0] begun = open_q + 32'(begins);
    wire [31:0] answered = $countones(serving & out_taken & out_last_i);
    // Answers that are missing when the layer is idle will not be sent.
    wire lost = served & ~busy_i & between & (open_q != 0);
    wire [31:0] remaining = begun - (lost ? open_q : 0);
    wire has_room = (served ? open_q + 32'(between) : held_q + 1) <= Room[i];
    wire stopped = in_valid_i[i] & ~in_ready_i[i] & (~excused | has_room);
    always_ff @(posedge clk_i) begin
      if (rst_i | in_taken[i] | ~in_valid_i[i]) stopped_q <= 0;
      else stopped_q <= stopped_q + 32'(stopped);
      if (rst_i) held_q <= 0;
      else held_q <= (busy_i ? held_q : 0) + 32'(in_taken[i] & in_last_i[i]);
      if (rst_i) open_q <= 0;
      else open_q <= remaining - (answered < remaining ? answered : remaining);
      if (!rst_i) begin
        assert (!lost)
        else $error("input %0d: %0d messages have no answer, and the layer is idle", i, open_q);
        assert (!served || answered <= begun)
        else $error("input %0d: an answer without a request", i);
        assert (MaxBusyCycles == 0 || !stopped || stopped_q != MaxBusyCycles)
        else $error("input %0d waits for what it promised not to wait for", i);
      end
    end
  end

  wire fed = ~|(in_inside_q & ~in_valid_i);  // every input that is inside a message has a beat

  for (genvar o = 0; o < NumOutputs; o++) begin : gen_exact
    for (genvar i = 0; i < NumInputs; i++) begin : gen_each
      if (OneForEach[o][i]) begin : gen_one
        int unsigned due_q, held_q;  // messages begun at the input and not at the output
        wire begun = in_taken[i] & ~in_inside_q[i];
        wire sent = out_taken[o] & ~out_inside_q[o];
        wire lost = ~busy_i & ~in_inside_q[i] & ~out_inside_q[o] & (due_q != 0);
        wire [31:0] due = (lost ? 0 : due_q) + 32'(begun);
        wire held = (due_q != 0) & ~out_inside_q[o] & ~out_valid_i[o] & (|out_stopped) & fed &
            ~|lacking;
        always_ff @(posedge clk_i) begin
          if (rst_i) due_q <= 0;
          else due_q <= due - 32'(sent && due != 0);
          if (rst_i | ~held) held_q <= 0;
          else held_q <= held_q + 1;
          if (!rst_i) begin
            assert (!lost)
            else
              $error("output %0d: %0d messages lack for input %0d in an idle layer", o, due_q, i);
            assert (!sent || due != 0)
            else $error("output %0d: more messages than input %0d has taken", o, i);
            assert (MaxBusyCycles == 0 || !held || held_q != MaxBusyCycles)
            else $error("output %0d holds a message back while another output is stalled", o);
          end
        end
      end
    end
  end

  for (genvar o = 0; o < NumOutputs; o++) begin : gen_end
    // The output offers no beat although it could.
    int unsigned broken_q;
    wire broken = out_inside_q[o] & ~out_valid_i[o] & ((|out_stopped) | (|lacking)) & fed;
    always_ff @(posedge clk_i) begin
      if (rst_i | ~broken) broken_q <= 0;
      else broken_q <= broken_q + 1;
      if (!rst_i) begin
        assert (MaxBusyCycles == 0 || !broken || broken_q != MaxBusyCycles)
        else if (|out_stopped) $error("output %0d waits inside a message for another output", o);
        else $error("output %0d waits inside a message for a message on an input", o);
      end
    end
  end

  if (Forwards) begin : gen_forwards
    // Beats and messages taken but not sent. A message counts from its first beat.
    int unsigned beats_q, messages_q;
    wire kept = busy_i | (|in_inside_q);
    wire [31:0] beats = (kept ? beats_q : 0) + $countones(in_taken);
    wire [31:0] messages = (kept ? messages_q : 0) + $countones(in_taken & ~in_inside_q);
    wire [31:0] beats_sent = $countones(out_taken);
    wire [31:0] messages_sent = $countones(out_taken & ~out_inside_q);
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        beats_q <= 0;
        messages_q <= 0;
      end else begin
        beats_q <= beats - (beats_sent < beats ? beats_sent : beats);
        messages_q <= messages - (messages_sent < messages ? messages_sent : messages);
        assert (beats_sent <= beats && messages_sent <= messages)
        else $error("sends a message that it has not taken, has already sent, or held while idle");
      end
    end
  end

  for (genvar o = 0; o < NumOutputs; o++) begin : gen_output
    if (Credits[o] != '0) begin : gen_credits
      // A request is outstanding from its first beat, since the answer may arrive before the last
      // beat of the request, to the last beat of the answer.
      int unsigned outstanding_q;
      wire requested = out_taken[o] & ~out_inside_q[o];
      wire [31:0] answered = $countones(AnsweredBy[o] & in_taken & in_last_i);
      always_ff @(posedge clk_i) begin
        if (rst_i) outstanding_q <= 0;
        else begin
          outstanding_q <= outstanding_q + 32'(requested) -
              (answered < outstanding_q ? answered : outstanding_q);
          assert (!requested || outstanding_q < Credits[o] + answered)
          else $error("output %0d has more requests outstanding than credits", o);
          assert (answered <= outstanding_q)
          else $error("output %0d: more answers than requests, from %s", o, AnswersFrom);
        end
      end
      assign awaits[o] = out_valid_i[o] | (outstanding_q != 0);
    end else begin : gen_no_credits
      assign awaits[o] = 1'b0;
    end
  end

endmodule
