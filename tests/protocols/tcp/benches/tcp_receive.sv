// SPDX-License-Identifier: Apache-2.0
// All data widths in parallel. An item in: beat; out, for each width: the beats of the payload,
// with the number of header bytes before it as tos, then segment_t. Events: 16 for each width,
// drop_o and event_o.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    parameter bit StripHeaders = 1,
    parameter bit AnyLayout = 1,
    localparam int unsigned NumWidths = 4,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(512)
) (
    `BENCH_PORTS(NumWidths, BeatBits, 2 * NumWidths, BeatBits, 1, NumWidths)
);

  `BENCH_SHAPE
  // See test_tcp_receive.py.
  wire bombus_pkg::host_t host_i =
  '{mac: 48'h8A1B2C3D4E9F, ip: 32'h0A000001, netmask: 32'hFFFFFF00, gateway: 32'h0A0000FE}
  ;

  for (genvar n = 0; n < NumWidths; n++) begin : gen_width
    `BOMBUS_BEAT_T(beat_t, 64 << n)
    beat_t beat, shown;
    logic [5:0] header;
    always_comb begin
      shown = beat;
      shown.meta.tos = 8'(header);
    end
    tcp_pkg::segment_t segment;
    assign out_o[2*n]   = shown;
    assign out_o[2*n+1] = segment;
    tcp_receive #(
        .beat_t(beat_t),
        .StripHeaders(StripHeaders),
        .AnyLayout(AnyLayout)
    ) u_receive (
        .clk_i,
        .rst_i,
        .host_i,
        .in_i(beat_t'(in_i[n])),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .segment_o(segment),
        .segment_valid_o(out_valid_o[2*n+1]),
        .segment_ready_i(out_ready_i[2*n+1]),
        .out_o(beat),
        .out_header_o(header),
        .out_valid_o(out_valid_o[2*n]),
        .out_ready_i(out_ready_i[2*n]),
        .drop_o(event_o[16*n+:5]),
        .drop_message_o(),
        .event_o(event_o[16*n+5+:2]),
        .busy_o(status_o[n])
    );
    assign event_o[16*n+7+:9] = '0;
  end

endmodule
