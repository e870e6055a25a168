/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A driver of lib/umr with what own_main.c asks for: built outside of the tree by
 * devtools/check/install.sh, from what is installed. Its device writes to nowhere, at once.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_string_fns.h>

#include <rte_umr_pmd.h>

#ifndef OWN_ABI_VERSION
#define OWN_ABI_VERSION RTE_UMR_PMD_ABI_VERSION
#endif

#define OWN_NAME "own0"

/* A queue begins with what the data path knows of it. */
struct own_queue {
	struct rte_umr_fp_queue fp;
	uint16_t pi;
	uint16_t ci;
};

static int
own_write(void *q, const struct rte_umr_seg *local __rte_unused, uint64_t remote_addr __rte_unused,
	  uint32_t rkey __rte_unused, uint64_t flags __rte_unused)
{
	struct own_queue *queue = q;

	return queue->pi++;
}

static int
own_submit(void *queue __rte_unused)
{
	return 0;
}

static uint16_t
own_completed(void *q, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	struct own_queue *queue = q;
	const uint16_t nb = RTE_MIN((uint16_t)(queue->pi - queue->ci), nb_max);

	*has_error = false;
	if (nb == 0)
		return 0;
	queue->ci += nb;
	*last_idx = queue->ci - 1;
	return nb;
}

/* What is left out is not supported: probe() has it filled in. */
static struct rte_umr_fp_ops own_fp_ops = {
	.write = own_write, .submit = own_submit, .completed = own_completed,
};

static void
own_info_get(struct rte_umr_dev *dev, struct rte_umr_dev_info *info)
{
	strlcpy(info->dev_name, dev->name, sizeof(info->dev_name));
	info->dev_capa = RTE_UMR_CAPA_LOOPBACK | RTE_UMR_CAPA_WRITE;
	info->max_queues = 1;
	info->min_desc = 1;
	info->max_desc = 64;
}

static int
own_start(struct rte_umr_dev *dev __rte_unused)
{
	return 0;
}

static void
own_close(struct rte_umr_dev *dev)
{
	free(dev->dev_private);
}

static int
own_queue_setup(struct rte_umr_dev *dev, uint16_t queue_id __rte_unused,
		const struct rte_umr_queue_conf *conf __rte_unused, struct rte_umr_fp_queue **fp)
{
	const uint16_t *first = dev->dev_private;
	struct own_queue *queue;

	queue = calloc(1, sizeof(*queue));
	if (queue == NULL)
		return -ENOMEM;
	queue->fp.drv_ops = &own_fp_ops;
	queue->pi = *first;
	queue->ci = *first;
	*fp = &queue->fp;
	return 0;
}

static void
own_queue_release(void *queue)
{
	free(queue);
}

static enum rte_umr_queue_status
own_queue_status(const void *queue __rte_unused)
{
	return RTE_UMR_QUEUE_STATUS_ACTIVE;
}

static const struct rte_umr_dev_ops own_ops = {
	.info_get = own_info_get, .start = own_start, .stop = own_start, .close = own_close,
	.queue_setup = own_queue_setup, .queue_release = own_queue_release,
	.queue_status = own_queue_status,
};

static int
first_get(const char *key __rte_unused, const char *value, void *first)
{
	*(uint16_t *)first = (uint16_t)atoi(value);
	return 0;
}

static int
own_probe(struct rte_umr_dev *dev, const char *name, const struct rte_kvargs *args)
{
	if (strcmp(name, OWN_NAME) != 0)
		return -ENODEV;
	if (rte_umr_driver_is_open(name))
		return -EEXIST;
	dev->dev_private = calloc(1, sizeof(uint16_t));
	if (dev->dev_private == NULL)
		return -ENOMEM;
	if (args != NULL)
		rte_kvargs_process(args, "first", first_get, dev->dev_private);
	rte_umr_driver_fp_ops_complete(&own_fp_ops);
	strlcpy(dev->name, name, sizeof(dev->name));
	dev->ops = &own_ops;
	return 0;
}

static uint16_t
own_scan(char (*names)[RTE_UMR_DEV_NAME_LEN], uint16_t nb_max)
{
	if (nb_max != 0)
		strlcpy(names[0], OWN_NAME, sizeof(names[0]));
	return 1;
}

static const char *const own_keys[] = { "first", NULL };

static struct rte_umr_driver own_driver = {
	.abi_version = OWN_ABI_VERSION, .name = "own", .valid_keys = own_keys, .scan = own_scan,
	.probe = own_probe,
};

RTE_UMR_DRIVER_REGISTER(own_driver)
