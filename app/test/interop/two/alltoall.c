/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Every rank sends other bytes to every rank, of lengths for eager and rendezvous protocols, and
 * checks what it got; then each puts into windows of the others and counts there by atomics.
 *
 * Usage: alltoall [ROUNDS]
 */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

static int rank, nb_ranks;

static uint8_t
byte_of(int from, int to, int round, size_t i)
{
	return (uint8_t)(i * 7 + i / 251 + (size_t)from * 31 + (size_t)to * 17 + (size_t)round * 5);
}

/* @return Wrong bytes. */
static uint64_t
exchange(size_t len, int round)
{
	uint8_t *out = malloc(len * (size_t)nb_ranks), *in = calloc((size_t)nb_ranks, len);
	uint64_t nb_wrong = 0;
	size_t i;
	int peer;

	if (out == NULL || in == NULL)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (peer = 0; peer < nb_ranks; peer++)
		for (i = 0; i < len; i++)
			out[(size_t)peer * len + i] = byte_of(rank, peer, round, i);
	MPI_Alltoall(out, (int)len, MPI_BYTE, in, (int)len, MPI_BYTE, MPI_COMM_WORLD);
	for (peer = 0; peer < nb_ranks; peer++)
		for (i = 0; i < len; i++)
			nb_wrong += in[(size_t)peer * len + i] != byte_of(peer, rank, round, i);
	free(out);
	free(in);
	return nb_wrong;
}

/* A window has a word for each rank, and a counter behind them. @return Wrong words. */
static uint64_t
put_and_count(int round)
{
	uint64_t value, old, one = 1, nb_wrong = 0, *words;
	MPI_Win win;
	int peer;

	MPI_Win_allocate((MPI_Aint)(((size_t)nb_ranks + 1) * sizeof(*words)), sizeof(*words),
			 MPI_INFO_NULL, MPI_COMM_WORLD, &words, &win);
	for (peer = 0; peer <= nb_ranks; peer++)
		words[peer] = 0;
	MPI_Win_fence(0, win);
	for (peer = 0; peer < nb_ranks; peer++) {
		value = (uint64_t)round << 32 | (uint64_t)rank << 16 | (uint64_t)peer;
		MPI_Put(&value, 1, MPI_UINT64_T, peer, rank, 1, MPI_UINT64_T, win);
		MPI_Fetch_and_op(&one, &old, MPI_UINT64_T, peer, nb_ranks, MPI_SUM, win);
		/* The values are read from here until then. */
		MPI_Win_fence(0, win);
	}
	for (peer = 0; peer < nb_ranks; peer++)
		nb_wrong += words[peer] !=
			    ((uint64_t)round << 32 | (uint64_t)peer << 16 | (uint64_t)rank);
	nb_wrong += words[nb_ranks] != (uint64_t)nb_ranks;
	MPI_Win_free(&win);
	return nb_wrong;
}

int
main(int argc, char **argv)
{
	static const size_t lens[] = { 1, 8, 1000, 8192, 65536, 1000003 };
	int nb_rounds = argc > 1 ? atoi(argv[1]) : 2, round;
	uint64_t nb_wrong = 0, nb_all = 0;
	size_t i;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nb_ranks);
	for (round = 0; round < nb_rounds; round++) {
		for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
			nb_wrong += exchange(lens[i], round);
		nb_wrong += put_and_count(round);
	}
	MPI_Allreduce(&nb_wrong, &nb_all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d ranks, %d rounds: %" PRIu64 " wrong\n", nb_ranks, nb_rounds, nb_all);
	MPI_Finalize();
	return nb_all != 0;
}
