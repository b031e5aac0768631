// SPDX-License-Identifier: Apache-2.0
// The sum of an inner frame in frame_from_ip and frame_into_ip.
package inner_frame_pkg;

  // A one's complement sum over a frame, less that of its Ethernet header (wire bytes).
  function automatic logic [15:0] without_header(logic [15:0] csum,
                                                 logic [ethernet_pkg::HeaderBytes*8-1:0] header);
    without_header = csum;
    for (int unsigned w = 0; w < ethernet_pkg::HeaderBytes / 2; w++) begin
      without_header = bombus_pkg::csum_add(without_header, ~bombus_pkg::swap16(header[16*w+:16]));
    end
  endfunction

endpackage
