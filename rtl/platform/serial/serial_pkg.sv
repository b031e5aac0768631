// SPDX-License-Identifier: Apache-2.0
// Symbols of a serial lane: two bytes of 8b/10b with their K flags. Byte 0 is first on the wire.
package serial_pkg;

  typedef struct packed {
    logic [1:0]      k;
    logic [1:0][7:0] bytes;
  } symbol_t;

  localparam logic [7:0] Comma = 8'hbc;  // K28.5
  localparam symbol_t Idle = '{k: 2'b01, bytes: {8'h50, Comma}};  // D16.2 after it

endpackage
