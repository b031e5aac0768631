// SPDX-License-Identifier: Apache-2.0
// The decoded first beat of a message (vr_header).
package vr_header_pkg;

  typedef struct packed {
    logic           is_prepare;
    logic           is_commit;
    logic           is_request;      // RequestStateTransfer
    logic           is_transfer;     // StateTransfer
    logic           is_change;       // StartViewChange
    logic           is_start;        // StartView
    logic           is_read;         // ValidateRead
    logic           is_set_up;
    logic           is_response;     // RecoveryResponse
    logic           is_foreign;      // for leaders, replicas or clients
    logic           framed;          // magic and size are right
    logic           formed;          // lengths and numbers agree
    logic           counted;         // those of a Prepare agree with its count
    logic           later;           // view, compared with the witness's
    logic           earlier;
    logic           op_held;         // opnum is in the log, or before it
    logic           op_is_later;     // opnum is not known to be committed
    logic           start_follows;   // batchstart leaves no gap
    logic           clean_frees;     // cleanUpTo is in the log, or after it
    logic           clean_is_later;  // cleanUpTo is not known to be committed
    logic [15:0]    freed;           // operations up to cleanUpTo, modulo 2^16
    logic [15:0]    freed_all;       // operations that are committed
    vr_pkg::count_t skip;            // requests of the batch that are in the log
    vr_pkg::count_t lines;           // of the entries
  } header_t;

endpackage
