// SPDX-License-Identifier: Apache-2.0
// What the parts of vr_witness share: the states of a message, and its outcome.
package vr_state_pkg;

  typedef enum logic [5:0] {
    StIdle,
    StCheck,
    StDecide,
    StDrain,
    StOpen,  // a further request of a Prepare
    StOp,
    StRequest,
    StRequestWait,
    StModulo,
    StAsk,
    StSetUp,
    StReply,
    StRestart,
    StRecover,
    StResponse,
    StCount,
    StReached,
    StFetch,
    StChange,
    StSpread,
    StChangeReply,
    StQuorum,
    StSettle,
    StSendIndex,
    StSendLines,
    StSend,
    StEntries,
    StJudge,
    StPlan,
    StRoom,
    StCopy,
    StCopyLine,
    StInstalled,
    StAcknowledge
  } st_e;

  // State of the replica.
  typedef struct packed {
    vr_pkg::state_e   state;
    vr_pkg::replica_t own;
    vr_pkg::replica_t replicas;   // 0: none
    vr_pkg::replica_t leader;     // of the view
    vr_pkg::number_t  view;
    vr_pkg::number_t  log_view;   // the last one in which it was normal
    vr_pkg::number_t  last;       // operation of the log
    vr_pkg::number_t  committed;
    vr_pkg::number_t  cleaned;    // the log begins after it
  } replica_state_t;

  // A dropped message, by the reason (drop_e of vr_witness).
  typedef struct packed {
    logic too_long;
    logic full;
    logic gap;
    logic ignored;
    logic malformed;
  } drops_t;

  // Events of the control (event_e of vr_witness).
  typedef struct packed {
    logic recovered;
    logic view_change;
    logic invalid;
    logic valid;
    logic acknowledged;
  } events_t;

  // What the control does in a cycle.
  typedef struct packed {
    logic walks;           // opens a request
    logic cleans;          // cleanUpTo of the Prepare takes effect
    logic appends;         // the requests become part of the log
    logic commits;
    logic begins_entries;
    logic sends_log;
    logic consume;         // bytes of the message
    logic extract;
  } actions_t;

  // A message of one beat that is sent.
  typedef struct packed {
    logic             valid;
    logic [7:0]       kind;
    logic             to_source;
    vr_pkg::replica_t to_slot;
  } sent_t;

  // What the control decides by, beside the header of the message.
  typedef struct packed {
    logic from_group;        // of another member
    logic expected;          // answer to the present recovery
    logic has_second;        // beat, and no line of the message before is extracted any more
    logic has_line;          // the next 64 bytes, or the rest
    logic turns;             // a line is being extracted
    logic has_request;       // fields of a request have been found
    logic unfit;             // the operation is longer than the message
    logic last_part;         // of an operation
    logic last_request;
    logic sound;             // bytes for the next request, or none
    logic has_bytes;         // of the operation
    logic no_room;
    logic rechecks;          // the room, after cleanUpTo
    logic stalls;            // the memory of the log takes no lines yet
    logic lines_left;        // of the entries, to be taken
    logic bad_entries;
    logic jumps_far;         // entries leave a gap
    logic jumps;
    logic lacks;             // operations that are reported as committed
    logic copied;
    logic has_new;           // operations
    logic same_log;          // the entries extend the present log
    logic reaches;           // the log has what recovery must reach
    logic all_answered;
    logic nothing_to_fetch;
    logic has_quorum;
    logic had_quorum;
    logic repeated;          // StartViewChange
    logic may_ask;
    logic retry_due;
    logic set_up_pending;
    logic by_message;        // set-up
    logic recovers;
    logic sender_busy;
    logic leader_busy;
  } facts_t;

endpackage
