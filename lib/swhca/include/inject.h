/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_INJECT_H
#define SWHCA_INJECT_H

/**
 * @file
 * Injected faults of the data path of a device; host/inject_text.h documents their grammar.
 *
 * No fault loses anything that an adapter would not lose: a late WQE or CQE comes, a lost doorbell
 * leaves its record, and an operation that ends in error ends once.
 *
 * Thread safe: any thread may call any function.
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_hca;

enum swhca_inject_class {
	SWHCA_INJECT_ERROR_CQE,		/**< A WQE ends in error instead of being executed. */
	SWHCA_INJECT_CQE_DELAY,		/**< A CQE and those after it come late. */
	SWHCA_INJECT_DOORBELL_DROP,	/**< A doorbell is lost. */
	SWHCA_INJECT_DOORBELL_DELAY,	/**< A doorbell is delayed. */
	SWHCA_INJECT_ENGINE_STALL,	/**< The device pauses. */
	SWHCA_INJECT_QP_DELAY,		/**< A send WQE is executed late. */
	SWHCA_INJECT_FATAL,		/**< The device fails. */
	SWHCA_INJECT_UNMAP,		/**< Host memory is not mapped for an access. */
	SWHCA_INJECT_ODP_DELAY,		/**< An absent page comes late. */
	SWHCA_NB_INJECT_CLASSES,
};

/** Side of a fault: the send queue, or its own WQEs. */
#define SWHCA_INJECT_LOCAL 0x1u
/** Side of a fault: the receive queue, or requests of a peer. */
#define SWHCA_INJECT_REMOTE 0x2u

/** Maximum number of armed faults of a device. */
#define SWHCA_MAX_INJECTS 16u
/** Longest delay. */
#define SWHCA_INJECT_MAX_US 10000000u

/** One fault; fields that a class does not use are ignored. */
struct swhca_inject {
	enum swhca_inject_class cls;
	bool has_qpn;		/**< Count only events of qpn. */
	uint32_t qpn;		/**< Number of a QP or a DCT. */
	uint8_t sides;		/**< SWHCA_INJECT_LOCAL, _REMOTE */
	uint8_t syndrome;	/**< MLX5_CQE_SYNDROME_* */
	uint8_t vendor;		/**< Vendor syndrome. */
	uint64_t nth;		/**< First event that fires, from 1. */
	uint64_t count;		/**< Number of times to fire; 0: unlimited. */
	uint64_t one_of;	/**< Fires at random at one in so many events; 1: at each. */
	uint64_t seed;		/**< Seed of one_of. */
	uint64_t for_us;	/**< Time it stays armed; 0: unlimited. */
	uint32_t time_us;	/**< Delay. */
	uint64_t addr;		/**< Start of host memory. */
	uint64_t len;		/**< Length of host memory. */
};

/** State of a fault that was armed. */
struct swhca_inject_state {
	struct swhca_inject inject;
	uint64_t nb_seen;	/**< Matching events. */
	uint64_t nb_fired;	/**< Events at which it fired. */
	bool is_over;		/**< It does not fire again. */
};

/**
 * Arm all faults, or none.
 *
 * @return
 *   0, or -ENOSPC: more than SWHCA_MAX_INJECTS would be armed.
 */
int swhca_hca_inject(struct swhca_hca *hca, const struct swhca_inject *injects, unsigned int nb);

/** Disarm a class; SWHCA_NB_INJECT_CLASSES: all. Faults in progress end as usual. */
void swhca_hca_inject_off(struct swhca_hca *hca, enum swhca_inject_class cls);

/** Get the armed faults and those that are over, oldest first. @return Their number. */
unsigned int swhca_hca_inject_list(struct swhca_hca *hca,
				   struct swhca_inject_state states[SWHCA_MAX_INJECTS]);

#endif /* SWHCA_INJECT_H */
