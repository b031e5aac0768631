// SPDX-License-Identifier: Apache-2.0
// Sessions of napt: finds the outside port of an inside endpoint and the reverse, makes new
// sessions, and ends old ones.
//
// A port is the number of a place, so the table also allocates the ports. An endpoint has eight
// places, four in each of two sets that a keyed hash selects; a new session uses the set with more
// free places. Up to half of the ports find room for any endpoints (Azar et al., "Balanced
// Allocations", 1999); beyond that an endpoint may be refused. The number of a place is
// {way, set number}, with the ways in the upper three bits.
//
// A session lasts until no packet has come from inside for its timeout: nothing from outside
// prolongs it (RFC 4787, 4.3). The time wraps after 19 hours; the end of a session is visible for
// half of that. The places are searched for ended sessions once in each unit of time, in cycles
// without a request. A request may follow another one in the next cycle: it finds the writes of
// that one. A packet from outside finds a session only if it has begun, or begun again, at least
// four cycles before.
//
// Latency: endpoint_o is valid 1 cycle after request_valid_i, the other results 2 cycles.
// Throughput: one request per cycle. After reset, and after a write of the secret or of the ports,
// ready_o is low while all sessions are removed.
`include "bombus_assert.svh"

module napt_sessions
  import bombus_pkg::*;
  import napt_pkg::*;
#(
    parameter type regs_t = logic,  // from napt.rdl
    parameter int unsigned NumPorts = 32768,  // a power of two, at least 128
    localparam int unsigned NumWays = 8,
    localparam int unsigned SetBits = $clog2(NumPorts / NumWays),
    localparam int unsigned IndexBits = $clog2(NumPorts)
) (
    input  logic         clk_i,
    input  logic         rst_i,
    input  logic  [31:0] time_us_i,
    input  regs_t        regs_i,
    output logic         ready_o,    // no request while it is low

    input logic                      request_valid_i,
    input logic                      from_inside_i,
    // Two candidates; is_second_i, which is late, selects. From outside, only the protocol counts.
    input endpoint_t [          1:0] endpoints_i,
    input logic                      is_second_i,
    input logic      [IndexBits-1:0] index_i,          // of a packet from outside

    // In the next cycle
    input  logic      may_write_i,  // a packet of the session, no error about it
    input  flags_t    flags_i,      // of TCP
    output endpoint_t endpoint_o,   // in the place of index_i, if there is a session

    // Two cycles later
    output logic                 new_o,         // a session begins
    output logic                 no_port_o,     // one may begin, but no place is free
    output logic                 no_session_o,  // there is none, and none may begin
    output logic [IndexBits-1:0] index_o        // of a packet from inside
);

  localparam int unsigned NumTables = 2;
  typedef logic [SetBits-1:0] set_t;
  typedef logic [$clog2(NumWays)-1:0] way_t;
  typedef logic [NumWays-1:0] ways_t;
  function automatic int unsigned table_of(int unsigned way);
    return way / (NumWays / NumTables);
  endfunction
  function automatic logic [$clog2(NumTables)-1:0] table_of_way(way_t way);
    return way[$high(way)-:$clog2(NumTables)];
  endfunction

  if (NumPorts < 128 || NumPorts > 32768 || NumPorts != 2 ** IndexBits) begin : gen_bad_ports
    $error("napt: NumPorts must be a power of two from 128 to 32768");
  end

  // ---- Time ----

  stamp_t now_q;
  logic [31-UnitShift:0] elapsed_q;
  wire [31-UnitShift:0] elapsed = time_us_i[31:UnitShift];
  wire [31-UnitShift:0] step = elapsed - elapsed_q;
  wire tick = step != '0;
  always_ff @(posedge clk_i) begin
    elapsed_q <= elapsed;
    now_q <= rst_i ? '0 : now_q + stamp_t'(step);
    if (rst_i) elapsed_q <= '0;
  end

  // The oldest times of a last packet with which a session lasts
  typedef enum logic [1:0] {
    LimitUdp,
    LimitEcho,
    LimitTransitory,
    LimitEstablished
  } limit_e;
  stamp_t [3:0] oldest_q;
  always_ff @(posedge clk_i) begin
    oldest_q[LimitUdp] <= now_q - regs_i.timeouts.udp;
    oldest_q[LimitEcho] <= now_q - regs_i.timeouts.echo;
    oldest_q[LimitTransitory] <= now_q - regs_i.timeouts.tcp_transitory;
    oldest_q[LimitEstablished] <= now_q - regs_i.timeouts.tcp_established;
  end

  // ---- Places that may be used: those whose port exists ----

  ways_t usable_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < NumWays; w++) begin
      usable_q[w] <= w < 32'(regs_i.ports.eighths) &&
          32'(regs_i.ports.first) + (w + 1) * NumPorts / NumWays <= 65536;
    end
  end

  // ---- Removal of all sessions ----

  typedef struct packed {
    logic [$bits(regs_i.secret)-1:0] secret;
    logic [$bits(regs_i.ports)-1:0]  ports;
  } setting_t;
  setting_t setting, setting_q;
  assign setting = '{secret: regs_i.secret, ports: regs_i.ports};
  logic clearing_q;
  set_t clear_q;
  assign ready_o = ~clearing_q;
  always_ff @(posedge clk_i) begin
    setting_q <= setting;
    if (rst_i | setting != setting_q) begin
      clearing_q <= 1'b1;
      clear_q <= '0;
    end else if (clearing_q) begin
      clear_q <= clear_q + 1'b1;
      clearing_q <= ~&clear_q;
    end
  end

  // ---- Cycle 0: the sets are read ----

  logic searching_q;
  set_t search_q;
  wire  searches = searching_q & ~request_valid_i & ~clearing_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) searching_q <= 1'b0;
    else if (tick) searching_q <= 1'b1;
    else if (searches & &search_q) searching_q <= 1'b0;
    if (rst_i) search_q <= '0;
    else if (searches) search_q <= search_q + 1'b1;
  end

  logic [1:0][NumTables-1:0][SetBits-1:0] hashes;
  logic [NumTables-1:0][SetBits-1:0] sets;
  for (genvar e = 0; e < 2; e++) begin : gen_hash
    keyed_hash #(
        .DataWidth($bits(endpoint_t)),
        .HashWidth(NumTables * SetBits)
    ) u_hash (
        .data_i(endpoints_i[e]),
        .seed_i(regs_i.secret.bits),
        .hash_o(hashes[e])
    );
  end
  // The hashes are late: they are selected in one gate.
  wire set_t other = ~request_valid_i ? search_q : from_inside_i ? '0 : index_i[SetBits-1:0];
  always_comb begin
    for (int unsigned t = 0; t < NumTables; t++) begin
      sets[t] = other;
      for (int unsigned e = 0; e < 2; e++) begin
        sets[t] |= hashes[e][t] & {SetBits{request_valid_i & from_inside_i & is_second_i == 1'(e)}};
      end
    end
  end

  typedef struct packed {
    logic is_request;
    logic from_inside;
    endpoint_t endpoint;
    way_t way;  // from outside
    logic [NumTables-1:0][SetBits-1:0] sets;
  } step_t;
  step_t read_q;
  logic read_valid_q, chosen_valid_q;
  always_ff @(posedge clk_i) begin
    read_valid_q <= (request_valid_i | searches) & ~rst_i & ~clearing_q;
    read_q <= '{
        is_request: request_valid_i,
        from_inside: from_inside_i,
        endpoint: endpoints_i[is_second_i],
        way: index_i[SetBits+:$clog2(NumWays)],
        sets: sets
    };
  end

  // Steps whose writes the present one has not read, the latest first.
  typedef struct packed {
    ways_t writes;  // the session
    ways_t removes;
    logic [NumTables-1:0][SetBits-1:0] sets;
    session_t session;
  } past_t;
  past_t [2:0] past_q;

  session_t [NumWays-1:0] stored;
  for (genvar w = 0; w < NumWays; w++) begin : gen_way
    sized_memory #(
        .data_t(session_t),
        .Depth (2 ** SetBits)
    ) u_way (
        .clk_i,
        .write_addr_i(clearing_q ? clear_q : past_q[0].sets[table_of(w)]),
        .data_i(clearing_q | past_q[0].removes[w] ? '0 : past_q[0].session),
        .write_i(clearing_q | past_q[0].writes[w] | past_q[0].removes[w]),
        .read_addr_i(sets[table_of(w)]),
        .data_o(stored[w])
    );
  end

  // ---- Cycle 1: each place is compared ----

  function automatic logic has_ended(session_t session);
    limit_e limit;
    stamp_t difference;
    unique case (session.endpoint.protocol)
      napt_pkg::ProtocolTcp:
      limit = session.tcp.established & ~session.tcp.rst &
          ~(session.tcp.fin_inside & session.tcp.fin_outside) ? LimitEstablished : LimitTransitory;
      napt_pkg::ProtocolUdp: limit = LimitUdp;
      default: limit = LimitEcho;
    endcase
    // The sign of the difference: timeouts are less than half of a turn of the time.
    difference = session.seen - oldest_q[limit];
    return difference[$high(difference)];
  endfunction

  // A step in cycle 2. From outside, its endpoint is that of the session in its place.
  typedef struct packed {
    logic is_request;
    logic from_inside;
    logic may_write;
    logic may_begin;
    flags_t flags;
    endpoint_t endpoint;
    way_t way;
    logic [NumTables-1:0][SetBits-1:0] sets;
    ways_t same;  // of a request from inside without places that the steps before have written
    ways_t live;  // those of them that have not ended
    ways_t ended;
    ways_t free;  // without places that the steps before have written
    tcp_state_t [NumWays-1:0] tcp;
    stamp_t seen;
    logic [2:1] same_session;  // earlier steps have written this entry
    logic same_endpoint;  // that of the step before
    logic [NumTables-1:0] same_set;  // as the step before
  } chosen_t;
  chosen_t chosen_q;

  ways_t same, ended, free, written;
  session_t placed;  // in the place of a packet from outside
  tcp_state_t [NumWays-1:0] tcp;
  logic [1:0][NumTables-1:0] same_set;  // as the two steps before the previous one
  logic [1:0] same_session;  // likewise
  logic [NumTables-1:0] same_set_0;  // as the previous step
  assign placed = stored[read_q.way];
  assign endpoint_o = placed.endpoint;
  always_comb begin
    for (int unsigned t = 0; t < NumTables; t++) begin
      same_set_0[t] = chosen_q.sets[t] == read_q.sets[t];
    end
    for (int unsigned p = 0; p < 2; p++) begin
      for (int unsigned t = 0; t < NumTables; t++) begin
        same_set[p][t] = past_q[p].sets[t] == read_q.sets[t];
      end
      if (read_q.from_inside) begin
        same_session[p] = |past_q[p].writes & past_q[p].session.endpoint == read_q.endpoint;
      end else begin
        same_session[p] = past_q[p].writes[read_q.way] & same_set[p][table_of_way(read_q.way)];
      end
    end
    for (int unsigned w = 0; w < NumWays; w++) begin
      logic is_used;
      is_used = stored[w].endpoint.protocol != ProtocolNone;
      if (read_q.from_inside) same[w] = stored[w].endpoint == read_q.endpoint;
      else same[w] = w == 32'(read_q.way) & stored[w].endpoint.protocol == read_q.endpoint.protocol;
      if (read_q.endpoint.protocol == ProtocolNone) same[w] = 1'b0;
      tcp[w] = stored[w].tcp;
      ended[w] = is_used & has_ended(stored[w]);
      written[w] = (past_q[0].writes[w] & same_set[0][table_of(w)]) |
          (past_q[1].writes[w] & same_set[1][table_of(w)]);
      free[w] = usable_q[w] & (~is_used | ended[w]) & ~written[w];
    end
  end
  wire is_tcp = read_q.endpoint.protocol == napt_pkg::ProtocolTcp;
  wire is_only_syn = flags_i.syn & ~flags_i.ack & ~flags_i.rst;
  always_ff @(posedge clk_i) begin
    chosen_valid_q <= read_valid_q & ~rst_i & ~clearing_q;
    chosen_q <= '{
        is_request: read_q.is_request,
        from_inside: read_q.from_inside,
        may_write: may_write_i,
        may_begin: read_q.from_inside & may_write_i & (~is_tcp | is_only_syn),
        flags: flags_i,
        endpoint: read_q.from_inside ? read_q.endpoint : placed.endpoint,
        way: read_q.way,
        sets: read_q.sets,
        same: read_q.from_inside ? same & ~written : same,
        live: (read_q.from_inside ? same & ~written : same) & ~ended,
        ended: read_q.is_request ? ended : ended & ~written,
        free: free,
        tcp: tcp,
        seen: placed.seen,
        same_session: same_session,
        same_endpoint: chosen_q.endpoint == read_q.endpoint,
        same_set: same_set_0
    };
  end
  `BOMBUS_ASSERT(OnePlace, !(read_valid_q && read_q.is_request) || $onehot0(same))

  // ---- Cycle 2: the session, with what the steps before have written ----

  // The step before is the only one whose writes were not known in cycle 1. A past step from inside
  // may have begun the session, or taken the place of an ended one; one from outside writes a place
  // where its session is. A session that has begun since the place was read cannot have an answer
  // yet.
  ways_t written_0, own, left, place;
  logic [2:0] writes_it;  // earlier steps have written this entry
  logic live;
  session_t session_d;
  tcp_state_t state;  // the state of TCP
  stamp_t seen;
  always_comb begin
    for (int unsigned w = 0; w < NumWays; w++) begin
      written_0[w] = past_q[0].writes[w] & chosen_q.same_set[table_of(w)];
    end
    writes_it[2:1] = chosen_q.same_session;
    writes_it[0] = chosen_q.from_inside ? past_q[0].writes != '0 & chosen_q.same_endpoint :
        written_0[chosen_q.way];
    own = chosen_q.from_inside ? chosen_q.same & ~written_0 : chosen_q.same;
    left = chosen_q.free & ~written_0;
    live = chosen_q.from_inside ? |(chosen_q.live & ~written_0) | |writes_it : |chosen_q.live;
    state = '0;
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (chosen_q.same[w]) state |= chosen_q.tcp[w];  // one at most
    end
    seen = chosen_q.seen;
    for (int p = 2; p >= 0; p--) begin
      if (writes_it[p]) begin
        state = past_q[p].session.tcp;
        seen  = past_q[p].session.seen;
      end
    end
  end

  // The place of the session, of the ended one of the endpoint, or a free one.
  localparam int unsigned HalfWays = NumWays / 2;
  typedef logic [HalfWays-1:0] half_t;
  // The number of ones: bit n is set if they are more than n.
  function automatic half_t count_of(half_t half);
    count_of = '0;
    for (int unsigned w = 0; w < HalfWays; w++) begin
      if (half[w]) count_of = {count_of[HalfWays-2:0], 1'b1};
    end
  endfunction
  function automatic half_t first_in(half_t half);
    for (int unsigned w = 0; w < HalfWays; w++) begin
      first_in[w] = half[w] & ~|(half & half_t'((1 << w) - 1));
    end
  endfunction
  wire half_t [NumTables-1:0] left_of = left;
  wire [NumTables-1:0] has_left = {|left_of[1], |left_of[0]};
  // The second set has more free places.
  wire half_t [NumTables-1:0] free_of = chosen_q.free;
  wire upper = ~has_left[0] | (has_left[1] & |(count_of(free_of[1]) & ~count_of(free_of[0])));
  wire ways_t begun = upper ? {first_in(
      left_of[1]
  ), half_t'(0)} : {half_t'(0), first_in(
      left_of[0]
  )};
  always_comb begin
    place = |own ? own : begun;
    if (chosen_q.from_inside) begin
      for (int p = 2; p >= 0; p--) if (writes_it[p]) place = past_q[p].writes;
    end
  end
  // The number of that place. Not a function of place, which is late.
  function automatic way_t number_of(ways_t one);
    number_of = '0;
    for (int unsigned w = 0; w < NumWays; w++) if (one[w]) number_of |= way_t'(w);
  endfunction
  way_t way;
  always_comb begin
    way = |own ? number_of(own) : upper ? number_of({first_in(left_of[1]), half_t'(0)}) :
        number_of({half_t'(0), first_in(left_of[0])});
    for (int p = 2; p >= 0; p--) if (writes_it[p]) way = number_of(past_q[p].writes);
  end
  assign index_o = {way, chosen_q.sets[table_of_way(way)]};

  wire has_place = |own | |has_left;
  assign new_o = ~live & chosen_q.may_begin & has_place;
  assign no_port_o = ~live & chosen_q.may_begin & ~has_place;
  assign no_session_o = ~live & ~chosen_q.may_begin;
  always_comb begin
    session_d.seen = chosen_q.from_inside ? now_q : seen;
    session_d.endpoint = chosen_q.endpoint;
    session_d.tcp = state;
    if (chosen_q.endpoint.protocol != napt_pkg::ProtocolTcp) begin
      session_d.tcp = '0;
    end else if (~chosen_q.from_inside) begin
      session_d.tcp.answered = 1'b1;
      session_d.tcp.fin_outside |= chosen_q.flags.fin;
      session_d.tcp.rst |= chosen_q.flags.rst;
    end else if (~live | chosen_q.flags.syn) begin
      session_d.tcp = '0;
    end else begin
      session_d.tcp.established |= state.answered;
      session_d.tcp.fin_inside |= chosen_q.flags.fin;
      session_d.tcp.rst = chosen_q.flags.rst;
    end
  end

  wire writes = chosen_valid_q & chosen_q.is_request & chosen_q.may_write &
      (live | (chosen_q.may_begin & has_place));
  wire removes = chosen_valid_q & ~chosen_q.is_request;
  always_ff @(posedge clk_i) begin
    past_q[2:1] <= past_q[1:0];
    past_q[0] <= '{
        writes: writes ? place : '0,
        removes: removes ? chosen_q.ended & ~written_0 : '0,
        sets: chosen_q.sets,
        session: session_d
    };
    if (rst_i | clearing_q) begin
      for (int unsigned p = 0; p < 3; p++) begin
        past_q[p].writes  <= '0;
        past_q[p].removes <= '0;
      end
    end
  end

endmodule
