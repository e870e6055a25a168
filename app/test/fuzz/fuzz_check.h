/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

/**
 * @file
 * Invariants that hold for any input. The harness derives them from the mailboxes of accepted
 * commands, its own stores and DMA accesses, and never queries the model. A violation prints the
 * invariant and aborts.
 */

#include <limits.h>

#include "fuzz.h"

/** Print the violated invariant with numbers, and abort. */
#define FUZZ_BROKEN(...)                                                                           \
	do {                                                                                       \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                    \
		fprintf(stderr, __VA_ARGS__);                                                      \
		fputc('\n', stderr);                                                               \
		abort();                                                                           \
	} while (0)

/**
 * An object created by a command, identified by the command that destroys it: numbers of one kind
 * are unique. General objects have their type in the upper half.
 */
struct fuzz_obj {
	const struct fuzz_hca *h;
	uint32_t kind;		/**< Opcode of the destroying command, and type << 16. */
	uint32_t num;
};

static inline bool
fuzz_obj_is(const struct fuzz_obj *a, const struct fuzz_obj *b)
{
	return a->h == b->h && a->kind == b->kind && a->num == b->num;
}

/** Object created by a command. @return false: none. */
bool fuzz_obj_made(const struct fuzz_hca *h, const uint8_t *in, size_t in_len, const uint8_t *out,
		   struct fuzz_obj *obj);
/** Object destroyed by a command. @return false: none. */
bool fuzz_obj_ended(const struct fuzz_hca *h, const uint8_t *in, size_t in_len,
		    struct fuzz_obj *obj);

/* ---- fuzz_grants.c: which bytes of host memory a device may read and write ---- */

void fuzz_grants_reset(void);
/** A command is about to be executed. */
void fuzz_grants_begin(const struct fuzz_hca *h, const void *box, size_t in_len);
/** The command was executed. @param out NULL: it was rejected. */
void fuzz_grants_end(const struct fuzz_hca *h, const uint8_t *in, size_t in_len,
		     const uint8_t *out);
/** The devices are gone: from now on no access is allowed. */
void fuzz_grants_revoke(void);
/** Number of objects that allow writing a byte, including keys; UINT_MAX: unknown. */
unsigned int fuzz_grants_nb_writers(uint64_t addr);
/** Check an access by a device. */
void fuzz_grants_check(uint64_t addr, uint64_t len, bool writes);

/* ---- fuzz_cqes.c: completions ---- */

void fuzz_cqes_reset(void);
void fuzz_cqes_cmd(const struct fuzz_hca *h, const uint8_t *in, size_t in_len, const uint8_t *out);
/** A device wrote there. */
void fuzz_cqes_written(struct fuzz_world *w, uint64_t addr, uint64_t len);
/** Memory was or may have been modified by others: ignore rings and records there from now on. */
void fuzz_cqes_touched(uint64_t addr, uint64_t len);

/* ---- fuzz_objects.c: objects, and commands that are rejected ---- */

void fuzz_objects_reset(void);
/** Execute a command and check that it does nothing forbidden. @return The status. */
uint8_t fuzz_objects_exec(struct fuzz_hca *h, const uint8_t *in, size_t in_len, uint8_t *out,
			  size_t out_len);
/** Destroy everything by commands; nothing may remain. */
void fuzz_objects_end(struct fuzz_world *w);

/* ---- fuzz_process.c: resources of the process used by the model ---- */

/** Number of descriptors and threads. */
unsigned int fuzz_process_count(void);
/** Maximum over a period, in which threads of others may open and close descriptors. */
unsigned int fuzz_process_most(void);
/**
 * The same after the number drops to nb or the wait times out: a joined thread stays visible for a
 * while.
 */
unsigned int fuzz_process_settle(unsigned int nb);

#endif /* FUZZ_CHECK_H */
