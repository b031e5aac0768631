// Queue between one input and one output of the crosspoint router: flits in block
// RAM, control bits beside it (queue_lane). Two lanes share the RAM, half of it
// each, where messages of two classes must not block each other; the lanes have
// one way in and one way out together.
//
// Latency: pushed in cycle 0, at the front in cycle 1; popped there, the flit is
// on out_o in cycle 2 and stays until the next pop. Throughput: one flit per cycle.
module crosspoint_queue #(
    parameter type flit_t = logic,
    parameter type head_t = logic,
    parameter int unsigned Depth = 512,
    parameter int unsigned NumLanes = 1,  // 1 or 2
    localparam type level_t = logic [$clog2(Depth):0]
) (
    input logic clk_i,
    input logic rst_i,

    input flit_t in_i,
    input head_t in_head_i,
    input logic [NumLanes-1:0] push_i,  // one-hot or zero

    output head_t [NumLanes-1:0] head_o,
    output logic [NumLanes-1:0] head_valid_o,
    input logic [NumLanes-1:0] pop_i,  // one-hot or zero
    output flit_t out_o,

    output level_t [NumLanes-1:0] level_o
);

  localparam int unsigned LaneDepth = Depth / NumLanes;
  localparam int unsigned AddrWidth = $clog2(Depth);
  localparam int unsigned LaneAddrWidth = $clog2(LaneDepth);

  logic [NumLanes-1:0][LaneAddrWidth-1:0] lane_write_addr, lane_read_addr;
  logic [NumLanes-1:0][LaneAddrWidth:0] lane_level;
  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    queue_lane #(
        .head_t(head_t),
        .Depth (LaneDepth)
    ) u_lane (
        .clk_i,
        .rst_i,
        .push_i(push_i[l]),
        .head_i(in_head_i),
        .write_addr_o(lane_write_addr[l]),
        .valid_o(head_valid_o[l]),
        .head_o(head_o[l]),
        .pop_i(pop_i[l]),
        .read_addr_o(lane_read_addr[l]),
        .level_o(lane_level[l])
    );
    assign level_o[l] = level_t'(lane_level[l]);
  end

  logic [AddrWidth-1:0] write_addr, read_addr;
  if (NumLanes == 1) begin : gen_one
    assign write_addr = lane_write_addr[0];
    assign read_addr  = lane_read_addr[0];
  end else begin : gen_two
    assign write_addr = {push_i[1], lane_write_addr[push_i[1]]};
    assign read_addr  = {pop_i[1], lane_read_addr[pop_i[1]]};
  end

  (* ram_style = "block" *) flit_t ram[Depth];
  always_ff @(posedge clk_i) begin
    if (|push_i) ram[write_addr] <= in_i;
    if (|pop_i) out_o <= ram[read_addr];
  end

endmodule
