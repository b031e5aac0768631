// SPDX-License-Identifier: Apache-2.0
// What endpoints send each other and count.
package cluster_endpoint_pkg;

  // Kinds of flow-control packets.
  typedef enum logic [2:0] {
    KindGrant,   // the receiver reserves room for `amount` more packets
    KindReturn,  // the sender gives `amount` of its budget back
    KindOpen,    // a sender without session asks for one
    KindOpened,  // the receiver has reserved InitBudget; nonce is that of the open
    KindClosed   // the receiver had reserved nothing: the sender's session has ended
  } kind_e;

  // The payload of a flow-control packet (cluster_pkg::header_t.credit): one word.
  typedef struct packed {
    kind_e       kind;
    logic [28:0] reserved;
    logic [7:0]  nonce;
    logic [7:0]  reserved_low;
    logic [15:0] amount;
  } control_t;

  // Drops at receiving, except DropBadDestination: a packet of the user.
  typedef enum logic [2:0] {
    DropBadSource,  // a source beyond NumBoards
    DropBadDestination,
    DropTooLong,  // more than MaxWords
    DropNoBudget,  // for which no room was reserved: a source without session
    DropBadControl,  // a flow-control packet that breaks the rules
    NumDrops
  } drop_e;

  typedef enum logic [1:0] {
    EventGrant,   // a grant is sent
    EventReturn,  // budget is given back
    EventOpen,    // a session is asked for
    NumEvents
  } event_e;

endpackage
