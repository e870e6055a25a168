/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The loops of the floor, compiled once for each instruction set. They do one store per vector of a
 * WQE, set one index per WQE, and compute the doorbell once per batch. Any code that builds WQEs
 * must do at least this.
 */

#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_prefetch.h>

#include <mlx5_prm_wqe.h>

#include "bench/floor/store.h"

/* Bytes of a vector, and vectors that fit in registers in addition to what the loop needs. */
#if defined(__AVX2__)
#define VEC_SIZE	32u
#define MAX_HELD	14u
#else
#define VEC_SIZE	16u
#define MAX_HELD	14u
#endif
#define VECS_PER_BB	(PRM_WQE_BB_SIZE / VEC_SIZE)

/* Bytes of a segment, {addr 8, length 4, lkey 4}, as those of a KLM, in big endian. */
#define KLM_ORDER(at)                                                                              \
	(at) + 11, (at) + 10, (at) + 9, (at) + 8, (at) + 15, (at) + 14, (at) + 13, (at) + 12,      \
	(at) + 7, (at) + 6, (at) + 5, (at) + 4, (at) + 3, (at) + 2, (at) + 1, (at)
#if defined(__AVX2__)
#define TO_KLMS(v)	__builtin_shufflevector(v, v, KLM_ORDER(0), KLM_ORDER(16))
#else
#define TO_KLMS(v)	__builtin_shufflevector(v, v, KLM_ORDER(0))
#endif

/* Prefetch distance of the driver, which allocates that much memory after the end of its ring. */
#define FETCH_AHEAD	768u
/* Maximum number of blocks of an operation to prefetch. */
#define MAX_FETCH	6u

#define FN(name)	FN_OF(name, BENCH_FLOOR_ISA)
#define FN_OF(name, isa) FN_PASTE(name, isa)
#define FN_PASTE(name, isa) name##_##isa

/* Vector type for copies from and to memory of any type. */
typedef uint32_t vec __attribute__((vector_size(VEC_SIZE), may_alias));
/* The same by bytes; segments have the alignment of an application's array. */
typedef uint8_t vec_bytes __attribute__((vector_size(VEC_SIZE), may_alias));
typedef uint8_t vec_segs __attribute__((vector_size(VEC_SIZE), aligned(8), may_alias));

/* First word of a control segment, which differs for each WQE. */
static __rte_always_inline rte_be32_t
word_of(uint32_t word, uint32_t pi)
{
	return __builtin_bswap32(word | (pi & UINT16_MAX) << 8);
}

/* Address of a block of the ring. */
static __rte_always_inline uint8_t *
slot_of(const struct bench_floor_ring *ring, uint32_t pi)
{
	return ring->sq + (size_t)(pi & ring->sq_mask) * PRM_WQE_BB_SIZE;
}

/* Move bytes beyond the end of the ring to its start. */
static __rte_always_inline void
ring_wrap(const struct bench_floor_ring *ring, const uint8_t *end)
{
	uint8_t *ring_end = ring->sq + (size_t)(ring->sq_mask + 1) * PRM_WQE_BB_SIZE;

	if (unlikely(end > ring_end))
		memcpy(ring->sq, ring_end, (size_t)(end - ring_end));
}

static __rte_always_inline void
lines_fetch(uint8_t *slot, uint32_t nb_wqebb)
{
	for (uint32_t i = 0; i < nb_wqebb; i++)
		__builtin_prefetch(slot + FETCH_AHEAD + i * PRM_WQE_BB_SIZE, 1, 3);
}

static __rte_always_inline void
wqe_copy(uint8_t *dst, const uint8_t *src, uint32_t nb_bytes, rte_be32_t word)
{
	const vec first = { word };

	*(vec *)dst = *(const vec *)src | first;
#pragma GCC unroll 4
	for (uint32_t i = VEC_SIZE; i < nb_bytes; i += VEC_SIZE)
		*(vec *)(dst + i) = *(const vec *)(src + i);
}

/* Store the list of an operation; a list that does not fit starts again at the beginning. */
static __rte_noinline void
list_store(const struct bench_floor_op *op, struct bench_floor_ring *ring, uint8_t *wqe)
{
	size_t size = (size_t)op->nb_list_bb * PRM_WQE_BB_SIZE;
	struct mlx5_wqe_data_seg *data = (struct mlx5_wqe_data_seg *)(wqe + 2 * PRM_WQE_BB_SIZE);
	uint8_t *dst;

	if (ring->list_pos + size > ring->list_size)
		ring->list_pos = 0;
	dst = ring->list + ring->list_pos;
	ring->list_pos += RTE_ALIGN_CEIL(size, (size_t)BENCH_FLOOR_LIST_ALIGN);
#pragma GCC unroll 4
	for (size_t i = 0; i < size; i += VEC_SIZE)
		*(vec_bytes *)(dst + i) = TO_KLMS(*(const vec_segs *)(op->segs + i));
	data->addr = rte_cpu_to_be_64((uintptr_t)dst);
}

/* Copy a single operation. */
static __rte_always_inline void
op_copy(const struct bench_floor_op *op, const uint8_t *image, struct bench_floor_ring *ring,
	const bool has_fetch)
{
	uint8_t *slot = slot_of(ring, ring->sq_pi);
	uint32_t at;

	if (has_fetch && op->nb_wqebb <= MAX_FETCH)
		lines_fetch(slot, op->nb_wqebb);
	wqe_copy(slot, image, op->wqes[0].nb_bytes, word_of(op->wqes[0].word, ring->sq_pi));
	for (uint32_t w = 1; w < op->nb_wqes; w++) {
		at = op->wqes[w].at;
		wqe_copy(slot + at * PRM_WQE_BB_SIZE, image + at * PRM_WQE_BB_SIZE,
			 op->wqes[w].nb_bytes, word_of(op->wqes[w].word, ring->sq_pi + at));
	}
	if (unlikely(op->nb_list_bb != 0))
		list_store(op, ring, slot);
	ring_wrap(ring, slot + op->nb_wqebb * PRM_WQE_BB_SIZE);
	ring->sq_pi += op->nb_wqebb;
}

/* Copy the last operation; the doorbell is not read back from the ring. */
static __rte_always_inline uint64_t
last_copy(const struct bench_floor_op *op, struct bench_floor_ring *ring, const bool has_fetch)
{
	const uint32_t w = op->nb_wqes - 1;
	const union {
		rte_be32_t words[2];
		uint64_t value;
	} doorbell = {
		.words = { word_of(op->wqes[w].word, ring->sq_pi + op->wqes[w].at),
			   op->wqes[w].qpn_ds },
	};

	op_copy(op, op->last, ring, has_fetch);
	return doorbell.value;
}

uint64_t
FN(bench_floor_copy)(const struct bench_floor_op *op, struct bench_floor_ring *ring,
		     uint32_t batch)
{
	while (--batch > 0)
		op_copy(op, op->image, ring, false);
	return last_copy(op, ring, false);
}

uint64_t
FN(bench_floor_copy_fetch)(const struct bench_floor_op *op, struct bench_floor_ring *ring,
			   uint32_t batch)
{
	while (--batch > 0)
		op_copy(op, op->image, ring, true);
	return last_copy(op, ring, true);
}

/*
 * Copy operations that consist of one WQE of the given number of blocks. Only pointer and index
 * change until the end of the ring, which the last WQE may exceed.
 */
static __rte_always_inline void
ops_hold(const struct bench_floor_op *op, struct bench_floor_ring *ring, uint32_t nb,
	 const uint32_t nb_wqebb, const bool has_fetch)
{
	const uint32_t word = op->wqes[0].word, nb_vecs = nb_wqebb * VECS_PER_BB;
	uint32_t pi = ring->sq_pi, run, room;
	vec held[MAX_HELD];
	uint8_t *slot, *end;

#pragma GCC unroll 32
	for (uint32_t i = 0; i < nb_vecs; i++) {
		held[i] = ((const vec *)op->image)[i];
#if defined(__x86_64__)
		/* Force the value into a register and prevent reloads. */
		__asm__("" : "+v"(held[i]));
#endif
	}
	for (; nb != 0; nb -= run) {
		slot = slot_of(ring, pi);
		room = (ring->sq_mask + nb_wqebb - (pi & ring->sq_mask)) / nb_wqebb;
		run = RTE_MIN(nb, room);
		for (end = slot + (size_t)run * nb_wqebb * PRM_WQE_BB_SIZE; slot != end;
		     slot += nb_wqebb * PRM_WQE_BB_SIZE, pi += nb_wqebb) {
			const vec first = { word_of(word, pi) };

			if (has_fetch)
				lines_fetch(slot, nb_wqebb);
			((vec *)slot)[0] = held[0] | first;
#pragma GCC unroll 32
			for (uint32_t i = 1; i < nb_vecs; i++)
				((vec *)slot)[i] = held[i];
		}
		ring_wrap(ring, end);
	}
	ring->sq_pi = pi;
}

/* The loop for a number of blocks that fits in registers. */
#define HOLD(n)                                                                                    \
	case n:                                                                                    \
		if ((n) * VECS_PER_BB > MAX_HELD || (has_fetch && (n) > MAX_FETCH))                \
			return false;                                                              \
		ops_hold(op, ring, nb, (n) * VECS_PER_BB > MAX_HELD ? 1 : (n), has_fetch);         \
		return true

static __rte_always_inline bool
ops_try_hold(const struct bench_floor_op *op, struct bench_floor_ring *ring, uint32_t nb,
	     const bool has_fetch)
{
	if (op->nb_wqes != 1 || op->nb_list_bb != 0 ||
	    op->wqes[0].nb_bytes != op->nb_wqebb * PRM_WQE_BB_SIZE)
		return false;
	switch (op->nb_wqebb) {
	HOLD(1);
	HOLD(2);
	HOLD(3);
	HOLD(4);
	HOLD(5);
	HOLD(6);
	HOLD(7);
	HOLD(8);
	HOLD(9);
	HOLD(10);
	HOLD(11);
	HOLD(12);
	HOLD(13);
	HOLD(14);
	HOLD(15);
	HOLD(16);
	default:
		return false;
	}
}

uint64_t
FN(bench_floor_held)(const struct bench_floor_op *op, struct bench_floor_ring *ring,
		     uint32_t batch)
{
	if (batch == 1 || !ops_try_hold(op, ring, batch - 1, false))
		return FN(bench_floor_copy)(op, ring, batch);
	return last_copy(op, ring, false);
}

uint64_t
FN(bench_floor_held_fetch)(const struct bench_floor_op *op, struct bench_floor_ring *ring,
			   uint32_t batch)
{
	if (batch == 1 || !ops_try_hold(op, ring, batch - 1, true))
		return FN(bench_floor_copy_fetch)(op, ring, batch);
	return last_copy(op, ring, true);
}
