// SPDX-License-Identifier: Apache-2.0
// Simulation only: checks that a stream keeps the rules of docs/architecture.md,
// "Streams". Names itself by where it stands, so that a layer that breaks a rule
// can be told from its neighbours.
//
// - valid and the beat stay until the beat is taken;
// - the next hop stays the same for the whole message;
// - every beat but the last is full, the last has at most as many bytes as fit,
//   bytes above those that count are zero;
// - length is the number of bytes that come;
// - a message is of a kind that the layer sends by its next hop.
module stream_checker #(
    parameter type beat_t = logic,
    parameter int unsigned NextWidth = 1,
    parameter int unsigned NumKinds = 8,  // of messages in the design
    parameter logic [2**NextWidth-1:0][NumKinds-1:0] Sends = '1  // kinds, by next hop
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t                 beat_i,
    input logic                  valid_i,
    input logic                  ready_i,
    input logic  [NextWidth-1:0] next_i
);

  if (NextWidth < 1 || NumKinds < 1) begin : gen_bad_shape
    $error("stream_checker: NextWidth and NumKinds must be at least 1");
  end

  localparam int unsigned DataBytes = $bits(beat_i.data) / 8;

  logic waits_q, first_q;
  beat_t beat_q;
  logic [NextWidth-1:0] next_q;
  int unsigned length_q, bytes_q;

  wire [31:0] length = first_q ? 32'(beat_i.length) : length_q;
  wire [31:0] bytes = (first_q ? 0 : bytes_q) + (beat_i.last ? 32'(beat_i.bytes) : DataBytes);

  wire [NumKinds-1:0] kind = NumKinds'(1) << beat_i.kind;

  logic clean;  // no bytes behind those that count
  always_comb begin
    clean = 1'b1;
    for (int unsigned b = 0; b < DataBytes; b++) begin
      if (beat_i.last && b >= 32'(beat_i.bytes) && beat_i.data[8*b+:8] != '0) clean = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    beat_q <= beat_i;
    if (valid_i) next_q <= next_i;
    if (rst_i) begin
      waits_q  <= 1'b0;
      first_q  <= 1'b1;
      length_q <= 0;
      bytes_q  <= 0;
    end else begin
      waits_q <= valid_i & ~ready_i;
      if (waits_q) begin
        assert (valid_i)
        else $error("valid fell before the beat was taken");
        // Metadata counts with a first beat only.
        assert (!valid_i || (beat_i.data == beat_q.data && beat_i.last == beat_q.last &&
                             (!beat_i.last || beat_i.bytes == beat_q.bytes) &&
                             (!first_q || (beat_i.meta == beat_q.meta &&
                              beat_i.length == beat_q.length && beat_i.kind == beat_q.kind))))
        else $error("a beat changed while it waited");
      end
      if (valid_i & (waits_q | ~first_q)) begin
        assert (next_i == next_q)
        else $error("the next hop changed inside a message");
      end
      if (valid_i & ready_i) begin
        first_q  <= beat_i.last;
        length_q <= length;
        bytes_q  <= bytes;
        assert (!beat_i.last || 32'(beat_i.bytes) <= DataBytes)
        else $error("the last beat has %0d bytes, more than fit", beat_i.bytes);
        assert (!beat_i.last || bytes == length)
        else $error("a message of %0d bytes says that it has %0d", bytes, length);
        assert (beat_i.last || bytes < length)
        else $error("a message of %0d bytes does not end where it should", length);
        assert (!first_q || (kind & Sends[next_i]) != '0)
        else $error("a message of kind %0d, which the layer does not send there", beat_i.kind);
        assert (clean)
        else $error("bytes behind the last one are not zero");
      end
    end
  end

endmodule
