// SPDX-License-Identifier: Apache-2.0
// Sends the messages of a witness, with the addresses: those of one beat, and those with entries
// (vr_log_sender).
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module vr_reply
  import bombus_pkg::*;
  import vr_pkg::*;
  import vr_state_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 12345,
    parameter int unsigned LineBits = 11,  // of the number of a line in the log
    parameter int unsigned FragmentLines = 22
) (
    input logic clk_i,
    input logic rst_i,

    input logic     set_address_i,  // of a replica
    input replica_t set_slot_i,
    input address_t address_i,

    input logic                  emit_i,       // a message of one beat
    input logic           [ 7:0] type_i,
    input logic                  to_source_i,  // of the received message, or to a replica
    input replica_t              to_slot_i,
    input packet_meta_t          source_i,     // metadata of the received message
    input words_t                word_i,       // its fields
    input replica_state_t        now_i,        // state of the witness
    input logic           [63:0] nonce_i,
    input st_e                   st_i,         // of the received message
    input logic                  valid_i,      // the read is valid
    input logic                  refused_i,    // the set-up is refused

    input  logic                 renew_i,      // ids of fragments begin at the nonce
    input  logic                 send_log_i,   // a StateTransfer, or
    input  logic                 is_vote_i,    // a DoViewChange
    input  logic  [LineBits-1:0] first_i,      // line
    input  logic  [  LineBits:0] lines_i,
    output logic  [LineBits-1:0] read_addr_o,
    input  line_t                read_line_i,  // one cycle later
    output logic                 log_busy_o,

    output logic free_o,  // takes a message or a beat

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  if (UdpPort < 1 || UdpPort > 65535) begin : gen_bad_port
    $error("vr_reply: UdpPort must be 1 to 65535");
  end
  if (FragmentLines < 2 || FragmentLines > 140) begin : gen_bad_fragment
    $error("vr_reply: FragmentLines must be 2 to 140");
  end

  logic log_valid, log_last;
  line_t log_data;
  logic [6:0] log_bytes;
  length_t log_length;
  vr_log_sender #(
      .LineBits(LineBits),
      .FragmentLines(FragmentLines)
  ) u_log (
      .clk_i,
      .rst_i,
      .number_i(renew_i),
      .nonce_i,
      .start_i(send_log_i),
      .is_vote_i,
      .words_i({
        64'(now_i.own),
        64'(now_i.committed),
        64'(now_i.last),
        is_vote_i ? 64'(now_i.log_view) : 64'(now_i.committed),
        64'(now_i.view)
      }),
      .first_i,
      .lines_i,
      .read_addr_o,
      .read_line_i,
      .data_o(log_data),
      .bytes_o(log_bytes),
      .last_o(log_last),
      .length_o(log_length),
      .valid_o(log_valid),
      .ready_i(free_o),
      .busy_o(log_busy_o)
  );

  words_t out_word;
  logic [5:0] out_bytes;
  assign free_o = ~out_valid_o | out_ready_i;

  always_comb begin
    out_word  = '0;
    out_bytes = 6'd29;
    unique case (type_i)
      TypePrepareOk: begin
        out_word[0] = 64'(now_i.view);
        out_word[1] = 64'(st_i == StAcknowledge ? now_i.last : number_t'(word_i[1]));
        out_word[2] = 64'(now_i.own);
        out_word[3] = 64'(now_i.committed);
        out_bytes   = 6'd45;
      end
      TypeStartViewChange: begin
        out_word[0] = 64'(now_i.view);
        out_word[1] = 64'(now_i.own);
        out_word[2] = 64'(now_i.committed);
        out_bytes   = 6'd37;
      end
      TypeRecovery: begin
        out_word[0] = {Version, 32'(now_i.own)};
        out_word[1] = nonce_i;
      end
      TypeSetUpReply: begin
        out_word[0] = {Version, 32'(now_i.state)};
        out_word[1] = {32'(refused_i), 32'(now_i.own)};
        out_word[2] = 64'(now_i.view);
        out_word[3] = 64'(now_i.last);
        out_word[4] = 64'(now_i.committed);
        out_word[5] = 64'(now_i.cleaned);
        out_bytes   = 6'd61;
      end
      TypeValidateReadReply: begin  // a byte, then the fields
        out_word[0] = {7'b0, valid_i, word_i[1][63:8]};
        out_word[1] = {word_i[1][7:0], word_i[2][63:8]};
        out_word[2] = {word_i[2][7:0], 56'b0};
        out_word[3] = {5'b0, now_i.own, 56'b0};
        out_bytes   = 6'd38;
      end
      default: begin  // RequestStateTransfer
        out_word[0] = 64'((st_i == StFetch ? now_i.view : now_i.log_view));
        out_word[1] = 64'(st_i == StFetch ? now_i.last : now_i.committed);
      end
    endcase
  end

  line_t short_data;
  always_comb begin
    short_data = '0;
    short_data[39:0] = {type_i, Magic};
    short_data[40+:64] = swap64(64'(out_bytes - 6'(HeaderBytes)));
    for (int unsigned w = 0; w < NumWords; w++) short_data[104+64*w+:64] = swap64(out_word[w]);
  end

  (* ram_style = "distributed" *) address_t addresses[MaxReplicas];
  packet_meta_t out_meta;
  always_comb begin
    out_meta = '0;
    out_meta.mac_port = RoutedPort;
    out_meta.ip = addresses[to_slot_i].ip;
    out_meta.l4.ports.dst_port = addresses[to_slot_i].port;
    if (to_source_i) begin
      out_meta = source_i;
      out_meta.csum = '0;
      out_meta.l4.ports.dst_port = source_i.l4.ports.src_port;
    end
    out_meta.l4.ports.src_port = 16'(UdpPort);
  end

  always_ff @(posedge clk_i) begin
    if (set_address_i) addresses[set_slot_i] <= address_i;
    if (free_o) begin
      out_valid_o  <= emit_i | log_valid;
      out_o.kind   <= '0;
      out_o.meta   <= out_meta;
      out_o.data   <= emit_i ? short_data : log_data;
      out_o.last   <= emit_i | log_last;
      out_o.bytes  <= emit_i ? 7'(out_bytes) : log_bytes;
      out_o.length <= emit_i ? length_t'(out_bytes) : log_length;
    end
    if (rst_i) out_valid_o <= 1'b0;
  end

endmodule
