// SPDX-License-Identifier: Apache-2.0
// Chain of endpoints at the router's local port: endpoint n has channel n (cluster_chain_stage).
module cluster_chain
  import cluster_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumEndpoints = 2
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t down_i,
    input  logic  down_valid_i,
    output logic  down_ready_o,
    output beat_t up_o,
    output logic  up_valid_o,
    input  logic  up_ready_i,

    output beat_t [NumEndpoints-1:0] receive_o,
    output logic  [NumEndpoints-1:0] receive_valid_o,
    input  logic  [NumEndpoints-1:0] receive_ready_i,
    input  beat_t [NumEndpoints-1:0] send_i,
    input  logic  [NumEndpoints-1:0] send_valid_i,
    output logic  [NumEndpoints-1:0] send_ready_o,

    output logic drop_o,  // a packet of a channel without endpoint is dropped
    output logic holds_o
);

  if (NumEndpoints < 1 || NumEndpoints > 2 ** ChannelBits) begin : gen_bad_endpoints
    $error("cluster_chain: NumEndpoints must be 1 to %0d", 2 ** ChannelBits);
  end

  beat_t [NumEndpoints:0] down, up;
  logic [NumEndpoints:0] down_valid, down_ready, up_valid, up_ready;
  logic [NumEndpoints-1:0] drops, holds;
  assign down[0] = down_i;
  assign down_valid[0] = down_valid_i;
  assign down_ready_o = down_ready[0];
  assign up_o = up[0];
  assign up_valid_o = up_valid[0];
  assign up_ready[0] = up_ready_i;
  assign down_ready[NumEndpoints] = 1'b0;
  assign up[NumEndpoints] = '0;
  assign up_valid[NumEndpoints] = 1'b0;
  wire unused = ^{down[NumEndpoints], down_valid[NumEndpoints], up_ready[NumEndpoints]};
  for (genvar n = 0; n < NumEndpoints; n++) begin : gen_stage
    cluster_chain_stage #(
        .beat_t (beat_t),
        .Channel(channel_t'(n))
    ) u_stage (
        .clk_i,
        .rst_i,
        .last_i(n == NumEndpoints - 1),
        .down_i(down[n]),
        .down_valid_i(down_valid[n]),
        .down_ready_o(down_ready[n]),
        .down_o(down[n+1]),
        .down_valid_o(down_valid[n+1]),
        .down_ready_i(down_ready[n+1]),
        .up_i(up[n+1]),
        .up_valid_i(up_valid[n+1]),
        .up_ready_o(up_ready[n+1]),
        .up_o(up[n]),
        .up_valid_o(up_valid[n]),
        .up_ready_i(up_ready[n]),
        .receive_o(receive_o[n]),
        .receive_valid_o(receive_valid_o[n]),
        .receive_ready_i(receive_ready_i[n]),
        .send_i(send_i[n]),
        .send_valid_i(send_valid_i[n]),
        .send_ready_o(send_ready_o[n]),
        .drop_o(drops[n]),
        .holds_o(holds[n])
    );
  end
  assign drop_o  = |drops;
  assign holds_o = |holds;

endmodule
