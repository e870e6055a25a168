/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

/**
 * @file
 * What must hold whatever an input does. The harness knows it from the mailboxes of commands that
 * were accepted, from its own stores and from what reaches the DMA: nothing here asks the model.
 * Whatever fails says which invariant it was and aborts.
 */

#include <limits.h>

#include "fuzz.h"

/** Say what does not hold, with numbers, and abort. */
#define FUZZ_BROKEN(...)                                                                           \
	do {                                                                                       \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                    \
		fprintf(stderr, __VA_ARGS__);                                                      \
		fputc('\n', stderr);                                                               \
		abort();                                                                           \
	} while (0)

/**
 * An object that a command makes, by the command that ends it: numbers of one kind are unique
 * there. General objects have their type in the upper half.
 */
struct fuzz_obj {
	const struct fuzz_hca *h;
	uint32_t kind;		/**< Opcode of the command that ends it, and type << 16. */
	uint32_t num;
};

static inline bool
fuzz_obj_is(const struct fuzz_obj *a, const struct fuzz_obj *b)
{
	return a->h == b->h && a->kind == b->kind && a->num == b->num;
}

/** What a command makes. @return false: nothing. */
bool fuzz_obj_made(const struct fuzz_hca *h, const uint8_t *in, size_t in_len, const uint8_t *out,
		   struct fuzz_obj *obj);
/** What a command ends. @return false: nothing. */
bool fuzz_obj_ended(const struct fuzz_hca *h, const uint8_t *in, size_t in_len,
		    struct fuzz_obj *obj);

/* ---- fuzz_grants.c: which bytes of host memory a device may read and write ---- */

void fuzz_grants_reset(void);
/** A command is given. */
void fuzz_grants_begin(const struct fuzz_hca *h, const void *box, size_t in_len);
/** It is done. @param out NULL: it was rejected. */
void fuzz_grants_end(const struct fuzz_hca *h, const uint8_t *in, size_t in_len,
		     const uint8_t *out);
/** From now on nothing is allowed: the devices are gone. */
void fuzz_grants_revoke(void);
/** How many objects let a byte be written, keys included; UINT_MAX: no telling. */
unsigned int fuzz_grants_nb_writers(uint64_t addr);
/** A device did read or write. */
void fuzz_grants_check(uint64_t addr, uint64_t len, bool writes);

/* ---- fuzz_cqes.c: completions ---- */

void fuzz_cqes_reset(void);
void fuzz_cqes_cmd(const struct fuzz_hca *h, const uint8_t *in, size_t in_len, const uint8_t *out);
/** A device has written there. */
void fuzz_cqes_written(struct fuzz_world *w, uint64_t addr, uint64_t len);
/** Somebody else has, or may have lied: rings and records there tell nothing any more. */
void fuzz_cqes_touched(uint64_t addr, uint64_t len);

/* ---- fuzz_objects.c: objects, and commands that are rejected ---- */

void fuzz_objects_reset(void);
/** Execute a command; what it may not do is checked. @return The status. */
uint8_t fuzz_objects_exec(struct fuzz_hca *h, const uint8_t *in, size_t in_len, uint8_t *out,
			  size_t out_len);
/** Give everything back by commands: then nothing may be left. */
void fuzz_objects_end(struct fuzz_world *w);

/* ---- fuzz_process.c: what the model has of the process ---- */

/** Descriptors and threads. */
unsigned int fuzz_process_count(void);
/** The most of some while, where threads of others open and close. */
unsigned int fuzz_process_most(void);
/**
 * The same, when there are no more than nb, or never: a thread that was joined is seen a while
 * longer.
 */
unsigned int fuzz_process_settle(unsigned int nb);

#endif /* FUZZ_CHECK_H */
