// SPDX-License-Identifier: Apache-2.0
// States of a message in vr_witness.
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

endpackage
