/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_QUEUE_H
#define RTE_UMR_QUEUE_H

/**
 * @file
 *
 * Queues of the UMR device API: configuration, connections and counters. Included by rte_umr.h,
 * which describes the model; the operations are in rte_umr_data.h.
 *
 * @par Dynamically connected transport (DC): one queue talks to many peers
 *     initiator (DCI)                           target (DCT)
 *     RTE_UMR_TRANSPORT_DCI                     RTE_UMR_TRANSPORT_DCT
 *     writes, reads, sends, layouts   ------>   receives; serves writes and reads
 *     address given per operation     \------>  another target, another device
 *
 * A target is a queue that only receives: rte_umr_recv() and rte_umr_recv_completed() are the only
 * functions that work on it. It serves every initiator that has its number and its access key
 * (rte_umr_queue_conf::dc_key), so all initiators share its receives.
 *
 * An initiator is a queue that only sends. It has no connection: rte_umr_dev_start() makes it
 * ready. Its operations go to the address set by the last call of rte_umr_dc_addr_set().
 *
 *   1. The target: rte_umr_dev_start(), then rte_umr_queue_endpoint_get(); the application sends
 *      the endpoint and the access key to its peers.
 *   2. The initiator: rte_umr_dc_addr_fill(), once for each target.
 *   3. The data path: rte_umr_dc_addr_set(), then the operations for that target; repeat for each
 *      target.
 *
 * Operations of one initiator execute in order, also across addresses. As on any queue, an
 * operation that fails moves the whole initiator to the error state: rte_umr_queue_recover() brings
 * it back, without any exchange with its peers. A target that does not exist, is full or has
 * another access key does not respond: the operation ends with RTE_UMR_STATUS_RETRY_EXCEEDED after
 * the retries that the driver is configured for (RTE_UMR_STATUS_RNR_RETRY_EXCEEDED for a target
 * without receives).
 *
 * Layouts work on an initiator as on any other queue, and need no address: a key belongs to the
 * device. The older interface to this hardware (mlx5dv) supports layouts on RC queues only.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_byteorder.h>
#include <rte_compat.h>
#include <rte_memory.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_umr_pd;

/** What a queue is connected to. */
enum rte_umr_transport {
	RTE_UMR_TRANSPORT_LOOPBACK = 0, /**< Itself; connected by rte_umr_dev_start(). */
	RTE_UMR_TRANSPORT_RC, /**< Another queue, reliable; see rte_umr_queue_connect(). */
	RTE_UMR_TRANSPORT_DCI, /**< Any target, by rte_umr_dc_addr_set(); sends only. */
	RTE_UMR_TRANSPORT_DCT, /**< Any initiator that has its access key; receives only. */
};

/** Default of rte_umr_queue_conf::nb_list_entries. */
#define RTE_UMR_DEFAULT_LIST_ENTRIES (UINT32_C(1) << 16)
/** Largest rte_umr_queue_conf::nb_list_entries. */
#define RTE_UMR_MAX_LIST_ENTRIES (UINT32_C(1) << 24)

/**
 * @name Flags of a queue
 * @{
 */
/** Do not receive short messages in completions; see rte_umr_recv(). */
#define RTE_UMR_QUEUE_F_NO_RECV_INLINE	RTE_BIT32(0)
/**
 * Write an operation that is submitted alone and takes at most max_bf_desc descriptors to the
 * device directly (BlueField), not only a doorbell: lower latency, more work for the CPU. The three
 * flags exclude each other; without one, options of the device decide.
 */
#define RTE_UMR_QUEUE_F_BF		RTE_BIT32(1)
/** As RTE_UMR_QUEUE_F_BF, for operations with RTE_UMR_OP_F_INLINE only. */
#define RTE_UMR_QUEUE_F_BF_INLINE	RTE_BIT32(2)
/** Only ring doorbells, regardless of the options of the device. */
#define RTE_UMR_QUEUE_F_NO_BF		RTE_BIT32(3)
/** Flags that control BlueField. */
#define RTE_UMR_QUEUE_F_BF_MASK                                                                    \
	(RTE_UMR_QUEUE_F_BF | RTE_UMR_QUEUE_F_BF_INLINE | RTE_UMR_QUEUE_F_NO_BF)
/** All queue flags that this version knows. */
#define RTE_UMR_QUEUE_F_ALL	(RTE_UMR_QUEUE_F_NO_RECV_INLINE | RTE_UMR_QUEUE_F_BF_MASK)
/**@}*/

/** Configuration of a queue. */
struct rte_umr_queue_conf {
	uint32_t transport; /**< enum rte_umr_transport. */
	/**
	 * Depth of the send ring in descriptors, [min_desc, max_desc], rounded up to a power of
	 * two. rte_umr_op_desc() returns how many an operation takes. 0 for a DC target.
	 */
	uint16_t nb_desc;
	/**
	 * Depth of the receive ring, rounded up to a power of two, and further if the device
	 * requires it; 0: no receives. [1, max_dct_recv_desc] for a DC target, 0 for a DC
	 * initiator.
	 */
	uint16_t nb_recv_desc;
	/**
	 * Maximum segments of a receive, [1, max_recv_segs] ([1, max_dct_recv_segs]); 0 means 1.
	 */
	uint16_t max_recv_segs;
	int16_t socket_id; /**< NUMA socket of the rings, or SOCKET_ID_ANY. */
	/**
	 * Total entries of outstanding lists longer than max_list_inline; each list takes a
	 * multiple of 128. 0 means RTE_UMR_DEFAULT_LIST_ENTRIES, at most RTE_UMR_MAX_LIST_ENTRIES.
	 * An entry takes 16 bytes of registered memory. With the default, memory is reserved when
	 * the first pool is created whose keys may need it, which fails with ENOMEM if there is
	 * none.
	 */
	uint32_t nb_list_entries;
	/**
	 * Maximum bytes with RTE_UMR_OP_F_INLINE, up to max_inline, or max_dci_inline for a DC
	 * initiator; 0 means this limit.
	 */
	uint16_t max_inline;
	uint16_t flags; /**< Bitwise OR of RTE_UMR_QUEUE_F_*. */
	/**
	 * Keys of the queue for rte_umr_write_sg() and rte_umr_read_sg(), which use one for each
	 * operation until it is collected; 0: they use no keys.
	 */
	uint16_t nb_sg_mkeys;
	uint16_t reserved0[1]; /**< Zero. */
	struct rte_umr_pd *pd; /**< PD of the queue; NULL: the default one. */
	uint64_t dc_key; /**< Access key of a DC target, any value; else 0. */
	/**
	 * Maximum number of signature keys of the device, [0, max_sig_mkeys]. Each can leave one
	 * error in the completion ring of a queue that moved its data. Creating keys or queues
	 * fails if a queue would have room for fewer signature keys than the device has. A queue is
	 * rejected if the device has no ring for that many errors and the queue's depth; any
	 * nb_sig_mkeys fits depths of at most max_sig_mkeys.
	 */
	uint32_t nb_sig_mkeys;
	/**
	 * Segments that each of the nb_sg_mkeys has room for, at most max_list and max_entries; 0
	 * means max_list_inline. More than that need nb_list_entries, as long lists do.
	 */
	uint32_t max_sg_entries;
	uint32_t reserved[6]; /**< Zero. */
};

/**
 * Address of a queue, for rte_umr_queue_connect() on the peer or, for a DC target,
 * rte_umr_dc_addr_fill(). It may be sent to the peer unchanged; fields are in network byte order.
 * An address that uses fields of a newer version is rejected.
 */
struct rte_umr_endpoint {
	rte_be32_t qpn; /**< Number of the queue pair or DC target, 24 bits. */
	rte_be32_t psn; /**< First packet sequence number, 24 bits; 0 for a DC target. */
	rte_be16_t lid; /**< LID of the port, 0 on Ethernet. */
	uint8_t link_layer; /**< enum rte_umr_link_layer. */
	uint8_t mtu; /**< Path MTU as IB code: 1 is 256 bytes ... 5 is 4096 bytes. */
	uint8_t gid[16]; /**< GID of the port. */
	uint8_t mac[6]; /**< MAC address of the port, or zero: resolved from the GID. */
	uint8_t reserved[30]; /**< Zero. */
};

/**
 * Reason why an enqueue function or rte_umr_dc_addr_set() returned an error. The functions document
 * the errors. A queue counts rejections by reason, and logs the first of each with value and limit.
 */
enum rte_umr_reject {
	RTE_UMR_REJECT_RING_FULL = 0, /**< -ENOSPC: no room in the send or receive ring. */
	RTE_UMR_REJECT_LIST_FULL, /**< -ENOSPC: outstanding long lists fill their memory. */
	RTE_UMR_REJECT_NOT_CONNECTED, /**< -ENOTCONN: see rte_umr_queue_connect(). */
	RTE_UMR_REJECT_QUEUE_ERROR, /**< -EIO: see rte_umr_queue_recover(). */
	RTE_UMR_REJECT_UNSUPPORTED, /**< -ENOTSUP: the queue or its device does not support it. */
	RTE_UMR_REJECT_FLAGS, /**< -EINVAL: a flag is unknown, or not for this operation. */
	RTE_UMR_REJECT_RESERVED, /**< -EINVAL: a reserved field is not 0. */
	RTE_UMR_REJECT_BURST, /**< -EINVAL: a burst of 0 operations. */
	RTE_UMR_REJECT_OWNER, /**< -EXDEV: an object of another device or PD. */
	RTE_UMR_REJECT_KEY, /**< The pool or the state of a key does not allow it. */
	/** Access bits that are unknown, or that the region does not have. */
	RTE_UMR_REJECT_ACCESS,
	RTE_UMR_REJECT_SETTERS, /**< -EINVAL: setters that are unknown or exclude each other. */
	RTE_UMR_REJECT_LAYOUT, /**< A layout has a wrong type, or the device cannot repeat it. */
	RTE_UMR_REJECT_ENTRIES, /**< The number of entries or segments is 0, or exceeds a limit. */
	RTE_UMR_REJECT_LENGTH, /**< A length is 0, or exceeds a limit. */
	RTE_UMR_REJECT_RANGE, /**< Outside the region of a window, or the list of an update. */
	RTE_UMR_REJECT_SIGNATURE, /**< A signature is invalid, or the device does not support it. */
	RTE_UMR_REJECT_CRYPTO, /**< An encryption is invalid, or the device does not support it. */
	RTE_UMR_REJECT_ADDRESS, /**< The address of a DC target is not set or not filled in. */
};

/** Number of reasons in struct rte_umr_queue_stats. */
#define RTE_UMR_REJECT_MAX 32

/**
 * Get the name of a reason.
 *
 * @param reason
 *   Reason; any value is accepted.
 * @return
 *   Static string, never NULL.
 */
__rte_experimental
const char *rte_umr_reject_name(unsigned int reason);

/**
 * Counters of a queue since the start of the device. Calls rejected before the queue is known, for
 * example while the device is not started, are not counted.
 */
struct rte_umr_queue_stats {
	uint64_t nb_submitted; /**< Operations handed to the device. */
	uint64_t nb_completed; /**< Operations completed, with any status. */
	uint64_t nb_errors; /**< Of these, failed or flushed. */
	uint64_t nb_doorbells; /**< Doorbells rung. */
	uint64_t nb_bf; /**< Of these, with the operation: RTE_UMR_QUEUE_F_BF. */
	uint64_t nb_full; /**< Operations rejected for lack of room: -ENOSPC. */
	uint64_t nb_rejected; /**< Operations rejected for any other reason. */
	uint64_t nb_recv_posted; /**< Receives posted. */
	uint64_t nb_recv_completed; /**< Receives completed, with any status. */
	uint64_t nb_recv_errors; /**< Of these, failed or flushed. */
	/** Rejected operations (nb_full and nb_rejected) by enum rte_umr_reject. */
	uint64_t nb_rejects[RTE_UMR_REJECT_MAX];
	uint64_t nb_recoveries; /**< Recoveries of the queue from its error state. */
	uint64_t nb_auto_recoveries; /**< Of these, automatic: an option of the driver. */
	uint64_t last_recovery_ns; /**< Duration of the latest one, over all its calls. */
	uint64_t max_recovery_ns; /**< Duration of the longest one. */
	/** Automatic recoveries that failed. */
	uint64_t nb_auto_recovery_failures;
	uint64_t reserved[17]; /**< Zero. */
};

/**
 * Set up a queue. If it was set up before, the new queue replaces it and its outstanding operations
 * are discarded; on error the old queue stays. Other queues can still be polled.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param conf
 *   Configuration; copied.
 * @return
 *   0, or
 *   - -EINVAL: conf is NULL, the queue index, the transport, the PD, a flag or a reserved field is
 *     invalid; a DC initiator has receives, a DC target has descriptors, or another queue has an
 *     access key (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ERANGE: a depth, nb_sig_mkeys or another number is outside the limits of struct
 *     rte_umr_dev_info, or nb_sig_mkeys does not fit a depth (logged)
 *   - -EBUSY: the device is started
 *   - -ENOTSUP: the device does not support this transport, or receives
 *   - -ENOMEM: out of memory
 *   - -EIO or another negative errno: the device is lost or rejected a command (logged)
 */
__rte_experimental
int rte_umr_queue_setup(int16_t dev_id, uint16_t queue_id, const struct rte_umr_queue_conf *conf);

/**
 * Get the address of a queue, for rte_umr_queue_connect() or rte_umr_dc_addr_fill() on the peer.
 *
 * A DC target has an address from rte_umr_dev_start() to rte_umr_dev_stop(), a new one each time; a
 * DC initiator has none.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index; the queue is set up.
 * @param local
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: local is NULL, the queue index is invalid or the queue is not set up; it is a DC
 *     initiator, or a DC target of a device that is not started (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_queue_endpoint_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_endpoint *local);

/**
 * Connect a queue to its peer. Sends may start when both sides are connected; receives may be
 * posted before. The address of a queue survives a restart of the device and changes with
 * rte_umr_queue_recover().
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index; the queue was set up for RTE_UMR_TRANSPORT_RC. Not thread safe with the data path
 *   of this queue.
 * @param remote
 *   Address of the peer.
 * @return
 *   0, or
 *   - -EINVAL: remote is NULL or invalid, the queue index is invalid, the device is not started or
 *     the queue is not for RTE_UMR_TRANSPORT_RC
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -EISCONN: the queue is already connected
 *   - -EIO: the queue is in the error state, or the device is lost or rejected a command (logged)
 */
__rte_experimental
int rte_umr_queue_connect(int16_t dev_id, uint16_t queue_id,
			  const struct rte_umr_endpoint *remote);

/**
 * Recover a queue from its error state, or disconnect a connected RC queue from its peer (which
 * failed or restarted, for example). Outstanding operations and receives complete with
 * RTE_UMR_STATUS_FLUSHED: if the call returns -EBUSY, collect them and call again. A loopback queue
 * is reconnected. Both sides of an RC connection must be recovered; then they exchange their
 * addresses, which have changed, and connect again. A DC initiator is ready at once. A DC target is
 * never in the error state; it returns its receives and gets a new address. Ring indices continue.
 *
 * The call waits for the device to complete outstanding operations, for a limited time that the
 * guide of the driver states. After any return value it can be called again and continues where it
 * stopped. If the configuration, update or invalidation of a key completed with an error, the state
 * of the key is undefined: configure it completely, or invalidate it.
 *
 * Not thread safe with the data path of this queue.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @return
 *   0, or
 *   - -EINVAL: the queue index is invalid, or the device is not started
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -EALREADY: the queue is not in the error state (and not connected, if it is an RC queue);
 *     never returned for a DC target
 *   - -EBUSY: operations or receives remain to be collected; the queue is in the error state
 *   - -ETIMEDOUT: the device has not completed outstanding operations (logged); the queue is in the
 *     error state, and the device no longer processes it
 *   - -ENOTSUP: the driver does not support it
 *   - -EIO or another negative errno: the device is lost or rejected a command (logged)
 */
__rte_experimental
int rte_umr_queue_recover(int16_t dev_id, uint16_t queue_id);

/**
 * Read the counters of a queue. May be called while the queue is in use: each counter then has some
 * recent value.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param stats
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: stats is NULL, the queue index is invalid or the queue is not set up
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_queue_stats_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_queue_stats *stats);

/**
 * Get a descriptor that becomes readable when a queue that was armed has a completion, so that a
 * thread can sleep instead of polling an idle queue: for poll(2), epoll, or rte_epoll_ctl() and
 * rte_epoll_wait() as with rte_eth_dev_rx_intr_ctl_q_get_fd().
 *
 *     rte_umr_queue_event_arm(dev_id, queue_id);
 *     if (rte_umr_completed(dev_id, queue_id, ...) == 0)
 *             poll(&pollfd, 1, timeout_ms);
 *     rte_umr_queue_event_clear(dev_id, queue_id);
 *
 * The first call creates the descriptor; later ones return the same. The queue owns it: it is
 * closed when rte_umr_queue_setup() replaces the queue or the device is closed. Only poll it; do
 * not read it. Wait with a timeout: a lost device, which flushes operations, raises no event.
 * Operations that were not submitted have no completion.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @return
 *   The descriptor, >= 0, or
 *   - -EINVAL: the queue index is invalid or the queue is not set up
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOTSUP: the driver does not support it: RTE_UMR_CAPA_QUEUE_EVENT
 *   - -EIO or another negative errno: the device is lost, or the kernel provides no events (logged)
 */
__rte_experimental
int rte_umr_queue_event_fd(int16_t dev_id, uint16_t queue_id);

/**
 * Arm a queue: its next completion, of an operation or a receive, raises one event. Then poll the
 * queue once before sleeping; a completion that was there before may raise none. After an event the
 * queue must be armed again. Arming an armed queue has no effect.
 *
 * Not thread safe with the data path of this queue. Rings a doorbell; no system call.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @return
 *   0, or
 *   - -EINVAL: the queue index is invalid, the queue is not set up, or rte_umr_queue_event_fd() was
 *     not called for it
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOTSUP: the driver does not support it: RTE_UMR_CAPA_QUEUE_EVENT
 */
__rte_experimental
int rte_umr_queue_event_arm(int16_t dev_id, uint16_t queue_id);

/**
 * Discard the events of a queue, after which its descriptor is not readable. Does not wait. Must
 * precede the next rte_umr_queue_event_arm() if there was an event.
 *
 * Not thread safe with rte_umr_queue_event_arm() for this queue.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @return
 *   Number of events, which may be 0, or
 *   - -EINVAL: the queue index is invalid, the queue is not set up, or rte_umr_queue_event_fd() was
 *     not called for it
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOTSUP: the driver does not support it: RTE_UMR_CAPA_QUEUE_EVENT
 *   - -EIO or another negative errno: the device was removed
 */
__rte_experimental
int rte_umr_queue_event_clear(int16_t dev_id, uint16_t queue_id);

/** State of a queue. */
enum rte_umr_queue_status {
	RTE_UMR_QUEUE_STATUS_IDLE = 0, /**< The device is not started. */
	RTE_UMR_QUEUE_STATUS_ACTIVE, /**< It accepts operations. */
	RTE_UMR_QUEUE_STATUS_NOT_CONNECTED, /**< It waits for rte_umr_queue_connect(). */
	RTE_UMR_QUEUE_STATUS_ERROR, /**< See rte_umr_queue_recover(). */
	RTE_UMR_QUEUE_STATUS_LOST, /**< Its device is lost: rte_umr_dev_status(). */
};

/**
 * Get the state of a queue, without modifying it or querying the device. A queue enters the error
 * state when the failed operation is polled.
 *
 * Thread safe, also with the data path.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param status
 *   Written on success: enum rte_umr_queue_status.
 * @return
 *   0, or
 *   - -EINVAL: status is NULL, or the queue index is invalid or the queue is not set up
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_queue_status(int16_t dev_id, uint16_t queue_id, uint8_t *status);

/**
 * Get the name of the status of a queue.
 *
 * @param status
 *   Status; any value is accepted.
 * @return
 *   Static string, never NULL.
 */
__rte_experimental
const char *rte_umr_queue_status_name(unsigned int status);

/**
 * Print the state of a queue as text: indices and, decoded, its last operations, receives and
 * completions. For a queue in the error state, also print the operation that failed, its neighbors
 * and the completion that reported the failure.
 *
 * Thread safe, also with the data path: the queue keeps running, and data that changed while being
 * read is marked, or shows as indices that moved. Allocates memory. The format may change.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param nb_ops
 *   Number of last operations, receives and completions to print, as far as the rings still contain
 *   them; 0: state only.
 * @param f
 *   Open file.
 * @return
 *   0, or
 *   - -EINVAL: f is NULL, the queue index is invalid or the queue is not set up (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_queue_dump(int16_t dev_id, uint16_t queue_id, uint32_t nb_ops, FILE *f);

/**
 * Set the counters of a queue to zero: the first rejection of each reason is logged again. Not
 * thread safe with the data path of this queue.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @return
 *   0, or
 *   - -EINVAL: the queue index is invalid or the queue is not set up
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_queue_stats_reset(int16_t dev_id, uint16_t queue_id);

/**
 * Description of an operation, for rte_umr_op_desc(). Members that do not apply to its type are
 * ignored, except the reserved ones.
 */
struct rte_umr_op_shape {
	uint8_t op; /**< enum rte_umr_op_type, of an enqueue function. */
	uint8_t layout; /**< MKEY_CONFIGURE that sets a layout: enum rte_umr_layout_type. */
	uint8_t nb_sig_domains; /**< MKEY_CONFIGURE that sets a signature: domains, 1 or 2. */
	bool is_up_to; /**< Report the most that any number in [1, nb_entries] takes. */
	uint32_t setters; /**< MKEY_CONFIGURE: RTE_UMR_MKEY_SET_* and so on. */
	uint32_t pool_flags; /**< MKEY_CONFIGURE: RTE_UMR_MKEY_POOL_F_* of the key. */
	/**
	 * Segments or entries of a layout or an update; segments of a list to write, read or send,
	 * none of which is empty (0 means 1).
	 */
	uint32_t nb_entries;
	uint32_t first; /**< MKEY_UPDATE: first entry. */
	uint32_t length; /**< Bytes of a write, read or send. */
	uint64_t flags; /**< RTE_UMR_OP_F_INLINE of a write or send; others take no room. */
	uint64_t reserved2[2]; /**< Zero. */
};

/** Resources of an operation; see rte_umr_op_desc(). */
struct rte_umr_op_size {
	uint16_t nb_desc; /**< Descriptors of the send ring; see rte_umr_desc_avail(). */
	uint16_t reserved; /**< Zero. */
	/** Entries of the queue's memory for long lists: rte_umr_queue_conf::nb_list_entries. */
	uint32_t nb_list_entries;
	uint64_t reserved2; /**< Zero. */
};

/**
 * Get the resources that an operation takes on a queue, to size a ring or to count operations in
 * advance. This is a control function: call it once for each shape.
 *
 * More entries can take fewer descriptors: a list that does not fit a work request is in the memory
 * for long lists. For example, 16 entries take 6 descriptors, 52 take 15, and 53 or more take 3. A
 * ring that has room for the longest list and a write may thus accept a shorter list, and reject
 * the write with -ENOSPC. Set is_up_to for a size to compare with rte_umr_desc_avail() before lists
 * of different lengths. Each member of the result is then a maximum by itself.
 *
 * Otherwise the result is exact. It does not depend on the position of the operation in the ring.
 * Exceptions are operations on keys with a transaction signature, and on keys whose signature or
 * encryption is unknown (setting it failed or was flushed): these operations set it again, so pass
 * setters that include it. A pattern that the device cannot repeat counts as a list of nb_entries *
 * repeat entries.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index; the queue is set up, the device need not be started.
 * @param shape
 *   Description of the operation.
 * @param size
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: a parameter is NULL, the queue index is invalid or the queue is not set up, it is a
 *     DC target, the type does not belong to an enqueue function, nb_entries is 0, layout or
 *     nb_sig_domains is invalid, or a reserved field is not 0 (logged)
 *   - -E2BIG: the long-list memory of this queue is too small for that many entries, or a
 *     transfer cannot have that many segments (logged)
 *   - -ERANGE: length exceeds the limit of the queue for RTE_UMR_OP_F_INLINE (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_op_desc(int16_t dev_id, uint16_t queue_id, const struct rte_umr_op_shape *shape,
		    struct rte_umr_op_size *size);

/**
 * Address of a target in the format of the device, written by rte_umr_dc_addr_fill(). The
 * application owns it and may copy or discard it. It is valid for all initiators of its device
 * until the device is closed.
 */
struct rte_umr_dc_addr {
	uint64_t av[6]; /**< Owned by the driver. */
	int16_t dev_id; /**< Device that it is valid for. */
	uint8_t is_filled; /**< 1: written by rte_umr_dc_addr_fill(). */
	uint8_t reserved[5]; /**< Zero. */
	uint64_t reserved2; /**< Zero. */
};

/**
 * Convert the endpoint of a target to an address. On RoCE this resolves the MAC address of the peer
 * through the system, unless the endpoint contains it.
 *
 * This is a control function: do not call it on the data path.
 *
 * @param dev_id
 *   Device identifier, of the initiator.
 * @param remote
 *   Endpoint of the target, from rte_umr_queue_endpoint_get().
 * @param dc_key
 *   Access key of the target, in host byte order. With a wrong key, operations end with
 *   RTE_UMR_STATUS_RETRY_EXCEEDED.
 * @param addr
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: remote or addr is NULL, or remote is invalid: it has another link layer, a number of
 *     more than 24 bits, or an MTU smaller than that of this device (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOTSUP: the device does not support DC
 *   - another negative errno of the system: the MAC address was not found (logged)
 */
__rte_experimental
int rte_umr_dc_addr_fill(int16_t dev_id, const struct rte_umr_endpoint *remote, uint64_t dc_key,
			 struct rte_umr_dc_addr *addr);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_QUEUE_H */
