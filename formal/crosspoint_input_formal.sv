// crosspoint_input in the middle of a mesh: a message goes wholly into one queue,
// which brings it nearer to where it wants to go; without losses nothing is
// dropped, with them a message that does not fit goes wholly and is counted once;
// no queue overflows (for mesh inputs without losses see crosspoint_link_formal).
// Proved for all time, by induction.
module crosspoint_input_formal
  import noc_pkg::*;
#(
    parameter int unsigned Input = 0,  // dir_e
    parameter int unsigned Routing = 0,  // routing_e
    parameter bit Lossless = 1,
    parameter int unsigned Depth = 8,
    parameter int unsigned MaxPacket = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [1:0] x_i,  // where the message goes
    input logic [1:0] y_i,
    input logic [4:0] length_i,  // bytes, in its first flit
    input logic last_i,
    input logic valid_i,
    input logic [NumDirs-1:0] leave_i  // a flit leaves the queue
);

  localparam int unsigned Here = 1;  // x and y of the router
  localparam int unsigned Size = 3;  // columns and rows
  localparam logic [NumDirs-1:0] Queues = queues_of(routing_e'(Routing), Lossless, '1, Input);
  localparam int unsigned Ahead = int'(opposite(Input));
  localparam bit IsMesh = Lossless && Input != int'(DirLocal);

  typedef struct packed {logic [4:0] length;} meta_t;
  typedef struct packed {
    meta_t meta;
    logic last;
    logic [15:0] data;
  } beat_t;
  typedef struct packed {
    logic [1:0] x;
    logic [1:0] y;
    beat_t beat;
  } flit_t;
  typedef logic [$clog2(Depth):0] level_t;

  level_t [NumDirs-1:0] level_q;
  logic [NumDirs-1:0] ready, push;
  logic [NumDirs-1:0][NumDirs-1:0] wanted;
  logic drop;
  flit_t in;
  assign in = '{x: x_i, y: y_i, beat: '{meta: '{length: length_i}, last: last_i, data: '0}};
  crosspoint_input #(
      .flit_t(flit_t),
      .Input(Input),
      .Routing(routing_e'(Routing)),
      .Lossless(Lossless),
      .Queues(Queues),
      .Depth(Depth),
      .MaxPacket(MaxPacket)
  ) u_input (
      .clk_i,
      .rst_i,
      .x_i(8'(Here)),
      .y_i(8'(Here)),
      .in_i(in),
      .in_valid_i(valid_i),
      .in_ready_o(ready),
      .level_i(level_q),
      .push_o(push),
      .wanted_o(wanted),
      .drop_o(drop)
  );

  wire  taken = valid_i & (IsMesh | ready[0]);

  // ---- Legal traffic: not back, and under XY in its column once it moves along it ----

  logic is_legal;
  always_comb begin
    is_legal = 32'(x_i) < Size && 32'(y_i) < Size;
    case (Input)
      int'(DirLocal): is_legal &= 32'(x_i) != Here || 32'(y_i) != Here;
      int'(DirNorth): is_legal &= 32'(y_i) >= Here && (Routing != 0 || 32'(x_i) == Here);
      int'(DirSouth): is_legal &= 32'(y_i) <= Here && (Routing != 0 || 32'(x_i) == Here);
      int'(DirEast): is_legal &= 32'(x_i) <= Here;
      default: is_legal &= 32'(x_i) >= Here;
    endcase
  end

  logic started_q = 1'b0;
  logic inside_q;  // a message has begun and not ended
  logic [3:0] left_q;  // flits of it to come, when dropping
  logic [NumDirs-1:0] target_q;  // where it went
  logic [1:0] x_q, y_q;
  wire [3:0] flits = length_i < 5'd2 ? 4'd1 : 4'((length_i + 5'd1) >> 1);
  wire [3:0] left = inside_q ? left_q : flits;

  function automatic int unsigned depth_of(int unsigned channel);
    return Queues[Input] && (channel == Input || channel == Ahead) ? Depth / 2 : Depth;
  endfunction

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    x_q <= x_i;
    y_q <= y_i;
    if (rst_i) begin
      inside_q <= 1'b0;
      level_q  <= '0;
    end else begin
      if (taken) begin
        inside_q <= ~last_i;
        left_q   <= left - 1'b1;
        if (~inside_q) target_q <= push;
      end
      for (int unsigned c = 0; c < NumDirs; c++) begin
        level_q[c] <= level_q[c] + level_t'(push[c]) - level_t'(leave_i[c]);
      end
    end
  end

  always_comb begin
    if (~started_q)
      assume (rst_i);
      else assume (~rst_i);
    assume (is_legal);
    assume (length_i < 5'd25);
    if (started_q & inside_q) assume (x_i == x_q && y_i == y_q);
    if (~Lossless) assume (last_i == (left == 4'd1));  // the length is what it says
    for (int unsigned c = 0; c < NumDirs; c++) begin
      if (level_q[c] == '0) assume (~leave_i[c]);
      // The router before keeps to what it has been told.
      if (IsMesh && 32'(level_q[c]) == depth_of(c)) assume (~push[c]);
    end
  end

  // ---- Where it may go, said once more: the output of a channel leads nearer ----

  function automatic logic is_nearer(int unsigned output_, logic [1:0] x, logic [1:0] y);
    case (output_)
      int'(DirNorth): return 32'(y) < Here;
      int'(DirSouth): return 32'(y) > Here;
      int'(DirEast): return 32'(x) > Here;
      int'(DirWest): return 32'(x) < Here;
      default: return 32'(x) == Here && 32'(y) == Here;
    endcase
  endfunction

  logic [NumDirs-1:0] allowed;
  assign allowed = channels_of(
      routing_e'(Routing), Lossless, Input, heading(8'(Here), 8'(Here), 8'(x_i), 8'(y_i))
  );

  always_comb begin
    if (started_q & ~rst_i) begin
      assert ($onehot0(push));
      assert ((push & ~Queues) == '0);
      assert (allowed != '0 && (allowed & ~Queues) == '0);
      if (~taken) assert (push == '0 && ~drop);
      if (taken & inside_q) assert (push == target_q && ~drop);
      if (taken & ~inside_q) begin
        assert ((push & ~allowed) == '0);
        if (Lossless)
          assert ($onehot(push) && ~drop);
          else assert (drop == (push == '0));
        for (int unsigned c = 0; c < NumDirs; c++) begin
          if (push[c]) begin
            assert (is_nearer(c == Input ? Ahead : c, x_i, y_i));
            // The one with most room.
            for (int unsigned d = 0; d < NumDirs; d++) begin
              if (allowed[d]) begin
                assert (depth_of(c) - 32'(level_q[c]) >= depth_of(d) - 32'(level_q[d]));
              end
            end
            if (~Lossless) assert (32'(level_q[c]) + 32'(flits) <= Depth);
            if (Lossless && Input == int'(DirLocal)) begin
              assert (32'(level_q[c]) + MaxPacket <= Depth);
            end
          end
          // Dropped only if it fits nowhere.
          if (drop & allowed[c]) assert (32'(level_q[c]) + 32'(flits) > Depth);
        end
      end
      if (~Lossless) assert (ready == '1);
    end
  end

  // ---- For the induction ----

  always_comb begin
    if (started_q) begin
      assert (u_input.first_q == ~inside_q);
      if (inside_q) begin
        assert ($onehot0(target_q) && (target_q & ~Queues) == '0);
        if (Lossless) assert ($onehot(target_q) && u_input.choice_q == target_q);
      end
      for (int unsigned c = 0; c < NumDirs; c++) begin
        assert (32'(level_q[c]) <= depth_of(c));
        if (~Lossless & inside_q) begin
          if (target_q[c]) assert (32'(level_q[c]) + 32'(left_q) <= Depth);
          if (target_q[c]) assert (u_input.choice_q == target_q);
        end
      end
      if (~Lossless & inside_q) assert (left_q != '0 && left_q < 4'd12);
    end
  end
  if (!Lossless) begin : gen_dropping
    always_comb begin
      if (started_q & inside_q) assert (u_input.gen_dropping.refused_q == (target_q == '0));
    end
  end

  // ---- It can happen at all: the end of a message with a full queue, or of one that is dropped ----

  logic [NumDirs-1:0] full;
  always_comb begin
    for (int unsigned c = 0; c < NumDirs; c++) full[c] = 32'(level_q[c]) == depth_of(c);
    if (started_q & ~rst_i) begin
      cover (|full);
      cover (inside_q & taken & last_i & (Lossless | (target_q == '0)));
    end
  end
  wire unused = ^wanted;

endmodule
