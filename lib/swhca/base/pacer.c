/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "base/pacer.h"

/* kbit/s and bytes to nanoseconds: 8 bits a byte, 10^6 ns kbit. */
uint64_t
swhca_pacer_bytes_to_ns(uint64_t bytes, uint64_t kbps)
{
	/* 2^31 bytes take less than 2^55 ns at the lowest rate. */
	return bytes * 8 * 1000000 / kbps;
}

uint64_t
swhca_pacer_wait_ns(const struct swhca_pacer *pacer, uint64_t now)
{
	uint64_t limit = now + pacer->burst_ns;

	return pacer->kbps == 0 || pacer->ahead_ns <= limit ? 0 : pacer->ahead_ns - limit;
}

void
swhca_pacer_charge(struct swhca_pacer *pacer, uint64_t now, uint64_t bytes)
{
	if (pacer->kbps == 0)
		return;
	if (pacer->ahead_ns < now)
		pacer->ahead_ns = now;
	pacer->ahead_ns += swhca_pacer_bytes_to_ns(bytes, pacer->kbps);
}
