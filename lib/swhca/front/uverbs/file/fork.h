/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_FORK_H
#define SWHCA_UVERBS_FORK_H

/**
 * @file
 * Files that a child of fork(2) inherits: devices and objects are in the process that opened the
 * file, so calls are executed there.
 *
 * The parent reads and writes the child's memory for the request itself; where the kernel denies
 * this (process_vm_readv(2)), the child does so on request, over the connection of its call. Memory
 * that the device would access later (queues, regions) and new file descriptors are rejected: they
 * would belong to the wrong process.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "include/dma.h"

struct swhca_ufile;

/** A call on a file of another process. */
struct swhca_ufork_call {
	enum {
		SWHCA_UFORK_IOCTL,
		SWHCA_UFORK_MMAP,
	} kind;
	int prot;			/**< mmap */
	struct swhca_ufile *file;	/**< In the memory of the process that opened it. */
	uint64_t arg;			/**< ioctl: address of the request in the caller. */
	uint64_t len;			/**< mmap */
	off_t offset;			/**< mmap; of the answer: in the BAR. */
};

/** Executes a call in the owner of the files. @return 0 or a negative errno. */
typedef int (*swhca_ufork_handler)(struct swhca_ufork_call *call);

/** Before fork(2), in a process with files: prepare for calls. Failures are logged. */
void swhca_ufork_prepare(swhca_ufork_handler handler);
/** In the child: it serves no calls; its calls go to the parent. */
void swhca_ufork_child(void);
/**
 * In the child: let the owner of the file execute a call.
 *
 * @return
 *   Its result, or -EIO: it is gone, its address belongs to another user by now (logged), or it has
 *   not answered in 30 s.
 */
int swhca_ufork_call(struct swhca_ufork_call *call);

/** Check whether this thread executes a call of another process. */
bool swhca_ufork_is_foreign(void);
/** Memory of the caller: of this process, or of the process whose call this thread executes. */
const struct swhca_dma *swhca_ufork_dma(void);

#endif /* SWHCA_UVERBS_FORK_H */
