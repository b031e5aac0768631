// SPDX-License-Identifier: Apache-2.0
// Collects the first bytes of each message of a stream, for an entry of a log. It only observes.
//
// The output is valid for one cycle, in the cycle in which the message's last collected beat is
// transferred. Bytes beyond the message are zero.
`include "bombus_assert.svh"

module log_head #(
    parameter type beat_t = logic,
    parameter type note_t = logic,
    parameter int unsigned NumBytes = 64
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t beat_i,
    input logic  taken_i,  // the beat is transferred
    input note_t note_i,   // sampled with the first beat

    output logic [NumBytes*8-1:0] bytes_o,
    output note_t note_o,
    output logic valid_o
);

  localparam int unsigned DataWidth = $bits(beat_i.data);
  localparam int unsigned NumBeats = (NumBytes * 8 + DataWidth - 1) / DataWidth;

  if (NumBytes < 1 || NumBytes > 256) begin : gen_bad_bytes
    $error("log_head: NumBytes must be 1 to 256");
  end

  if (NumBeats == 1) begin : gen_one
    logic first;
    first_beat u_first (
        .clk_i,
        .rst_i,
        .taken_i,
        .last_i (beat_i.last),
        .first_o(first)
    );
    assign bytes_o = beat_i.data[NumBytes*8-1:0];
    assign note_o  = note_i;
    assign valid_o = taken_i & first;
  end else begin : gen_beats
    typedef logic [$clog2(NumBeats+1)-1:0] index_t;
    index_t index_q;
    logic [NumBeats-1:0][DataWidth-1:0] beats, beats_q;
    note_t note_q;
    always_comb begin
      beats = index_q == '0 ? '0 : beats_q;
      for (int unsigned b = 0; b < NumBeats; b++) begin
        if (index_q == index_t'(b)) beats[b] = beat_i.data;
      end
    end
    always_ff @(posedge clk_i) begin
      if (taken_i) begin
        beats_q <= beats;
        note_q  <= note_o;
      end
      if (rst_i | (taken_i & beat_i.last)) index_q <= '0;
      else if (taken_i & index_q != index_t'(NumBeats)) index_q <= index_q + 1'b1;
    end
    assign bytes_o = (NumBytes * 8)'(beats);
    assign note_o = index_q == '0 ? note_i : note_q;
    assign valid_o = taken_i & index_q != index_t'(NumBeats)
        & (beat_i.last | index_q == index_t'(NumBeats - 1));

    `BOMBUS_ASSERT(IndexInBounds, 32'(index_q) <= NumBeats)
  end

endmodule
