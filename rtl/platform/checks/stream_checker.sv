// SPDX-License-Identifier: Apache-2.0
// Simulation only: checks that a stream follows the rules of docs/architecture.md, "Streams". A
// message names the hierarchical path of the checker, which identifies the layer. A stream with a
// name of its own, such as a link, gives it as name_i, followed by ": ".
//
// - valid and the beat are stable until the beat is taken;
// - the next hop is one that the layer declares, and is the same for the whole message;
// - every beat but the last is full, the last has at most as many bytes as fit, invalid bytes are
//   zero;
// - length is the number of bytes of the message;
// - the layer sends messages of this kind by this next hop; a message has bytes only if its kind
//   may.
module stream_checker #(
    parameter type beat_t = logic,
    parameter int unsigned NextWidth = 1,
    parameter int unsigned NumKinds = 8,  // kinds of messages in the design
    parameter int unsigned NumHops = 2 ** NextWidth,  // next hops; 1: next_i is not checked
    parameter logic [NumHops-1:0][NumKinds-1:0] Sends = '1,  // allowed kinds, by next hop
    parameter logic [NumKinds-1:0] HasPayload = '1  // kinds whose messages may have bytes
) (
    input logic  clk_i,
    input logic  rst_i,
    input string name_i,

    input beat_t                 beat_i,
    input logic                  valid_i,
    input logic                  ready_i,
    input logic  [NextWidth-1:0] next_i
);

  if (NextWidth < 1 || NumKinds < 1 || NumHops < 1) begin : gen_bad_shape
    $error("stream_checker: NextWidth, NumKinds and NumHops must be at least 1");
  end

  localparam int unsigned DataBytes = $bits(beat_i.data) / 8;

  logic waits_q, first;
  beat_t beat_q;
  logic [NextWidth-1:0] next_q;
  int unsigned length_q, bytes_q;

  wire [31:0] length = first ? 32'(beat_i.length) : length_q;
  wire [31:0] bytes = (first ? 0 : bytes_q) + (beat_i.last ? 32'(beat_i.bytes) : DataBytes);

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(valid_i & ready_i),
      .last_i (beat_i.last),
      .first_o(first)
  );

  logic [NumKinds-1:0] sends;  // kinds allowed for this next hop
  logic is_declared;
  if (NumHops == 1) begin : gen_same
    assign sends = Sends[0];
    assign is_declared = 1'b1;
  end else begin : gen_by_hop
    assign is_declared = 32'(next_i) <= NumHops - 1;
    assign sends = is_declared ? Sends[next_i] : '1;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i & ~ready_i) beat_q <= beat_i;
    if (valid_i) next_q <= next_i;
    if (rst_i) begin
      waits_q  <= 1'b0;
      length_q <= 0;
      bytes_q  <= 0;
    end else begin
      waits_q <= valid_i & ~ready_i;
      if (waits_q) begin
        assert (valid_i)
        else $error("%svalid fell before the beat was taken", name_i);
        // Metadata is valid only with a first beat.
        assert (!valid_i || (beat_i.data == beat_q.data && beat_i.last == beat_q.last &&
                             (!beat_i.last || beat_i.bytes == beat_q.bytes) &&
                             (!first || (beat_i.meta == beat_q.meta &&
                              beat_i.length == beat_q.length && beat_i.kind == beat_q.kind))))
        else $error("%sa beat changed while it waited", name_i);
      end
      if (valid_i & (waits_q | ~first)) begin
        assert (next_i == next_q)
        else $error("%sthe next hop changed inside a message", name_i);
      end
      if (valid_i & ready_i) begin
        length_q <= length;
        bytes_q  <= bytes;
        assert (!beat_i.last || 32'(beat_i.bytes) <= DataBytes)
        else $error("%sthe last beat has %0d bytes, more than fit", name_i, beat_i.bytes);
        assert (!beat_i.last || bytes == length)
        else $error("%sa message of %0d bytes has length %0d", name_i, bytes, length);
        assert (beat_i.last || bytes < length)
        else $error("%sa message of %0d bytes does not end where it should", name_i, length);
        assert (!first || is_declared)
        else
          $error(
              "%sa message by next hop %0d, but the layer has only %0d", name_i, next_i, NumHops
          );
        assert (!first || (NumKinds'(1) << beat_i.kind & sends) != '0)
        else
          $error(
              "%sa message of kind %0d, which the layer does not send there", name_i, beat_i.kind
          );
        assert (!first || length == 0 || (NumKinds'(1) << beat_i.kind & ~HasPayload) == '0)
        else
          $error(
              "%sa message of kind %0d has %0d bytes, but this kind has no payload",
              name_i,
              beat_i.kind,
              length
          );
        assert (!beat_i.last || beat_i.data >> {beat_i.bytes, 3'b0} == '0)
        else $error("%sbytes after the last one are not zero", name_i);
      end
    end
  end

endmodule
