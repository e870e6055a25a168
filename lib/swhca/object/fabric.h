/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_FABRIC_H
#define SWHCA_OBJECT_FABRIC_H

/**
 * @file
 * The fabric around the HCAs, and what its engine works with.
 *
 * The fabric lock guards everything that an HCA holds; whoever executes a command or runs the
 * engine has it.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/clock.h"
#include "base/lock.h"
#include "include/dma.h"
#include "include/pages.h"
#include "include/wire.h"
#include "object/spans.h"

struct swhca_hca;
struct swhca_esq;
struct swhca_qp;
struct swhca_sig_error;

/*
 * Cost of what the engine does, in bytes that it could copy meanwhile. A turn of a QP ends, and the
 * engine lets commands in, when one WQE more than SWHCA_COST_TURN allows is done.
 */
#define SWHCA_COST_TURN (UINT64_C(4) << 20)
/** Of a turn at all, of a WQE, and of one entry of a translation. */
#define SWHCA_COST_RUN 256u
#define SWHCA_COST_WQE 1024u
#define SWHCA_COST_STEP 64u
/** Of one byte that is signed or encrypted. */
#define SWHCA_COST_XFORM 8u

/** How much of a transfer is held at once on either side while it is transformed. */
#define SWHCA_BOUNCE_BYTES 65536u
/** Memory behind a dump-fill key; longer accesses repeat it. */
#define SWHCA_DUMP_FILL_BYTES 65536u
/** Bytes of a send queue that are fetched at once; one WQE is never longer. */
#define SWHCA_FETCH_BYTES 4096u
/** Room for one Ethernet frame, and for what a large send is made of. */
#define SWHCA_FRAME_BYTES 16384u
#define SWHCA_FRAME_TX_BYTES ((256u << 10) + SWHCA_FRAME_BYTES)

struct swhca_fabric {
	struct swhca_lock lock;
	const struct swhca_dma *dma;
	const struct swhca_wire *wire;	/**< Between the queue pairs of all HCAs. */
	uint64_t cost;			/**< What the engine has done so far, see SWHCA_COST_*. */
	LIST_HEAD(, swhca_hca) hcas;
	LIST_HEAD(, swhca_pin) pins;	/**< Keys of pinned pages: mem/pin.h. */
	pthread_rwlock_t pins_lock;	/**< To read the list without the fabric lock. */
	enum swhca_stale stale;		/**< What is done about those that are stale. */
	LIST_HEAD(, swhca_sa_group) sa_groups;	/**< Multicast groups of its manager: mad/sa.c. */
	TAILQ_HEAD(swhca_ready_list, swhca_qp) ready;	/**< QPs that may have WQEs. */
	TAILQ_HEAD(swhca_ready_sqs, swhca_esq) ready_sqs;	/**< The same of SQs of frames. */
	uint8_t *frame_tx;		/**< A large send, and headers; NULL before the first SQ. */
	uint8_t *frame_seg;		/**< One frame of it. */
	uint8_t *frame_rx;		/**< One frame without its VLAN tag. */
	/** A transfer found a signature that data do not have: the room of queues tells. */
	void (*sig_error)(const struct swhca_xform *xform, const struct swhca_sig_error *error);
	struct swhca_spans local;	/**< Scratch of the engine. */
	struct swhca_spans remote;
	uint8_t *wqe_buf;		/**< SWHCA_FETCH_BYTES of a send queue. */
	uint8_t *payload;		/**< Inline data of one WQE. */
	uint8_t *zeros;			/**< What a dump-fill key reads. */
	uint8_t *dump;			/**< What it writes; of the same SWHCA_DUMP_FILL_BYTES. */
	uint8_t *bounce;		/**< Two times SWHCA_BOUNCE_BYTES: both sides. */
	struct swhca_gsi *gsis;		/**< Of all HCAs that there were. */
	/** Time in which the engine had no CPU: no queue's time-out counts it. */
	uint64_t skipped_ns;
	pthread_t engine;
	bool is_running;
	atomic_bool stop;
	atomic_bool has_links;		/**< The engine waits for packets when it is idle. */
	_Atomic uint64_t lent_ns;	/**< When a thread of the program last made a pass. */
};

/** The time of queues that wait; the lock is held. */
static inline uint64_t
swhca_fabric_now_ns(const struct swhca_fabric *fabric)
{
	return swhca_now_ns() - fabric->skipped_ns;
}

static inline void
swhca_fabric_lock(struct swhca_fabric *fabric)
{
	swhca_lock_take(&fabric->lock);
}

static inline void
swhca_fabric_unlock(struct swhca_fabric *fabric)
{
	swhca_lock_release(&fabric->lock);
}

#endif /* SWHCA_OBJECT_FABRIC_H */
