/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_TRAP_H
#define SWHCA_TRAP_H

/**
 * @file
 * Loads and stores of the program at addresses with device side effects: the fault handler passes
 * them to the device and skips the instruction.
 *
 * - Operation addresses of device memory are mapped beyond the end of the BAR, where every access
 *   faults. Only plain moves of one byte are supported, which the operations are for.
 * - UAR pages of a strict device are not writable. Stores by instructions that host/x86_move.h
 *   supports are trapped; at the first other one the page becomes writable, and the engine polls
 *   its doorbells.
 *
 * Only x86-64, and not under valgrind.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct swhca_hca;

/** Check whether this machine supports it. Otherwise the device does not report the operations. */
bool swhca_trap_is_supported(void);

/**
 * Register a mapping of the BAR. It is stored if it is beyond its end.
 *
 * @return
 *   0, or -ENOMEM (too many such mappings).
 */
int swhca_trap_add(struct swhca_hca *hca, const void *va, size_t len, off_t bar_offset);

/**
 * Register UAR pages of a strict device to trap their stores. Without room for another mapping, or
 * on other machines, the engine polls the doorbells there.
 */
void swhca_trap_add_uar(struct swhca_hca *hca, void *va, size_t len, off_t bar_offset);

/** Place of an address whose mapping was not registered. */
struct swhca_trap_place {
	uintptr_t start;	/**< Start of the page. */
	size_t len;
	struct swhca_hca *hca;
	uint64_t bar_offset;	/**< Beyond the end of the BAR. */
};

/** Look up a faulting address, in the signal handler. @return Whether it was found. */
typedef bool (*swhca_trap_finder)(const void *va, struct swhca_trap_place *place);

/** Set the lookup of faulting addresses that are not registered. */
void swhca_trap_finder_set(swhca_trap_finder find);

/** Remove mappings that were unmapped. */
void swhca_trap_remove(const void *va, size_t len);

/** In the child of fork(2): the devices belong to the parent. */
void swhca_trap_forget(void);

/**
 * Handle a fault of this thread.
 *
 * @param ctx
 *   Third argument of the signal handler.
 * @return
 *   Whether it was such an access and has been executed.
 */
bool swhca_trap_handle(const void *va, void *ctx);

#endif /* SWHCA_TRAP_H */
