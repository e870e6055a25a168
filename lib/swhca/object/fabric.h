/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_FABRIC_H
#define SWHCA_OBJECT_FABRIC_H

/**
 * @file
 * Fabric of the HCAs, and working memory of its engine.
 *
 * The fabric lock guards the state of all HCAs; commands and the engine hold it.
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
#include "object/inject_event.h"
#include "object/spans.h"

struct swhca_hca;
struct swhca_esq;
struct swhca_pin;
struct swhca_qp;
struct swhca_sig_error;

/*
 * Costs of engine work, in bytes that it could copy in the same time. A turn of a QP ends, and the
 * engine lets commands in, after the WQE that exceeds SWHCA_COST_TURN.
 */
#define SWHCA_COST_TURN (UINT64_C(4) << 20)
/** Cost of a turn, of a WQE, and of an entry of a translation. */
#define SWHCA_COST_RUN 256u
#define SWHCA_COST_WQE 1024u
#define SWHCA_COST_STEP 64u
/** Cost of a signed or encrypted byte. */
#define SWHCA_COST_XFORM 8u

/** Bytes of a transfer held at once on either side while it is transformed. */
#define SWHCA_BOUNCE_BYTES 65536u
/** Memory of a dump-fill key; longer accesses repeat it. */
#define SWHCA_DUMP_FILL_BYTES 65536u
/** Bytes of a send queue fetched at once; a WQE is never longer. */
#define SWHCA_FETCH_BYTES 4096u
/** Buffer for one Ethernet frame, and for the source of a large send. */
#define SWHCA_FRAME_BYTES 16384u
#define SWHCA_FRAME_TX_BYTES ((256u << 10) + SWHCA_FRAME_BYTES)

struct swhca_fabric {
	struct swhca_lock lock;
	const struct swhca_dma *dma;
	const struct swhca_wire *wire;	/**< Between the queue pairs of all HCAs. */
	uint64_t cost;			/**< Cost so far, see SWHCA_COST_*. */
	LIST_HEAD(, swhca_hca) hcas;
	struct swhca_pin *_Atomic pins;	/**< Keys of pinned pages: mem/pin_tree.h. */
	pthread_rwlock_t pins_lock;	/**< To read the tree without the fabric lock. */
	enum swhca_stale stale;		/**< Handling of stale keys. */
	LIST_HEAD(, swhca_sa_group) sa_groups;	/**< Multicast groups of its subnet manager:
						 *   mad/sa.c. */
	TAILQ_HEAD(swhca_ready_list, swhca_qp) ready;	/**< QPs that may have WQEs. */
	TAILQ_HEAD(swhca_ready_sqs, swhca_esq) ready_sqs;	/**< The same for SQs of frames. */
	uint8_t *frame_tx;		/**< A large send, and headers; NULL before the first SQ. */
	uint8_t *frame_seg;		/**< One frame of it. */
	uint8_t *frame_rx;		/**< One frame without its VLAN tag. */
	/** Report a signature error of a transfer; implemented in queue/. */
	void (*sig_error)(const struct swhca_xform *xform, const struct swhca_sig_error *error);
	struct swhca_inject_try inject_try;
	struct swhca_spans local;	/**< Scratch of the engine. */
	struct swhca_spans remote;
	uint8_t *wqe_buf;		/**< SWHCA_FETCH_BYTES of a send queue. */
	uint8_t *payload;		/**< Inline data of one WQE. */
	uint8_t *zeros;			/**< Source of reads from a dump-fill key. */
	uint8_t *dump;			/**< Target of writes to it; also SWHCA_DUMP_FILL_BYTES. */
	uint8_t *bounce;		/**< 2 * SWHCA_BOUNCE_BYTES, for both sides. */
	struct swhca_gsi *gsis;		/**< Of all HCAs, including destroyed ones. */
	/** Time without a CPU for the engine; excluded from all time-outs of queues. */
	uint64_t skipped_ns;
	pthread_t engine;
	bool is_running;
	atomic_bool stop;
	atomic_bool has_links;		/**< The engine waits for packets when it is idle. */
	_Atomic uint64_t lent_ns;	/**< Time of the last pass by a thread of the program. */
};

/** Current time for waiting queues; the lock is held. */
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
