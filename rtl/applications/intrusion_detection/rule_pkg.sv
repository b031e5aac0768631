// SPDX-License-Identifier: Apache-2.0
// Types shared by the parts of rule_matcher: hashes of fragments, and the properties of a packet.
//
// The tables are rows of 32 words (bombus.applications.intrusion_detection.tables). Columns 0 and
// 1: a pair of port ranges; 2 to 6: a rule; 8 to 10: a step; 12 to 14 and 16 to 18: the two halves
// of the fragments; 20 and 21: the bitmap of fragments of eight bytes; 22: that of fragments of
// four. Large matchers have fewer rows of port ranges and of bitmaps than of the others.
package rule_pkg;

  localparam int unsigned ColumnPorts = 0;
  localparam int unsigned ColumnRule = 2;
  localparam int unsigned ColumnStep = 8;
  localparam int unsigned ColumnFirst = 12;
  localparam int unsigned ColumnSecond = 16;
  localparam int unsigned ColumnLong = 20;
  localparam int unsigned ColumnShort = 22;

  localparam int unsigned MinRows = 256;
  localparam int unsigned MaxRows = 65536;
  function automatic int unsigned port_rows(int unsigned rows);
    return rows < 2048 ? rows : 2048;
  endfunction
  function automatic int unsigned bitmap_rows(int unsigned rows);
    return rows < 8192 ? rows : 8192;
  endfunction

  typedef logic [19:0] hash_t;
  typedef logic [15:0] row_t;
  typedef logic [13:0] offset_t;

  // Each hash bit is the XOR of some bits of the four bytes: of six, or seven, so that four equal
  // bytes have different hashes, too.
  localparam logic [19:0][31:0] Taps = {  // the last one first
    32'h28000c0c,
    32'h00061224,
    32'h82050248,
    32'h88009901,
    32'h01104112,
    32'h80038016,
    32'h1b000280,
    32'h10541010,
    32'h92082014,
    32'h8c881001,
    32'h88280b00,
    32'h04024403,
    32'h01221003,
    32'h8018201a,
    32'h44050408,
    32'h04110884,
    32'h91120100,
    32'h17400200,
    32'h02090441,
    32'h00040d08
  };
  function automatic hash_t hash_of_four(logic [31:0] word);
    for (int unsigned n = 0; n < 20; n++) hash_of_four[n] = ^(word & Taps[n]);
  endfunction
  // low and high: hashes of the first and second four bytes of a fragment; a short one has no high.
  // The constants keep a long fragment of equal bytes away from the short one of the same bytes.
  localparam hash_t LongFirst = 20'h2c290;
  localparam hash_t LongSecond = 20'h48e07;
  function automatic hash_t first_hash(logic is_short, hash_t low, hash_t high);
    return low ^ (is_short ? '0 : {high[12:0], high[19:13]} ^ LongFirst);
  endfunction
  function automatic hash_t second_hash(logic is_short, hash_t low, hash_t high);
    return {low[10:0], low[19:11]} ^ (is_short ? '0 : {high[6:0], high[19:7]} ^ LongSecond);
  endfunction

  // Converts letters to lower case; some other bytes are merged too.
  function automatic logic [7:0] fold(logic [7:0] character);
    return character | {2'b00, character[6], 5'd0};
  endfunction

  // Positions count from the first byte of the frame.
  typedef struct packed {
    logic [7:0] slot;
    logic is_examined;  // the payload was found and is examined
    logic [3:0] protocol;  // one of TCP, UDP, ICMP, others, from bit 0 on
    logic [15:0] source_port;
    logic [15:0] destination_port;
    offset_t start;  // first byte of the payload
    offset_t size;
    offset_t stop;  // first byte after the payload
    logic is_small;  // too small to hold a fragment
    logic [9:0] last_at;  // last position at which a fragment may begin, in units of 16
    logic [15:0] beat;  // first beat of the frame in the store
    offset_t from;  // start of the scan: bytes before the payload are earlier bytes of the stream
    logic is_ahead;  // bytes of the stream are missing before this segment
    logic is_blocked;  // the firmware has blocked its flow
    logic is_again;  // it was ahead; the firmware requests another verdict
    logic is_urgent;  // TCP with URG: its receiver may take a byte out of the stream
  } packet_t;

  // The fields that the flow state needs.
  typedef struct packed {
    logic is_enabled;  // packets are examined
    logic in_stream;  // TCP, with a complete header, that may change what its receiver reads
    logic rst;  // TCP, with a complete header; the others are valid with rst or in_stream
    logic syn;  // its payload is not in the stream
    logic ack;
    logic fin;  // without syn
    logic [31:0] sequence_number;
    logic [31:0] acknowledged;
    logic [95:0] key;  // addresses and ports
  } flow_t;

  // Bytes of a stream kept for the next segment
  // (bombus.applications.intrusion_detection.fragments.JOINT_BYTES).
  localparam int unsigned JointBytes = 32;

  // Bits of a verdict.
  localparam int unsigned VerdictAhead = 4;
  localparam int unsigned VerdictAttention = 6;

  // Firmware requests about the flow of a packet.
  typedef enum logic [2:0] {
    AskAgain,  // another verdict
    AskSkip,  // another verdict, skipping the missing bytes
    AskBlock,  // mark all later verdicts of the flow as blocked
    AskRow,  // return the row of the flow's state
    AskAwait,  // return the verdict requested last
    AskSequence,  // return the sequence number of the segment
    AskEnd  // return the sequence number after the segment
  } ask_e;

  // A place in the tables of fragments.
  typedef struct packed {
    logic is_second;
    row_t row;
  } place_t;

  // From the scan to the check: a fragment matched, or the packet ends, or both.
  typedef struct packed {
    logic is_match;
    logic ends;
    offset_t offset;
    row_t row;
    place_t place;
  } match_t;

  // From the check to the scan: all rules of a fragment are settled for the packet in the check
  // (`is_done`), or a former packet's are no longer.
  typedef struct packed {
    logic valid;
    logic is_done;
    logic both;  // places of this row
    place_t place;
  } settled_t;

endpackage
