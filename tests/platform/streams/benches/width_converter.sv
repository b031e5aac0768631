// SPDX-License-Identifier: Apache-2.0
// Converters between several widths side by side. An item: last, bytes (8 bits), data (64 bytes).
`include "bench.svh"

module bench #(
    localparam int unsigned NumShapes = 4,
    localparam int unsigned ItemBits  = 1 + 8 + 512
) (
    `BENCH_PORTS(NumShapes, ItemBits, NumShapes, ItemBits, 1, 1)
);

  `BENCH_SHAPE

  // As in test_width_converter.py
  localparam int unsigned InBytes[NumShapes] = '{8, 5, 20, 6};
  localparam int unsigned OutBytes[NumShapes] = '{5, 8, 64, 6};

  typedef struct packed {
    logic last;
    logic [7:0] bytes;
    logic [511:0] data;
  } item_t;

  for (genvar n = 0; n < NumShapes; n++) begin : gen_shape
    localparam int unsigned In = InBytes[n];
    localparam int unsigned Out = OutBytes[n];
    item_t in;
    logic [8*Out-1:0] data;
    logic [$clog2(Out+1)-1:0] bytes;
    logic last;
    assign in = item_t'(in_i[n]);
    width_converter #(
        .InBytes (In),
        .OutBytes(Out)
    ) u_converter (
        .clk_i,
        .rst_i,
        .in_data_i  (in.data[8*In-1:0]),
        .in_bytes_i (in.bytes[$clog2(In+1)-1:0]),
        .in_last_i  (in.last),
        .in_valid_i (in_valid_i[n]),
        .in_ready_o (in_ready_o[n]),
        .out_data_o (data),
        .out_bytes_o(bytes),
        .out_last_o (last),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n])
    );
    assign out_o[n] = $bits(out_o[n])'({last, 8'(bytes), 512'(data)});
  end
  assign event_o  = '0;
  assign status_o = control_i & 1'b0;

endmodule
