// SPDX-License-Identifier: Apache-2.0
// Properties of the distribution of messages among replicas, which software reads too.
package replicas_pkg;

  // Messages by which each further sender may let the load of a replica exceed the limit of
  // least_loaded: those that it has sent in the last cycles and that the others do not count yet
  localparam int unsigned UncountedMessages = 2;

endpackage
