# SPDX-License-Identifier: Apache-2.0
"""The model of Reed-Solomon codes, and the client's way from shards back to a file."""

from __future__ import annotations

import json
import socket
import threading
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from bombus.applications.reed_solomon import client as rs_client
from bombus.applications.reed_solomon.galois_field import inverse, multiply
from bombus.applications.reed_solomon.model import MATRICES, Code
from bombus.base.errors import UserError

SHARD_BYTES = 40


class Encoder(rs_client.ParityService):
    """The service without a network."""

    def __init__(self, code: Code) -> None:
        super().__init__("10.77.0.2")
        self.code = code

    def parity(self, blocks: list[bytes], parity_bytes: int) -> list[bytes]:
        answers = [self.code.encode(block) for block in blocks]
        assert all(len(answer) == parity_bytes for answer in answers)
        return answers


def test_field() -> None:
    assert multiply(0x80, 2) == 0x1D
    assert [multiply(a, inverse(a)) for a in range(1, 256)] == [1] * 255
    with pytest.raises(ZeroDivisionError):
        inverse(0)


def test_known_parity() -> None:
    """As Backblaze and klauspost/reedsolomon have it in their own tests."""
    data = bytes([0, 1, 4, 5, 2, 3, 6, 7, 8, 9])
    assert Code(5, 5).encode(data) == bytes([12, 13, 10, 11, 14, 15, 90, 91, 94, 95])


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("shards", [(8, 2), (4, 2), (10, 4), (16, 1), (1, 1), (2, 3)], ids=str)
def test_every_loss_is_made_good(shards: tuple[int, int], matrix: str) -> None:
    code = Code(*shards, matrix)
    data = Random(1).randbytes(code.data_shards * SHARD_BYTES)
    stripe = data + code.encode(data)
    whole = [stripe[i : i + SHARD_BYTES] for i in range(0, len(stripe), SHARD_BYTES)]
    for lost in combinations(range(code.shards), code.parity_shards):
        left = [None if i in lost else shard for i, shard in enumerate(whole)]
        assert code.reconstruct(left) == whole
    with pytest.raises(UserError, match="shards are left"):
        code.reconstruct([None] * (code.parity_shards + 1) + whole[code.parity_shards + 1 :])


def test_impossible_codes() -> None:
    for shards in ((0, 2), (8, 0), (200, 57)):
        with pytest.raises(UserError, match="at least one of each"):
            Code(*shards)
    with pytest.raises(UserError, match="should be one of"):
        Code(8, 2, "reed")
    with pytest.raises(UserError, match="cannot be split"):
        Code(8, 2).encode(bytes(9))


@pytest.mark.parametrize("size", [0, 1, 319, 320, 321, 5000])
def test_client_gets_files_of_any_size_back(tmp_path: Path, size: int) -> None:
    code = Code(8, 2)
    file, folder, again = tmp_path / "file", tmp_path / "shards", tmp_path / "again"
    file.write_bytes(Random(size).randbytes(size))
    done = rs_client.encode(file, folder, Encoder(code), code, SHARD_BYTES)
    assert done.blocks == -(-size // 320)
    for lost in ((0, 1), (3, 9)):
        kept = [(rs_client.shard_file(folder, i), i) for i in lost]
        saved = [(path, path.read_bytes()) for path, _ in kept]
        for path, _ in kept:
            path.unlink()
        assert rs_client.decode(folder, again) == list(lost)
        assert again.read_bytes() == file.read_bytes()
        for path, content in saved:
            path.write_bytes(content)


def test_client_says_what_is_wrong(tmp_path: Path) -> None:
    code = Code(4, 2)
    file, folder, again = tmp_path / "file", tmp_path / "shards", tmp_path / "again"
    file.write_bytes(bytes(1000))
    rs_client.encode(file, folder, Encoder(code), code, SHARD_BYTES)
    damaged = rs_client.shard_file(folder, 0)
    damaged.write_bytes(b"x" + damaged.read_bytes()[1:])
    with pytest.raises(UserError, match="the service used another --matrix than vandermonde"):
        rs_client.decode(folder, again)
    for number in (0, 1, 5):
        rs_client.shard_file(folder, number).unlink()
    with pytest.raises(UserError, match="only 3 shards are left"):
        rs_client.decode(folder, again)
    (folder / rs_client.CODE_FILE).write_text(json.dumps({"data_shards": 4}))
    with pytest.raises(UserError, match=r"code\.json"):
        rs_client.decode(folder, again)


def test_the_client_names_what_it_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match=r"no shards in .*: `encode` writes code\.json, shard\.0"):
        rs_client.decode(tmp_path, tmp_path / "file")
    (tmp_path / "shard.0").write_bytes(b"1")
    with pytest.raises(UserError, match=r"code\.json: No such file"):
        rs_client.decode(tmp_path, tmp_path / "file")
    (tmp_path / "code.json").write_text("{}")
    with pytest.raises(UserError, match=r"code\.json is not what `encode` wrote"):
        rs_client.decode(tmp_path, tmp_path / "file")
    with pytest.raises(SystemExit):
        rs_client.main(["encode", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "--timeout SECONDS timeout before a request is repeated, in seconds (default" in told
    assert "--port PORT UDP port of the service (default: 1082)" in told


@pytest.mark.parametrize(
    "design",
    [Code(4, 2, "cauchy"), Code(4, 2, "power"), Code(2, 1), Code(8, 4)],
    ids=["cauchy", "power", "fewer shards", "more shards"],
)
@pytest.mark.parametrize("content", [b"text", bytes(1000)], ids=["short", "zeros"])
def test_a_service_with_another_code_is_found_out(
    tmp_path: Path, design: Code, content: bytes
) -> None:
    """Also where the sizes of requests and answers fit, and the file itself tells no difference."""
    file, folder = tmp_path / "file", tmp_path / "shards"
    file.write_bytes(content)
    with pytest.raises(UserError, match=r"^10\.77\.0\.2 port 1082 returned different parity than"):
        rs_client.encode(file, folder, Encoder(design), Code(4, 2), SHARD_BYTES)
    assert not folder.exists()


def test_a_service_that_goes_wrong_is_found_out(tmp_path: Path) -> None:
    class Failing(Encoder):
        def parity(self, blocks: list[bytes], parity_bytes: int) -> list[bytes]:
            answers = super().parity(blocks, parity_bytes)
            return [*answers[:64], *(bytes(parity_bytes) for _ in answers[64:])]

    code = Code(4, 2)
    file, folder = tmp_path / "file", tmp_path / "shards"
    file.write_bytes(Random(1).randbytes(100 * 4 * SHARD_BYTES))
    with pytest.raises(UserError, match="different parity"):
        rs_client.encode(file, folder, Failing(code), code, SHARD_BYTES)
    assert not folder.exists()


def test_answers_of_another_size_are_told_from_silence() -> None:
    def answer() -> None:
        for _ in range(2):
            _, client = service.recvfrom(2000)
            service.sendto(bytes(40), client)

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as service:
        service.bind(("127.0.0.1", 0))
        service.settimeout(10)
        server = threading.Thread(target=answer)
        server.start()
        asking = rs_client.ParityService(*service.getsockname(), timeout=0.5, tries=2)
        with pytest.raises(UserError, match="replied with 40 bytes instead of 80"):
            asking.parity([bytes(160)], 80)
        server.join()


@pytest.mark.parametrize("host", ["nowhere.invalid", "two..dots"])
def test_an_unknown_host_is_named(tmp_path: Path, host: str) -> None:
    (tmp_path / "file").write_bytes(b"1")
    with pytest.raises(SystemExit, match=f"error: {host} cannot be reached: "):
        rs_client.main(["encode", str(tmp_path / "file"), str(tmp_path / "shards"), host])
