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
// prolongs it (RFC 4787, 4.3). The time wraps after 19 hours; before that, the places are searched
// for ended sessions, in cycles without a request and once in each unit of time. A request may
// follow another one in the next cycle: it finds what that one has written. A packet from outside
// finds a session only if it has begun, or begun again, at least four cycles before.
//
// Latency: result_o is valid 2 cycles after request_valid_i. Throughput: one request per cycle.
// After reset, and after a write of the secret or of the ports, ready_o is low while all sessions
// are removed.
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
    input endpoint_t                 endpoint_i,       // of a packet from inside; else the protocol
    input logic      [IndexBits-1:0] index_i,          // of a packet from outside
    input logic                      may_write_i,      // a packet of the session, no error about it
    input flags_t                    flags_i,          // of TCP

    // Two cycles later
    output logic                      hit_o,
    output logic                      new_o,      // with hit_o: the session begins
    output logic                      no_port_o,  // without hit_o: no place was free
    output logic      [IndexBits-1:0] index_o,
    output endpoint_t                 endpoint_o  // of a packet from outside
);

  localparam int unsigned NumTables = 2;
  typedef logic [SetBits-1:0] set_t;
  typedef logic [$clog2(NumWays)-1:0] way_t;
  typedef logic [NumWays-1:0] ways_t;
  function automatic int unsigned table_of(int unsigned way);
    return way / (NumWays / NumTables);
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

  logic [NumTables-1:0][SetBits-1:0] hash, sets;
  keyed_hash #(
      .DataWidth($bits(endpoint_t)),
      .HashWidth(NumTables * SetBits)
  ) u_hash (
      .data_i(endpoint_i),
      .seed_i(regs_i.secret.bits),
      .hash_o(hash)
  );
  always_comb begin
    for (int unsigned t = 0; t < NumTables; t++) begin
      sets[t] = ~request_valid_i ? search_q : from_inside_i ? hash[t] : index_i[SetBits-1:0];
    end
  end

  typedef struct packed {
    logic is_request;
    logic from_inside;
    logic may_write;
    endpoint_t endpoint;
    way_t way;  // from outside
    flags_t flags;
    logic [NumTables-1:0][SetBits-1:0] sets;
  } step_t;
  step_t read_q, chosen_q;
  logic read_valid_q, chosen_valid_q;
  always_ff @(posedge clk_i) begin
    read_valid_q <= (request_valid_i | searches) & ~rst_i & ~clearing_q;
    read_q <= '{
        is_request: request_valid_i,
        from_inside: from_inside_i,
        may_write: may_write_i,
        endpoint: endpoint_i,
        way: index_i[SetBits+:$clog2(NumWays)],
        flags: flags_i,
        sets: sets
    };
  end

  // Steps whose writes the present one has not read, the latest first.
  typedef struct packed {
    ways_t writes;
    logic from_inside;
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
        .data_i(clearing_q ? '0 : past_q[0].session),
        .write_i(clearing_q | past_q[0].writes[w]),
        .read_addr_i(sets[table_of(w)]),
        .data_o(stored[w])
    );
  end

  // ---- Cycle 1: each place is compared ----

  function automatic logic has_ended(session_t session);
    stamp_t limit;
    unique case (session.endpoint.protocol)
      napt_pkg::ProtocolTcp:
      limit = session.tcp.established & ~session.tcp.rst &
          ~(session.tcp.fin_inside & session.tcp.fin_outside) ? regs_i.timeouts.tcp_established :
          regs_i.timeouts.tcp_transitory;
      napt_pkg::ProtocolUdp: limit = regs_i.timeouts.udp;
      default: limit = regs_i.timeouts.echo;
    endcase
    return now_q - session.seen > limit;
  endfunction

  ways_t same, same_q, ended, ended_q, free, free_q;
  session_t found, found_q;
  logic [1:0][2:0] num_free;
  logic upper_q;  // the second set has more free places
  always_comb begin
    found = '0;
    num_free = '0;
    for (int unsigned w = 0; w < NumWays; w++) begin
      if (read_q.from_inside) same[w] = stored[w].endpoint == read_q.endpoint;
      else same[w] = w == 32'(read_q.way) & stored[w].endpoint.protocol == read_q.endpoint.protocol;
      ended[w] = stored[w].endpoint.protocol != ProtocolNone & has_ended(stored[w]);
      free[w]  = usable_q[w] & (stored[w].endpoint.protocol == ProtocolNone | ended[w]);
      if (same[w]) found |= stored[w];  // one at most
      num_free[table_of(w)] += 3'(free[w]);
    end
  end
  always_ff @(posedge clk_i) begin
    chosen_valid_q <= read_valid_q & ~rst_i & ~clearing_q;
    chosen_q <= read_q;
    same_q <= same;
    ended_q <= ended;
    free_q <= free;
    found_q <= found;
    upper_q <= num_free[1] > num_free[0];
  end

  // Compared with the steps that will be past ones in the next cycle. A step from inside is for the
  // same endpoint or not; one from outside writes a place where a session is.
  logic [2:0][NumTables-1:0] same_set_q;
  logic [2:0] same_endpoint_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned t = 0; t < NumTables; t++) begin
      same_set_q[0][t] <= chosen_q.sets[t] == read_q.sets[t];
      same_set_q[1][t] <= past_q[0].sets[t] == read_q.sets[t];
      same_set_q[2][t] <= past_q[1].sets[t] == read_q.sets[t];
    end
    same_endpoint_q[0] <= chosen_q.from_inside & chosen_q.endpoint == read_q.endpoint;
    same_endpoint_q[1] <= past_q[0].from_inside & past_q[0].session.endpoint == read_q.endpoint;
    same_endpoint_q[2] <= past_q[1].from_inside & past_q[1].session.endpoint == read_q.endpoint;
  end
  `BOMBUS_ASSERT(OnePlace, !(read_valid_q && read_q.is_request) || $onehot0(same))

  // ---- Cycle 2: the session, with what the steps before have written ----

  ways_t [2:0] written;  // places of this step that a past one has written
  logic same_past;  // the past step has written the session
  session_t session, session_d;
  ways_t same_now, place;
  logic live;
  always_comb begin
    for (int unsigned p = 0; p < 3; p++) begin
      for (int unsigned w = 0; w < NumWays; w++) begin
        written[p][w] = past_q[p].writes[w] & same_set_q[p][table_of(w)];
      end
    end
    session = found_q;
    same_now = same_q;
    live = |(same_q & ~ended_q);
    // The latest write decides.
    for (int p = 2; p >= 0; p--) begin
      if (~chosen_q.from_inside) begin
        // A session that has begun up to three cycles ago cannot have an answer yet.
        same_past = live & written[p][chosen_q.way] &
            past_q[p].session.endpoint.protocol != ProtocolNone;
      end else if (past_q[p].from_inside) begin
        same_past = |past_q[p].writes & same_endpoint_q[p];
      end else begin
        same_past = live & |(same_now & written[p]) &
            past_q[p].session.endpoint.protocol != ProtocolNone;
      end
      if (same_past) begin
        session = past_q[p].session;
        if (past_q[p].from_inside) same_now = past_q[p].writes;
        live = 1'b1;
      end else if (|(same_now & written[p])) begin
        same_now = '0;  // another session has the place now, or none
        live = 1'b0;
      end
    end
  end

  // A place for a new session: that of the ended one of the endpoint, else a free one.
  ways_t free_now;
  always_comb begin
    free_now = free_q & ~(written[0] | written[1] | written[2]);
    place = same_now;
    if (same_now == '0) begin
      place = free_now & ~(free_now - 1'b1);
      if (upper_q & |free_now[NumWays-1:NumWays/2]) begin
        place = {
          free_now[NumWays-1:NumWays/2] & ~(free_now[NumWays-1:NumWays/2] - 1'b1), (NumWays / 2)'(0)
        };
      end
    end
  end

  wire is_tcp = chosen_q.endpoint.protocol == napt_pkg::ProtocolTcp;
  wire begins = chosen_q.from_inside & chosen_q.may_write & ~live &
      (~is_tcp | (chosen_q.flags.syn & ~chosen_q.flags.ack & ~chosen_q.flags.rst));
  assign new_o = begins & |place;
  assign hit_o = live | new_o;
  assign no_port_o = begins & ~|place;
  always_comb begin
    session_d = session;
    if (chosen_q.from_inside) begin
      session_d.seen = now_q;
      session_d.endpoint = chosen_q.endpoint;
    end
    if (is_tcp) begin
      if (~chosen_q.from_inside) begin
        session_d.tcp.answered = 1'b1;
        session_d.tcp.fin_outside |= chosen_q.flags.fin;
        session_d.tcp.rst |= chosen_q.flags.rst;
      end else if (~live | chosen_q.flags.syn) begin
        session_d.tcp = '0;
      end else begin
        session_d.tcp.established |= session.tcp.answered;
        session_d.tcp.fin_inside |= chosen_q.flags.fin;
        session_d.tcp.rst = chosen_q.flags.rst;
      end
    end else begin
      session_d.tcp = '0;
    end
  end

  function automatic way_t number_of(ways_t one);
    number_of = '0;
    for (int unsigned w = 0; w < NumWays; w++) if (one[w]) number_of |= way_t'(w);
  endfunction
  wire way_t way = number_of(place);
  wire set_t set = chosen_q.sets[way[$clog2(NumWays)-1]];
  assign index_o = {way, set};
  assign endpoint_o = found_q.endpoint;

  wire is_request = chosen_valid_q & chosen_q.is_request;
  wire writes = is_request & chosen_q.may_write & hit_o;
  wire removes = chosen_valid_q & ~chosen_q.is_request;
  always_ff @(posedge clk_i) begin
    past_q[2:1] <= past_q[1:0];
    past_q[0] <= '{
        writes: writes ? place : removes ? ended_q & ~(written[0] | written[1] | written[2]) : '0,
        from_inside: writes & chosen_q.from_inside,
        sets: chosen_q.sets,
        session: writes ? session_d : '0
    };
    if (rst_i | clearing_q) begin
      for (int unsigned p = 0; p < 3; p++) past_q[p].writes <= '0;
    end
  end

endmodule
