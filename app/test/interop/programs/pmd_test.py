# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
"""DPDK's own mlx5 drivers, as Debian packages them, find the PCI functions of the devices.

What the model has, they use: the crypto driver encrypts. What it lacks, they reject with a
message, and the program goes on and ends well.

Usage: pmd_test.py SWHCA_RUN INTEROP_CRYPTODEV
Its output is the Test Anything Protocol; exit status 1 if a case failed.
"""

import os
import re
import subprocess
import sys

from case_runner import Runner, expect, need, run_cases

BDF = "0000:08:00.0"
PROBE = r"Probe PCI driver: mlx5_pci \(15b3:{}\) device: " + re.escape(BDF)
# As many as the program does.
OPS = 64
KEY = bytes(range(1, 33))
TWEAK = bytes([7] + [0] * 15)
PLAIN = bytes((i * 7 + 3) & 255 for i in range(512))


def eal(devargs):
    """EAL options: no hugepages, one PCI function. The bus of newer releases has a log type."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    return ["--no-huge", "-m", "512", "--no-shconf", "--no-telemetry", "--iova-mode=va",
            "-l", ",".join(map(str, cpus)), "-a", f"{BDF},{devargs}",
            "--log-level=pmd.*:debug", "--log-level=bus.pci:info"]


def probe(runner, devargs, model, link="ib", crypto="plain"):
    """What the drivers say when a program probes the function; it must end well."""
    need("dpdk-test")
    command = f"echo quit | exec dpdk-test {' '.join(eal(devargs))}"
    done = runner.run("sh", "-c", command, options=["--model", model, "--link-layer", link,
                                                     "--crypto", crypto],
                      env=runner.env(SWHCA_LOG="warning"))
    text = done.stdout + done.stderr
    expect(re.search(PROBE.format({"cx6dx": "101d", "cx7": "1021"}[model]), text), text)
    expect('Dev information matches for device "mlx5_0"' in text or "class=vdpa" in devargs, text)
    return text


def ecb(key, data):
    """AES-128, one block at a time."""
    return subprocess.run([need("openssl"), "enc", "-aes-128-ecb", "-K", key.hex(), "-nopad"],
                          input=data, stdout=subprocess.PIPE, check=True).stdout


def xts(key, tweak, data):
    """AES-XTS of IEEE 1619, whole blocks, made of AES-ECB: nothing that the model uses."""
    factor = int.from_bytes(ecb(key[16:], tweak), "little")
    mask = b""
    for _ in range(len(data) // 16):
        mask += factor.to_bytes(16, "little")
        factor <<= 1
        if factor >> 128:
            factor = (factor & ((1 << 128) - 1)) ^ 0x87

    def xor(left, right):
        return bytes(a ^ b for a, b in zip(left, right))

    return xor(ecb(key[:16], xor(data, mask)), mask)


def crypt(runner, operation, data, expected):
    """Have DPDK encrypt or decrypt and compare. @return Numbers: done, wrong."""
    done = runner.run(runner.program, *eal("class=crypto"), "--", operation, KEY.hex(), TWEAK.hex(),
                      data.hex(), expected.hex(), options=["--model", "cx6dx"])
    return tuple(int(word) for word in done.stdout.splitlines()[-1].split())


def crypto_driver_is_probed(runner):
    text = probe(runner, "class=crypto", "cx6dx")
    expect("Crypto device mlx5_0 was created successfully" in text, text)
    expect("swhca error" not in text, text)


def crypto_driver_encrypts_and_decrypts(runner):
    cipher = xts(KEY, TWEAK, PLAIN)
    for operation, data, expected in (("encrypt", PLAIN, cipher), ("decrypt", cipher, PLAIN)):
        expect(crypt(runner, operation, data, expected) == (OPS, 0), operation)
    # A wrong vector is told apart.
    wrong = bytes([cipher[0] ^ 1]) + cipher[1:]
    expect(crypt(runner, "encrypt", PLAIN, wrong) == (OPS, OPS), "a wrong vector is accepted")


def crypto_driver_wants_a_login_for_wrapped_keys(runner):
    """Only with a credential, which the operator of an adapter has."""
    text = probe(runner, "class=crypto", "cx6dx", crypto="wrapped")
    expect("No login credential devarg" in text, text)
    expect(f"Requested device {BDF} cannot be used" in text, text)


def class_without_a_driver_is_rejected(runner):
    """DPDK compresses and matches expressions on BlueField only."""
    for name in ("compress", "regex"):
        text = probe(runner, f"class={name}", "cx7")
        expect(f"Requested device {BDF} cannot be used" in text, text)


def network_driver_rejects_clearly(runner):
    """It finds the net device, by RDMA netlink, and ends where it wants to send raw packets."""
    text = probe(runner, "class=eth", "cx6dx", "eth")
    expect("Failed to load driver mlx5_eth" in text, text)
    version = subprocess.run([need("pkg-config"), "--modversion", "libdpdk"],
                             stdout=subprocess.PIPE, text=True, check=False).stdout
    if version.startswith("22.11"):
        expect("TIS allocation failure" in text, text)
    expect(f"Requested device {BDF} cannot be used" in text, text)


def vdpa_driver_rejects_clearly(runner):
    """It wants to turn RoCE off by devlink."""
    text = probe(runner, "class=vdpa", "cx6dx", "eth")
    expect(f'Failed to disable ROCE for "{BDF}"' in text, text)
    expect(f"Requested device {BDF} cannot be used" in text, text)


CASES = (crypto_driver_is_probed, crypto_driver_encrypts_and_decrypts,
         crypto_driver_wants_a_login_for_wrapped_keys, class_without_a_driver_is_rejected,
         network_driver_rejects_clearly, vdpa_driver_rejects_clearly)

if __name__ == "__main__":
    RUNNER = Runner(sys.argv[1])
    RUNNER.program = sys.argv[2]
    sys.exit(run_cases(RUNNER, CASES))
