// SPDX-License-Identifier: Apache-2.0
// Carries out requests to registers that arrive as messages of an AXI-Stream, and answers them
// (docs/applications/control/format.md). It is a kernel of udp_stream or, with OverTcp, of
// control_tcp, in the same tile.
//
// A request is opened (control_open), its batch is checked whole, then carried out (control_batch),
// then answered (control_answer). One request is handled at a time; further ones are discarded and
// counted (Drops), or wait. A request without a valid tag changes nothing, is counted and not
// answered.
//
// With Sealed, requests and answers are sealed by Ascon-AEAD128 under one of NumKeys keys in
// registers, or under Key, the design file's, which may access everything and has number 255.
module controller
  import control_pkg::*;
#(
    parameter type keys_t = logic,
    parameter type allowed_t = logic,
    parameter type regs_t = logic,
    parameter int unsigned DataWidth = 512,  // filled in by Bombus, as are the following two
    parameter int unsigned TileIndex = 0,
    parameter int unsigned RegisterWindowBits = 12,
    parameter bit Sealed = 1,
    parameter logic [127:0] Key = '0,  // first byte lowest; 0: none
    parameter int unsigned NumKeys = 4,
    parameter bit OverTcp = 0,  // tuser is tcp_stream_pkg::from_peer_t; 0: that of udp_stream
    parameter bit Drops = !OverTcp,
    localparam int unsigned UserWidth = OverTcp ? $bits(
        tcp_stream_pkg::from_peer_t
    ) : $bits(
        udp_stream_pkg::datagram_t
    ),
    localparam int unsigned KeyBits = $clog2(NumKeys)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] kernel_rx_tdata_i,
    input logic [DataWidth/8-1:0] kernel_rx_tkeep_i,
    input logic kernel_rx_tvalid_i,
    output logic kernel_rx_tready_o,
    input logic kernel_rx_tlast_i,
    input logic [UserWidth-1:0] kernel_rx_tuser_i,
    output logic [DataWidth-1:0] kernel_tx_tdata_o,
    output logic [DataWidth/8-1:0] kernel_tx_tkeep_o,
    output logic kernel_tx_tvalid_o,
    input logic kernel_tx_tready_i,
    output logic kernel_tx_tlast_o,
    output logic [UserWidth-1:0] kernel_tx_tuser_o,

    output bombus_pkg::register_request_t register_request_o,
    output logic register_request_valid_o,
    input logic register_request_ready_i,
    input logic [31:0] register_response_i,
    input logic register_response_valid_i,
    output logic register_response_ready_o,

    output logic     [KeyBits-1:0] keys_index_o,
    input  keys_t                  keys_i,
    output logic     [        1:0] allowed_index_o,
    input  allowed_t               allowed_i,
    input  regs_t                  regs_i,

    input  logic [31:0] time_us_i,
    output logic [ 8:0] event_o,
    output logic        timer_o,
    output logic        busy_o
);

  if (DataWidth < 64 || DataWidth != 2 ** $clog2(DataWidth)) begin : gen_bad_width
    $error("controller: DataWidth must be a power of two of at least 64");
  end
  if (NumKeys < 2 || NumKeys > 128 || NumKeys != 2 ** KeyBits) begin : gen_bad_keys
    $error("controller: NumKeys must be a power of two, 2 to 128");
  end
  if (!Sealed) begin : gen_not_sealed
`ifndef SYNTHESIS  // whose reader has no $warning
    $warning("controller: without Sealed, everyone who reaches it can change the design");
`endif
  end

  localparam string Entry = "";  // not reachable from the mesh
  typedef enum int unsigned {
    EventApplied,  // a batch was carried out
    EventRefused,  // an answer with a status other than Ok
    EventHello,
    // A request is ignored.
    EventIgnoredBusy,  // another one was being handled
    EventIgnoredTooLong,
    EventIgnoredMalformed,  // header or length
    EventIgnoredAddress,  // the sender is not an allowed one
    EventIgnoredUnknownKey,
    EventIgnoredBadTag,
    NumEvents
  } event_e;

  localparam int unsigned NumLanes = DataWidth / 32;
  localparam int unsigned RequestWords = 4096;  // a power of two, at least the longest request
  localparam int unsigned RequestBits = $clog2(RequestWords);
  localparam int unsigned RowBits = RequestBits - $clog2(NumLanes);
  localparam int unsigned LengthBits = RequestBits + 3;
  localparam int unsigned NumWords = 8192;  // a batch, the text of a request, results
  localparam int unsigned AddressBits = $clog2(NumWords);
  localparam int unsigned MaxStagedWords = NumWords / 2;
  typedef logic [AddressBits-1:0] index_t;

  typedef enum logic [2:0] {
    Idle,
    Open,
    Decide,
    Check,
    Apply,
    Answer,
    Sent
  } state_e;
  state_e state_q;

  // ---- Request ----

  logic rx_write, rx_valid, rx_release, receiving;
  logic [RowBits-1:0] rx_row;
  logic [NumLanes-1:0][31:0] rx_wdata;
  logic [LengthBits-1:0] rx_length;
  logic [UserWidth-1:0] rx_user;
  logic [31:0] peer_ip;
  logic [15:0] peer_port;
  if (OverTcp) begin : gen_session
    tcp_stream_pkg::from_peer_t peer;
    assign peer = rx_user;
    assign peer_ip = peer.ip;
    assign peer_port = peer.peer_port;
  end else begin : gen_datagram
    udp_stream_pkg::datagram_t peer;
    assign peer = rx_user;
    assign peer_ip = peer.ip;
    assign peer_port = peer.peer_port;
  end

  control_receive #(
      .DataWidth(DataWidth),
      .UserWidth(UserWidth),
      .RowBits(RowBits),
      .Drops(Drops)
  ) u_receive (
      .clk_i,
      .rst_i,
      .tdata_i(kernel_rx_tdata_i),
      .tkeep_i(kernel_rx_tkeep_i),
      .tvalid_i(kernel_rx_tvalid_i),
      .tready_o(kernel_rx_tready_o),
      .tlast_i(kernel_rx_tlast_i),
      .tuser_i(kernel_rx_tuser_i),
      .write_o(rx_write),
      .row_o(rx_row),
      .wdata_o(rx_wdata),
      .valid_o(rx_valid),
      .length_o(rx_length),
      .user_o(rx_user),
      .release_i(rx_release),
      .receiving_o(receiving),
      .busy_drop_o(event_o[EventIgnoredBusy]),
      .long_drop_o(event_o[EventIgnoredTooLong])
  );

  logic [RequestBits-1:0] request_address;
  logic [31:0] request_word;
  control_memory #(
      .NumLanes(NumLanes),
      .NumWords(RequestWords)
  ) u_request (
      .clk_i,
      .write_i(rx_write),
      .row_i(rx_row),
      .wdata_i(rx_wdata),
      .read_address_i(request_address),
      .rdata_o(request_word)
  );

  // ---- Batch, text of the request, results: one after the other, in a ring ----

  index_t base_q, staged_q;  // address of the batch, and its words so far
  wire index_t staged_end = base_q + staged_q;
  logic text_write, batch_write, batch_active;
  index_t text_address, batch_read_address, batch_write_address, answer_address;
  logic [31:0] text_word, batch_wdata, rdata;
  logic [31:0] ram[NumWords];
  wire index_t write_address = batch_write ? base_q + batch_write_address : text_address;
  wire index_t read_address = batch_active ? base_q + batch_read_address : answer_address;
  always_ff @(posedge clk_i) begin
    if (batch_write | text_write) ram[write_address] <= batch_write ? batch_wdata : text_word;
    rdata <= ram[read_address];
  end

  // ---- Opening ----

  logic malformed, unknown_key, not_allowed, opened, tag_differs;
  request_header_t header;
  logic [127:0] key;
  rights_t rights;
  cipher_input_t open_words, answer_words;
  logic cipher_ready, out_valid, cipher_done, answer_takes;
  logic [31:0] out_word;
  logic [127:0] tag;
  logic opens_q;  // the cipher opens a request, or seals an answer
  control_open #(
      .keys_t(keys_t),
      .allowed_t(allowed_t),
      .AddressBits(RequestBits),
      .TextBits(AddressBits),
      .LengthBits(LengthBits),
      .Sealed(Sealed),
      .Key(Key),
      .NumKeys(NumKeys)
  ) u_open (
      .clk_i,
      .rst_i,
      .start_i(state_q == Idle & rx_valid),
      .length_i(rx_length),
      .peer_ip_i(peer_ip),
      .text_i(staged_end),
      .malformed_o(malformed),
      .unknown_key_o(unknown_key),
      .not_allowed_o(not_allowed),
      .opened_o(opened),
      .bad_tag_o(tag_differs),
      .header_o(header),
      .key_o(key),
      .rights_o(rights),
      .keys_index_o,
      .keys_i,
      .allowed_index_o,
      .allowed_i,
      .read_address_o(request_address),
      .rdata_i(request_word),
      .write_o(text_write),
      .write_address_o(text_address),
      .cipher_o(open_words),
      .cipher_ready_i(cipher_ready),
      .cipher_out_valid_i(out_valid),
      .cipher_done_i(cipher_done),
      .tag_i(tag)
  );
  assign text_word = out_word;

  wire cipher_input_t cipher_words = opens_q ? open_words : answer_words;
  control_cipher #(
      .Sealed(Sealed)
  ) u_cipher (
      .clk_i,
      .rst_i,
      .start_i(cipher_words.start),
      .decrypts_i(opens_q),
      .empty_i(cipher_words.empty),
      .key_i(key),
      .nonce_i(cipher_words.nonce),
      .word_i(cipher_words.word),
      .last_i(cipher_words.last),
      .valid_i(cipher_words.valid),
      .ready_o(cipher_ready),
      .out_o(out_word),
      .out_valid_o(out_valid),
      .out_ready_i(opens_q | answer_takes),
      .done_o(cipher_done),
      .tag_o(tag)
  );

  wire index_t body_words = index_t'(header.word1.length[15:2]);
  logic [63:0] boot_q, cycle_q, first_q;  // identity since the reset; cycle of the first request
  logic booted_q, boot_differs_q;

  // ---- Numbers of requests, by key ----

  localparam int unsigned NumOwners = NumKeys + 1;
  typedef logic [$clog2(NumOwners)-1:0] owner_t;
  typedef struct packed {
    logic [63:0] number;
    status_e     status;
    logic [15:0] item;
  } past_t;
  past_t past[NumOwners];
  logic [NumOwners-1:0] has_past_q;
  past_t past_q;
  wire [7:0] key_number = header.word0.key;
  wire owner_t owner = key_number == DesignKey | ~Sealed ? owner_t'(NumKeys) : owner_t'(key_number);
  owner_t staged_owner_q;
  // The parts of a batch come from one port of one program.
  logic [47:0] staged_peer_q;
  wire [47:0] peer = {peer_port, header.client[31:0]};
  logic [31:0] staged_us_q;

  // ---- Batch ----

  logic begins_q;  // the first cycle of Check or Apply
  logic batch_done;
  status_e batch_status;
  logic [15:0] batch_item;
  logic [10:0] batch_results;
  control_batch #(
      .AddressBits(AddressBits),
      .WindowBits (RegisterWindowBits),
      .OwnWindow  (1 + TileIndex)
  ) u_batch (
      .start_i(begins_q),
      .applies_i(state_q == Apply),
      .rights_i(rights),
      .end_i(staged_q),
      .results_i(staged_q),
      .done_o(batch_done),
      .status_o(batch_status),
      .item_o(batch_item),
      .results_o(batch_results),
      .read_address_o(batch_read_address),
      .rdata_i(rdata),
      .write_o(batch_write),
      .write_address_o(batch_write_address),
      .wdata_o(batch_wdata),
      .*
  );
  assign batch_active = state_q == Check | state_q == Apply;

  // ---- Answer ----

  status_e status_q;
  logic [15:0] item_q;
  index_t answer_words_q, results_q;  // words of the body; where they are
  logic hello_q;
  logic details_q;  // the body is in details
  logic [63:0] sent_q;  // number of the next answer
  logic answer_done;
  logic [HelloWords-1:0][31:0] details;
  always_comb begin
    if (status_q == Repeated) details = {128'b0, 16'b0, past_q.item, 24'b0, past_q.status};
    else details = {160'b0, 16'b0, item_q};
    if (hello_q) begin
      details = {
        32'(RegisterWindowBits),
        32'(MaxResultWords),
        32'(MaxStagedWords),
        32'(MaxBodyWords),
        past_q.number
      };
    end
  end
  control_answer #(
      .DataWidth(DataWidth),
      .AddressBits(AddressBits),
      .Sealed(Sealed)
  ) u_answer (
      .clk_i,
      .rst_i,
      .start_i(state_q == Answer),
      .header_i({
        header.number,
        sent_q,
        boot_q,
        {status_q, 8'b0, 16'(answer_words_q) << 2},
        {key_number, AnswerVersion, Magic}
      }),
      .nonce_i({AnswerNonce, sent_q[61:0], boot_q}),
      .words_i(answer_words_q),
      .has_details_i(details_q),
      .details_i(details),
      .first_i(results_q),
      .done_o(answer_done),
      .read_address_o(answer_address),
      .rdata_i(rdata),
      .cipher_o(answer_words),
      .cipher_ready_i(cipher_ready),
      .cipher_out_i(out_word),
      .cipher_out_valid_i(out_valid & ~opens_q),
      .cipher_out_ready_o(answer_takes),
      .cipher_done_i(cipher_done),
      .tag_i(tag),
      .tdata_o(kernel_tx_tdata_o),
      .tkeep_o(kernel_tx_tkeep_o),
      .tvalid_o(kernel_tx_tvalid_o),
      .tready_i(kernel_tx_tready_i),
      .tlast_o(kernel_tx_tlast_o)
  );
  assign kernel_tx_tuser_o = rx_user;

  // ---- Requests that are ignored ----

  wire bad_tag = state_q == Decide & tag_differs;
  wire ignored = malformed | unknown_key | not_allowed | bad_tag;
  // Its last beat is taken: the sender's address is not needed any more.
  wire sent = state_q == Sent & (~kernel_tx_tvalid_o | kernel_tx_tready_i);
  assign rx_release = ignored | sent;
  always_ff @(posedge clk_i) begin
    event_o[EventIgnoredMalformed] <= malformed & ~rst_i;
    event_o[EventIgnoredUnknownKey] <= unknown_key & ~rst_i;
    event_o[EventIgnoredAddress] <= not_allowed & ~rst_i;
    event_o[EventIgnoredBadTag] <= bad_tag & ~rst_i;
    event_o[EventApplied] <= state_q == Apply & batch_done & ~rst_i;
    event_o[EventHello] <= sent & hello_q & ~rst_i;
    event_o[EventRefused] <= sent & status_q != Ok & ~rst_i;
  end

  // ---- Sequence ----

  wire stage_full = 32'(staged_q) + 32'(body_words) > MaxStagedWords;

  task automatic answer(status_e status, logic [15:0] item, index_t words, logic has_details);
    state_q <= Answer;
    status_q <= status;
    item_q <= item;
    answer_words_q <= words;
    details_q <= has_details;
  endtask

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 64'd1;
    past_q <= has_past_q[owner] ? past[owner] : '0;
    boot_differs_q <= header.boot != boot_q;
    begins_q <= 1'b0;

    unique case (state_q)
      Idle: begin
        hello_q <= 1'b0;
        if (rx_valid) begin
          state_q <= Open;
          opens_q <= 1'b1;
          if (~booted_q) first_q <= cycle_q;
          booted_q <= 1'b1;
        end else if (staged_q != '0 & ~receiving & time_us_i - staged_us_q >= StagedUs) begin
          staged_q <= '0;
        end
      end
      Open: begin
        boot_q <= regs_i.secret.bits ^ first_q;
        if (opened) state_q <= Decide;
      end
      Decide: begin
        if (~tag_differs) begin
          if (header.number == '0 && body_words == '0) begin
            hello_q <= 1'b1;
            answer(Ok, '0, index_t'(HelloWords), 1'b1);
          end else if (boot_differs_q) begin
            answer(OtherBoot, '0, index_t'(1), 1'b1);
          end else if (header.number <= past_q.number | header.number[63:62] != '0) begin
            answer(Repeated, '0, index_t'(2), 1'b1);
          end else if (staged_q != '0 & staged_owner_q != owner) begin
            answer(Busy, '0, index_t'(1), 1'b1);
          end else if (header.word1.continues & (staged_q == '0 | staged_peer_q != peer)) begin
            answer(Cut, '0, index_t'(1), 1'b1);
          end else if (~header.word1.continues & staged_q != '0) begin
            // The old batch is discarded; the text begins where it ended.
            base_q   <= staged_end;
            staged_q <= '0;
          end else if (stage_full) begin
            answer(TooLong, '0, index_t'(1), 1'b1);
            staged_q <= '0;
          end else begin
            staged_q <= staged_q + body_words;
            staged_owner_q <= owner;
            staged_peer_q <= peer;
            staged_us_q <= time_us_i;
            if (header.word1.more) answer(Ok, '0, '0, 1'b0);
            else begin
              state_q  <= Check;
              begins_q <= 1'b1;
            end
          end
        end
      end
      Check: begin
        if (batch_done) begin
          if (batch_status == Ok) begin
            state_q  <= Apply;
            begins_q <= 1'b1;
          end else begin
            answer(batch_status, batch_item, index_t'(1), 1'b1);
            staged_q <= '0;
          end
        end
      end
      Apply: begin
        if (batch_done) begin
          results_q <= staged_end;
          staged_q  <= '0;
          answer(Ok, '0, index_t'(batch_results), 1'b0);
        end
      end
      Answer: begin
        opens_q <= 1'b0;
        if (answer_done) state_q <= Sent;
      end
      Sent: begin
        if (sent) begin
          state_q <= Idle;
          sent_q  <= sent_q + 64'd1;
        end
        if (~hello_q && status_q != OtherBoot && status_q != Repeated) begin
          past[owner] <= '{number: header.number, status: status_q, item: item_q};
          has_past_q[owner] <= 1'b1;
        end
      end
      default: state_q <= Idle;
    endcase
    if (ignored) state_q <= Idle;

    if (rst_i) begin
      state_q <= Idle;
      opens_q <= 1'b0;
      base_q <= '0;
      staged_q <= '0;
      booted_q <= 1'b0;
      cycle_q <= '0;
      sent_q <= '0;
      has_past_q <= '0;
    end
  end

  assign timer_o = staged_q != '0;
  assign busy_o  = state_q != Idle | rx_valid | receiving | kernel_tx_tvalid_o;

endmodule
