// SPDX-License-Identifier: Apache-2.0
board_top.sv
