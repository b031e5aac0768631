// SPDX-License-Identifier: Apache-2.0
// Chooses the backends of packets: the service, the table of connections, the slots, the backends.
//
// Connections are in the four ways of a set that a keyed hash selects. If no way is free, the
// connection seen least recently is replaced. A packet may follow another one of the same flow in
// the next cycle: it sees the entry that the other one writes.
//
// With External, the table is in an external memory (load_balancer_memory).
//
// The caller must have room for a verdict for each view. A connection that is not seen for a
// multiple of 71 minutes may be taken for a live one: its flow then keeps its backend.
//
// Latency: verdict_valid_o 2 cycles after view_valid_i; with External, a read of the memory more.
// Throughput: a packet per cycle. After reset and after a write of the secret, ready_o is low while
// the table is cleared.
module load_balancer_choice
  import bombus_pkg::*;
  import axi_line_pkg::*;
  import load_balancer_pkg::*;
#(
    parameter type regs_t = logic,
    parameter type backend_t = logic,
    parameter type slot_word_t = logic,
    parameter int unsigned NumServices = 2,
    parameter int unsigned NumBackends = 128,
    parameter int unsigned NumSlots = 65537,
    parameter int unsigned NumConnections = 16384,
    parameter int unsigned IdleUnits = 18,
    parameter bit External = 0,
    parameter int unsigned NumLines = 1024,
    parameter int unsigned MaxReads = 64,
    parameter int unsigned AddrWidth = 34,
    parameter logic [63:0] BaseAddress = '0,
    localparam int unsigned ServiceWords = (NumSlots + 3) / 4,
    localparam int unsigned NumSlotWords = 2 * NumServices * ServiceWords
) (
    input  logic         clk_i,
    input  logic         rst_i,
    input  logic  [31:0] time_us_i,
    input  regs_t        regs_i,
    output logic         ready_o,

    input logic                   view_valid_i,  // a packet, without backpressure
    input logic                   view_whole_i,  // all bytes of the view are of the packet
    input logic [ViewBytes*8-1:0] view_i,

    output verdict_t verdict_o,
    output logic     verdict_valid_o,
    output logic     unstored_o,       // one-cycle pulse: a connection was not stored (External)

    output axi_request_t  axi_o,
    input  axi_response_t axi_i,

    input  logic                               backend_request_i,
    input  logic                               backend_write_i,
    input  logic     [$clog2(NumBackends)-1:0] backend_index_i,
    input  backend_t                           backend_wdata_i,
    output backend_t                           backend_rdata_o,
    output logic                               backend_done_o,

    input  logic                                  slot_word_request_i,
    input  logic                                  slot_word_write_i,
    input  logic       [$clog2(NumSlotWords)-1:0] slot_word_index_i,
    input  slot_word_t                            slot_word_wdata_i,
    output slot_word_t                            slot_word_rdata_o,
    output logic                                  slot_word_done_o
);

  localparam int unsigned NumWays = 4;
  localparam int unsigned NumSets = NumConnections / NumWays;
  localparam int unsigned SetBits = $clog2(NumSets);
  localparam int unsigned BackendBits = $clog2(NumBackends);
  localparam int unsigned ClearBits = SetBits > BackendBits ? SetBits : BackendBits;
  localparam int unsigned SlotHashBits = 24;
  localparam int unsigned HashBits = SetBits + SlotHashBits;
  localparam int unsigned KeyBits = 48;
  localparam int unsigned WordBits = $clog2(NumSlotWords);
  typedef logic [SetBits-1:0] set_t;
  typedef logic [$clog2(NumWays)-1:0] way_t;

  // ---- Cycle 0: fields of the header; the hash selects a set ----

  localparam int unsigned VersionByte = 0;
  localparam int unsigned FragmentByte = 6;
  localparam int unsigned ProtocolByte = 9;
  localparam int unsigned SourceByte = 12;
  localparam int unsigned DestinationByte = 16;
  localparam int unsigned PortByte = 20;

  wire [31:0] source = swap32(view_i[8*SourceByte+:32]);
  wire [31:0] destination = swap32(view_i[8*DestinationByte+:32]);
  wire [15:0] source_port = swap16(view_i[8*PortByte+:16]);
  wire [15:0] destination_port = swap16(view_i[8*(PortByte+2)+:16]);
  wire [7:0] protocol = view_i[8*ProtocolByte+:8];
  wire has_no_options = view_i[8*VersionByte+:8] == 8'h45;
  // More Fragments, or an offset
  wire is_fragment = view_i[8*FragmentByte+:6] != '0 || view_i[8*(FragmentByte+1)+:8] != '0;

  // The hash is of the client only, since its depth counts. A client's connections to several
  // services find room in one set.
  logic [HashBits-1:0] hash;
  keyed_hash #(
      .DataWidth(KeyBits),
      .HashWidth(HashBits)
  ) u_hash (
      .data_i({source, source_port}),
      .seed_i(regs_i.secret.bits),
      .hash_o(hash)
  );

  logic [NumServices-1:0] selected, has_address;
  always_comb begin
    for (int unsigned s = 0; s < NumServices; s++) begin
      has_address[s] = regs_i.services[s].service.valid &
          regs_i.services[s].service.ip == destination &
          regs_i.services[s].service.protocol == protocol;
      selected[s] = has_address[s] & regs_i.services[s].service.port == destination_port;
    end
  end

  logic clearing_q, emptying_q;  // connections, after reset backends too
  logic [ClearBits-1:0] clear_q;
  logic [  KeyBits-1:0] secret_q;

  typedef struct packed {
    logic [NumServices-1:0] selected;
    logic is_addressed;  // to the address of a service
    logic is_fragment;
    logic [31:0] source;
    logic [15:0] source_port;
    set_t set;
    logic [SlotHashBits-1:0] slot_hash;
  } viewed_t;
  viewed_t viewed_q, viewed;
  logic viewed_valid_q, viewed_valid;
  always_ff @(posedge clk_i) begin
    viewed_valid_q <= view_valid_i & ~rst_i;
    viewed_q <= '{
        selected: view_whole_i && has_no_options ? selected : '0,
        is_addressed: view_whole_i & has_no_options & |has_address,
        is_fragment: is_fragment,
        source: source,
        source_port: source_port,
        set: hash[SetBits-1:0],
        slot_hash: hash[SetBits+:SlotHashBits]
    };
  end

  connection_t [NumWays-1:0] ways;
  logic [NumWays-1:0] write_way;
  set_t write_set;
  connection_t written;
  logic table_ready;
  if (External) begin : gen_external
    logic writes;
    way_t number;
    load_balancer_memory #(
        .view_t(viewed_t),
        .NumWays(NumWays),
        .NumSets(NumSets),
        .NumLines(NumLines),
        .MaxReads(MaxReads),
        .AddrWidth(AddrWidth),
        .BaseAddress(BaseAddress)
    ) u_table (
        .clk_i,
        .rst_i,
        .clear_i(secret_q != regs_i.secret.bits),
        .ready_o(table_ready),
        .view_valid_i(viewed_valid_q),
        .view_i(viewed_q),
        .set_i(viewed_q.set),
        .reads_i(|viewed_q.selected & ~viewed_q.is_fragment),
        .view_o(viewed),
        .view_valid_o(viewed_valid),
        .ways_o(ways),
        .write_i(writes),
        .write_way_i(number),
        .written_i(written),
        .unstored_o,
        .axi_o,
        .axi_i
    );
    assign writes = |write_way & ~clearing_q;
    always_comb begin
      number = '0;
      for (int unsigned w = 0; w < NumWays; w++) if (write_way[w]) number |= way_t'(w);
    end
  end else begin : gen_internal
    for (genvar w = 0; w < NumWays; w++) begin : gen_way
      sized_memory #(
          .data_t(connection_t),
          .Depth (NumSets)
      ) u_way (
          .clk_i,
          .write_addr_i(write_set),
          .data_i(written),
          .write_i(write_way[w]),
          .read_addr_i(hash[SetBits-1:0]),
          .data_o(ways[w])
      );
    end
    assign viewed = viewed_q;
    assign viewed_valid = viewed_valid_q;
    assign table_ready = 1'b1;
    assign unstored_o = 1'b0;
    assign axi_o = '0;
    wire unused = ^axi_i;
  end

  // ---- Cycle 1: the connection; the slot is read ----

  function automatic service_t service_of(logic [NumServices-1:0] one);
    service_of = '0;
    for (int unsigned s = 0; s < NumServices; s++) if (one[s]) service_of |= service_t'(s);
  endfunction

  service_t service;
  flow_t flow;
  assign service = service_of(viewed.selected);
  assign flow = '{service: service, ip: viewed.source, port: viewed.source_port};

  typedef struct packed {
    logic is_balanced;
    logic is_fragment;
    logic is_kept;  // balanced and no fragment: the connection is written
    logic is_known;  // in the table
    logic is_next;  // its entry is that of the packet before
    logic [2:0] same_set;  // as the packets 1, 2 and 3 cycles before
    logic [NumWays-1:0] is_free;
    logic [NumWays-1:0][NumWays-1:0] is_older;  // [a][b]: a than b
    set_t set;
    way_t way;  // of a known connection, unless is_next
    number_t backend;  // of a known connection, unless is_next
    flow_t flow;
    logic [1:0] slot;  // in the word
  } chosen_t;
  chosen_t chosen_d, chosen_q;
  logic chosen_valid_q;

  // The packets that came 2, 3 and 4 cycles before, the first of which writes its connection.
  typedef struct packed {
    logic valid;
    logic writes;
    set_t set;
    way_t way;
    number_t backend;
    logic [31:0] ip;  // of the backend
    flow_t flow;
  } past_t;
  past_t [2:0] past_q;

  // The slot of a hash h: h * NumSlots / 2^24.
  localparam int unsigned SlotBits = $clog2(NumSlots);
  logic [SlotHashBits+SlotBits-1:0] product;
  always_comb begin
    product = '0;
    for (int unsigned b = 0; b < SlotBits; b++) begin
      if (NumSlots[b]) product += (SlotHashBits + SlotBits)'(viewed.slot_hash) << b;
    end
  end
  wire [SlotBits-1:0] slot = product[SlotHashBits+:SlotBits];

  // The ways were read before the three packets before write theirs. If one of these is evicting
  // this connection, the connection is written again in its place.
  wire stamp_t now = time_us_i[31:StampShift];
  wire chosen_is_kept = chosen_valid_q & chosen_q.is_kept;
  logic [NumWays-1:0] is_hit, is_free;
  stamp_t [NumWays-1:0] age;
  logic is_hit_next;
  logic [1:0] is_hit_past;
  always_comb begin
    is_hit_next = chosen_is_kept & chosen_q.flow == flow;
    for (int unsigned p = 0; p < 2; p++) is_hit_past[p] = past_q[p].writes & past_q[p].flow == flow;
    for (int unsigned w = 0; w < NumWays; w++) begin
      age[w] = now - ways[w].seen;
      is_free[w] = ~ways[w].valid | age[w] >= stamp_t'(IdleUnits);
      is_hit[w] = ~is_free[w] & ways[w].flow == flow;
    end
  end

  always_comb begin
    chosen_d = '{
        is_balanced: |viewed.selected | (viewed.is_addressed & viewed.is_fragment),
        is_fragment: viewed.is_fragment,
        is_kept: |viewed.selected & ~viewed.is_fragment,
        is_known: 1'b0,
        is_next: is_hit_next,
        same_set: {
          past_q[1].valid & past_q[1].set == viewed.set,
          past_q[0].valid & past_q[0].set == viewed.set,
          chosen_is_kept & chosen_q.set == viewed.set
        },
        is_free: is_free,
        is_older: '0,
        set: viewed.set,
        way: '0,
        backend: '0,
        flow : flow,
        slot: slot[1:0]
    };
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (is_hit[w]) begin
        chosen_d.way |= way_t'(w);
        chosen_d.backend |= ways[w].backend;
      end
    end
    if (is_hit_past[0]) begin
      chosen_d.way = past_q[0].way;
      chosen_d.backend = past_q[0].backend;
    end else if (is_hit_past[1]) begin
      chosen_d.way = past_q[1].way;
      chosen_d.backend = past_q[1].backend;
    end
    chosen_d.is_known = |is_hit | is_hit_next | |is_hit_past;
    for (int unsigned a = 0; a < NumWays; a++) begin
      for (int unsigned b = 0; b < NumWays; b++) begin
        chosen_d.is_older[a][b] = {is_free[a], age[a]} > {is_free[b], age[b]};
      end
    end
  end
  always_ff @(posedge clk_i) begin
    chosen_valid_q <= viewed_valid & ~rst_i;
    chosen_q <= chosen_d;
  end

  function automatic logic [WordBits-1:0] first_word(logic upper, service_t which);
    first_word = '0;
    for (int unsigned s = 0; s < NumServices; s++) begin
      if (which == service_t'(s)) begin
        first_word = WordBits'(s * ServiceWords);
        if (upper) first_word = WordBits'((NumServices + s) * ServiceWords);
      end
    end
  endfunction
  slot_word_t word;
  register_table #(
      .entry_t(slot_word_t),
      .NumEntries(NumSlotWords),
      .Reset('1)  // none
  ) u_slots (
      .clk_i,
      .rst_i,
      .request_i(slot_word_request_i),
      .write_i(slot_word_write_i),
      .index_i(slot_word_index_i),
      .wdata_i(slot_word_wdata_i),
      .done_o(slot_word_done_o),
      .rdata_o(slot_word_rdata_o),
      .read_index_i(first_word(regs_i.slots.upper, service) + WordBits'(slot[SlotBits-1:2])),
      .entry_o(word)
  );

  // ---- Cycle 2: the way and the backend ----

  // The way for a new connection: a free one, or else the one seen least recently. Those that the
  // packets before have just written are the last choice.
  way_t victim, way;
  logic [NumWays-1:0] is_written;
  logic [NumWays-1:0][NumWays-1:0] goes_first;  // [a][b]: a before b
  always_comb begin
    victim = '0;
    for (int unsigned w = 0; w < NumWays; w++) begin
      is_written[w] = 1'b0;
      for (int unsigned p = 0; p < 3; p++) begin
        is_written[w] |= chosen_q.same_set[p] & past_q[p].way == way_t'(w);
      end
    end
    for (int unsigned a = 0; a < NumWays; a++) begin
      for (int unsigned b = 0; b < NumWays; b++) begin
        goes_first[a][b] = is_written[a] == is_written[b] ? chosen_q.is_older[a][b] : is_written[b];
      end
    end
    for (int unsigned w = 0; w < NumWays; w++) begin
      logic is_first;
      is_first = 1'b1;
      for (int unsigned other = 0; other < NumWays; other++) begin
        if (other < w && !goes_first[w][other]) is_first = 1'b0;
        if (other > w && goes_first[other][w]) is_first = 1'b0;
      end
      if (is_first) victim |= way_t'(w);
    end
  end
  assign way = ~chosen_q.is_known ? victim : chosen_q.is_next ? past_q[0].way : chosen_q.way;

  // Two look-ups and software read the memory, which is cleared after reset.
  typedef logic [$clog2(NumBackends)-1:0] index_t;
  typedef struct packed {
    logic up;
    logic [31:0] ip;
  } entry_t;
  (* ram_style = "distributed" *) entry_t backend_ram[NumBackends];
  wire writes_backend = backend_request_i & backend_write_i & ~emptying_q;
  wire index_t written_backend = emptying_q ? index_t'(clear_q) : backend_index_i;
  always_ff @(posedge clk_i) begin
    if (writes_backend | emptying_q) begin
      backend_ram[written_backend] <= emptying_q ? '0 : '{
          up: backend_wdata_i.up,
          ip: backend_wdata_i.ip
      };
    end
  end
  wire entry_t shown = backend_ram[backend_index_i];
  always_ff @(posedge clk_i) begin
    backend_done_o <= backend_request_i & ~backend_done_o & ~emptying_q & ~rst_i;
    backend_rdata_o.ip <= shown.ip;
    backend_rdata_o.up <= shown.up;
  end

  number_t of_connection, of_slot, backend;
  always_comb begin
    unique case (chosen_q.slot)
      2'd0: of_slot = word.slot0;
      2'd1: of_slot = word.slot1;
      2'd2: of_slot = word.slot2;
      2'd3: of_slot = word.slot3;
    endcase
  end
  assign of_connection = chosen_q.is_next ? past_q[0].backend : chosen_q.backend;
  entry_t known_entry, slot_entry;
  assign known_entry = chosen_q.is_next ?
      '{up: past_q[0].writes, ip: past_q[0].ip}
      : backend_ram[index_t'(chosen_q.backend)];
  assign slot_entry = backend_ram[index_t'(of_slot)];
  wire keeps = chosen_q.is_known & known_entry.up;
  wire has_backend = keeps | (slot_entry.up & 32'(of_slot) < NumBackends);
  assign backend = keeps ? of_connection : of_slot;

  assign verdict_valid_o = chosen_valid_q;
  assign verdict_o = '{
          is_balanced: chosen_q.is_balanced,
          is_fragment: chosen_q.is_fragment,
          has_backend: has_backend,
          is_new: ~chosen_q.is_known,
          is_moved: chosen_q.is_known & ~keeps,
          has_evicted: ~chosen_q.is_known & (~chosen_q.is_free[victim] | is_written[victim]),
          ip: keeps ? known_entry.ip : slot_entry.ip
      };

  always_ff @(posedge clk_i) begin
    past_q[2:1] <= past_q[1:0];
    past_q[0] <= '{
        valid: chosen_valid_q & chosen_q.is_kept & ~rst_i,
        writes: chosen_valid_q & chosen_q.is_kept & has_backend & ~rst_i,
        set: chosen_q.set,
        way: way,
        backend: backend,
        ip: verdict_o.ip,
        flow : chosen_q.flow
    };
  end

  // ---- Cycle 3: the table is written ----

  always_comb begin
    write_set = past_q[0].set;
    written   = '{valid: 1'b1, seen: now, backend: past_q[0].backend, flow : past_q[0].flow};
    for (int unsigned w = 0; w < NumWays; w++) begin
      write_way[w] = past_q[0].writes & past_q[0].way == way_t'(w);
    end
    if (clearing_q) begin
      write_set = set_t'(clear_q);
      written   = '0;
      write_way = '1;
    end
  end

  // ---- The table is cleared after reset and after a write of the secret ----

  // The packets of the three cycles before write nothing.
  assign ready_o = ~clearing_q & table_ready;
  always_ff @(posedge clk_i) begin
    secret_q <= regs_i.secret.bits;
    if (rst_i) begin
      clearing_q <= 1'b1;
      emptying_q <= 1'b1;
      clear_q <= '0;
    end else if (secret_q != regs_i.secret.bits) begin
      clearing_q <= 1'b1;
      clear_q <= '0;
    end else if (clearing_q) begin
      clear_q <= clear_q + 1'b1;
      clearing_q <= clear_q != '1;
      if (clear_q == '1) emptying_q <= 1'b0;
    end
  end

endmodule
