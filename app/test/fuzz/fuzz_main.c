/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Runs a fuzz target without libFuzzer, so that any compiler and sanitizer will do: every input
 * that is given as it is, then as many that are changed at random: the same ones with the same
 * seed, however busy the machine is. On a crash the input that did it is in ./crash-PROGRAM.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../patience.h"
#include "budget.h"
#include "fuzz.h"

#define MAX_BYTES 4096u
#define MAX_FILES 4096u

struct corpus_file {
	uint8_t *data;
	size_t size;
};

static struct corpus_file files[MAX_FILES];
static size_t nb_files;
static uint64_t seed = 1;

/* xorshift64: Marsaglia, "Xorshift RNGs", 2003. */
static uint32_t
random_u32(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 16);
}

/* Kept while the target runs: what a sanitizer or a signal ends leaves it behind. */
static void
run_one(int crash_fd, const uint8_t *data, size_t size)
{
	if (ftruncate(crash_fd, 0) != 0 || pwrite(crash_fd, data, size, 0) != (ssize_t)size) {
		perror("crash file");
		exit(2);
	}
	alarm(patience_s());
	LLVMFuzzerTestOneInput(data, size);
	alarm(0);
}

static void
load_file(const char *path)
{
	struct corpus_file *file = &files[nb_files];
	FILE *stream = fopen(path, "rb");

	if (stream == NULL || nb_files == MAX_FILES) {
		fprintf(stderr, "%s: cannot read, or more than %u files\n", path, MAX_FILES);
		exit(2);
	}
	file->data = malloc(MAX_BYTES);
	if (file->data == NULL)
		exit(2);
	file->size = fread(file->data, 1, MAX_BYTES, stream);
	fclose(stream);
	nb_files++;
}

static void
load_folder(const char *path)
{
	struct dirent **names;
	int nb = scandir(path, &names, NULL, alphasort);
	char full[4096];

	if (nb < 0) {
		perror(path);
		exit(2);
	}
	for (int i = 0; i < nb; i++) {
		if (names[i]->d_name[0] != '.') {
			snprintf(full, sizeof(full), "%s/%s", path, names[i]->d_name);
			load_file(full);
		}
		free(names[i]);
	}
	free(names);
}

/* Change bytes, bits and ends; splice two inputs. */
static size_t
mutate(uint8_t *data, size_t size)
{
	const struct corpus_file *other = &files[random_u32() % nb_files];
	unsigned int nb = 1 + random_u32() % 8;
	size_t at, from, len;

	if (random_u32() % 4 == 0 && other->size > 0) {
		at = size == 0 ? 0 : random_u32() % size;
		from = random_u32() % other->size;
		len = other->size - from;
		if (len > MAX_BYTES - at)
			len = MAX_BYTES - at;
		memcpy(data + at, other->data + from, len);
		size = at + len;
	}
	for (; nb > 0 && size > 0; nb--) {
		at = random_u32() % size;
		switch (random_u32() % 4) {
		case 0:
			data[at] = (uint8_t)random_u32();
			break;
		case 1:
			data[at] ^= (uint8_t)(1u << random_u32() % 8);
			break;
		case 2:
			data[at] = random_u32() % 2 ? 0xff : 0;
			break;
		default:
			if (random_u32() % 8 == 0)
				size = at;
			break;
		}
	}
	return size;
}

static void
mutate_inputs(int crash_fd, unsigned long nb)
{
	const struct corpus_file *file;
	uint8_t data[MAX_BYTES];

	for (; nb > 0; nb--) {
		file = &files[random_u32() % nb_files];
		memcpy(data, file->data, file->size);
		run_one(crash_fd, data, mutate(data, file->size));
	}
}

/* UMR_TEST_CASES is what tests of random work do 100 of without it: here it is a factor. */
static void
usage(void)
{
	fprintf(stderr, "usage: fuzz-TARGET [-n RUNS] [-s SEED] FOLDER | INPUT...\n"
			"  -n RUNS  inputs changed at random (default 0), for each hundred of\n"
			"           UMR_TEST_CASES if that is set\n"
			"  -s SEED  of the random changes (default: the time)\n");
	exit(2);
}

int
main(int argc, char **argv)
{
	unsigned long nb_runs = 0;
	char crash_name[256];
	int crash_fd, opt;

	seed = (uint64_t)time(NULL);
	while ((opt = getopt(argc, argv, "n:s:")) != -1) {
		if (opt == 'n')
			nb_runs = strtoul(optarg, NULL, 0) * test_nb_cases() / TEST_CASES_DEFAULT;
		else if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			usage();
	}
	if (optind == argc)
		usage();
	seed |= UINT64_C(1) << 32;
	for (; optind < argc; optind++) {
		DIR *dir = opendir(argv[optind]);

		if (dir == NULL) {
			load_file(argv[optind]);
			continue;
		}
		closedir(dir);
		load_folder(argv[optind]);
	}
	snprintf(crash_name, sizeof(crash_name), "crash-%s", program_invocation_short_name);
	crash_fd = open(crash_name, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (crash_fd < 0) {
		perror(crash_name);
		return 2;
	}
	printf("seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	for (size_t i = 0; i < nb_files; i++)
		run_one(crash_fd, files[i].data, files[i].size);
	if (nb_files > 0)
		mutate_inputs(crash_fd, nb_runs);
	close(crash_fd);
	unlink(crash_name);
	for (size_t i = 0; i < nb_files; i++)
		free(files[i].data);
	printf("%zu inputs, %lu changed\n", nb_files, nb_runs);
	return nb_files == 0;
}
