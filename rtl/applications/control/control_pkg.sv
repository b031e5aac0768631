// SPDX-License-Identifier: Apache-2.0
// Format of control messages (docs/applications/control/format.md). The unit is the word of 32
// bits, first byte lowest.
package control_pkg;

  localparam logic [15:0] Magic = 16'h4342;  // "BC"
  localparam logic [7:0] Version = 8'd1;
  localparam logic [7:0] AnswerVersion = 8'h80 | Version;
  localparam logic [7:0] DesignKey = 8'hFF;  // number of the design file's key

  localparam int unsigned HeaderWords = 8;
  localparam int unsigned TagWords = 4;
  localparam int unsigned LengthOffset = 4;  // bytes, of the length in the header
  localparam int unsigned HelloWords = 6;  // of its answer
  localparam int unsigned MaxBodyWords = 2048;
  localparam int unsigned MaxResultWords = 1024;  // of the reads of a batch
  localparam int unsigned StagedUs = 1_000_000;  // after which an unfinished batch is discarded

  // Word 0: key, version and magic. Word 1 of a request; of an answer, with a status.
  typedef struct packed {
    logic [7:0]  key;
    logic [7:0]  version;
    logic [15:0] magic;
  } word0_t;
  typedef struct packed {
    logic [13:0] reserved;
    logic        continues;  // the batch of the key's last request
    logic        more;       // the batch continues in the next request of this key
    logic [15:0] length;     // bytes of the body, a multiple of 4
  } request_word1_t;

  // Header of a request, from its first word on
  typedef struct packed {
    logic [63:0]    number;
    logic [63:0]    client;
    logic [63:0]    boot;
    request_word1_t word1;
    word0_t         word0;
  } request_header_t;

  typedef enum logic [7:0] {
    Ok,
    Malformed,  // an item is cut off, or has a count of 0 or above the limit
    TooLong,    // the batch, or the results of its reads
    NoRight,    // the key may not access the address
    Repeated,   // the number is not above that of the key's last request
    OtherBoot,  // the design was reset since
    Busy,       // another key's batch is unfinished
    Cut         // the request continues a batch that has been discarded
  } status_e;

  typedef enum logic [1:0] {
    Read,         // address, count
    Write,        // address, data
    MaskedWrite,  // address, mask, data
    WriteBlock    // address, count, data of each word
  } operation_e;

  // Top bits of the nonce's second half
  localparam logic [1:0] RequestNonce = 2'b00, AnswerNonce = 2'b11;

  // What a key may access: pages of 4 KiB.
  typedef struct packed {
    logic        may_write;
    logic        may_read;
    logic [15:0] last_page;
    logic [15:0] first_page;
  } rights_t;

  // Of control_cipher: a message that starts, and its words
  typedef struct packed {
    logic         start;
    logic [127:0] nonce;  // constant from start to the end of the message, as is empty
    logic         empty;  // the text has no words
    logic [31:0]  word;
    logic         last;   // of the associated data, or of the text
    logic         valid;
  } cipher_input_t;

endpackage
