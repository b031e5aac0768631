// SPDX-License-Identifier: Apache-2.0
// Messages of a kernel for sum-product networks (docs/applications/spn/kernel.md).
package spn_kernel_pkg;

  localparam int unsigned HeaderBytes = 10;
  localparam int unsigned ResultBytes = 4;
  localparam logic [15:0] Magic = 16'h5053;  // "SP"

  typedef enum logic [7:0] {
    FormRequest   = 8'd0,
    FormResults   = 8'd1,
    FormBadHeader = 8'd2,  // no request
    FormBadLength = 8'd3,  // partial samples, or another number than that of the header
    FormTooMany   = 8'd4   // the results do not fit into one message
  } form_e;

  // Numbers have their lowest byte first.
  typedef struct packed {
    logic [15:0] batch;  // chosen by the client
    logic [15:0] count;  // samples, or results
    logic [15:0] length;  // bytes after the header
    logic [7:0] fraction;  // of results in fixed point; 0: floats
    logic [7:0] form;
    logic [15:0] magic;
  } header_t;

endpackage
