// SPDX-License-Identifier: Apache-2.0
// Carries out requests to registers that arrive as messages of an AXI-Stream, and answers them
// (docs/applications/control/format.md). It is a kernel of udp_stream or, with OverTcp, of
// control_tcp, in the same tile.
//
// A request is opened, its batch is checked whole, then carried out, then answered. One request is
// handled at a time; further ones are discarded and counted (Drops), or wait. A request without a
// valid tag changes nothing, is counted and not answered.
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
  localparam int unsigned LaneBits = $clog2(NumLanes);
  localparam int unsigned NumWords = 8192;  // a staged batch, a request, results
  localparam int unsigned AddressBits = $clog2(NumWords);
  localparam int unsigned RowBits = AddressBits - LaneBits;
  localparam int unsigned LengthBits = AddressBits + 3;
  localparam int unsigned MaxStagedWords = NumWords / 2;
  typedef logic [AddressBits-1:0] index_t;

  typedef enum logic [4:0] {
    Idle,
    Header,        // the header is read
    FindKey,
    Allow,         // the sender is looked up
    Open,          // the cipher is started
    OpenWords,     // header and body pass the cipher
    OpenEnd,
    OpenTag,
    Decide,
    Move,          // the body takes the place of an unfinished batch
    Check,
    Apply,
    Answer,        // the cipher is started
    AnswerHeader,
    AnswerBody,
    AnswerEnd,
    AnswerTag,
    Sent
  } state_e;
  state_e state_q;
  logic [3:0] step_q;  // within a state

  // ---- Memory ----

  logic [NumLanes-1:0] rx_write;
  logic [RowBits-1:0] rx_row;
  logic [NumLanes-1:0][31:0] rx_wdata;
  logic rx_valid, rx_release, receiving;
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

  index_t staged_q;  // words of the batch so far
  // A request is stored in the first whole row after that batch.
  wire [RowBits-1:0] free_row = RowBits'((staged_q + index_t'(NumLanes - 1)) >> LaneBits);
  logic [RowBits-1:0] rx_first_row;
  wire index_t rx_base = index_t'(rx_first_row) << LaneBits;

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
      .row_i(free_row),
      .write_o(rx_write),
      .row_o(rx_row),
      .wdata_o(rx_wdata),
      .valid_o(rx_valid),
      .first_row_o(rx_first_row),
      .length_o(rx_length),
      .user_o(rx_user),
      .release_i(rx_release),
      .receiving_o(receiving),
      .busy_drop_o(event_o[EventIgnoredBusy]),
      .long_drop_o(event_o[EventIgnoredTooLong])
  );

  logic word_write;
  index_t word_address, read_address, own_read_address, batch_read_address, batch_write_address;
  logic [31:0] word_data, rdata, batch_wdata;
  logic [31:0] rdata_q;  // for comparisons
  wire  [ 1:0] compared = step_q[1:0] - 2'd1;  // word of the tag
  logic batch_write, batch_active;
  control_memory #(
      .NumLanes(NumLanes),
      .NumWords(NumWords)
  ) u_memory (
      .clk_i,
      .write_i(word_write ? NumLanes'(1) << word_address[LaneBits-1:0] : rx_write),
      .row_i(word_write ? word_address[AddressBits-1:LaneBits] : rx_row),
      .wdata_i(word_write ? {NumLanes{word_data}} : rx_wdata),
      .read_address_i(read_address),
      .rdata_o(rdata)
  );
  assign read_address = batch_active ? batch_read_address : own_read_address;

  // ---- Header, key and sender ----

  word0_t word0_q;
  request_word1_t word1_q;
  logic [63:0] client_q, number_q;
  logic boot_differs_q;
  logic [63:0] boot_q, sent_q;  // identity since the reset; number of the next answer
  logic [63:0] cycle_q;
  logic booted_q;

  wire [15:0] length = word1_q.length;
  wire header_ok = word0_q.magic == Magic && word0_q.version == Version
      && word1_q.reserved == '0 && length[1:0] == '0
      && 32'(length) <= 4 * MaxBodyWords
      && 32'(rx_length) == 32'(length) + 4 * (HeaderWords + (Sealed ? TagWords : 0));
  wire index_t body_words = index_t'(length[15:2]);
  wire is_design_key = word0_q.key == DesignKey;
  wire key_exists = is_design_key | 32'(word0_q.key) < NumKeys;
  assign keys_index_o = word0_q.key[KeyBits-1:0];
  logic [127:0] key, key_q;
  rights_t rights, rights_q;
  // Long before they are used: the number of the key is in the first word of a message.
  always_ff @(posedge clk_i) begin
    key_q <= key;
    rights_q <= rights;
  end
  always_comb begin
    key = is_design_key ? Key : keys_i.key;
    rights = '{
        may_write: keys_i.may_write,
        may_read: keys_i.may_read,
        first_page: keys_i.first_page,
        last_page: keys_i.last_page
    };
    if (is_design_key | ~Sealed) rights = '{default: '1, first_page: '0};
  end
  wire key_usable = ~Sealed | (key_exists & key_q != '0);

  assign allowed_index_o = step_q[1:0];
  logic listed_q, some_listed_q;
  wire is_listed = ((peer_ip ^ allowed_i.network) & allowed_i.netmask) == '0;

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
  wire owner_t owner = is_design_key | ~Sealed ? owner_t'(NumKeys) : owner_t'(word0_q.key);
  owner_t staged_owner_q;
  // The parts of a batch come from one port of one program.
  logic [47:0] staged_peer_q;
  wire [47:0] peer = {peer_port, client_q[31:0]};
  logic [31:0] staged_us_q;

  // ---- Cipher ----

  logic cipher_start, cipher_valid, cipher_ready, cipher_last, cipher_empty_q;
  logic out_valid, out_ready, cipher_done, decrypts_q;
  logic [31:0] cipher_word, out_word;
  logic [127:0] nonce, tag;
  control_cipher #(
      .Sealed(Sealed)
  ) u_cipher (
      .clk_i,
      .rst_i,
      .start_i(cipher_start),
      .decrypts_i(decrypts_q),
      .empty_i(cipher_empty_q),
      .key_i(key_q),
      .nonce_i(nonce),
      .word_i(cipher_word),
      .last_i(cipher_last),
      .valid_i(cipher_valid),
      .ready_o(cipher_ready),
      .out_o(out_word),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready),
      .done_o(cipher_done),
      .tag_o(tag)
  );
  always_ff @(posedge clk_i) cipher_start <= (state_q == Open | state_q == Answer) & ~rst_i;
  assign nonce = decrypts_q ? {RequestNonce, number_q[61:0], client_q}
      : {AnswerNonce, sent_q[61:0], boot_q};

  // ---- Words from the memory, for the cipher ----

  index_t fetch_q, fetch_left_q, store_q;
  logic fetched_q;  // rdata is the word of fetch_q
  logic details_q;  // the body of the answer is in details
  wire from_memory = state_q == OpenWords | (state_q == AnswerBody & ~details_q);
  logic [2:0] detail_q;
  wire cipher_takes = cipher_valid & cipher_ready;

  // ---- Answer ----

  status_e status_q;
  logic [15:0] item_q;
  index_t answer_words_q;
  logic hello_q;
  logic [HelloWords-1:0][31:0] details;
  logic [HeaderWords-1:0][31:0] header;
  always_comb begin
    header = {
      number_q,
      sent_q,
      boot_q,
      {status_q, 8'b0, 16'(answer_words_q) << 2},
      {word0_q.key, AnswerVersion, Magic}
    };
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
  logic tx_valid, tx_ready, tx_last;
  logic [31:0] tx_word;
  control_transmit #(
      .DataWidth(DataWidth)
  ) u_transmit (
      .clk_i,
      .rst_i,
      .word_i  (tx_word),
      .last_i  (tx_last),
      .valid_i (tx_valid),
      .ready_o (tx_ready),
      .tdata_o (kernel_tx_tdata_o),
      .tkeep_o (kernel_tx_tkeep_o),
      .tvalid_o(kernel_tx_tvalid_o),
      .tready_i(kernel_tx_tready_i),
      .tlast_o (kernel_tx_tlast_o)
  );
  assign kernel_tx_tuser_o = rx_user;

  index_t out_left_q;  // words of the text that the cipher has not returned
  wire last_out = out_left_q == index_t'(1);
  wire ends_with_text = ~Sealed;
  always_comb begin
    unique case (state_q)
      OpenWords: begin
        cipher_word  = rdata;
        cipher_valid = fetched_q;
        cipher_last  = 32'(step_q) == HeaderWords - 1 || fetch_left_q == index_t'(1);
      end
      AnswerHeader: begin
        cipher_word  = header[step_q[2:0]];
        cipher_valid = tx_ready;
        cipher_last  = 32'(step_q) == HeaderWords - 1;
      end
      default: begin
        cipher_word  = details_q ? details[detail_q] : rdata;
        cipher_valid = (state_q == AnswerBody) & (details_q | fetched_q);
        cipher_last  = fetch_left_q == index_t'(1);
      end
    endcase
    tx_word  = out_word;
    tx_valid = out_valid & ~decrypts_q;
    tx_last  = ends_with_text & last_out;
    if (state_q == AnswerHeader) begin
      tx_word  = header[step_q[2:0]];
      tx_valid = cipher_ready;
      tx_last  = ends_with_text & cipher_empty_q & (32'(step_q) == HeaderWords - 1);
    end else if (state_q == AnswerTag) begin
      tx_word  = tag[32*step_q[1:0]+:32];
      tx_valid = 1'b1;
      tx_last  = step_q[1:0] == '1;
    end
    out_ready = decrypts_q | (tx_ready & state_q != AnswerHeader);
  end

  // ---- Batch ----

  logic batch_start, batch_done;
  status_e batch_status;
  logic [15:0] batch_item;
  logic [10:0] batch_results;
  control_batch #(
      .AddressBits(AddressBits),
      .WindowBits (RegisterWindowBits),
      .OwnWindow  (1 + TileIndex)
  ) u_batch (
      .clk_i,
      .rst_i,
      .start_i(batch_start),
      .applies_i(state_q == Apply),
      .rights_i(rights_q),
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
      .register_request_o,
      .register_request_valid_o,
      .register_request_ready_i,
      .register_response_i,
      .register_response_valid_i,
      .register_response_ready_o
  );
  assign batch_active = state_q == Check | state_q == Apply;
  assign batch_start  = batch_active & (step_q == '0);
  wire moves = state_q == Move & step_q[0];
  assign word_write = batch_write | moves | (out_valid & decrypts_q);
  assign word_address = batch_write ? batch_write_address : store_q;
  assign word_data = batch_write ? batch_wdata : moves ? rdata : out_word;

  // ---- Sequence ----

  wire stage_full = 32'(staged_q) + 32'(body_words) > MaxStagedWords;
  always_comb begin
    own_read_address = fetch_q;
    unique case (state_q)
      Idle: own_read_address = rx_base;
      Header: own_read_address = rx_base + index_t'(step_q) + index_t'(1);
      OpenTag: own_read_address = fetch_q + index_t'(step_q) + index_t'(1);
      default: ;
    endcase
  end

  // ---- Requests that are ignored ----

  logic tag_differs_q, malformed, unknown_key, not_allowed, bad_tag;
  assign malformed   = state_q == FindKey & ~header_ok;
  assign unknown_key = state_q == FindKey & header_ok & step_q[0] & ~key_usable;
  assign not_allowed = state_q == Allow & step_q == 4'd5 & some_listed_q & ~listed_q;
  assign bad_tag     = state_q == Decide & tag_differs_q;
  wire ignored = malformed | unknown_key | not_allowed | bad_tag;
  assign rx_release = ignored | state_q == Sent;
  always_ff @(posedge clk_i) begin
    event_o[EventIgnoredMalformed] <= malformed & ~rst_i;
    event_o[EventIgnoredUnknownKey] <= unknown_key & ~rst_i;
    event_o[EventIgnoredAddress] <= not_allowed & ~rst_i;
    event_o[EventIgnoredBadTag] <= bad_tag & ~rst_i;
    event_o[EventApplied] <= state_q == Apply & batch_done & ~rst_i;
    event_o[EventHello] <= state_q == Sent & hello_q & ~rst_i;
    event_o[EventRefused] <= state_q == Sent & status_q != Ok & ~rst_i;
  end

  task automatic answer(status_e status, logic [15:0] item, index_t words, logic has_details);
    state_q <= Answer;
    status_q <= status;
    item_q <= item;
    answer_words_q <= words;
    details_q <= has_details;
  endtask

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 64'd1;
    rdata_q <= rdata;
    step_q  <= step_q + 4'd1;
    past_q  <= has_past_q[owner] ? past[owner] : '0;
    if (cipher_takes) begin
      fetched_q <= 1'b0;
      fetch_q <= fetch_q + index_t'(1);
      fetch_left_q <= fetch_left_q - index_t'(1);
      detail_q <= detail_q + 3'd1;
    end else begin
      fetched_q <= from_memory;
    end
    if (out_valid & out_ready) begin
      store_q <= store_q + index_t'(1);
      out_left_q <= out_left_q - index_t'(1);
    end

    unique case (state_q)
      Idle: begin
        step_q  <= '0;
        hello_q <= 1'b0;
        if (rx_valid) begin
          state_q <= Header;
          if (~booted_q) boot_q <= regs_i.secret.bits ^ cycle_q;
          booted_q <= 1'b1;
        end else if (staged_q != '0 & ~receiving & time_us_i - staged_us_q >= StagedUs) begin
          staged_q <= '0;
        end
      end
      Header: begin
        unique case (step_q[2:0])
          3'd0: word0_q <= rdata;
          3'd1: word1_q <= rdata;
          3'd2: ;
          3'd3: boot_differs_q <= rdata_q != boot_q[31:0];
          3'd4: begin
            boot_differs_q <= boot_differs_q | rdata_q != boot_q[63:32];
            client_q[31:0] <= rdata;
          end
          3'd5: client_q[63:32] <= rdata;
          3'd6: number_q[31:0] <= rdata;
          default: number_q[63:32] <= rdata;
        endcase
        if (32'(step_q) == HeaderWords - 1) begin
          state_q <= FindKey;
          step_q  <= '0;
        end
      end
      FindKey: begin
        if (step_q[0]) begin
          state_q <= Allow;
          step_q  <= '0;
        end
      end
      Allow: begin
        listed_q <= (step_q != '0) & (listed_q | (allowed_i.valid & is_listed));
        some_listed_q <= (step_q != '0) & (some_listed_q | allowed_i.valid);
        if (step_q == 4'd5) begin
          state_q <= Open;
          decrypts_q <= 1'b1;
          cipher_empty_q <= body_words == '0;
        end
      end
      Open: begin
        state_q <= OpenWords;
        step_q <= '0;
        fetch_q <= rx_base;
        fetched_q <= 1'b0;
        fetch_left_q <= index_t'(HeaderWords) + body_words;
        store_q <= staged_q;
        out_left_q <= body_words;
      end
      OpenWords: begin
        step_q <= step_q;
        if (cipher_takes) begin
          if (32'(step_q) != HeaderWords) step_q <= step_q + 4'd1;
          if (fetch_left_q == index_t'(1)) state_q <= OpenEnd;
        end
      end
      OpenEnd: begin
        step_q <= '0;
        tag_differs_q <= 1'b0;
        if (cipher_done) state_q <= Sealed ? OpenTag : Decide;
      end
      OpenTag: begin
        if (step_q != '0) begin
          tag_differs_q <= tag_differs_q | rdata_q != tag[32*compared+:32];
        end
        if (step_q == 4'd4) state_q <= Decide;
      end
      Decide: begin
        step_q <= '0;
        if (~tag_differs_q) begin
          if (number_q == '0 && body_words == '0) begin
            hello_q <= 1'b1;
            answer(Ok, '0, index_t'(HelloWords), 1'b1);
          end else if (boot_differs_q) begin
            answer(OtherBoot, '0, index_t'(1), 1'b1);
          end else if (number_q <= past_q.number | number_q[63:62] != '0) begin
            answer(Repeated, '0, index_t'(2), 1'b1);
          end else if (staged_q != '0 & staged_owner_q != owner) begin
            answer(Busy, '0, index_t'(1), 1'b1);
          end else if (word1_q.continues & (staged_q == '0 | staged_peer_q != peer)) begin
            answer(Cut, '0, index_t'(1), 1'b1);
          end else if (~word1_q.continues & staged_q != '0) begin  // the old batch is discarded
            state_q <= body_words == '0 ? Decide : Move;
            fetch_q <= staged_q;
            store_q <= '0;
            out_left_q <= body_words;
            staged_q <= '0;
          end else if (stage_full) begin
            answer(TooLong, '0, index_t'(1), 1'b1);
            staged_q <= '0;
          end else begin
            staged_q <= staged_q + body_words;
            staged_owner_q <= owner;
            staged_peer_q <= peer;
            staged_us_q <= time_us_i;
            if (word1_q.more) answer(Ok, '0, '0, 1'b0);
            else state_q <= Check;
          end
        end
      end
      Move: begin
        if (moves) begin
          fetch_q <= fetch_q + index_t'(1);
          store_q <= store_q + index_t'(1);
          out_left_q <= out_left_q - index_t'(1);
          if (last_out) state_q <= Decide;
        end
      end
      Check: begin
        if (step_q == '1) step_q <= step_q;
        if (batch_done) begin
          step_q <= '0;
          if (batch_status == Ok) state_q <= Apply;
          else begin
            answer(batch_status, batch_item, index_t'(1), 1'b1);
            staged_q <= '0;
          end
        end
      end
      Apply: begin
        if (step_q == '1) step_q <= step_q;
        if (batch_done) begin
          fetch_q  <= staged_q;
          staged_q <= '0;
          answer(Ok, '0, index_t'(batch_results), 1'b0);
        end
      end
      Answer: begin
        state_q <= AnswerHeader;
        step_q <= '0;
        decrypts_q <= 1'b0;
      end
      AnswerHeader: begin
        step_q <= step_q;
        if (cipher_takes) begin
          step_q   <= step_q + 4'd1;
          fetch_q  <= fetch_q;
          detail_q <= '0;
          if (32'(step_q) == HeaderWords - 1) begin
            state_q <= cipher_empty_q ? AnswerEnd : AnswerBody;
            fetch_left_q <= answer_words_q;
            fetched_q <= 1'b0;
          end
        end
      end
      AnswerBody: if (cipher_takes & fetch_left_q == index_t'(1)) state_q <= AnswerEnd;
      AnswerEnd: begin
        step_q <= '0;
        if (cipher_done & out_left_q == '0) state_q <= Sealed ? AnswerTag : Sent;
      end
      AnswerTag: begin
        step_q <= step_q;
        if (tx_ready) begin
          step_q <= step_q + 4'd1;
          if (step_q[1:0] == '1) state_q <= Sent;
        end
      end
      Sent: begin
        state_q <= Idle;
        sent_q  <= sent_q + 64'd1;
        if (~hello_q && status_q != OtherBoot && status_q != Repeated) begin
          past[owner] <= '{number: number_q, status: status_q, item: item_q};
          has_past_q[owner] <= 1'b1;
        end
      end
      default: state_q <= Idle;
    endcase
    if (state_q == Answer) begin
      cipher_empty_q <= answer_words_q == '0;
      out_left_q <= answer_words_q;
    end
    if (ignored) state_q <= Idle;

    if (rst_i) begin
      state_q <= Idle;
      staged_q <= '0;
      booted_q <= 1'b0;
      cycle_q <= '0;
      sent_q <= '0;
      has_past_q <= '0;
      decrypts_q <= 1'b0;
    end
  end

  assign timer_o = staged_q != '0;
  assign busy_o  = state_q != Idle | rx_valid | receiving | kernel_tx_tvalid_o;

endmodule
