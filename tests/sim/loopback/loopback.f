loopback_port.sv
loopback_top.sv
