/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "front/cm/cm_conn.h"
#include "front/ucma/hold.h"
#include "front/ucma/id.h"
#include "front/ucma/ucma_request.h"

#define HOLD_NS UINT64_C(500000000)
#define MAX_HELD 64u

static struct held {
	struct swhca_udev *dev;
	struct swhca_mad mad;
	uint64_t deadline_ns;
} held[MAX_HELD];
static unsigned int nb_held;

bool
swhca_ucm_hold(struct swhca_udev *dev, const struct swhca_mad *mad, uint64_t now_ns)
{
	if (nb_held == MAX_HELD)
		return false;
	held[nb_held++] = (struct held){
		.dev = dev, .mad = *mad, .deadline_ns = now_ns + HOLD_NS,
	};
	return true;
}

void
swhca_ucm_hold_retry(void)
{
	struct swhca_cm_msg msg;
	unsigned int i = 0;

	while (i < nb_held) {
		if (swhca_cm_parse(held[i].mad.data, &msg) == 0 &&
		    swhca_ucm_request_receive(held[i].dev, &held[i].mad, &msg) != 0)
			i++;
		else
			held[i] = held[--nb_held];
	}
}

void
swhca_ucm_hold_tick(uint64_t now_ns)
{
	struct swhca_cm_msg msg;
	unsigned int i = 0;

	while (i < nb_held) {
		if (now_ns < held[i].deadline_ns) {
			i++;
			continue;
		}
		if (swhca_cm_parse(held[i].mad.data, &msg) == 0)
			swhca_ucm_stray_answer(held[i].dev, &held[i].mad, &msg);
		held[i] = held[--nb_held];
	}
}

void
swhca_ucm_hold_forget(void)
{
	nb_held = 0;
}
