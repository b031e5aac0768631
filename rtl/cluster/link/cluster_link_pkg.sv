// SPDX-License-Identifier: Apache-2.0
// Control words of a link between boards, and what a link counts.
//
// A link carries words of 8 bytes. A word that begins with data = 1 begins a packet, a word of 0 is
// idle, all others between packets are control words: {CRC-32C of the low half, 0, kind, payload}.
// Without retry, the first word of a packet is {CRC-32C of the low half, 1, header}.
//
// Each CRC of the link, but that of training words, is sent as its XOR with the session_key_t of
// the direction, which payload does not know: it can imitate neither control words nor packets.
package cluster_link_pkg;

  typedef logic [15:0] seq_t;  // number of a packet, modulo 2**16
  typedef logic [11:0] count_t;  // of beats with words of packets, modulo 2**12
  typedef logic [11:0] nonce_t;
  typedef logic [12:0] session_t;
  typedef logic [13:0] sum_t;  // cluster_link_sum

  typedef enum logic [2:0] {
    WordIdle = 3'd0,
    // ack: next packet expected, or without retry sums_t; limit: beats that may be sent in all
    WordState = 3'd1,
    WordTail = 3'd2,  // seq: next packet to be sent; sent: beats sent so far
    WordNak = 3'd3,  // seq: next packet expected; the sender continues from it
    WordNakNew = 3'd4,  // the same after a reset: the receiver expects no particular packet
    WordMark = 3'd5,  // the answer: the next packet is seq; nonce of the Nak
    WordTrain = 3'd6  // alone in its beat
  } kind_e;

  typedef struct packed {
    seq_t   seq;
    count_t count;  // limit, sent, or nonce
  } numbers_t;

  typedef struct packed {
    logic [1:0] number;  // of this State
    sum_t       sum;     // of the payload between the two States before
  } sums_t;

  typedef struct packed {
    logic     knows;  // heard is valid
    logic     up;     // an answer to the training of the other side
    session_t heard;  // session of the other side
    session_t own;
  } training_t;

  typedef struct packed {
    kind_e       kind;
    logic [27:0] payload;  // numbers_t or training_t
  } control_t;

  // Added to CRCs.
  typedef struct packed {
    session_t sender;
    session_t receiver;
  } session_key_t;

  // A control word of the other side.
  typedef struct packed {
    logic     valid;
    logic     sure;     // it came between packets, not while the receiver was out of step
    logic     alone;    // the other words of its beat are 0
    control_t control;
  } heard_t;

  // What the receiver wants the other side to know.
  typedef struct packed {
    seq_t   expected;     // next packet
    count_t limit;        // beats that the other side may send in all
    logic   limit_valid;
    logic   hunting;      // it is out of step: a Nak is due, with the nonce
    logic   is_new;       // it expects no particular packet
    nonce_t nonce;
  } wanted_t;

  // What the session wants from the sender.
  typedef struct packed {
    logic      training;  // only training words are sent
    training_t word;
    logic      run;       // send a run of them; a pulse
    logic      stopped;   // nothing is sent
    logic      fresh;     // the other side is new: packets sent to it are lost; a pulse
  } orders_t;

  typedef struct packed {
    logic     up;
    logic     in_step;   // the receiver
    session_t session;   // of the other side
    count_t   credits;   // beats that may be sent
    logic     drained;   // a drain has returned all packets
    logic     known;     // the receiver expects a particular packet
    seq_t     expected;  // the packet
  } link_state_t;

  // A link that is disabled returns the packets that the neighbour has not received.
  typedef struct packed {
    logic disable_link;
    logic drain;
    logic known;     // expected is valid; 0: packets that were sent are given up
    seq_t expected;  // by the neighbour's receiver
  } link_control_t;

  typedef enum int unsigned {
    EventPacketOut,  // first transmission or a repetition
    EventPacketIn,
    EventBeatOut,  // wire beats with words of packets
    EventBeatIn,
    EventCrcError,  // packets with a bad CRC; without retry, intervals of States, or cut packets
    EventBadWord,  // control words with a bad CRC, or words that fit nowhere
    EventRetry,  // the sender went back
    EventResync,  // the receiver is in step again
    EventDuplicate,  // packets that arrived again
    EventLost,  // packets that were in flight to a board that was reset; without retry, any other
    EventUp,
    EventDown,
    NumEvents
  } event_e;

endpackage
