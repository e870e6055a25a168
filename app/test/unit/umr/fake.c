/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <rte_log.h>
#include <rte_string_fns.h>

#include "fake.h"

struct fake fake;

static struct rte_umr_fp_queue fake_queue[FAKE_MAX_QUEUES];
static struct rte_umr_fp_ops fake_fp_ops;

static void
fake_info_get(struct rte_umr_dev *dev, struct rte_umr_dev_info *info)
{
	strlcpy(info->dev_name, dev->name, sizeof(info->dev_name));
	info->max_queues = FAKE_MAX_QUEUES;
	info->min_desc = 16;
	info->max_desc = 1024;
	info->max_recv_desc = 512;
	info->max_recv_segs = 8;
	info->max_mkeys = FAKE_MAX_MKEYS;
	info->max_entries = 64;
	info->max_sig_mkeys = fake.max_sig_mkeys;
	info->dev_capa = RTE_UMR_CAPA_LOOPBACK | RTE_UMR_CAPA_RC | RTE_UMR_CAPA_SEND |
			 fake.more_capa;
	info->max_mr_len = 1 << 20;
	info->mr_access_capa = RTE_UMR_ACCESS_ALL;
	if (strcmp(dev->name, "poor0") == 0)
		info->dev_capa = RTE_UMR_CAPA_LOOPBACK;
}

static int
fake_start(struct rte_umr_dev *dev __rte_unused)
{
	fake.nb_start++;
	return fake.start_ret;
}

static int
fake_stop(struct rte_umr_dev *dev __rte_unused)
{
	fake.nb_stop++;
	return 0;
}

static void
fake_close(struct rte_umr_dev *dev __rte_unused)
{
	fake.nb_close++;
}

static int
fake_queue_setup(struct rte_umr_dev *dev __rte_unused, uint16_t queue_id,
		 const struct rte_umr_queue_conf *conf __rte_unused,
		 struct rte_umr_fp_queue **queue)
{
	fake.nb_setup++;
	if (fake.setup_ret != 0)
		return fake.setup_ret;
	fake_queue[queue_id] = (struct rte_umr_fp_queue){
		.drv_ops = fake.fp_ops != NULL ? fake.fp_ops : &fake_fp_ops,
	};
	if (fake.has_no_fp_ops)
		fake_queue[queue_id].drv_ops = NULL;
	*queue = &fake_queue[queue_id];
	return 0;
}

static void
fake_queue_release(void *queue __rte_unused)
{
	fake.nb_release++;
}

static int
fake_queue_connect(void *queue __rte_unused, const struct rte_umr_endpoint *remote __rte_unused)
{
	fake.nb_connect++;
	return 0;
}

static uint32_t
fake_mkey_priv_size(uint32_t flags __rte_unused)
{
	return RTE_CACHE_LINE_SIZE;
}

static int
fake_mkey_create(struct rte_umr_dev *dev __rte_unused, const struct rte_umr_pd *pd __rte_unused,
		 struct rte_umr_mkey *mkey)
{
	struct rte_umr_mkey **priv = rte_umr_mkey_priv(mkey);

	assert_null(*priv);
	if (++fake.nb_mkey_create == fake.mkey_fail_at)
		return -EIO;
	mkey->key = fake.nb_mkey_create << 8;
	*priv = mkey;
	fake.nb_mkeys++;
	return 0;
}

static void
fake_mkey_recycle(struct rte_umr_dev *dev __rte_unused, struct rte_umr_mkey *mkey)
{
	assert_ptr_equal(*(struct rte_umr_mkey **)rte_umr_mkey_priv(mkey), mkey);
	fake.nb_recycled++;
}

static int
fake_mkey_destroy(struct rte_umr_dev *dev __rte_unused, struct rte_umr_mkey *mkey)
{
	assert_ptr_equal(*(struct rte_umr_mkey **)rte_umr_mkey_priv(mkey), mkey);
	fake.nb_mkeys--;
	return fake.mkey_destroy_ret;
}

static int
fake_pd_alloc(struct rte_umr_dev *dev __rte_unused, struct rte_umr_pd *pd __rte_unused)
{
	fake.nb_pds += fake.pd_ret == 0;
	return fake.pd_ret;
}

static int
fake_pd_free(struct rte_umr_dev *dev __rte_unused, struct rte_umr_pd *pd __rte_unused)
{
	fake.nb_pds -= fake.pd_ret == 0;
	return fake.pd_ret;
}

static int
fake_mr_register(struct rte_umr_dev *dev __rte_unused, struct rte_umr_mr *mr,
		 const struct rte_umr_mr_conf *conf __rte_unused)
{
	static uint32_t key = 0x100;

	mr->lkey = key++;
	fake.nb_register++;
	fake.mr = *mr;
	fake.nb_mrs += fake.mr_ret == 0;
	return fake.mr_ret;
}

static int
fake_mr_reregister(struct rte_umr_dev *dev __rte_unused, struct rte_umr_mr *mr, uint32_t changes,
		   struct rte_umr_mr *new_mr)
{
	uint32_t lkey;

	fake.nb_reregister++;
	fake.changes = changes;
	fake.mr = *new_mr;
	/* Nobody finds a region while its keys are in doubt. */
	assert_int_equal(rte_umr_mr_lookup(mr->dev_id, mr->addr, mr->len, &lkey), -ENOENT);
	new_mr->lkey = mr->lkey + 0x1000;
	mr->is_lost = fake.is_mr_lost;
	return fake.mr_ret;
}

static int
fake_mr_deregister(struct rte_umr_dev *dev __rte_unused, struct rte_umr_mr *mr __rte_unused)
{
	fake.nb_mrs -= fake.mr_ret == 0;
	return fake.mr_ret;
}

static int
fake_mr_advise(struct rte_umr_dev *dev __rte_unused, const struct rte_umr_pd *pd __rte_unused,
	       enum rte_umr_mr_advice advice __rte_unused,
	       const struct rte_umr_seg *segs __rte_unused, uint32_t nb_segs,
	       uint32_t flags __rte_unused)
{
	fake.nb_segs = nb_segs;
	return fake.advise_ret;
}

static int
fake_odp_stats_get(struct rte_umr_dev *dev __rte_unused, struct rte_umr_odp_stats *stats)
{
	stats->nb_regions = 7;
	return fake.odp_stats_ret;
}

static int
fake_mw(struct rte_umr_dev *dev __rte_unused, struct rte_umr_mw *mw __rte_unused)
{
	return 0;
}

static enum rte_umr_queue_status
fake_queue_status(const void *queue __rte_unused)
{
	return RTE_UMR_QUEUE_STATUS_NOT_CONNECTED;
}

static void
fake_dump(struct rte_umr_dev *dev, FILE *f)
{
	fprintf(f, "  name %s\n", dev->name);
}

static void
fake_queue_dump(const void *queue, uint32_t nb_ops, FILE *f)
{
	fake.nb_dump_ops = nb_ops;
	fprintf(f, "    number %d\n", (int)((const struct rte_umr_fp_queue *)queue - fake_queue));
}

static void
fake_queue_stats_get(void *queue __rte_unused, struct rte_umr_queue_stats *stats)
{
	*stats = fake.stats;
}

static void
fake_queue_stats_reset(void *queue __rte_unused)
{
	memset(&fake.stats, 0, sizeof(fake.stats));
}

static uint32_t
fake_queue_xstats_get(const void *queue, struct rte_umr_drv_xstat *xstats, uint32_t nb_max)
{
	const uint32_t nb = fake.has_xstats ? 2 : 0;

	RTE_SET_USED(queue);
	for (uint32_t i = 0; i < nb && nb <= nb_max; i++) {
		snprintf(xstats[i].name, sizeof(xstats[i].name), "fake_%u", i);
		xstats[i].value = 70 + i;
	}
	return nb;
}

static const struct rte_umr_dev_ops fake_ops = {
	.info_get = fake_info_get, .start = fake_start, .stop = fake_stop, .close = fake_close,
	.queue_setup = fake_queue_setup, .queue_release = fake_queue_release,
	.queue_connect = fake_queue_connect, .queue_status = fake_queue_status,
	.dump = fake_dump, .queue_dump = fake_queue_dump,
	.queue_stats_get = fake_queue_stats_get, .queue_stats_reset = fake_queue_stats_reset,
	.queue_xstats_get = fake_queue_xstats_get,
	.mkey_priv_size = fake_mkey_priv_size,
	.mkey_create = fake_mkey_create, .mkey_destroy = fake_mkey_destroy,
	.mkey_recycle = fake_mkey_recycle, .pd_alloc = fake_pd_alloc, .pd_free = fake_pd_free,
	.mr_register = fake_mr_register, .mr_reregister = fake_mr_reregister,
	.mr_deregister = fake_mr_deregister, .mr_advise = fake_mr_advise,
	.odp_stats_get = fake_odp_stats_get, .mw_create = fake_mw, .mw_destroy = fake_mw,
};
static const struct rte_umr_dev_ops poor_ops = {
	.info_get = fake_info_get, .start = fake_start, .stop = fake_stop, .close = fake_close,
	.queue_setup = fake_queue_setup, .queue_release = fake_queue_release,
	.mr_register = fake_mr_register, .mr_deregister = fake_mr_deregister,
};

static int
fake_submit(void *queue)
{
	return (int)((struct rte_umr_fp_queue *)queue - fake_queue);
}

static uint16_t
fake_completed(void *queue __rte_unused, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	*last_idx = 7;
	*has_error = true;
	return nb_max;
}

static struct rte_umr_fp_ops fake_fp_ops = { .submit = fake_submit, .completed = fake_completed };

static int
color_get(const char *key __rte_unused, const char *value, void *opaque __rte_unused)
{
	strlcpy(fake.color, value, sizeof(fake.color));
	return 0;
}

static int
fake_probe(struct rte_umr_dev *dev, const char *name, const struct rte_kvargs *args)
{
	if (strncmp(name, "fake", 4) != 0 && strcmp(name, "poor0") != 0)
		return -ENODEV;
	if (rte_umr_driver_is_open(name))
		return -EEXIST;
	if (args != NULL)
		rte_kvargs_process(args, "color", color_get, NULL);
	strlcpy(dev->name, name, sizeof(dev->name));
	dev->ops = strcmp(name, "poor0") == 0 ? &poor_ops : &fake_ops;
	rte_umr_driver_fp_ops_complete(&fake_fp_ops);
	fake.dev = dev;
	return fake.probe_ret;
}

static uint16_t
fake_scan(char (*names)[RTE_UMR_DEV_NAME_LEN], uint16_t nb_max)
{
	for (uint16_t i = 0; i < 3 && i < nb_max; i++)
		snprintf(names[i], sizeof(names[i]), "fake%u", i);
	return 3;
}

static const char *const fake_keys[] = { "color", NULL };

static struct rte_umr_driver fake_driver = {
	.abi_version = RTE_UMR_PMD_ABI_VERSION, .name = "fake", .valid_keys = fake_keys,
	.scan = fake_scan, .probe = fake_probe,
};

void
fake_register(void)
{
	rte_log_set_level_pattern("lib.umr", RTE_LOG_CRIT);
	rte_umr_driver_register(&fake_driver);
}

int
fake_setup(void **state)
{
	memset(&fake, 0, sizeof(fake));
	/* Whatever the library was built with: what it adds has a test of its own. */
	rte_umr_driver_debug_set(false);
	return 0;
}

int
fake_teardown(void **state)
{
	int16_t id;

	RTE_UMR_FOREACH_DEV(id)
		rte_umr_dev_close(id);
	return (int)(rte_umr_dev_count() + fake.nb_pds + fake.nb_mrs);
}

int16_t
fake_probed(void)
{
	int16_t id = -1;

	assert_int_equal(rte_umr_dev_probe("fake0", &id), 0);
	return id;
}

void
fake_queues_setup(int16_t id, uint16_t nb_queues)
{
	const struct rte_umr_dev_conf conf = { .nb_queues = nb_queues };
	const struct rte_umr_queue_conf loopback = { .nb_desc = 64 };

	assert_int_equal(rte_umr_dev_configure(id, &conf), 0);
	for (uint16_t i = 0; i < nb_queues; i++)
		assert_int_equal(rte_umr_queue_setup(id, i, &loopback), 0);
}

static struct {
	FILE *f;
	char *text;
	size_t len;
} logged;

void
fake_log_start(void)
{
	logged.f = open_memstream(&logged.text, &logged.len);
	assert_non_null(logged.f);
	rte_log_set_level_pattern("lib.umr", RTE_LOG_ERR);
	assert_int_equal(rte_openlog_stream(logged.f), 0);
}

char *
fake_log_end(void)
{
	rte_openlog_stream(NULL);
	rte_log_set_level_pattern("lib.umr", RTE_LOG_CRIT);
	fclose(logged.f);
	return logged.text;
}

void
fake_lose(struct rte_umr_dev *dev, enum rte_umr_dev_status status)
{
	if (rte_umr_driver_dev_lost_set(dev, status))
		rte_umr_driver_dev_lost_tell(dev);
}
