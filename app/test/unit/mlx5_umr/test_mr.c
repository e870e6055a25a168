/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Regions of the driver when verbs fail in each of their ways: what is left of a region. */

#include <rte_log.h>

#include "cases.h"
#include "ring/key_table.h"
#include "ring/log.h"
#include "ctrl/mr.h"

#define ADDR	 ((void *)0x10000)
#define NEW_ADDR ((void *)0x20000)
#define LEN	 4096u

/* What verbs are to answer, and what they were asked. */
static struct {
	int reg_errno;
	int rereg_ret;
	int rereg_errno;
	unsigned int dereg_fails; /* how often */
	int rereg_flags;
	int access;
	unsigned int nb_regions;
	unsigned int nb_rereg;
	uint32_t next_key;
	struct ibv_mr mrs[4];
} fake;

static struct rte_umr_dev umr_dev;
static struct mlx5_umr_device dev;

static struct ibv_mr *
fake_reg(int access)
{
	struct ibv_mr *mr = &fake.mrs[fake.next_key % RTE_DIM(fake.mrs)];

	fake.access = access;
	errno = fake.reg_errno;
	if (fake.reg_errno != 0)
		return NULL;
	mr->lkey = fake.next_key << 8;
	mr->rkey = mr->lkey | 1;
	fake.next_key++;
	fake.nb_regions++;
	return mr;
}

struct ibv_mr *
ibv_reg_mr_iova2(struct ibv_pd *pd __rte_unused, void *addr __rte_unused,
		 size_t length __rte_unused, uint64_t iova __rte_unused, unsigned int access)
{
	return fake_reg((int)access);
}

struct ibv_mr *
(ibv_reg_mr_iova)(struct ibv_pd *pd __rte_unused, void *addr __rte_unused,
		  size_t length __rte_unused, uint64_t iova __rte_unused, int access)
{
	return fake_reg(access);
}

int
ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd __rte_unused,
	     void *addr __rte_unused, size_t length __rte_unused, int access)
{
	fake.nb_rereg++;
	fake.rereg_flags = flags;
	fake.access = access;
	errno = fake.rereg_errno;
	if (fake.rereg_ret == 0 || fake.rereg_ret == IBV_REREG_MR_ERR_DO_FORK_OLD)
		mr->lkey = fake.next_key++ << 8;
	return fake.rereg_ret;
}

int
ibv_dereg_mr(struct ibv_mr *mr __rte_unused)
{
	if (fake.dereg_fails != 0) {
		fake.dereg_fails--;
		return EBUSY;
	}
	fake.nb_regions--;
	return 0;
}

static int
setup(void **state)
{
	memset(&fake, 0, sizeof(fake));
	fake.next_key = 1;
	memset(&dev, 0, sizeof(dev));
	memset(&umr_dev, 0, sizeof(umr_dev));
	umr_dev.dev_private = &dev;
	dev.keys = mlx5_umr_key_table_alloc();
	*state = dev.keys;
	return dev.keys == NULL;
}

static int
teardown(void **state)
{
	mlx5_umr_key_table_free(dev.keys);
	return (int)fake.nb_regions;
}

static const struct rte_umr_mr *
mr_of_key(uint32_t lkey)
{
	return mlx5_umr_key_table_get(dev.keys, lkey);
}

static void
mr_register(struct rte_umr_mr *mr, uint32_t flags)
{
	*mr = (struct rte_umr_mr){
		.addr = ADDR, .len = LEN, .iova = (uintptr_t)ADDR, .flags = flags,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE,
	};
	assert_int_equal(mlx5_umr_mr_register(&umr_dev, mr, NULL), 0);
	assert_ptr_equal(mr_of_key(mr->lkey), mr);
}

/* To other memory. */
static int
mr_move(struct rte_umr_mr *mr, struct rte_umr_mr *new_mr)
{
	*new_mr = *mr;
	new_mr->addr = NEW_ADDR;
	new_mr->iova = (uintptr_t)NEW_ADDR;
	return mlx5_umr_mr_reregister(&umr_dev, mr, RTE_UMR_MR_CHANGE_TRANSLATION, new_mr);
}

CASE_WITH(failed_registration_leaves_nothing, setup, teardown)
{
	struct rte_umr_mr mr = { .addr = ADDR, .len = LEN };

	fake.reg_errno = EFAULT;
	assert_int_equal(mlx5_umr_mr_register(&umr_dev, &mr, NULL), -EFAULT);
	fake.reg_errno = ENOMEM;
	assert_int_equal(mlx5_umr_mr_register(&umr_dev, &mr, NULL), -ENOMEM);
	assert_null(mr.driver_private);
}

/* As ibv_rereg_mr(3) has it: which region is valid after which code. */
CASE_WITH(region_is_what_the_code_says, setup, teardown)
{
	static const struct {
		int code, error, ret;
		bool is_lost, is_new;
	} codes[] = {
		{ 0, 0, 0, false, true },
		{ IBV_REREG_MR_ERR_DO_FORK_OLD, ENOMEM, 0, false, true },
		{ IBV_REREG_MR_ERR_INPUT, EINVAL, -EINVAL, false, false },
		{ IBV_REREG_MR_ERR_DONT_FORK_NEW, ENOMEM, -ENOMEM, false, false },
		{ IBV_REREG_MR_ERR_CMD, EFAULT, -EFAULT, true, false },
		{ IBV_REREG_MR_ERR_CMD, ENOMEM, -ENOMEM, true, false },
		{ IBV_REREG_MR_ERR_CMD, 0, -EIO, true, false },
		{ IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW, ENOMEM, -ENOMEM, true, false },
	};
	struct rte_umr_mr mr, new_mr;

	for (unsigned int i = 0; i < RTE_DIM(codes); i++) {
		mr_register(&mr, 0);
		fake.rereg_ret = codes[i].code;
		fake.rereg_errno = codes[i].error;
		assert_int_equal(mr_move(&mr, &new_mr), codes[i].ret);
		assert_int_equal(mr.is_lost, codes[i].is_lost);
		assert_int_equal(new_mr.lkey != mr.lkey, codes[i].is_new);
		/* Whose memory nobody knows is not to be found by its key. */
		assert_ptr_equal(mr_of_key(mr.lkey),
				 codes[i].is_lost || codes[i].is_new ? NULL : &mr);
		if (codes[i].is_new) {
			assert_ptr_equal(mr_of_key(new_mr.lkey), &mr);
			mr = new_mr;
		}
		assert_int_equal(mlx5_umr_mr_deregister(&umr_dev, &mr), 0);
	}
}

/*
 * A receive that was posted before may still get a message in its completion: it must not find
 * memory that the application has taken back. Nor may it lose that of a region which stays.
 */
CASE_WITH(key_of_a_deregistered_region_stands_for_nothing, setup, teardown)
{
	struct rte_umr_mr mr, lost, other, new_mr;

	mr_register(&mr, 0);
	fake.dereg_fails = 1;
	assert_int_equal(mlx5_umr_mr_deregister(&umr_dev, &mr), -EBUSY);
	assert_ptr_equal(mr_of_key(mr.lkey), &mr);
	assert_int_equal(mlx5_umr_mr_deregister(&umr_dev, &mr), 0);
	assert_null(mr_of_key(mr.lkey));
	/* The key of a region that was lost may be that of another one. */
	mr_register(&lost, 0);
	fake.rereg_ret = IBV_REREG_MR_ERR_CMD;
	assert_int_equal(mr_move(&lost, &new_mr), -EIO);
	assert_true(lost.is_lost);
	assert_null(mr_of_key(lost.lkey));
	fake.next_key--;
	mr_register(&other, 0);
	assert_int_equal(other.lkey, lost.lkey);
	assert_int_equal(mlx5_umr_mr_deregister(&umr_dev, &lost), 0);
	assert_ptr_equal(mr_of_key(other.lkey), &other);
	assert_int_equal(mlx5_umr_mr_deregister(&umr_dev, &other), 0);
}

CASE_WITH(region_on_demand_is_replaced, setup, teardown)
{
	struct rte_umr_mr mr, new_mr;
	uint32_t lkey;

	mr_register(&mr, RTE_UMR_MR_F_ON_DEMAND);
	assert_true((fake.access & IBV_ACCESS_ON_DEMAND) != 0);
	lkey = mr.lkey;
	/* There is no new one, or the old one does not go: it stays as it was, and is alone. */
	fake.reg_errno = ENOMEM;
	assert_int_equal(mr_move(&mr, &new_mr), -ENOMEM);
	fake.reg_errno = 0;
	fake.dereg_fails = 1;
	assert_int_equal(mr_move(&mr, &new_mr), -EBUSY);
	assert_false(mr.is_lost);
	assert_int_equal(fake.nb_regions, 1);
	assert_int_equal(mr.lkey, lkey);
	assert_ptr_equal(mr_of_key(lkey), &mr);
	assert_int_equal(mr_move(&mr, &new_mr), 0);
	assert_int_not_equal(new_mr.lkey, lkey);
	assert_int_equal(new_mr.rkey, new_mr.lkey | 1);
	assert_null(mr_of_key(lkey));
	assert_ptr_equal(mr_of_key(new_mr.lkey), &mr);
	assert_true((fake.access & IBV_ACCESS_ON_DEMAND) != 0);
	assert_int_equal(fake.nb_rereg, 0);
	assert_int_equal(fake.nb_regions, 1);
	/* Rights alone change where they are. */
	mr = new_mr;
	assert_int_equal(mlx5_umr_mr_reregister(&umr_dev, &mr, RTE_UMR_MR_CHANGE_ACCESS, &new_mr),
			 0);
	assert_int_equal(fake.rereg_flags, IBV_REREG_MR_CHANGE_ACCESS);
	assert_int_equal(mlx5_umr_mr_deregister(&umr_dev, &new_mr), 0);
}

int
main(void)
{
	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_CRIT);
	return cases_run(NULL, NULL);
}
