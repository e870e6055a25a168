/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_QUEUE_H
#define RTE_UMR_QUEUE_H

/**
 * @file
 *
 * Queues of the UMR device API: their configuration, who they are connected to, what they counted.
 * Included by rte_umr.h, which describes the model; what runs on them is in rte_umr_data.h.
 *
 * @par Dynamically connected transport (DC): one queue talks to many peers
 *     initiator (DCI)                           target (DCT)
 *     RTE_UMR_TRANSPORT_DCI                     RTE_UMR_TRANSPORT_DCT
 *     writes, reads, sends, layouts   ------>   receives; serves writes and reads
 *     address given per operation     \------>  another target, another device
 *
 * A target is a queue that only receives: rte_umr_recv() and rte_umr_recv_completed() work on it,
 * nothing else does. It answers whoever knows its number and its access key
 * (rte_umr_queue_conf::dc_key), so that its receives are shared by all initiators.
 *
 * An initiator is a queue that only sends. It is connected to nobody: rte_umr_dev_start() makes it
 * ready. The operations that it takes go to the address that rte_umr_dc_addr_set() named last.
 *
 *   1. The target: rte_umr_dev_start(), then rte_umr_queue_endpoint_get(); the application brings
 *      the endpoint and the access key to its peers.
 *   2. The initiator: rte_umr_dc_addr_fill(), once for each target.
 *   3. The data path: rte_umr_dc_addr_set(), then the operations for that target; and so on.
 *
 * Operations of one initiator execute in order, also across addresses. What fails puts the whole
 * initiator in error, as it does any queue: rte_umr_queue_recover() brings it back, without any
 * exchange with its peers. A target that is not there, that is full or that has another access key
 * is one that does not answer: RTE_UMR_STATUS_RETRY_EXCEEDED after the retries that the driver was
 * told to make (RTE_UMR_STATUS_RNR_RETRY_EXCEEDED for a target without receives).
 *
 * Layouts work on an initiator as on any other queue, and need no address: a key belongs to the
 * device. The older interface to this hardware (mlx5dv) has layouts on RC queues only.
 */

#include <stdint.h>

#include <rte_bitops.h>
#include <rte_byteorder.h>
#include <rte_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_umr_pd;

/** What a queue is connected to. */
enum rte_umr_transport {
	RTE_UMR_TRANSPORT_LOOPBACK = 0, /**< Itself; connected by rte_umr_dev_start(). */
	RTE_UMR_TRANSPORT_RC, /**< Another queue, reliable; see rte_umr_queue_connect(). */
	RTE_UMR_TRANSPORT_DCI, /**< Any target, by rte_umr_dc_addr_set(); sends only. */
	RTE_UMR_TRANSPORT_DCT, /**< Any initiator that knows its access key; receives only. */
};

/** Entries of long lists that fit a queue unless its configuration says otherwise. */
#define RTE_UMR_DEFAULT_LIST_ENTRIES (UINT32_C(1) << 16)
/** Most of them. */
#define RTE_UMR_MAX_LIST_ENTRIES (UINT32_C(1) << 24)

/**
 * @name Flags of a queue
 * @{
 */
/** Short messages do not come in completions; see rte_umr_recv(). */
#define RTE_UMR_QUEUE_F_NO_RECV_INLINE	RTE_BIT32(0)
/**
 * Write an operation that is submitted alone and takes at most max_bf_desc descriptors to the
 * device itself (BlueField), not just a doorbell: less latency, more work for the CPU. The three
 * flags exclude each other; without one, options of the device decide.
 */
#define RTE_UMR_QUEUE_F_BF		RTE_BIT32(1)
/** As RTE_UMR_QUEUE_F_BF, but operations with RTE_UMR_OP_F_INLINE only. */
#define RTE_UMR_QUEUE_F_BF_INLINE	RTE_BIT32(2)
/** Only ring doorbells, whatever the options of the device are. */
#define RTE_UMR_QUEUE_F_NO_BF		RTE_BIT32(3)
/** The flags that say something about BlueField. */
#define RTE_UMR_QUEUE_F_BF_MASK                                                                    \
	(RTE_UMR_QUEUE_F_BF | RTE_UMR_QUEUE_F_BF_INLINE | RTE_UMR_QUEUE_F_NO_BF)
/** All queue flags that this version knows. */
#define RTE_UMR_QUEUE_F_ALL	(RTE_UMR_QUEUE_F_NO_RECV_INLINE | RTE_UMR_QUEUE_F_BF_MASK)
/**@}*/

/** Configuration of a queue. */
struct rte_umr_queue_conf {
	uint32_t transport; /**< enum rte_umr_transport: what it is connected to. */
	/**
	 * Depth of the send ring in descriptors, [min_desc, max_desc], rounded up to a power of
	 * two. rte_umr_op_desc() tells how many an operation takes. 0 for a DC target.
	 */
	uint16_t nb_desc;
	/**
	 * Depth of the receive ring, rounded up to a power of two, and further where the device
	 * needs it; 0: no receives. A DC target has [1, max_dct_recv_desc], a DC initiator 0.
	 */
	uint16_t nb_recv_desc;
	/** Most segments of one receive, [1, max_recv_segs] ([1, max_dct_recv_segs]); 0 means 1. */
	uint16_t max_recv_segs;
	int16_t socket_id; /**< NUMA socket of the rings, or SOCKET_ID_ANY. */
	/**
	 * Entries of lists longer than max_list_inline that can be on their way together; each
	 * list takes a multiple of 128. 0 means RTE_UMR_DEFAULT_LIST_ENTRIES, at most
	 * RTE_UMR_MAX_LIST_ENTRIES. An entry takes 16 bytes of registered memory.
	 */
	uint32_t nb_list_entries;
	/**
	 * Most bytes with RTE_UMR_OP_F_INLINE, at most max_inline; 0 means max_inline. A DC
	 * initiator has at most max_dci_inline.
	 */
	uint16_t max_inline;
	uint16_t flags; /**< Bitwise OR of RTE_UMR_QUEUE_F_*. */
	uint16_t reserved0[2]; /**< Zero. */
	struct rte_umr_pd *pd; /**< PD that it belongs to; NULL: the default one. */
	uint64_t dc_key; /**< Access key of a DC target, any value; else 0. */
	/**
	 * Keys with signatures that the device may have at a time, [0, max_sig_mkeys]: each can
	 * leave one error in the completion ring of a queue that moved its data. Keys and queues
	 * of a device are rejected if a queue has room for fewer than there are, and a queue if the
	 * device has no ring for so many errors and its depth; depths that are at most
	 * max_sig_mkeys always go with them.
	 */
	uint32_t nb_sig_mkeys;
	uint32_t reserved[7]; /**< Zero. */
};

/**
 * Address of a queue, for the other side's rte_umr_queue_connect() or, of a DC target, for
 * rte_umr_dc_addr_fill(). It may be sent to the peer as it is; fields are in network byte order.
 * One of a peer whose version has more fields, and uses them, is rejected.
 */
struct rte_umr_endpoint {
	rte_be32_t qpn; /**< Number of the queue pair or DC target, 24 bits. */
	rte_be32_t psn; /**< First packet sequence number, 24 bits; 0 for a DC target. */
	rte_be16_t lid; /**< LID of the port, 0 on Ethernet. */
	uint8_t link_layer; /**< enum rte_umr_link_layer. */
	uint8_t mtu; /**< Path MTU as the IB code: 1: 256 bytes ... 5: 4096 bytes. */
	uint8_t gid[16]; /**< GID of the port. */
	uint8_t mac[6]; /**< MAC address of the port, or zero: to be found by the GID. */
	uint8_t reserved[30]; /**< Zero. */
};

/**
 * Why an enqueue function, or rte_umr_dc_addr_set(), has returned an error. The errors are those of
 * the functions; a queue counts reasons, and logs the first operation of each with value and limit.
 */
enum rte_umr_reject {
	RTE_UMR_REJECT_RING_FULL = 0, /**< -ENOSPC: no room in the send or receive ring. */
	RTE_UMR_REJECT_LIST_FULL, /**< -ENOSPC: long lists on their way fill the memory for them. */
	RTE_UMR_REJECT_NOT_CONNECTED, /**< -ENOTCONN: see rte_umr_queue_connect(). */
	RTE_UMR_REJECT_QUEUE_ERROR, /**< -EIO: see rte_umr_queue_recover(). */
	RTE_UMR_REJECT_UNSUPPORTED, /**< -ENOTSUP: the queue or its device cannot. */
	RTE_UMR_REJECT_FLAGS, /**< -EINVAL: a flag that is unknown, or does not go with the rest. */
	RTE_UMR_REJECT_RESERVED, /**< -EINVAL: a reserved field is not 0. */
	RTE_UMR_REJECT_BURST, /**< -EINVAL: a burst of 0 operations. */
	RTE_UMR_REJECT_OWNER, /**< -EXDEV: an object of another device or PD. */
	RTE_UMR_REJECT_KEY, /**< A key that cannot: by its pool, or what it is at the moment. */
	RTE_UMR_REJECT_ACCESS, /**< Access bits that are unknown, or beyond those of the region. */
	RTE_UMR_REJECT_SETTERS, /**< -EINVAL: setters that are unknown or exclude each other. */
	RTE_UMR_REJECT_LAYOUT, /**< A layout of a wrong type, or that the device cannot repeat. */
	RTE_UMR_REJECT_ENTRIES, /**< A number of entries or segments: 0, or beyond a limit. */
	RTE_UMR_REJECT_LENGTH, /**< Bytes: 0, or beyond a limit. */
	RTE_UMR_REJECT_RANGE, /**< Not within the region of a window, the list of an update. */
	RTE_UMR_REJECT_SIGNATURE, /**< A signature that is senseless, or the device lacks. */
	RTE_UMR_REJECT_CRYPTO, /**< An encryption that is senseless, or the device lacks. */
	RTE_UMR_REJECT_ADDRESS, /**< No address of a DC target. */
};

/** Reasons that struct rte_umr_queue_stats has room for. */
#define RTE_UMR_REJECT_MAX 32

/**
 * Name of a reason, for people.
 *
 * @param reason
 *   Reason; any value is accepted.
 * @return
 *   Static string, never NULL.
 */
__rte_experimental
const char *rte_umr_reject_name(enum rte_umr_reject reason);

/**
 * Counters of a queue since the start of the device. What it rejects before it knows the queue, as
 * one that is not started, is not in them.
 */
struct rte_umr_queue_stats {
	uint64_t nb_submitted; /**< Operations handed to the device. */
	uint64_t nb_completed; /**< Operations given back, whatever their status. */
	uint64_t nb_errors; /**< Of these, failed or flushed. */
	uint64_t nb_doorbells; /**< Doorbells rung. */
	uint64_t nb_bf; /**< Of these, with the operation itself: RTE_UMR_QUEUE_F_BF. */
	uint64_t nb_full; /**< Operations rejected for want of room: -ENOSPC. */
	uint64_t nb_rejected; /**< Operations rejected for any other reason. */
	uint64_t nb_recv_posted; /**< Receives posted. */
	uint64_t nb_recv_completed; /**< Receives given back, whatever their status. */
	uint64_t nb_recv_errors; /**< Of these, failed or flushed. */
	/** Operations rejected, by enum rte_umr_reject: nb_full and nb_rejected in parts. */
	uint64_t nb_rejects[RTE_UMR_REJECT_MAX];
	uint64_t nb_recoveries; /**< Times that the queue was brought out of its error state. */
	uint64_t nb_auto_recoveries; /**< Of these, by itself: an option of the driver. */
	uint64_t last_recovery_ns; /**< Time that the latest one took, in all of its calls. */
	uint64_t max_recovery_ns; /**< Time that the longest one took. */
	/** Times that the queue was to come out of its error state by itself, and did not. */
	uint64_t nb_auto_recovery_failures;
	uint64_t reserved[17]; /**< Zero. */
};

/**
 * Set up a queue. If it was set up before, the new one takes its place, and what the old one had
 * outstanding is forgotten; on error the old one stays. Other queues can still be collected.
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
 *     wrong; receives of a DC initiator, descriptors of a DC target, an access key of anything else
 *     (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ERANGE: a depth, nb_sig_mkeys or another number is outside the limits of struct
 *     rte_umr_dev_info, or nb_sig_mkeys does not go with a depth (logged)
 *   - -EBUSY: the device is started
 *   - -ENOTSUP: the device cannot do this transport, or no receives
 *   - -ENOMEM: out of memory
 *   - -EIO or another negative errno: the device is lost, or rejected a command (logged)
 */
__rte_experimental
int rte_umr_queue_setup(int16_t dev_id, uint16_t queue_id, const struct rte_umr_queue_conf *conf);

/**
 * Tell the address of a queue, for the peer's rte_umr_queue_connect() or rte_umr_dc_addr_fill().
 *
 * A DC target has one from rte_umr_dev_start() to rte_umr_dev_stop(), another one each time; a DC
 * initiator has none.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index; the queue is set up.
 * @param local
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: local is NULL, the queue index is wrong or the queue is not set up; it is a DC
 *     initiator, or a DC target of a device that is not started (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_queue_endpoint_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_endpoint *local);

/**
 * Connect a queue to its peer. The data path may send when both sides are connected. Receives
 * may be posted before. The address of a queue stays the same over a restart of the device and
 * changes with rte_umr_queue_recover().
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
 *   - -EINVAL: remote is NULL or senseless, the queue index is wrong, the device is not started or
 *     the queue is not for RTE_UMR_TRANSPORT_RC
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -EISCONN: the queue is connected
 *   - -EIO: the queue is in error, the device is lost, or it rejected a command (logged)
 */
__rte_experimental
int rte_umr_queue_connect(int16_t dev_id, uint16_t queue_id,
			  const struct rte_umr_endpoint *remote);

/**
 * Bring a queue out of its error state, or a connected RC queue away from its peer (which failed
 * or restarted, say). What is outstanding comes back as RTE_UMR_STATUS_FLUSHED: if the call
 * returns -EBUSY, collect operations and receives, then call it again. A loopback queue is
 * connected again. Both sides of an RC connection must be recovered; then their addresses, which
 * have changed, are exchanged and connected again. A DC initiator is ready at once. A DC target is
 * never in error; it gives its receives back and gets another address. Ring indices go on.
 *
 * The call waits until the device has completed what it was given, for a bounded time that the
 * guide of the driver tells. Whatever it returns, it can be made again and goes on behind what was
 * done. A key whose configuration, update or invalidation came back with an error is in none of
 * the states that it may be thought to be in: configure it as a whole, or invalidate it.
 *
 * Not thread safe with the data path of this queue.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @return
 *   0, or
 *   - -EINVAL: the queue index is wrong, or the device is not started
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -EALREADY: the queue is not in error; an RC queue: and not connected; never of a DC target
 *   - -EBUSY: operations or receives are left to be collected; the queue is in error
 *   - -ETIMEDOUT: the device has not completed what it was given (logged); the queue is in error,
 *     and the device was told to let go of it
 *   - -ENOTSUP: the driver cannot
 *   - -EIO or another negative errno: the device is lost, or rejected a command (logged)
 */
__rte_experimental
int rte_umr_queue_recover(int16_t dev_id, uint16_t queue_id);

/**
 * Read the counters of a queue. May be called while the queue works: each counter is then
 * some recent value.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param stats
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: stats is NULL, the queue index is wrong or the queue is not set up
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_queue_stats_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_queue_stats *stats);

/** What a queue can do at the moment. */
enum rte_umr_queue_status {
	RTE_UMR_QUEUE_STATUS_IDLE = 0, /**< The device is not started. */
	RTE_UMR_QUEUE_STATUS_ACTIVE, /**< It takes operations. */
	RTE_UMR_QUEUE_STATUS_NOT_CONNECTED, /**< It waits for rte_umr_queue_connect(). */
	RTE_UMR_QUEUE_STATUS_ERROR, /**< See rte_umr_queue_recover(). */
	RTE_UMR_QUEUE_STATUS_LOST, /**< Its device is lost: rte_umr_dev_status(). */
};

/**
 * Tell what a queue can do at the moment, without touching it or asking the device. A queue gets
 * into its error state when the operation that failed is polled.
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
 *   - -EINVAL: status is NULL, or the queue index is wrong or the queue is not set up
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_queue_status(int16_t dev_id, uint16_t queue_id, uint8_t *status);

/**
 * Name of the status of a queue, for people.
 *
 * @param status
 *   Status; any value is accepted.
 * @return
 *   Static string, never NULL.
 */
__rte_experimental
const char *rte_umr_queue_status_name(enum rte_umr_queue_status status);

/**
 * Write the state of a queue as text: indices and, decoded, its last operations, receives and
 * completions, of a queue in error also the operation that made it fail and those beside it, with
 * the completion that told so.
 *
 * Thread safe, also with the data path: the queue works on meanwhile, and what has changed while it
 * was read is marked, or shows as indices that moved. Allocates memory. Its format may change.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param nb_ops
 *   Last operations, receives and completions to be shown of each, as far as the rings still have
 *   them; 0: state only.
 * @param f
 *   Where to write.
 * @return
 *   0, or
 *   - -EINVAL: f is NULL, the queue index is wrong or the queue is not set up (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_queue_dump(int16_t dev_id, uint16_t queue_id, uint32_t nb_ops, FILE *f);

/**
 * Set the counters of a queue to zero: what it rejects first for a reason is logged again. Not
 * thread safe with the data path of this queue.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @return
 *   0, or
 *   - -EINVAL: the queue index is wrong or the queue is not set up
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_queue_stats_reset(int16_t dev_id, uint16_t queue_id);

/**
 * What an operation is to be, for rte_umr_op_desc(). Members that its type has no use for are
 * ignored, but for the reserved ones.
 */
struct rte_umr_op_shape {
	uint8_t op; /**< enum rte_umr_op_type, of an enqueue function. */
	uint8_t layout; /**< MKEY_CONFIGURE that sets a layout: enum rte_umr_layout_type. */
	uint8_t nb_sig_domains; /**< MKEY_CONFIGURE that sets a signature: domains, 1 or 2. */
	uint8_t reserved; /**< Zero. */
	uint32_t setters; /**< MKEY_CONFIGURE: what is set, RTE_UMR_MKEY_SET_* and so on. */
	uint32_t pool_flags; /**< MKEY_CONFIGURE: RTE_UMR_MKEY_POOL_F_* of the key. */
	uint32_t nb_entries; /**< Segments or entries of a layout, or of an update. */
	uint32_t first; /**< MKEY_UPDATE: first entry. */
	uint32_t length; /**< Bytes of a write, read or send. */
	uint64_t flags; /**< RTE_UMR_OP_F_INLINE of a write or send; others cost nothing. */
	uint64_t reserved2[2]; /**< Zero. */
};

/** What an operation takes; see rte_umr_op_desc(). */
struct rte_umr_op_size {
	uint16_t nb_desc; /**< Descriptors of the send ring; see rte_umr_desc_avail(). */
	uint16_t reserved; /**< Zero. */
	/** Entries of the queue's memory for long lists: rte_umr_queue_conf::nb_list_entries. */
	uint32_t nb_list_entries;
	uint64_t reserved2; /**< Zero. */
};

/**
 * Tell what an operation takes on a queue, so that a ring can be made deep enough and operations
 * be counted in advance. A control function: ask once for each shape.
 *
 * The answer is exact, and does not depend on where in the ring the operation is, but for
 * operations on keys that have a transaction signature, or a signature or encryption in doubt
 * (what was to set it failed or was flushed): these set it again, so ask with setters that do. A
 * pattern that the device cannot repeat is a list of nb_entries * repeat entries.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index; the queue is set up, the device need not be started.
 * @param shape
 *   What the operation is to be.
 * @param size
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: a parameter is NULL, the queue index is wrong or the queue is not set up, it is a
 *     DC target, the type is not one of an enqueue function, nb_entries is 0, layout or
 *     nb_sig_domains is senseless, or a reserved field is not 0 (logged)
 *   - -E2BIG: the memory of long lists of this queue does not hold so many entries (logged)
 *   - -ERANGE: length is more than the queue takes with RTE_UMR_OP_F_INLINE (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_op_desc(int16_t dev_id, uint16_t queue_id, const struct rte_umr_op_shape *shape,
		    struct rte_umr_op_size *size);

/**
 * Address of a target, as the device wants it. Made by rte_umr_dc_addr_fill(), the application's
 * to keep, to copy and to forget; valid for all initiators of its device until that is closed.
 */
struct rte_umr_dc_addr {
	uint64_t av[6]; /**< The driver's. */
	int16_t dev_id; /**< Device that it was made for. */
	uint8_t is_filled; /**< 1: rte_umr_dc_addr_fill() was here. */
	uint8_t reserved[5]; /**< Zero. */
	uint64_t reserved2; /**< Zero. */
};

/**
 * Make the address of a target out of what the target tells about itself. On RoCE this asks the
 * system for the MAC address of the peer, unless the endpoint has it.
 *
 * A control function: not to be called on the data path.
 *
 * @param dev_id
 *   Device identifier, of the initiator.
 * @param remote
 *   Endpoint of the target, from rte_umr_queue_endpoint_get().
 * @param dc_key
 *   Access key of the target, in host byte order. A wrong one shows when it is used:
 *   RTE_UMR_STATUS_RETRY_EXCEEDED.
 * @param addr
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: remote or addr is NULL, or remote is senseless: another link layer, a number of more
 *     than 24 bits, an MTU below that of this device (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOTSUP: the device has no DC
 *   - another negative errno of the system: the MAC address was not found (logged)
 */
__rte_experimental
int rte_umr_dc_addr_fill(int16_t dev_id, const struct rte_umr_endpoint *remote, uint64_t dc_key,
			 struct rte_umr_dc_addr *addr);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_QUEUE_H */
