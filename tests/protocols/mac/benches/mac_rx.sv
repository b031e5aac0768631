// SPDX-License-Identifier: Apache-2.0
// mac_rx, or frame_rx with Whole, at all data widths, side by side. An item in: tuser, tlast, tkeep, tdata; out:
// beat. The second half of the streams out: counted bytes of the frames. Events:
// 8 of each width (drops, frames). Control bit 0: frame_rx holds its frames.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    parameter bit Whole = 0,
    localparam int unsigned NumWidths = 4,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(512)
) (
    `BENCH_PORTS(NumWidths, 512 + 64 + 2, 2 * NumWidths, BeatBits, 1, NumWidths)
);

  `BENCH_SHAPE

  for (genvar n = 0; n < NumWidths; n++) begin : gen_width
    localparam int unsigned Width = 64 << n;
    `BOMBUS_BEAT_T(beat_t, Width)
    beat_t beat;
    logic [2:0] drops;
    logic message, message_q;
    logic [13:0] bytes, bytes_q;
    logic next;
    wire [Width-1:0] data = in_i[n][Width-1:0];
    wire [Width/8-1:0] keep = in_i[n][Width+:Width/8];
    wire last = in_i[n][Width+Width/8];
    wire user = in_i[n][Width+Width/8+1];

    if (Whole) begin : gen_whole
      typedef struct packed {struct packed {logic hold;} gate;} regs_t;
      frame_rx #(
          .beat_t(beat_t),
          .regs_t(regs_t),
          .MacPort(n % 3),
          .DataWidth(Width)
      ) u_mac (
          .clk_i,
          .rst_i,
          .hold_i(1'b0),
          .mac_rx_tdata_i(data),
          .mac_rx_tkeep_i(keep),
          .mac_rx_tvalid_i(in_valid_i[n]),
          .mac_rx_tready_o(in_ready_o[n]),
          .mac_rx_tlast_i(last),
          .mac_rx_tuser_i(user),
          .out_o(beat),
          .out_valid_o(out_valid_o[n]),
          .out_ready_i(out_ready_i[n]),
          .out_next_o(next),
          .regs_i(regs_t'(control_i[0])),
          .drop_o(drops),
          .mac_message_o(message),
          .mac_bytes_o(bytes),
          .busy_o(status_o[n]),
          .waits_o()
      );
    end else begin : gen_packets
      mac_rx #(
          .beat_t(beat_t),
          .MacPort(n % 3),
          .DataWidth(Width)
      ) u_mac (
          .clk_i,
          .rst_i,
          .hold_i(1'b0),
          .mac_rx_tdata_i(data),
          .mac_rx_tkeep_i(keep),
          .mac_rx_tvalid_i(in_valid_i[n]),
          .mac_rx_tready_o(in_ready_o[n]),
          .mac_rx_tlast_i(last),
          .mac_rx_tuser_i(user),
          .out_o(beat),
          .out_valid_o(out_valid_o[n]),
          .out_ready_i(out_ready_i[n]),
          .out_next_o(next),
          .drop_o(drops),
          .mac_message_o(message),
          .mac_bytes_o(bytes),
          .busy_o(status_o[n]),
          .waits_o()
      );
    end

    always_ff @(posedge clk_i) begin
      message_q <= message & ~rst_i;
      bytes_q   <= bytes;
    end
    assign out_o[n] = beat;
    assign out_o[NumWidths+n] = bytes_q;
    assign out_valid_o[NumWidths+n] = message_q;
    assign event_o[8*n+:8] = {4'b0, message, drops};
  end
  assign event_o[63:8*NumWidths] = '0;

endmodule
