/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HCA_H
#define SWHCA_HCA_H

/**
 * @file
 * Interface between the software HCA and its front ends.
 *
 * A fabric is a set of HCAs that can reach each other, and the engine that executes their queues.
 * A front end (for example the uverbs ABI of the kernel, front/uverbs) drives an HCA in the three
 * ways in which software drives a PCIe function: PRM commands, stores to the BAR (UAR pages,
 * doorbells), and memory that the HCA reads and writes by DMA. There is no other way.
 *
 * The struct swhca_dma of a fabric defines what a bus address means, in mailboxes (pas, mtt) and in
 * rings: an address of the process, or of a guest.
 *
 * Thread safe: any thread may call any function.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "include/dma.h"
#include "include/inject.h"
#include "include/model.h"

/** Devices and queues that execute together; opaque. */
struct swhca_fabric;
/** One device of a fabric; opaque. */
struct swhca_hca;

/** Size of one UAR page in the BAR, in bytes. */
#define SWHCA_UAR_SIZE 4096u
/** Maximum size of a command in bytes; mailbox chains of hardware are limited, too. */
#define SWHCA_MAX_CMD_IN (16u << 20)
/** log2 of the number of pages of the doorbell area, which follows the UAR pages in the BAR. */
#define SWHCA_LOG_NB_VARS 5u

/** Link layer of the port. */
enum swhca_link_layer {
	SWHCA_LINK_IB,
	SWHCA_LINK_ETH,
};

/** Configuration of a device; zero in a number selects its default. */
struct swhca_hca_conf {
	uint16_t vhca_id;	/**< Number of the function, unique in the fabric. */
	uint16_t lid;		/**< Port LID, unique in the fabric, 1..0xbfff. */
	uint64_t port_guid;	/**< Port and node GUID, host byte order. */
	enum swhca_model model;
	enum swhca_link_layer link_layer;
	uint8_t mac[6];		/**< Ethernet only. */
	/**
	 * The driver of a kernel owns the function, as for a front end that is a PCI function: the
	 * function starts disabled and supports the commands by which such a driver brings it up,
	 * including page management. It executes no other command before INIT_HCA. These are
	 * commands of the kernel: one with a uid is rejected. If false, these commands are
	 * unsupported and the function is ready when it is created.
	 */
	bool has_driver;
	bool has_wrapped_keys;	/**< Data encryption keys come wrapped, not in plaintext. */
	/**
	 * The front end traps loads and stores at operation addresses of device memory, which
	 * follow the BAR, and passes them to swhca_hca_memic_access().
	 */
	bool has_memic_ops;
	uint64_t quirks;	/**< Bit n: enum swhca_quirk n. */
	bool is_ack_only;	/**< Send WQEs complete without execution: see engine/ack.c. */
	bool is_strict;		/**< A doorbell ahead of its record is an error. */
	/** Reported in umr_fence; a UMR that is not strongly ordered itself is then an error. */
	bool needs_strong_fence;
	/**
	 * Software resolves page faults: an event reports a fault, and the access waits for
	 * PAGE_FAULT_RESUME. If false, the device accesses host memory itself. Always set with the
	 * driver of a kernel.
	 */
	bool has_page_fault_events;
	/**
	 * Address space of the guest that owns this function, if functions of a fabric belong to
	 * several guests: 1 to 254, placed above the 56 bits of each address passed to struct
	 * swhca_dma. 0: addresses are passed unchanged.
	 */
	uint8_t bus_space;
	uint8_t first_uar;	/**< Lowest UAR page; default 1. Lower pages are never rung. */
	uint8_t log_max_uar;	/**< log2 of the number of pages of the BAR, 8..15; default 9. */
	uint8_t log_max_klm;	/**< log2 of the number of entries of a key, 1..16; default 16. */
	/** With has_driver: octowords of all keys, up to 2^29, which is the default (8 GiB). */
	uint32_t max_xlt;
	uint32_t max_flows;	/**< Limit of groups and entries of all flow tables; 0: none. */
	uint8_t max_indirection; /**< Maximum levels of indirect keys, 1..8; default 4. */
	uint32_t first_qpn;	/**< Lowest QP number, up to 0xff0000; default 0x48. */
	uint8_t log_max_qp;	/**< log2 of the number of QPs, 1..16; default 16. */
	uint8_t log_max_qp_sz;	/**< log2 of the number of WQEs of a QP, 6..15; default 15. */
	uint8_t log_max_cq;	/**< log2 of the number of CQs, 1..16; default 16. */
	uint8_t log_max_cq_sz;	/**< log2 of the number of CQEs of a CQ, 6..22; default 22. */
	uint8_t log_max_mkey;	/**< log2 of the number of memory keys, 6..22; default 22. */
	/**
	 * Interrupt of an armed event queue, or NULL. Called with the fabric lock held, from the
	 * engine or from a command: it may read the EQ, ring its doorbell and take locks of its own
	 * that are not held during calls to the HCA, but must not call the HCA.
	 */
	void (*interrupt)(void *arg, unsigned int vector);
	void *interrupt_arg;	/**< First argument of interrupt(). */
};

/**
 * Counters of the link of a port and of its queues; each is monotonic. Counters of queues have the
 * names of mlx5_ib in hw_counters (Linux: drivers/infiniband/hw/mlx5/counters.c). Messages between
 * devices of one process are not counted as packets, but their requests, receive queues and
 * completions are.
 */
struct swhca_wire_stats {
	uint64_t nb_sent;		/**< Packets. */
	uint64_t nb_received;		/**< Packets with a good ICRC. */
	uint64_t nb_multicast_sent;	/**< Part of nb_sent. */
	uint64_t nb_multicast_received;	/**< Part of nb_received. */
	uint64_t nb_bytes_sent;		/**< From BTH to ICRC, as for all byte counters here. */
	uint64_t nb_bytes_received;
	uint64_t nb_send_errors;	/**< Packets dropped because sending failed. */
	uint64_t nb_malformed;		/**< Dropped: invalid length, version or opcode. */
	uint64_t nb_no_qp;		/**< Dropped: no such queue, or wrong peer. */
	uint64_t nb_bad_pkeys;		/**< Dropped: wrong P_Key. */
	uint64_t nb_bad_qkeys;		/**< Dropped: wrong Q_Key. */
	uint64_t nb_link_downed;	/**< Number of times the port went down. */
	uint64_t rx_icrc_encapsulated;	/**< Dropped: wrong ICRC. */
	/* Of the responder. */
	uint64_t rx_write_requests;	/**< RDMA write messages. */
	uint64_t rx_read_requests;	/**< RDMA read messages. */
	uint64_t rx_atomic_requests;	/**< Atomic messages. */
	uint64_t rx_dct_connect;	/**< DC initiators that connected to a target. */
	uint64_t out_of_buffer;		/**< Messages without a receive WQE. */
	uint64_t out_of_sequence;	/**< Request packets with a PSN after the expected one. */
	uint64_t duplicate_request;	/**< Request packets received before. */
	uint64_t resp_local_length_error;	/**< CQEs: message longer than its buffers. */
	uint64_t resp_remote_access_errors;	/**< Requests rejected: remote access. */
	uint64_t resp_cqe_error;	/**< Error CQEs of receive queues. */
	uint64_t resp_cqe_flush_error;	/**< Part of these: flushed WQEs. */
	/* Of the requester. */
	uint64_t packet_seq_err;	/**< NAKs received: PSN sequence error. */
	uint64_t implied_nak_seq_err;	/**< Responses that imply a lost response. */
	uint64_t local_ack_timeout_err;	/**< Expirations of the timer of a send queue. */
	uint64_t rnr_nak_retry_err;	/**< NAKs received: receiver not ready. */
	uint64_t req_remote_invalid_request;	/**< NAKs received: invalid request. */
	uint64_t req_remote_access_errors;	/**< NAKs received: remote access error. */
	uint64_t req_transport_retries_exceeded; /**< CQEs: no acknowledgment. */
	uint64_t req_rnr_retries_exceeded;	/**< CQEs: no receive WQE at the peer. */
	uint64_t req_cqe_error;		/**< Error CQEs of send queues. */
	uint64_t req_cqe_flush_error;	/**< Part of these: flushed WQEs. */
};

/** Counters of a device; monotonic unless noted. */
struct swhca_hca_stats {
	uint64_t nb_cmds;	/**< PRM commands, successful or not. */
	uint64_t nb_cmd_errors;	/**< PRM commands rejected. */
	uint64_t nb_doorbells;	/**< UAR stores noticed. */
	uint64_t nb_doorbell_errors; /**< Strict device: doorbells ahead of their records. */
	uint64_t nb_wqes;	/**< Send WQEs completed, successfully or not. */
	uint64_t nb_cqes;	/**< CQEs written. */
	uint64_t nb_cqe_errors;	/**< CQEs written with an error opcode. */
	uint64_t nb_bytes;	/**< Payload bytes moved. */
	uint64_t nb_page_faults; /**< Accesses to pages not present for the device. */
	uint64_t nb_page_invalidations; /**< Pages taken from the device. */
	uint64_t nb_page_prefetches; /**< Pages mapped before an access. */
	uint64_t nb_odp_children; /**< Parts of implicit regions in use; not monotonic. */
	uint64_t nb_stale_regions; /**< Pinned regions whose mapping changed: include/pages.h. */
	uint64_t nb_stale_accesses; /**< Accesses to moved pages of such regions. */
	uint64_t nb_objects;	/**< Existing objects; not monotonic. */
	uint64_t nb_umems;	/**< Part of nb_objects: user memory. */
	uint64_t nb_mkeys;	/**< Part of nb_objects: memory keys. */
	uint64_t nb_injected[SWHCA_NB_INJECT_CLASSES]; /**< Injected faults that fired. */
	struct swhca_wire_stats wire;
};

/**
 * Create an empty fabric without a running engine.
 *
 * @param dma
 *   Access to host memory; must outlive the fabric. NULL means swhca_dma_process().
 * @param fabric
 *   Written on success; freed by swhca_fabric_destroy().
 * @return
 *   0, or -ENOMEM.
 */
int swhca_fabric_create(const struct swhca_dma *dma, struct swhca_fabric **fabric);

/** Stop the engine, destroy every HCA, free the fabric. NULL is accepted. */
void swhca_fabric_destroy(struct swhca_fabric *fabric);

/**
 * Run the engine in its own thread, on any CPU that the process started with.
 *
 * @return
 *   0, or a negative errno of pthread_create(3).
 */
int swhca_fabric_start(struct swhca_fabric *fabric);

/** Stop the engine thread and wait for it; queues keep their state. */
void swhca_fabric_stop(struct swhca_fabric *fabric);

/**
 * Run one pass of the engine in the calling thread, for tests without an engine thread.
 *
 * @return
 *   Number of things done; 0 means that the engine is idle until the next doorbell.
 */
unsigned int swhca_fabric_poll(struct swhca_fabric *fabric);

/**
 * Run a pass of the engine in a thread that polls for a completion. Its doorbells and packets are
 * then handled without a switch to another thread. The engine pauses while threads do so. Does
 * nothing if the fabric has no link, as the engine runs at the same time then, or if the fabric
 * lock is taken.
 *
 * @return
 *   true if the pass found something to do.
 */
bool swhca_fabric_lend(struct swhca_fabric *fabric);

/**
 * Add a device to a fabric.
 *
 * @return
 *   0, -EINVAL (a value out of range), -EEXIST (LID or MAC address in use), -ENOMEM, or the errno
 *   of memfd_create(2) and mmap(2).
 */
int swhca_hca_create(struct swhca_fabric *fabric, const struct swhca_hca_conf *conf,
		     struct swhca_hca **hca);

/** Remove a device with all its objects. NULL is accepted. */
void swhca_hca_destroy(struct swhca_hca *hca);

/**
 * Function level reset (PCI Express: Initiate Function Level Reset): objects, pages, addresses and
 * errors are gone and the function is as after creation. Counters and the state of the cable
 * remain. After return the function accesses no host memory and raises no interrupt.
 */
void swhca_hca_reset(struct swhca_hca *hca);

/**
 * Remove the function from the bus, like a surprise removal of the card.
 *
 * Queue pairs enter the error state and flush, an internal error is raised, and no peer on the
 * fabric reaches the port. From then on only commands that release something are executed
 * (DESTROY_..., DEALLOC_..., DETACH_...), so that software can clean up; others fail with
 * PRM_CMD_INT_ERR. Further calls have no effect.
 */
void swhca_hca_fail(struct swhca_hca *hca);

/**
 * Put the function into an internal error and report it, as the health buffer and event of an
 * adapter do: it executes and completes nothing, and no peer on the fabric reaches the port.
 * Commands behave as after swhca_hca_fail(). swhca_hca_revive() ends this state.
 */
void swhca_hca_crash(struct swhca_hca *hca);

/**
 * Recover the function after swhca_hca_crash(), as the health recovery of the driver does (Linux:
 * mlx5_health_try_recover()). It works for applications that open it afterwards; all its earlier
 * queues must be gone.
 *
 * @return
 *   0, -EALREADY (it works), -EBUSY (it has queues).
 */
int swhca_hca_revive(struct swhca_hca *hca);

/**
 * Hang the function: it executes and completes nothing, no peer on the fabric reaches the port, and
 * nothing is reported. Commands are executed. False resumes it where it stopped.
 */
void swhca_hca_halt(struct swhca_hca *hca, bool is_halted);

/**
 * Pull or plug in the cable of the port. An event notifies software, and queries return the new
 * state. A port that is down sends and receives nothing: packets are lost, and queues time out as
 * on a network. Ports are created up; setting the current state has no effect.
 */
void swhca_hca_port_set(struct swhca_hca *hca, bool is_up);
bool swhca_hca_port_is_up(const struct swhca_hca *hca);

/**
 * Change the rate of the link. A port that is up goes down and up, and events report it. Only the
 * reported rate changes, not the speed of transfers.
 */
void swhca_hca_port_rate_set(struct swhca_hca *hca, const struct swhca_port_rate *rate);
struct swhca_port_rate swhca_hca_port_rate_get(const struct swhca_hca *hca);

/**
 * Execute a PRM command.
 *
 * The input is read once, so it may change concurrently. If out_len is 8 or more the output
 * contains at least a status and a syndrome; rejected commands are logged.
 *
 * @param in
 *   Input mailbox, in_len bytes.
 * @param out
 *   Output mailbox, out_len bytes; all of it is written. Must not overlap the input.
 * @return
 *   Status in the mailbox: 0, or one of enum prm_cmd_status.
 */
uint8_t swhca_hca_cmd_exec(struct swhca_hca *hca, const void *in, size_t in_len, void *out,
			   size_t out_len);

/**
 * Check whether an EQ receives command completions (PRM_EVENT_CMD). Call it before a command is
 * executed: the creator of that EQ polls for the completion of the command that creates it.
 */
bool swhca_hca_has_cmd_eq(struct swhca_hca *hca);

/** Report completed commands to that EQ, if it exists. @param slots One bit per command. */
void swhca_hca_raise_cmd_event(struct swhca_hca *hca, uint32_t slots);

/** Make the n-th command from now on fail once; 0: none. For tests. */
void swhca_hca_cmd_fail(struct swhca_hca *hca, uint64_t n);


/**
 * File descriptor of the BAR, to be mapped MAP_SHARED. UAR page n, as numbered by ALLOC_UAR, is at
 * offset n * SWHCA_UAR_SIZE; the doorbell area reported in capability page 0x13 follows the last
 * one. Owned by the HCA.
 */
int swhca_hca_bar_fd(const struct swhca_hca *hca);

/** Size of the BAR in bytes. */
size_t swhca_hca_bar_size(const struct swhca_hca *hca);

/** Size of the part of the BAR that contains the UAR pages, starting at offset 0. */
size_t swhca_hca_uar_area_size(const struct swhca_hca *hca);

/**
 * Replace a part of the BAR by pages of another file, which keep their content. An application that
 * maps that file shares these pages with the device, until swhca_hca_bar_restore() or until the
 * device is destroyed. The descriptor may be closed.
 *
 * @return
 *   0, or a negative errno of mmap(2): nothing has changed.
 */
int swhca_hca_bar_place(struct swhca_hca *hca, uint64_t bar_offset, size_t len, int fd,
			off_t offset);
/** Check whether an address is in the device's own mapping of the BAR. */
bool swhca_hca_bar_has(const struct swhca_hca *hca, uintptr_t va);
/** Restore the BAR's own pages. @return As swhca_hca_bar_place(). */
int swhca_hca_bar_restore(struct swhca_hca *hca, uint64_t bar_offset, size_t len);

struct swhca_timer;

/**
 * Show the free running timer also at the start of a page of another file.
 *
 * @param timer
 *   Written on success, for swhca_hca_timer_remove().
 * @return
 *   0, -ENOMEM, or a negative errno of mmap(2).
 */
int swhca_hca_timer_add(struct swhca_hca *hca, int fd, off_t offset, struct swhca_timer **timer);
void swhca_hca_timer_remove(struct swhca_hca *hca, struct swhca_timer *timer);

/**
 * Execute a store to a UAR page before anything that software does after it. Only then can a strict
 * device detect a doorbell that is rung before its record is written. EQ doorbells are executed at
 * once, so that none is lost where EQs share a page. The engine finds stores to the BAR itself in
 * its next pass.
 *
 * @param offset
 *   In the BAR; offset + len must not exceed swhca_hca_uar_area_size().
 */
void swhca_hca_uar_store(struct swhca_hca *hca, uint64_t offset, const void *src, size_t len);

/**
 * Delete the credential, as the crypto officer does: logins become invalid and new ones are
 * rejected. Loaded keys stay usable.
 */
void swhca_hca_credential_delete(struct swhca_hca *hca);

/**
 * Offset in the BAR of the initial segment page that starts with the free running timer: a
 * big-endian 64-bit count of nanoseconds. Map it read-only.
 */
size_t swhca_hca_timer_offset(const struct swhca_hca *hca);

/**
 * Load or store one byte at an operation address of device memory, as MODIFY_MEMIC returned it.
 *
 * @param value
 *   Byte to store, or byte loaded, written on success.
 * @return
 *   0, or -EFAULT (no such address, or its operation is of the other kind).
 */
int swhca_hca_memic_access(struct swhca_hca *hca, uint64_t addr, bool is_store, uint8_t *value);

/**
 * Invalidate pages of host memory that go away or change their protection, as an address
 * translation service notifies a device that caches translations. Keys with on-demand paging lose
 * these pages. Call it before they go.
 */
void swhca_hca_pages_invalidate(struct swhca_hca *hca, uint64_t addr, uint64_t len);

/** Purpose of a prefetch. */
enum swhca_prefetch {
	SWHCA_PREFETCH_NOTHING,	/**< Only check that the key exists and contains the range. */
	SWHCA_PREFETCH_READ,
	SWHCA_PREFETCH_WRITE,	/**< For writing, where the key allows it. */
};

/**
 * Map pages of a key with on-demand paging before it accesses them.
 *
 * @param addr
 *   In the address space of the key.
 * @return
 *   0, -ENOENT (no such key, or it is not paged), -EFAULT (outside of the key, or not mapped) or
 *   -ENOMEM; pages before the failing one stay mapped.
 */
int swhca_hca_pages_prefetch(struct swhca_hca *hca, uint32_t key, uint64_t addr, uint64_t len,
			     enum swhca_prefetch how);

/** Copy the counters. */
void swhca_hca_stats_get(const struct swhca_hca *hca, struct swhca_hca_stats *stats);

/** Counters of a key with on-demand paging. */
struct swhca_hca_odp_stats {
	uint32_t key;		/**< Key number. */
	uint64_t nb_faults;	/**< As nb_page_faults etc. */
	uint64_t nb_invalidations;
	uint64_t nb_prefetches;
};

/**
 * Get the counters of all keys with on-demand paging. @return Number of these keys; at most nb_max
 * are written.
 */
unsigned int swhca_hca_odp_stats_get(struct swhca_hca *hca, struct swhca_hca_odp_stats *stats,
				     unsigned int nb_max);

#endif /* SWHCA_HCA_H */
