/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A program that knows nothing of own_driver.c, which EAL loads by its option -d: the driver is
 * there, and what the program calls goes through the driver's table.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>

#include <rte_umr.h>

#define FIRST 42

#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #what);                 \
			exit(EXIT_FAILURE);                                                        \
		}                                                                                  \
	} while (0)

static void
use(int16_t dev)
{
	const struct rte_umr_dev_conf conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf queue_conf = { .nb_desc = 8 };
	const struct rte_umr_seg seg = { 0 };
	bool has_error;
	uint8_t status;
	uint16_t last;

	CHECK(rte_umr_write(dev, 0, &seg, 0, 0, 0) == -ENXIO);
	CHECK(rte_umr_dev_configure(dev, &conf) == 0);
	CHECK(rte_umr_queue_setup(dev, 0, &queue_conf) == 0);
	CHECK(rte_umr_write(dev, 0, &seg, 0, 0, 0) == -ESHUTDOWN);
	CHECK(rte_umr_dev_start(dev) == 0);
	CHECK(rte_umr_queue_status(dev, 0, &status) == 0);
	CHECK(status == RTE_UMR_QUEUE_STATUS_ACTIVE);
	CHECK(rte_umr_write(dev, 0, &seg, 0, 0, 0) == FIRST);
	CHECK(rte_umr_write(dev, 0, &seg, 0, 0, RTE_UMR_OP_F_SUBMIT) == FIRST + 1);
	CHECK(rte_umr_completed(dev, 0, 8, &last, &has_error) == 2);
	CHECK(last == FIRST + 1 && !has_error);
	/* The driver does not have it. */
	CHECK(rte_umr_read(dev, 0, &seg, 0, 0, 0) == -ENOTSUP);
	CHECK(rte_umr_dev_stop(dev) == 0);
}

int
main(int argc, char **argv)
{
	char names[2][RTE_UMR_DEV_NAME_LEN];
	struct rte_umr_dev_info info;
	int16_t dev;

	CHECK(rte_eal_init(argc, argv) >= 0);
	/* One of another version names nothing. */
	CHECK(rte_umr_dev_scan(names, 2) == 1);
	CHECK(strcmp(names[0], "own0") == 0);
	CHECK(rte_umr_dev_probe("own0,first=42", &dev) == 0);
	CHECK(rte_umr_dev_probe("own0", NULL) == -EEXIST);
	CHECK(rte_umr_dev_info_get(dev, &info) == 0);
	CHECK(strcmp(info.driver_name, "own") == 0);
	use(dev);
	CHECK(rte_umr_dev_close(dev) == 0);
	CHECK(rte_umr_write(dev, 0, NULL, 0, 0, 0) == -ENODEV);
	printf("own driver: good\n");
	return rte_eal_cleanup() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
