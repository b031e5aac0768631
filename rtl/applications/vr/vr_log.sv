// SPDX-License-Identifier: Apache-2.0
// The log of a witness, in lines of 64 bytes, with an index of its operations; and whether new ones
// fit. Lines after the end of the log are written before the log is extended, which an error leaves
// out.
//
// Entries are stored as they are sent (docs/applications/vr/wire.md), but lines of operations are
// rotated as they arrive: byte b is at (b + place) % 64. Byte 32 of the first line of an entry,
// which is sent as 0, holds the place.
//
// no_room_o is valid from the cycle after a request is opened on, or in StRoom. If rechecks_o is
// high in that cycle, it is valid one cycle later: cleanUpTo of the same message frees lines. The
// first line of an operation is read from the index with a latency of one cycle, a line of the log
// too; with External, lines are read as vr_log_lines states.
`include "bombus_assert.svh"

module vr_log
  import vr_pkg::*;
  import vr_header_pkg::*;
  import vr_state_pkg::*;
  import axi_line_pkg::*;
#(
    parameter int unsigned LogLines = 2048,  // a power of two
    parameter int unsigned LogOps = 1024,  // a power of two; one operation less is held
    parameter bit External = 0,  // the lines are in an external memory
    parameter int unsigned AddrWidth = 34,
    parameter logic [63:0] BaseAddress = '0,
    localparam int unsigned LineBits = $clog2(LogLines),
    localparam type pointer_t = logic [LineBits:0]  // of a line; distinguishes full from empty
) (
    input logic clk_i,
    input logic rst_i,

    input st_e            st_i,
    input st_e            st_next_i,
    input st_e            after_i,
    input actions_t       actions_i,
    input header_t        header_i,
    input replica_state_t now_i,
    input logic           empties_i,   // the log
    input logic           answered_i,  // it begins, empty, after base_i
    input number_t        base_i,
    input logic           frees_i,     // it begins after clean_i
    input number_t        clean_i,
    input number_t        from_i,      // the first line after this operation is first_o

    input logic     keeps_i,    // the request that is opened is written
    input count_t   lines_i,    // that it takes
    input request_t request_i,  // that was opened
    input number_t  this_op_i,  // its operation

    input line_t                 found_i,        // a line of its operation
    input logic  [LineBytes-1:0] found_keep_i,   // bytes that belong to it
    input logic  [ LineBits-1:0] found_addr_i,
    input logic                  found_write_i,
    input logic  [          5:0] place_i,        // bytes by which the next line is rotated

    input number_t keep_i,        // entries of a transfer: operations up to this one are kept
    input number_t kept_op_i,     // or, if the entries begin later, the one before them
    input logic    jumps_i,       // they begin later
    input count_t  new_lines_i,
    input count_t  new_ops_i,
    input line_t   copy_line_i,
    input logic    copy_new_i,
    input logic    copy_first_i,
    input number_t copy_op_i,
    input count_t  copy_lines_i,

    output logic                         kept_o,        // the request is written
    output logic                         no_room_o,
    output logic                         rechecks_o,
    output logic          [LineBits-1:0] line_addr_o,   // next line of its operation
    output logic          [LineBits-1:0] first_o,       // lines to be sent
    output pointer_t                     lines_o,
    input  logic          [LineBits-1:0] read_addr_i,
    input  logic                         read_next_i,
    output line_t                        read_line_o,
    output logic                         read_valid_o,
    output pointer_t                     occupied_o,
    output logic                         stalls_o,      // the memory takes no lines yet
    output writes_t                      announced_o,   // lines, and those of them
    output writes_t                      stored_o,      // that the external memory has
    output logic                         error_o,       // of this memory
    output logic                         busy_o,
    output axi_request_t                 axi_o,
    input  axi_response_t                axi_i
);

  localparam int unsigned MostLines = External ? 262144 : 65536;
  if (LogLines < 32 || LogLines > MostLines || 2 ** $clog2(
          LogLines
      ) != LogLines) begin : gen_bad_lines
    $error("vr_log: LogLines must be a power of two from 32 to %0d", MostLines);
  end
  if (LogOps < 4 || LogOps > LogLines || LogOps > 65536 || 2 ** $clog2(
          LogOps
      ) != LogOps) begin : gen_bad_ops
    $error("vr_log: LogOps must be a power of two from 4 to LogLines, at most 65536");
  end

  localparam int unsigned OpBits = $clog2(LogOps);
  localparam int unsigned RoomBits = (LineBits > 10 ? LineBits : 10) + 3;  // a signed number
  typedef logic [OpBits-1:0] index_t;  // of an operation

  pointer_t head_q, tail_q, write_q;  // write: next line
  logic [OpBits:0] held_q;  // operations
  logic opened_q, full_q, line_pending_q, ops_full_q, freed_q;
  count_t ops_q;  // opened
  logic [5:0] place_q;  // of the lines of the operation
  logic [LineBits-1:0] header_addr_q;
  logic [RoomBits-1:0] room_q;  // lines after the requests or entries

  // ---- Memories ----

  logic write_line_q;
  logic [LineBits-1:0] write_addr_q;
  line_t line_q, line;
  wire  copies = (st_i == StCopyLine) & copy_new_i;
  wire  opens = opened_q & ~no_room_o;  // low while the room is checked again
  wire  finds = (st_i == StOp) & actions_i.extract & kept_o & ~no_room_o;  // a line of the request
  logic lines_busy;
  vr_log_lines #(
      .LogLines(LogLines),
      .External(External),
      .AddrWidth(AddrWidth),
      .BaseAddress(BaseAddress)
  ) u_lines (
      .clk_i,
      .rst_i,
      .announce_i(2'(opens) + 2'(finds | copies)),
      .stalls_o,
      .announced_o,
      .stored_o,
      .write_i(write_line_q),
      .write_addr_i(write_addr_q),
      .line_i(line_q),
      .start_i(actions_i.sends_log),
      .first_i(first_o),
      .lines_i(lines_o),
      .read_addr_i,
      .next_i(read_next_i),
      .line_o(read_line_o),
      .valid_o(read_valid_o),
      .axi_o,
      .axi_i,
      .error_o,
      .busy_o(lines_busy)
  );
  // The first line of each operation, and of the one after the last.
  logic write_index_q;
  index_t index_op_q, read_op;
  pointer_t value_q, index_value;
  sized_memory #(
      .data_t(pointer_t),
      .Depth (LogOps)
  ) u_index (
      .clk_i,
      .write_addr_i(index_op_q),
      .data_i(value_q),
      .write_i(write_index_q),
      .read_addr_i(read_op),
      .data_o(index_value)
  );
  index_t read_after, write_after;  // the operation before
  assign read_op = read_after + 1'b1;
  always_comb begin
    read_after = index_t'(from_i);
    if (st_i == StDecide || st_i == StAsk) read_after = index_t'(clean_i);
    else if (st_i == StPlan || st_i == StSettle && after_i == StRoom) read_after = index_t'(keep_i);
    write_after = index_t'(this_op_i);
    if (answered_i) write_after = index_t'(base_i);
    else if (st_i == StRoom) write_after = index_t'(kept_op_i);
    else if (st_i == StCopyLine) write_after = index_t'(copy_op_i);
  end

  // Lines: of requests, the operations of requests, copied entries.
  line_t request_line;
  assign request_line = {
    swap64(64'(request_i.bytes)),
    swap64(request_i.number),
    swap64(request_i.client),
    64'(place_q),
    swap64(64'd1),
    swap64(64'(this_op_i)),
    swap64(64'(now_i.view)),
    swap64(64'(15'(request_i.bytes) + 15'd64))
  };
  always_comb begin
    for (int unsigned b = 0; b < LineBytes; b++) begin
      line[8*b+:8] = copy_line_i[8*b+:8];
      if (found_write_i) line[8*b+:8] = found_keep_i[b] ? found_i[8*b+:8] : '0;
      else if (line_pending_q) line[8*b+:8] = request_line[8*b+:8];
    end
  end

  // ---- Bounds ----

  // LogLines less those in use, at most LogLines: modulo 2 LogLines, the highest bit is inverted.
  wire pointer_t room = (head_q - write_q) ^ pointer_t'(LogLines);
  // Operations before the entries: all, or of a new log those that are kept.
  wire [OpBits:0] remaining = jumps_i ? '0 : (OpBits + 1)'(keep_i - now_i.cleaned);
  wire [15:0] freed = header_i.clean_is_later ? header_i.freed_all : header_i.freed;
  // Operations with the request that is opened, with the opened ones, or with the entries.
  wire with_entries = (st_i == StSettle) | (st_i == StRoom);
  wire opening = (st_i == StDecide) | (st_i == StOpen);
  logic [OpBits+9:0] ops;
  logic unused_bit;
  assign {ops, unused_bit} =
      {(OpBits + 10)'(with_entries ? remaining : held_q), 1'b1} +
      {(OpBits + 10)'(with_entries ? new_ops_i : ops_q), opening};
  wire ops_over = |ops[OpBits+9:OpBits];
  wire is_over = room_q[RoomBits-1] | ops_full_q;
  assign no_room_o = full_q | (kept_o & is_over);
  assign rechecks_o = opened_q & freed_q & is_over;
  assign occupied_o = tail_q - head_q;
  assign busy_o = write_line_q | line_pending_q | lines_busy;

  always_ff @(posedge clk_i) begin
    write_line_q <= found_write_i | line_pending_q | copies;
    line_q <= line;
    if (found_write_i) write_addr_q <= found_addr_i;
    else if (line_pending_q) write_addr_q <= header_addr_q;
    else write_addr_q <= write_q[LineBits-1:0];
    write_index_q <= opens;
    index_op_q <= write_after + 1'b1;
    value_q <= write_q;
    first_o <= index_value[LineBits-1:0];
    lines_o <= tail_q - index_value;

    // Requests.
    opened_q <= (actions_i.walks & keeps_i) | rechecks_o;
    line_pending_q <= opens;
    if (opened_q) place_q <= place_i;
    if (actions_i.walks) begin
      kept_o <= keeps_i;
      ops_full_q <= ops_over;
      room_q <= RoomBits'(room) - RoomBits'(lines_i);
      if (keeps_i) begin
        header_addr_q <= write_q[LineBits-1:0];
        line_addr_o <= write_q[LineBits-1:0] + 1'b1;
        write_q <= write_q + pointer_t'(lines_i);
        ops_q <= ops_q + 1'b1;
      end
    end
    if (st_i == StCheck) begin
      write_q <= tail_q;
      ops_q   <= '0;
      full_q  <= 1'b0;
      kept_o  <= 1'b0;
    end
    if (opened_q & freed_q) room_q <= room_q + RoomBits'(pointer_t'(index_value - head_q));
    if (rechecks_o) ops_full_q <= ops_over;
    if (st_i == StOp) begin
      full_q <= no_room_o & ~rechecks_o;
      if (actions_i.extract) line_addr_o <= line_addr_o + 1'b1;
    end

    // The beginning and the end.
    freed_q <= frees_i;
    if (freed_q) head_q <= index_value;
    if (frees_i) held_q <= held_q - (OpBits + 1)'(freed);
    if (actions_i.appends) begin
      held_q <= ops[OpBits:0];
      tail_q <= write_q;
    end
    if (empties_i) begin
      head_q <= '0;
      tail_q <= '0;
      held_q <= '0;
    end
    if (answered_i) begin
      write_index_q <= 1'b1;
      value_q <= '0;
    end

    // Entries: after the kept part of the log.
    if (st_i == StSettle && after_i == StRoom) begin
      write_q <= jumps_i ? '0 : index_value;
      kept_o <= 1'b1;
      full_q <= 1'b0;
      room_q <= RoomBits'(jumps_i ? pointer_t'(LogLines) : room) - RoomBits'(new_lines_i);
      ops_full_q <= ops_over;
    end
    if (st_i == StRoom && st_next_i == StCopy) begin
      if (jumps_i) head_q <= '0;
      held_q <= ops[OpBits:0];
      write_index_q <= 1'b1;
    end
    if (st_i == StCopy && st_next_i == StInstalled) tail_q <= write_q;
    if (copies) begin
      write_q <= write_q + 1'b1;
      if (copy_first_i) begin
        write_index_q <= 1'b1;
        value_q <= write_q + pointer_t'(copy_lines_i);
      end
    end

    if (rst_i) begin
      head_q <= '0;
      tail_q <= '0;
      held_q <= '0;
      opened_q <= 1'b0;
      line_pending_q <= 1'b0;
      freed_q <= 1'b0;
    end
  end

  `BOMBUS_ASSERT(HeldCounts, st_i != StIdle || held_q == (OpBits + 1)'(now_i.last - now_i.cleaned))
  `BOMBUS_ASSERT(SendsWhatItHas, !actions_i.sends_log || lines_o <= occupied_o)
  `BOMBUS_ASSERT(LogBounds, st_i != StIdle || occupied_o <= (LineBits + 1)'(LogLines))

endmodule
