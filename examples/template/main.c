/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */
#include <stdio.h>

#include <rte_debug.h>
#include <rte_eal.h>
#include <rte_umr.h>

#define CHECK(what) do { if (!(what)) rte_exit(1, "failed: %s\n", #what); } while (0)

/* Collect nb operations of a queue, in order; return how many failed. */
static int
collect(int16_t dev, int nb)
{
	struct rte_umr_completion done;
	int nb_failed = 0;

	while (nb > 0) {
		if (rte_umr_completed_status(dev, 0, 1, &done) == 0)
			continue;
		printf("%s: %s\n", rte_umr_op_name(done.op), rte_umr_status_name(done.status));
		nb_failed += done.status != RTE_UMR_STATUS_SUCCESS;
		nb--;
	}
	return nb_failed;
}

/* Everything else, in order. */
int
main(int argc, char **argv)
{
	static char memory[256] = "world!\nHello, scattered ", *target = &memory[128];
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf queue_conf = { .nb_desc = 64, .socket_id = SOCKET_ID_ANY };
	const struct rte_umr_mkey_pool_conf pool_conf = { .nb_mkeys = 1, .max_entries = 4 };
	const struct rte_umr_mr_conf mr_conf = { .addr = memory, .len = sizeof(memory),
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE };
	char names[1][RTE_UMR_DEV_NAME_LEN];
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *mkey;
	struct rte_umr_mr *mr;
	int16_t dev;

	/* A device, and a queue that is connected to itself. */
	CHECK(rte_eal_init(argc, argv) >= 0);
	if (rte_umr_dev_scan(names, 1) <= 0)
		rte_exit(1, "no device, or no driver; swhca-run has devices\n");
	CHECK(rte_umr_dev_probe(names[0], &dev) == 0);
	CHECK(rte_umr_dev_configure(dev, &dev_conf) == 0);
	CHECK(rte_umr_queue_setup(dev, 0, &queue_conf) == 0);
	CHECK(rte_umr_dev_start(dev) == 0);

	/* Registered memory, and a key from a pool. */
	CHECK((mr = rte_umr_mr_register(dev, &mr_conf)) != NULL);
	CHECK((pool = rte_umr_mkey_pool_create(dev, &pool_conf)) != NULL);
	CHECK((mkey = rte_umr_mkey_get(pool)) != NULL);

	/* Present three pieces as one range. A write behind the region fails. */
	const struct rte_umr_seg pieces[] = { { (uintptr_t)&memory[7], 7, mr->lkey },
		{ (uintptr_t)&memory[14], 10, mr->lkey }, { (uintptr_t)&memory[0], 7, mr->lkey } };
	const struct rte_umr_seg whole = { .addr = 0, .length = 24, .lkey = mkey->key };
	CHECK(rte_umr_mkey_list(dev, 0, mkey, RTE_UMR_ACCESS_LOCAL_WRITE, pieces, 3, 0) >= 0);
	CHECK(rte_umr_write(dev, 0, &whole, (uintptr_t)&memory[250], mr->rkey,
			    RTE_UMR_OP_F_SUBMIT) >= 0);
	CHECK(collect(dev, 2) == 1);

	/* After recovery the queue works as before, and the key has its layout. */
	CHECK(rte_umr_queue_recover(dev, 0) == 0);
	CHECK(rte_umr_write(dev, 0, &whole, (uintptr_t)target, mr->rkey, RTE_UMR_OP_F_SUBMIT) >= 0);
	CHECK(collect(dev, 1) == 0);
	printf("%s", target);

	/* Release in reverse order. */
	CHECK(rte_umr_mkey_put(pool, mkey) == 0 && rte_umr_dev_stop(dev) == 0);
	CHECK(rte_umr_mkey_pool_destroy(pool) == 0 && rte_umr_mr_deregister(mr) == 0);
	CHECK(rte_umr_dev_close(dev) == 0);
	return rte_eal_cleanup();
}
