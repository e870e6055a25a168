/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HCA_H
#define SWHCA_HCA_H

/**
 * @file
 * The seam between the software HCA and what stands in front of it.
 *
 * A fabric is a set of HCAs that can reach each other, and the engine that executes their queues.
 * A front end (today: the kernel's uverbs ABI, front/uverbs) drives an HCA in three ways, as
 * software drives a PCIe function: PRM commands, stores to the BAR (UAR pages, doorbells), and
 * memory that the HCA reads and writes by DMA. There is no other way in.
 *
 * What a bus address is, in mailboxes (pas, mtt) as in rings, is up to the struct swhca_dma that a
 * fabric is created with: the address at which the process has a page, or a guest's.
 *
 * Thread safe: every function may be called by any thread.
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
/** Most bytes of a command: a mailbox chain of hardware ends somewhere, too. */
#define SWHCA_MAX_CMD_IN (16u << 20)
/** log2 of the pages of the doorbell area, which are the last ones of the BAR. */
#define SWHCA_LOG_NB_VARS 5u

/** What the port is connected to. */
enum swhca_link_layer {
	SWHCA_LINK_IB,
	SWHCA_LINK_ETH,
};

/** What a device is; zero in a number means its default. */
struct swhca_hca_conf {
	uint16_t vhca_id;	/**< Number of the function, unique in the fabric. */
	uint16_t lid;		/**< Port LID, unique in the fabric, 1..0xbfff. */
	uint64_t port_guid;	/**< Port and node GUID, host byte order. */
	enum swhca_model model;
	enum swhca_link_layer link_layer;
	uint8_t mac[6];		/**< Of an Ethernet port. */
	/**
	 * The driver of a kernel owns the function, as a front end that is a PCI function has it:
	 * it starts disabled, and knows the commands by which such a driver brings it up, page
	 * management among them. Before INIT_HCA no other commands are executed. They are of the
	 * kernel: one with a uid may not be of these. Without it there are no such commands, and
	 * the function is ready from birth.
	 */
	bool has_driver;
	bool has_wrapped_keys;	/**< Data encryption keys come wrapped, not in plaintext. */
	/**
	 * The front end sees loads and stores at operation addresses of device memory, which are
	 * behind the BAR, and brings them to swhca_hca_memic_access().
	 */
	bool has_memic_ops;
	uint64_t quirks;	/**< Bit n: enum swhca_quirk n. */
	bool is_ack_only;	/**< Send WQEs complete unexecuted: see engine/ack.c. */
	bool is_strict;		/**< Doorbells that are ahead of their records are errors. */
	/** Announced in umr_fence; a UMR that is not strongly ordered itself is an error then. */
	bool needs_strong_fence;
	/**
	 * Software resolves page faults: an event tells of one, who came upon it waits until
	 * PAGE_FAULT_RESUME. Without that the device looks at host memory itself. The driver of a
	 * kernel always does.
	 */
	bool has_page_fault_events;
	/**
	 * Whose memory bus addresses of this function are in, where functions of a fabric belong
	 * to several guests: a number, 1 to 254, that stands above the 56 bits of each address when
	 * struct swhca_dma gets it. 0: addresses come as software gives them.
	 */
	uint8_t bus_space;
	uint8_t first_uar;	/**< Lowest UAR page; default 1. Those before it are never rung. */
	uint8_t log_max_uar;	/**< log2 of the pages of the BAR, 8..15; default 9. */
	uint8_t log_max_klm;	/**< log2 of the entries of a key, 1..16; default 16. */
	/** With has_driver, octowords that all keys hold, up to 2^29; default that: 8 GiB. */
	uint32_t max_xlt;
	uint32_t max_flows;	/**< Groups and entries of all flow tables; 0: no limit. */
	uint8_t max_indirection; /**< Levels of keys of keys, 1..8; default 4. */
	uint32_t first_qpn;	/**< Lowest QP number, up to 0xff0000; default 0x48. */
	uint8_t log_max_qp;	/**< log2 of the QPs, 1..16; default 16. */
	uint8_t log_max_qp_sz;	/**< log2 of the WQEs of a QP, 6..15; default 15. */
	uint8_t log_max_cq;	/**< log2 of the CQs, 1..16; default 16. */
	uint8_t log_max_cq_sz;	/**< log2 of the CQEs of a CQ, 6..22; default 22. */
	uint8_t log_max_mkey;	/**< log2 of the memory keys, 6..22; default 22. */
	/**
	 * Interrupt of an armed event queue, or NULL. Called with the fabric lock held, from the
	 * engine or from a command: it may read the EQ, ring its doorbell and take locks of its
	 * own that nobody holds while calling the HCA, but must not call the HCA.
	 */
	void (*interrupt)(void *arg, unsigned int vector);
	void *interrupt_arg;	/**< First argument of it. */
};

/**
 * What a port has sent and received by its link, and what its queues had to do about it; each
 * counter is monotonic. Those of queues bear the names that mlx5_ib has for them in hw_counters
 * (Linux: drivers/infiniband/hw/mlx5/counters.c). Messages between devices of one process are no
 * packets; requests, receive queues and completions count all the same.
 */
struct swhca_wire_stats {
	uint64_t nb_sent;		/**< Packets. */
	uint64_t nb_received;		/**< Packets with a good ICRC. */
	uint64_t nb_multicast_sent;	/**< Of nb_sent, */
	uint64_t nb_multicast_received;	/**< and of nb_received. */
	uint64_t nb_bytes_sent;		/**< From BTH to ICRC, as all bytes here. */
	uint64_t nb_bytes_received;
	uint64_t nb_send_errors;	/**< Packets that could not be sent, and were dropped. */
	uint64_t nb_malformed;		/**< Dropped: lengths, versions, opcodes that are none. */
	uint64_t nb_no_qp;		/**< Dropped: no such queue, or not from its peer. */
	uint64_t nb_bad_pkeys;		/**< Dropped: wrong P_Key. */
	uint64_t nb_bad_qkeys;		/**< Dropped: wrong Q_Key. */
	uint64_t nb_link_downed;	/**< How often the port went down. */
	uint64_t rx_icrc_encapsulated;	/**< Dropped: wrong ICRC. */
	/* Of the responder. */
	uint64_t rx_write_requests;	/**< RDMA writes, */
	uint64_t rx_read_requests;	/**< RDMA reads, */
	uint64_t rx_atomic_requests;	/**< atomics: messages. */
	uint64_t rx_dct_connect;	/**< DC initiators that began to talk to a target. */
	uint64_t out_of_buffer;		/**< Messages for which there was no receive WQE. */
	uint64_t out_of_sequence;	/**< Request packets with a PSN behind the expected one. */
	uint64_t duplicate_request;	/**< Request packets that were there before. */
	uint64_t resp_local_length_error;	/**< CQEs: a message is longer than its buffers. */
	uint64_t resp_remote_access_errors;	/**< Requests rejected: remote access. */
	uint64_t resp_cqe_error;	/**< CQEs of receive queues with an error. */
	uint64_t resp_cqe_flush_error;	/**< Of these, those of flushed WQEs. */
	/* Of the requester. */
	uint64_t packet_seq_err;	/**< NAK of a PSN sequence error received. */
	uint64_t implied_nak_seq_err;	/**< A response told that another one was lost. */
	uint64_t local_ack_timeout_err;	/**< The timer of a send queue has expired. */
	uint64_t rnr_nak_retry_err;	/**< NAK of a receiver that is not ready received. */
	uint64_t req_remote_invalid_request;	/**< NAK: invalid request, */
	uint64_t req_remote_access_errors;	/**< remote access. */
	uint64_t req_transport_retries_exceeded; /**< CQEs: nobody acknowledged, */
	uint64_t req_rnr_retries_exceeded;	/**< or nobody had a receive WQE. */
	uint64_t req_cqe_error;		/**< CQEs of send queues with an error. */
	uint64_t req_cqe_flush_error;	/**< Of these, those of flushed WQEs. */
};

/** What a device has executed; each counter is monotonic. */
struct swhca_hca_stats {
	uint64_t nb_cmds;	/**< PRM commands, good or bad. */
	uint64_t nb_cmd_errors;	/**< PRM commands rejected. */
	uint64_t nb_doorbells;	/**< UAR stores noticed. */
	uint64_t nb_doorbell_errors; /**< Of a strict device: those ahead of their records. */
	uint64_t nb_wqes;	/**< Send WQEs completed, good or bad. */
	uint64_t nb_cqes;	/**< CQEs written. */
	uint64_t nb_cqe_errors;	/**< CQEs written with an error opcode. */
	uint64_t nb_bytes;	/**< Payload bytes moved. */
	uint64_t nb_page_faults; /**< Accesses to pages that were not there for the device. */
	uint64_t nb_page_invalidations; /**< Pages taken from the device. */
	uint64_t nb_page_prefetches; /**< Pages given to it before it asked. */
	uint64_t nb_odp_children; /**< Parts of implicit regions in use; not monotonic. */
	uint64_t nb_stale_regions; /**< Pinned regions whose mapping changed: include/pages.h. */
	uint64_t nb_stale_accesses; /**< Accesses to pages of such that are elsewhere. */
	uint64_t nb_objects;	/**< Objects that commands created; not monotonic. */
	uint64_t nb_umems;	/**< Of these, user memory. */
	uint64_t nb_mkeys;	/**< Of these, memory keys. */
	uint64_t nb_injected[SWHCA_NB_INJECT_CLASSES]; /**< Faults that fired, asked for. */
	struct swhca_wire_stats wire;
};

/**
 * Create an empty fabric; its engine does not run yet.
 *
 * @param dma
 *   How the HCAs reach host memory; borrowed for the life of the fabric. NULL means
 *   swhca_dma_process().
 * @param fabric
 *   Written on success; freed by swhca_fabric_destroy().
 * @return
 *   0, or -ENOMEM.
 */
int swhca_fabric_create(const struct swhca_dma *dma, struct swhca_fabric **fabric);

/** Stop the engine, destroy every HCA, free the fabric. NULL is accepted. */
void swhca_fabric_destroy(struct swhca_fabric *fabric);

/**
 * Run the engine in a thread of its own, on any CPU that the process started with.
 *
 * @return
 *   0, or a negative errno of pthread_create(3).
 */
int swhca_fabric_start(struct swhca_fabric *fabric);

/** Stop the engine thread and wait for it; queues keep their state. */
void swhca_fabric_stop(struct swhca_fabric *fabric);

/**
 * One pass of the engine in the calling thread, for tests without a thread.
 *
 * @return
 *   Number of things done; 0 means that nothing is left to do until somebody rings.
 */
unsigned int swhca_fabric_poll(struct swhca_fabric *fabric);

/**
 * A thread that waits, and polls, makes a pass in the place of the engine: so a doorbell that it
 * rang is heard without a switch to another thread, and a packet that it waits for. The engine
 * keeps away as long as somebody does so. Nothing is done if the fabric is on no link, where the
 * engine works at the same time, or has the lock.
 *
 * @return
 *   true: it found something to do.
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
 * Function level reset (PCI Express: Initiate Function Level Reset): objects, pages and addresses
 * are gone, errors, too, and the function is as it was created. What counters and the cable say
 * stays. When it returns, nothing of the function reads or writes host memory any more, and no
 * interrupt comes.
 */
void swhca_hca_reset(struct swhca_hca *hca);

/**
 * The function is gone from the bus, as if somebody had pulled the card.
 *
 * Queue pairs go to error and flush, an internal error is raised, nobody on the fabric reaches
 * the port any more. From then on only commands that give something back are executed (DESTROY_...,
 * DEALLOC_..., DETACH_...), so that software can clean up; others end with PRM_CMD_INT_ERR. Done
 * again, it does nothing.
 */
void swhca_hca_fail(struct swhca_hca *hca);

/**
 * The function has an internal error and says so, as health buffer and event of an adapter do: it
 * executes and completes nothing any more, and nobody on the fabric reaches the port. Commands are
 * as after swhca_hca_fail(). The way back is swhca_hca_revive().
 */
void swhca_hca_crash(struct swhca_hca *hca);

/**
 * The function works again behind swhca_hca_crash(), as the health recovery of the driver has it
 * (Linux: mlx5_health_try_recover()): for who opens it from then on. Of the queues that it had none
 * may be left.
 *
 * @return
 *   0, -EALREADY (it works), -EBUSY (it has queues).
 */
int swhca_hca_revive(struct swhca_hca *hca);

/**
 * The function falls silent: it executes and completes nothing, nobody on the fabric reaches the
 * port, and nothing tells so. Commands are executed. With false it goes on where it stopped.
 */
void swhca_hca_halt(struct swhca_hca *hca, bool is_halted);

/**
 * The cable of the port is pulled, or plugged in again. Software is told by an event, and finds the
 * state where it looks. A port that is down sends and receives nothing: what is sent is lost, and
 * queues find out as they do on a network. Ports are up in the beginning; what is so already stays.
 */
void swhca_hca_port_set(struct swhca_hca *hca, bool is_up);
bool swhca_hca_port_is_up(const struct swhca_hca *hca);

/**
 * The link of the port comes back at another rate: a port that is up goes down and up, and events
 * tell so. The rate is what software reads; nothing moves faster or slower for it.
 */
void swhca_hca_port_rate_set(struct swhca_hca *hca, const struct swhca_port_rate *rate);
struct swhca_port_rate swhca_hca_port_rate_get(const struct swhca_hca *hca);

/**
 * Execute a PRM command.
 *
 * The input is read once, so the caller may let others write to it. The output always holds at
 * least a status and a syndrome when out_len is 8 or more; rejected commands are logged.
 *
 * @param in
 *   Input mailbox, in_len bytes.
 * @param out
 *   Output mailbox, out_len bytes; all of it is written. May not overlap the input.
 * @return
 *   The status that the mailbox holds: 0, or one of enum prm_cmd_status.
 */
uint8_t swhca_hca_cmd_exec(struct swhca_hca *hca, const void *in, size_t in_len, void *out,
			   size_t out_len);

/**
 * Whether an EQ takes completions of commands (PRM_EVENT_CMD). To be asked before a command is
 * executed: who creates that EQ polls for the completion of the command that does.
 */
bool swhca_hca_has_cmd_eq(struct swhca_hca *hca);

/** Tell that EQ, if it is still there, that commands are done. @param slots A bit for each. */
void swhca_hca_raise_cmd_event(struct swhca_hca *hca, uint32_t slots);

/** Make the n-th command from now on fail, whichever it is, once; 0: none. For tests. */
void swhca_hca_cmd_fail(struct swhca_hca *hca, uint64_t n);


/**
 * File descriptor of the BAR, to be mapped MAP_SHARED. UAR page n, as ALLOC_UAR numbers it, is at
 * offset n * SWHCA_UAR_SIZE; behind the last one is the doorbell area that capability page 0x13
 * tells of. Owned by the HCA.
 */
int swhca_hca_bar_fd(const struct swhca_hca *hca);

/** Size of the BAR in bytes. */
size_t swhca_hca_bar_size(const struct swhca_hca *hca);

/** Size of the part of the BAR that UAR pages are in, from offset 0 on. */
size_t swhca_hca_uar_area_size(const struct swhca_hca *hca);

/**
 * Let pages of another file stand in a part of the BAR: who maps that file there has the pages of
 * the device. They keep what is in them. Until swhca_hca_bar_restore(), or the device is destroyed;
 * the descriptor may be closed.
 *
 * @return
 *   0, or a negative errno of mmap(2): nothing has changed.
 */
int swhca_hca_bar_place(struct swhca_hca *hca, uint64_t bar_offset, size_t len, int fd,
			off_t offset);
/** Is an address in the device's own mapping of the BAR? */
bool swhca_hca_bar_has(const struct swhca_hca *hca, uintptr_t va);
/** Let the BAR's own pages stand there. @return As swhca_hca_bar_place(). */
int swhca_hca_bar_restore(struct swhca_hca *hca, uint64_t bar_offset, size_t len);

struct swhca_timer;

/**
 * Show the free running timer at the beginning of a page of another file, too.
 *
 * @param timer
 *   Written on success, for swhca_hca_timer_remove().
 * @return
 *   0, -ENOMEM, or a negative errno of mmap(2).
 */
int swhca_hca_timer_add(struct swhca_hca *hca, int fd, off_t offset, struct swhca_timer **timer);
void swhca_hca_timer_remove(struct swhca_hca *hca, struct swhca_timer *timer);

/**
 * A store of software to a UAR page, seen before anything that software does behind it: a strict
 * device can only then tell a doorbell that is rung before its record is written. Doorbells of EQs
 * are executed at once: where EQs share a page, none is lost. What is stored to the BAR itself, it
 * looks at when the engine comes by.
 *
 * @param offset
 *   In the BAR; offset + len is not beyond swhca_hca_uar_area_size().
 */
void swhca_hca_uar_store(struct swhca_hca *hca, uint64_t offset, const void *src, size_t len);

/**
 * The crypto officer deletes the credential: logins become invalid and there are no new ones. Keys
 * that are loaded stay usable.
 */
void swhca_hca_credential_delete(struct swhca_hca *hca);

/**
 * Offset in the BAR of the page of the initial segment that begins with the free running timer:
 * a big-endian count of nanoseconds, 64 bits. It is to be mapped read-only.
 */
size_t swhca_hca_timer_offset(const struct swhca_hca *hca);

/**
 * A load or store of one byte at an operation address of device memory, as MODIFY_MEMIC gave it.
 *
 * @param value
 *   What is stored, or written on success: what is loaded.
 * @return
 *   0, or -EFAULT (no such address, or its operation is of the other kind).
 */
int swhca_hca_memic_access(struct swhca_hca *hca, uint64_t addr, bool is_store, uint8_t *value);

/**
 * Pages of host memory go away, or change what may be done with them: as an address translation
 * service tells a device that caches translations. Keys with on-demand paging lose them.
 * To be called before they go.
 */
void swhca_hca_pages_invalidate(struct swhca_hca *hca, uint64_t addr, uint64_t len);

/** What a prefetch is for. */
enum swhca_prefetch {
	SWHCA_PREFETCH_NOTHING,	/**< Only to see whether the key is there and holds the range. */
	SWHCA_PREFETCH_READ,
	SWHCA_PREFETCH_WRITE,	/**< Where the key may be written. */
};

/**
 * Give pages to a key with on-demand paging before it accesses them.
 *
 * @param addr
 *   In the address space of the key.
 * @return
 *   0, -ENOENT (no such key, or it is not paged), -EFAULT (outside of the key, or not mapped) or
 *   -ENOMEM; pages in front of the one that failed stay.
 */
int swhca_hca_pages_prefetch(struct swhca_hca *hca, uint32_t key, uint64_t addr, uint64_t len,
			     enum swhca_prefetch how);

/** Copy the counters. */
void swhca_hca_stats_get(const struct swhca_hca *hca, struct swhca_hca_stats *stats);

/** Counters of a key with on-demand paging. */
struct swhca_hca_odp_stats {
	uint32_t key;		/**< Its number. */
	uint64_t nb_faults;	/**< As nb_page_faults, and so on. */
	uint64_t nb_invalidations;
	uint64_t nb_prefetches;
};

/** Counters of all keys with on-demand paging. @return How many there are; nb_max are written. */
unsigned int swhca_hca_odp_stats_get(struct swhca_hca *hca, struct swhca_hca_odp_stats *stats,
				     unsigned int nb_max);

#endif /* SWHCA_HCA_H */
