// SPDX-License-Identifier: Apache-2.0
loopback_port.sv
loopback_top.sv
