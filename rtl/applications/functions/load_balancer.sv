// SPDX-License-Identifier: Apache-2.0
// Layer 4 load balancer: sends the packets of a service to one of its backends.
//
// It precedes ipv4_rx and takes IP packets with their header. A packet to a service (address,
// protocol, port) is sent unchanged to the MAC address of a backend, which has the service's
// address too and answers the client itself (direct server return); the next hop is eth_tx, with
// the backend's address in meta.ip. With BackendPort, the packet has this MAC port there: if it is
// that of tunnels, ip_in_ip_encapsulate in place of eth_tx finds the tunnel to the backend. All
// other packets go on to ipv4_rx: of other destinations, with options, too short.
//
// The backend of a new connection is that of its slot. The slots of each service are computed by
// software (Maglev: Eisenbud et al., "Maglev: A Fast and Reliable Software Network Load Balancer",
// NSDI 2016, section 3.4) and written to the half of the table that is not in use; one write of the
// register `slots` then replaces them. A connection keeps its backend, also when the slots change,
// until IdleUnits units of 17 s pass without a packet, or the backend is down.
//
// Dropped and counted: packets to services without a backend that is up, and fragments to an
// address of a service, which have no ports.
//
// With External, the table of connections is in an external memory (load_balancer_memory), whose
// AXI4 port the design file raises; after reset, packets wait until it is cleared.
//
// Latency: 4 cycles at 256 bits and more; narrower data adds the beats of 24 bytes, and
// External a read of the memory. Throughput: one beat per cycle.
`include "axi_ports.svh"

module load_balancer
  import bombus_pkg::*;
  import axi_line_pkg::*;
  import load_balancer_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from load_balancer.rdl
    parameter type backend_t = logic,
    parameter type slot_word_t = logic,
    parameter int unsigned NumServices = 2,  // up to 16
    parameter int unsigned NumBackends = 128,  // up to 255; the number after the last means none
    parameter int unsigned NumSlots = 65537,  // of each service, up to 65,537
    parameter int unsigned NumConnections = 16384,  // a power of two, 64 to 2^22
    parameter int unsigned IdleUnits = 18,  // a unit is 2^24 us
    parameter int unsigned NumMacPorts = 1,
    parameter int unsigned BackendPort = 255,  // of packets to backends; 255: that of arrival
    parameter bit External = 0,  // the table of connections is in an external memory
    parameter int unsigned NumLines = 1024,  // of load_balancer_memory; a power of two
    parameter int unsigned MaxReads = 64,  // of the memory at the same time; a power of two
    parameter int unsigned AddrWidth = 34,
    parameter logic [63:0] BaseAddress = '0,  // a multiple of the bytes of the table
    localparam int unsigned ServiceWords = (NumSlots + 3) / 4,
    localparam int unsigned NumSlotWords = 2 * NumServices * ServiceWords,
    localparam int unsigned NextWidth = 1
) (
    input logic         clk_i,
    input logic         rst_i,
    input logic  [31:0] time_us_i,
    input regs_t        regs_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,

    input  logic                               backend_request_i,  // held until done
    input  logic                               backend_write_i,
    input  logic     [$clog2(NumBackends)-1:0] backend_index_i,
    input  backend_t                           backend_wdata_i,
    output backend_t                           backend_rdata_o,
    output logic                               backend_done_o,

    input  logic                                  slot_word_request_i,  // held until done
    input  logic                                  slot_word_write_i,
    input  logic       [$clog2(NumSlotWords)-1:0] slot_word_index_i,
    input  slot_word_t                            slot_word_wdata_i,
    output slot_word_t                            slot_word_rdata_o,
    output logic                                  slot_word_done_o,

    output logic [AddrWidth-1:0] axi_awaddr_o,
    output logic                 axi_awvalid_o,
    input  logic                 axi_awready_i,
    output logic [        511:0] axi_wdata_o,
    output logic [         63:0] axi_wstrb_o,
    output logic                 axi_wlast_o,
    output logic                 axi_wvalid_o,
    input  logic                 axi_wready_i,
    input  logic [          1:0] axi_bresp_i,
    input  logic                 axi_bvalid_i,
    output logic                 axi_bready_o,
    output logic [AddrWidth-1:0] axi_araddr_o,
    output logic                 axi_arvalid_o,
    input  logic                 axi_arready_i,
    input  logic [        511:0] axi_rdata_i,
    input  logic [          1:0] axi_rresp_i,
    input  logic                 axi_rlast_i,
    input  logic                 axi_rvalid_i,
    output logic                 axi_rready_o,

    output logic [1:0] drop_o,
    output logic [4:0] event_o,
    output logic       busy_o
);

  localparam string Entry = "";  // takes the messages of the layer named by `before`
  localparam bit StandsBefore = 1'b1;
  localparam string Precedes = "ipv4_rx";
  localparam bit KeepsFlowState = 1'b1;
  localparam string MayStayOpen = External ? "" : "axi";
  // After a reset or a write of the secret, the table is cleared, a set in a cycle.
  localparam int unsigned ClearCycles = NumConnections / 4 + 64;
  localparam int unsigned MaxBusyCycles = External ? 0 :  // waits for the memory
  ClearCycles > 4096 ? ClearCycles : 4096;
  typedef enum logic [0:0] {
    NextServed,
    NextEthTx
  } next_e;
  typedef enum int unsigned {
    DropNoBackend,
    DropFragment,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventBalanced,  // a packet of a service is sent to a backend
    EventConnected,  // the first packet of a connection
    EventMoved,  // the connection's backend was down
    EventEvicted,  // a connection gave up its entry to a new one
    EventUnstored,  // an entry was not written: its next packet writes it (External)
    NumEvents
  } event_e;

  if (NumServices < 1 || NumServices > MaxServices) begin : gen_bad_services
    $error("load_balancer: NumServices must be 1 to %0d", MaxServices);
  end
  if (NumBackends < 2 || NumBackends > 255) begin : gen_bad_backends
    $error("load_balancer: NumBackends must be 2 to 255");
  end
  if (NumSlots < 5 || NumSlots > 65537) begin : gen_bad_slots
    $error("load_balancer: NumSlots must be 5 to 65537");
  end
  if (NumConnections < 64 || NumConnections > 2 ** 22 || 2 ** $clog2(
          NumConnections
      ) != NumConnections) begin : gen_bad_table
    $error("load_balancer: NumConnections must be a power of two from 64 to 4194304");
  end
  localparam longint unsigned TableBytes = 16 * 64'(NumConnections);
  if (External && (AddrWidth > 64 || BaseAddress % TableBytes != 0 ||
                   ((65'(BaseAddress) + 65'(TableBytes) - 1) >> AddrWidth) != '0))
  begin : gen_bad_address
    $error("load_balancer: BaseAddress must be a multiple of the table, which AddrWidth reaches");
  end
  if (IdleUnits < 2 || IdleUnits > 127) begin : gen_bad_idle
    $error("load_balancer: IdleUnits must be 2 to 127");
  end
  if (BackendPort != 255 && BackendPort >= NumMacPorts) begin : gen_bad_port
    $error("load_balancer: BackendPort must be a MAC port of the design, or 255");
  end

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned ViewBeats = (ViewBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned Depth = External ? 512 : 32;  // beats, and so at most as many packets

  // ---- The header, and a queue of the beats that wait for the verdict ----

  logic queue_ready, table_ready;
  wire taken = in_valid_i & in_ready_o;
  assign in_ready_o = queue_ready & table_ready;

  // Beats of this packet before the present one that belong to the view.
  logic [  $clog2(ViewBeats+1)-1:0] seen_q;
  logic [ViewBeats*DataBytes*8-1:0] view;
  if (ViewBeats == 1) begin : gen_one_beat
    assign view = in_i.data;
  end else begin : gen_more_beats
    logic [ViewBeats-2:0][DataBytes*8-1:0] before_q;
    assign view = {in_i.data, before_q};
    always_ff @(posedge clk_i) begin
      if (taken && 32'(seen_q) < ViewBeats - 1)
        before_q[seen_q[$clog2(ViewBeats)-1:0]] <= in_i.data;
    end
  end
  wire is_last_of_view = 32'(seen_q) == ViewBeats - 1;
  // A packet that ends in its header is not balanced.
  wire is_viewed = taken & (is_last_of_view | (in_i.last & 32'(seen_q) != ViewBeats));
  length_t length_q;
  wire length_t length = seen_q == '0 ? in_i.length : length_q;
  always_ff @(posedge clk_i) begin
    if (taken) begin
      if (seen_q == '0) length_q <= in_i.length;
      if (in_i.last) seen_q <= '0;
      else if (32'(seen_q) != ViewBeats) seen_q <= seen_q + 1'b1;
    end
    if (rst_i) seen_q <= '0;
  end

  beat_t waiting;
  logic waiting_valid, waiting_ready, queue_holds;
  stream_queue #(
      .data_t(beat_t),
      .Depth (Depth)
  ) u_beats (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i(in_valid_i & table_ready),
      .in_ready_o(queue_ready),
      .out_o(waiting),
      .out_valid_o(waiting_valid),
      .out_ready_i(waiting_ready),
      .holds_o(queue_holds)
  );

  // ---- The verdict of each packet, in order ----

  `BOMBUS_AXI_LINES(axi)

  verdict_t found, verdict;
  logic found_valid, verdict_valid, verdict_ready, unstored;
  load_balancer_choice #(
      .regs_t(regs_t),
      .backend_t(backend_t),
      .slot_word_t(slot_word_t),
      .NumServices(NumServices),
      .NumBackends(NumBackends),
      .NumSlots(NumSlots),
      .NumConnections(NumConnections),
      .IdleUnits(IdleUnits),
      .External(External),
      .NumLines(NumLines),
      .MaxReads(MaxReads),
      .AddrWidth(AddrWidth),
      .BaseAddress(BaseAddress)
  ) u_choice (
      .clk_i,
      .rst_i,
      .time_us_i,
      .regs_i,
      .ready_o(table_ready),
      .view_valid_i(is_viewed),
      .view_whole_i(is_last_of_view & length >= 14'(ViewBytes)),
      .view_i(view[ViewBytes*8-1:0]),
      .verdict_o(found),
      .verdict_valid_o(found_valid),
      .unstored_o(unstored),
      .axi_o(axi_request),
      .axi_i(axi_response),
      .backend_request_i,
      .backend_write_i,
      .backend_index_i,
      .backend_wdata_i,
      .backend_rdata_o,
      .backend_done_o,
      .slot_word_request_i,
      .slot_word_write_i,
      .slot_word_index_i,
      .slot_word_wdata_i,
      .slot_word_rdata_o,
      .slot_word_done_o
  );
  // Never full: each verdict belongs to a packet in the other queue.
  stream_queue #(
      .data_t(verdict_t),
      .Depth (Depth)
  ) u_verdicts (
      .clk_i,
      .rst_i,
      .in_i(found),
      .in_valid_i(found_valid),
      .in_ready_o(),
      .out_o(verdict),
      .out_valid_o(verdict_valid),
      .out_ready_i(verdict_ready),
      .holds_o()
  );

  // ---- Output ----

  logic first, out_ready;
  wire sent_valid = waiting_valid & verdict_valid;
  assign waiting_ready = out_ready & verdict_valid;
  assign verdict_ready = out_ready & waiting_valid & waiting.last;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(waiting_valid & waiting_ready),
      .last_i (waiting.last),
      .first_o(first)
  );

  beat_t sent;
  logic [NumDrops-1:0] reasons;
  always_comb begin
    sent = waiting;
    reasons = '0;
    if (verdict.is_balanced) begin
      sent.meta.csum = '0;  // neither a checksum to write nor one to verify
      sent.meta.l4   = '0;
      sent.meta.ip   = verdict.ip;
      sent.meta.tos  = waiting.data[15:8];  // of the header
      if (BackendPort != 255) sent.meta.mac_port = mac_port_t'(BackendPort);
      if (verdict.is_fragment) reasons[DropFragment] = 1'b1;
      else if (~verdict.has_backend) reasons[DropNoBackend] = 1'b1;
    end
  end
  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .NextWidth(NextWidth)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(sent_valid),
      .in_ready_o(out_ready),
      .in_first_i(first),
      .in_next_i(verdict.is_balanced ? NextEthTx : NextServed),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  wire sends = sent_valid & out_ready & first & verdict.is_balanced & verdict.has_backend &
      ~verdict.is_fragment;
  always_ff @(posedge clk_i) begin
    event_o[EventBalanced] <= sends;
    event_o[EventConnected] <= sends & verdict.is_new;
    event_o[EventMoved] <= sends & verdict.is_moved;
    event_o[EventEvicted] <= sends & verdict.has_evicted;
    event_o[EventUnstored] <= unstored;
    if (rst_i) event_o <= '0;
  end

  assign busy_o = queue_holds | out_valid_o;

endmodule
