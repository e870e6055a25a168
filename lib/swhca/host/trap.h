/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_TRAP_H
#define SWHCA_TRAP_H

/**
 * @file
 * Loads and stores of the program at addresses where a device acts on them: the handler of the
 * fault brings them to the device and steps over the instruction.
 *
 * - Operation addresses of device memory are mapped from behind the end of the BAR, where every
 *   access faults. Only plain moves of one byte, which is what the operations are for.
 * - UAR pages of a strict device are not writable. Stores by instructions that host/move.h follows;
 *   at the first other one the page becomes writable, and the engine sees what is rung there.
 *
 * Only x86-64, and not below valgrind.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct swhca_hca;

/** Can this machine do it? Without it the device does not offer the operations. */
bool swhca_trap_is_supported(void);

/**
 * A part of the BAR was mapped. Remembered if it is behind its end.
 *
 * @return
 *   0, or -ENOMEM (too many such mappings).
 */
int swhca_trap_add(struct swhca_hca *hca, const void *va, size_t len, off_t bar_offset);

/**
 * UAR pages of a strict device were mapped: their stores are to be seen. With no room for one more
 * mapping, or on other machines, the engine sees what is rung there.
 */
void swhca_trap_add_uar(struct swhca_hca *hca, void *va, size_t len, off_t bar_offset);

/** An address that is not remembered, for nobody told of its mapping. */
struct swhca_trap_place {
	uintptr_t start;	/**< Of the page. */
	size_t len;
	struct swhca_hca *hca;
	uint64_t bar_offset;	/**< Behind the end of the BAR. */
};

/** Looks a faulting address up, in the handler of the signal. @return Whether it is one. */
typedef bool (*swhca_trap_finder)(const void *va, struct swhca_trap_place *place);

/** From now on, ask for faulting addresses that are not remembered. */
void swhca_trap_finder_set(swhca_trap_finder find);

/** Memory was unmapped. */
void swhca_trap_remove(const void *va, size_t len);

/** In the child of fork(2): the devices are the parent's. */
void swhca_trap_forget(void);

/**
 * A fault of this thread.
 *
 * @param ctx
 *   Third argument of the handler of the signal.
 * @return
 *   Whether it was such an access, and is done.
 */
bool swhca_trap_handle(const void *va, void *ctx);

#endif /* SWHCA_TRAP_H */
