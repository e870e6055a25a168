/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_INJECT_H
#define SWHCA_INJECT_H

/**
 * @file
 * Faults of the data path that somebody asks a device for; host/inject_text.h has their grammar.
 *
 * None of them loses what an adapter would not lose: a WQE or CQE that is late comes, a doorbell
 * that nobody heard leaves its record, and what ends in error ends once.
 *
 * Thread safe: every function may be called by any thread.
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_hca;

enum swhca_inject_class {
	SWHCA_INJECT_ERROR_CQE,		/**< A WQE ends in error instead of being executed. */
	SWHCA_INJECT_CQE_DELAY,		/**< A CQE comes late, and those behind it. */
	SWHCA_INJECT_DOORBELL_DROP,	/**< A doorbell is not heard. */
	SWHCA_INJECT_DOORBELL_DELAY,	/**< A doorbell is heard late. */
	SWHCA_INJECT_ENGINE_STALL,	/**< The device pauses. */
	SWHCA_INJECT_QP_DELAY,		/**< A send WQE has its turn late. */
	SWHCA_INJECT_FATAL,		/**< The device fails. */
	SWHCA_INJECT_UNMAP,		/**< Host memory is not there for an access. */
	SWHCA_INJECT_ODP_DELAY,		/**< A page that was absent comes late. */
	SWHCA_NB_INJECT_CLASSES,
};

/** Side of what is at fault: of the send queue, or of its own WQEs; */
#define SWHCA_INJECT_LOCAL 0x1u
/** of the receive queue, or of what a peer asks for. */
#define SWHCA_INJECT_REMOTE 0x2u

/** What is armed at a time, of a device. */
#define SWHCA_MAX_INJECTS 16u
/** Longest delay. */
#define SWHCA_INJECT_MAX_US 10000000u

/** One fault; what a class does not have is not looked at. */
struct swhca_inject {
	enum swhca_inject_class cls;
	bool has_qpn;		/**< Events of one queue count, */
	uint32_t qpn;		/**< this one: of a QP or a DCT. */
	uint8_t sides;		/**< SWHCA_INJECT_LOCAL, _REMOTE */
	uint8_t syndrome;	/**< MLX5_CQE_SYNDROME_* */
	uint8_t vendor;		/**< Vendor syndrome. */
	uint64_t nth;		/**< First event that it fires at, from 1 on. */
	uint64_t count;		/**< Times that it fires; 0: without end. */
	uint64_t one_of;	/**< It fires at one of so many events, by chance; 1: at each. */
	uint64_t seed;		/**< Of that chance. */
	uint64_t for_us;	/**< Time that it is armed; 0: without end. */
	uint32_t time_us;	/**< Of a delay. */
	uint64_t addr;		/**< Host memory, */
	uint64_t len;		/**< [addr, addr + len). */
};

/** One that was armed, and what became of it. */
struct swhca_inject_state {
	struct swhca_inject inject;
	uint64_t nb_seen;	/**< Events. */
	uint64_t nb_fired;	/**< Those that it fired at. */
	bool is_over;		/**< It fires no more. */
};

/**
 * Arm faults, all or none of them.
 *
 * @return
 *   0, or -ENOSPC: more than SWHCA_MAX_INJECTS would be armed.
 */
int swhca_hca_inject(struct swhca_hca *hca, const struct swhca_inject *injects, unsigned int nb);

/** Forget those of a class; SWHCA_NB_INJECT_CLASSES: all. What is under way comes to its end. */
void swhca_hca_inject_off(struct swhca_hca *hca, enum swhca_inject_class cls);

/** Those that were armed, the oldest first. @return How many. */
unsigned int swhca_hca_inject_list(struct swhca_hca *hca,
				   struct swhca_inject_state states[SWHCA_MAX_INJECTS]);

#endif /* SWHCA_INJECT_H */
