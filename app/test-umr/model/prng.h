/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PRNG_H
#define PRNG_H

/**
 * @file
 * Reproducible random numbers: a seed gives the same sequence on every machine.
 *
 * The generator is SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", 2014). It has one word of state, so that each test case can have its own generator.
 */

#include <stdbool.h>
#include <stdint.h>

struct prng {
	uint64_t state;
};

static inline uint64_t
prng_next(struct prng *prng)
{
	uint64_t z = prng->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/** Create a generator for stream n of a seed. */
static inline struct prng
prng_stream(uint64_t seed, uint64_t n)
{
	struct prng mix = { seed };
	struct prng prng = { prng_next(&mix) ^ (n * UINT64_C(0xd1342543de82ef95)) };

	prng.state = prng_next(&prng);
	return prng;
}

/** Uniform in [min, max]; the bias of the modulo is negligible for tests. */
static inline uint64_t
prng_between(struct prng *prng, uint64_t min, uint64_t max)
{
	return min + prng_next(prng) % (max - min + 1);
}

/** True with probability 1 / n. */
static inline bool
prng_one_in(struct prng *prng, uint32_t n)
{
	return prng_next(prng) % n == 0;
}

/** In [1, max]; powers of two are equally likely, so small values are common. */
static inline uint64_t
prng_log(struct prng *prng, uint64_t max)
{
	unsigned int nb_bits = 64u - (unsigned int)__builtin_clzll(max);
	uint64_t low = UINT64_C(1) << prng_between(prng, 0, nb_bits - 1);
	uint64_t high = low * 2 - 1;

	return prng_between(prng, low, high < max ? high : max);
}

#endif /* PRNG_H */
