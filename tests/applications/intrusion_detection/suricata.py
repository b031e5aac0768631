# SPDX-License-Identifier: Apache-2.0
"""Runs rules on frames through Suricata: which flow matches which rule."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from scapy.utils import wrpcap

from bombus.applications.intrusion_detection.streams import Flow

# Parsers of application protocols are off: contents of packets and streams are compared, but not
# those of buffers such as http.uri. 255 is the largest packet-alert-max.
CONFIGURATION = """%YAML 1.1
---
vars:
  address-groups: {HOME_NET: "any", EXTERNAL_NET: "any"}
outputs:
  - eve-log: {enabled: yes, filetype: regular, filename: eve.json, types: [alert]}
packet-alert-max: 255
app-layer: {protocols: {}}
stream:
  memcap: 64mb
  checksum-validation: no
  midstream: false
  reassembly: {memcap: 64mb, depth: 0, randomize-chunk-size: no}
detect: {profile: medium}
defrag: {memcap: 16mb}
flow: {memcap: 64mb}
host: {memcap: 16mb}
"""


def program() -> str:
    """Its path; the test is skipped if it is not installed."""
    found = shutil.which("suricata")
    if found is None:
        pytest.skip("suricata is not installed (package suricata of Debian's backports)")
    return found


def alerts(rules: str, frames: Iterable[bytes], folder: Path) -> set[tuple[Flow, int]]:
    """Flow and sid of each alert."""
    suricata = program()
    folder.mkdir()
    (folder / "suricata.yaml").write_text(CONFIGURATION)
    (folder / "my.rules").write_text(rules)
    wrpcap(str(folder / "in.pcap"), list(frames), linktype=1)
    command = [suricata, "-c", "suricata.yaml", "-S", "my.rules", "-r", "in.pcap", "-l", "."]
    command += ["-k", "none", "--runmode", "single", "--set", "unix-command.enabled=no"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    said = done.stderr + done.stdout
    assert done.returncode == 0 and "Invalid value" not in said, said[-4000:]
    found = set()
    for line in (folder / "eve.json").read_text().splitlines():
        event = json.loads(line)
        flow = Flow(
            event["src_ip"], event["dest_ip"], event.get("src_port", 0), event.get("dest_port", 0)
        )
        found.add((flow, event["alert"]["signature_id"]))
    return found
