/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A primary process with a device, and a secondary one beside it, which has none: its calls say so,
 * and the primary one works on. They share memory of EAL, which takes hugepages; without any the
 * test is skipped.
 *
 * umr-secondary [--secondary PREFIX]
 */

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <rte_memzone.h>
#include <rte_umr.h>

#include "autotest.h"
#include "env.h"

#define ZONE	"umr_secondary"
#define MAX_ARG 64
#define HUGE_KB (32u * 1024)

static char hugetlbfs[256];

/* Is there a hugetlbfs, and enough in it? */
static bool
has_hugepages(void)
{
	unsigned long nb_free = 0, size = 0;
	bool is_mounted = false;
	char line[512];
	FILE *f;

	f = fopen("/proc/meminfo", "r");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		sscanf(line, "HugePages_Free: %lu", &nb_free);
		sscanf(line, "Hugepagesize: %lu kB", &size);
	}
	if (f != NULL)
		fclose(f);
	f = fopen("/proc/mounts", "r");
	while (f != NULL && !is_mounted && fgets(line, sizeof(line), f) != NULL)
		is_mounted = sscanf(line, "%*s %255s hugetlbfs", hugetlbfs) == 1 &&
			     strstr(line, " hugetlbfs ") != NULL;
	if (f != NULL)
		fclose(f);
	return is_mounted && nb_free * size >= 2 * HUGE_KB;
}

static int
eal_start(char *name, const char *type, const char *prefix)
{
	char type_arg[MAX_ARG], prefix_arg[MAX_ARG], memory[] = "-m", mbytes[] = "16";
	char lcore[] = "-l", zero[] = "0", no_pci[] = "--no-pci", no_tel[] = "--no-telemetry";
	char *argv[] = { name, type_arg, prefix_arg, lcore, zero, no_pci, no_tel, memory, mbytes,
			 NULL };
	/* What the primary process has reserved is the memory of both. */
	const int argc = strcmp(type, "primary") == 0 ? 9 : 7;

	snprintf(type_arg, sizeof(type_arg), "--proc-type=%s", type);
	snprintf(prefix_arg, sizeof(prefix_arg), "--file-prefix=%s", prefix);
	return rte_eal_init(argc, argv);
}

/* A call says why it cannot, in one line. */
#define EXPECT_EPERM(call)                                                                         \
	do {                                                                                       \
		log_begin();                                                                       \
		rte_errno = 0;                                                                     \
		const int ret_ = (call);                                                           \
		const int nb_ = log_end();                                                         \
												   \
		TEST_ASSERT_EQUAL(ret_, -EPERM);                                                   \
		if (nb_ != 1)                                                                      \
			TEST_FAIL_AT("%s logged %d lines", #call, nb_);                            \
	} while (0)
/* The same of one that returns what it makes. */
#define EXPECT_NO(call) EXPECT_EPERM((call) == NULL ? -rte_errno : 0)

static struct {
	char *text;
	size_t len;
	FILE *f;
} logged;

static void
log_begin(void)
{
	logged.f = open_memstream(&logged.text, &logged.len);
	if (logged.f == NULL || rte_openlog_stream(logged.f) != 0)
		abort();
}

/* Lines that say what a secondary process is. */
static int
log_end(void)
{
	const char *at;
	int nb = 0;

	rte_openlog_stream(NULL);
	fclose(logged.f);
	at = logged.text;
	while ((at = strstr(at, "a secondary process has no devices")) != NULL) {
		nb++;
		at++;
	}
	free(logged.text);
	return nb;
}

static void
on_event(int16_t dev_id, enum rte_umr_dev_event event, void *arg)
{
	RTE_SET_USED(dev_id);
	RTE_SET_USED(event);
	RTE_SET_USED(arg);
}

static int
device_calls_say_so(void)
{
	const struct rte_umr_dev_conf conf = { .nb_queues = 1 };
	char names[2][RTE_UMR_DEV_NAME_LEN];
	uint8_t status;
	struct rte_umr_dev_info info;
	int16_t id = -1;

	EXPECT_EPERM(rte_umr_dev_scan(names, 2) == 0 ? -EPERM : 0);
	EXPECT_EPERM(rte_umr_dev_probe("mlx5_0", &id));
	EXPECT_EPERM(rte_umr_dev_probe("mlx5_1", &id));
	EXPECT_EPERM(rte_umr_dev_info_get(0, &info));
	EXPECT_EPERM(rte_umr_dev_configure(0, &conf));
	EXPECT_EPERM(rte_umr_dev_start(0));
	EXPECT_EPERM(rte_umr_dev_stop(0));
	EXPECT_EPERM(rte_umr_dev_close(0));
	EXPECT_EPERM(rte_umr_dev_status(0, &status));
	EXPECT_EPERM(rte_umr_dev_callback_register(0, RTE_UMR_DEV_EVENT_LOST, on_event, NULL));
	EXPECT_EPERM(rte_umr_dump(0, stderr));
	TEST_ASSERT_EQUAL(id, -1);
	TEST_ASSERT_EQUAL(rte_umr_dev_count(), 0);
	TEST_ASSERT_EQUAL(rte_umr_dev_next(0), -1);
	TEST_ASSERT(!rte_umr_dev_is_valid(0));
	TEST_ASSERT_EQUAL(rte_umr_dev_id_by_name("mlx5_0", &id), -ENODEV);
	TEST_ASSERT(strcmp(rte_umr_reject_name(RTE_UMR_REJECT_FLAGS), "flags") == 0);
	return TEST_SUCCESS;
}

static int
queue_calls_say_so(void)
{
	const struct rte_umr_queue_conf conf = { .nb_desc = 64 };
	const struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_WRITE };
	struct rte_umr_queue_stats stats;
	uint8_t status;
	struct rte_umr_endpoint endpoint = { 0 };
	struct rte_umr_dc_addr addr;
	struct rte_umr_op_size size;
	struct rte_umr_xstat_name name;
	struct rte_umr_xstat xstat;
	uint64_t value;

	EXPECT_EPERM(rte_umr_queue_setup(0, 0, &conf));
	EXPECT_EPERM(rte_umr_queue_endpoint_get(0, 0, &endpoint));
	EXPECT_EPERM(rte_umr_queue_connect(0, 0, &endpoint));
	EXPECT_EPERM(rte_umr_queue_recover(0, 0));
	EXPECT_EPERM(rte_umr_queue_status(0, 0, &status));
	EXPECT_EPERM(rte_umr_queue_stats_get(0, 0, &stats));
	EXPECT_EPERM(rte_umr_queue_stats_reset(0, 0));
	EXPECT_EPERM(rte_umr_queue_dump(0, 0, 1, stderr));
	EXPECT_EPERM(rte_umr_xstats_names_get(0, 0, &name, 1));
	EXPECT_EPERM(rte_umr_xstats_get(0, 0, &xstat, 1));
	EXPECT_EPERM(rte_umr_xstats_by_name_get(0, 0, "full", &value));
	EXPECT_EPERM(rte_umr_xstats_reset(0, 0));
	EXPECT_EPERM(rte_umr_xstats_reset(0, RTE_UMR_XSTATS_DEV));
	EXPECT_EPERM(rte_umr_op_desc(0, 0, &shape, &size));
	EXPECT_EPERM(rte_umr_dc_addr_fill(0, &endpoint, 0, &addr));
	return TEST_SUCCESS;
}

/* What has the address of an object of the primary process finds nothing there. */
static int
object_calls_say_so(struct rte_umr_mr *mr)
{
	const struct rte_umr_mr_conf mr_conf = { .addr = &mr, .len = sizeof(mr) };
	const struct rte_umr_mkey_pool_conf pool_conf = { .nb_mkeys = 1, .max_entries = 1 };
	const struct rte_umr_crypto_login_conf login_conf = { .credential = &mr };
	const struct rte_umr_dek_conf dek_conf = { .key = &mr };
	const struct rte_umr_seg seg = { .addr = (uintptr_t)&mr, .length = sizeof(mr) };
	struct rte_umr_odp_stats odp;
	struct rte_umr_mkey_attr attr;

	EXPECT_NO(rte_umr_pd_alloc(0));
	EXPECT_EPERM(rte_umr_pd_free((struct rte_umr_pd *)mr));
	EXPECT_NO(rte_umr_mr_register(0, &mr_conf));
	EXPECT_EPERM(rte_umr_mr_reregister(mr, 0, &mr_conf));
	EXPECT_EPERM(rte_umr_mr_deregister(mr));
	EXPECT_EPERM(rte_umr_mr_advise(0, NULL, RTE_UMR_MR_ADVICE_PREFETCH, &seg, 1, 0));
	EXPECT_EPERM(rte_umr_odp_stats_get(0, &odp));
	EXPECT_NO(rte_umr_mw_create(0, NULL, RTE_UMR_MW_TYPE_1));
	EXPECT_EPERM(rte_umr_mw_destroy((struct rte_umr_mw *)mr));
	EXPECT_NO(rte_umr_mkey_pool_create(0, &pool_conf));
	EXPECT_EPERM(rte_umr_mkey_pool_destroy((struct rte_umr_mkey_pool *)mr));
	EXPECT_EPERM(rte_umr_mkey_query((struct rte_umr_mkey *)mr, &attr));
	EXPECT_NO(rte_umr_crypto_login_create(0, &login_conf));
	EXPECT_EPERM(rte_umr_crypto_login_destroy((struct rte_umr_crypto_login *)mr));
	EXPECT_NO(rte_umr_dek_create(0, &dek_conf));
	EXPECT_EPERM(rte_umr_dek_destroy((struct rte_umr_dek *)mr));
	return TEST_SUCCESS;
}

static int
data_path_finds_no_device(void)
{
	const struct rte_umr_seg seg = { .length = 8 };
	const struct rte_umr_rdma_op op = { .local = seg };
	struct rte_umr_completion done;
	struct rte_umr_mkey mkey = { 0 };
	struct rte_umr_mkey *mkeys[] = { &mkey };
	const struct rte_umr_mkey_op conf = { .mkey = &mkey };
	bool has_error = false;
	uint16_t idx, q;
	int16_t dev;

	for (dev = 0; dev < RTE_UMR_MAX_DEVS; dev++)
		for (q = 0; q < 2; q++) {
			TEST_ASSERT_EQUAL(rte_umr_write(dev, q, &seg, 0, 0, 0), -ENODEV);
			TEST_ASSERT_EQUAL(rte_umr_read(dev, q, &seg, 0, 0, 0), -ENODEV);
			TEST_ASSERT_EQUAL(rte_umr_send(dev, q, &seg, 0), -ENODEV);
			TEST_ASSERT_EQUAL(rte_umr_recv(dev, q, &seg, 1, 0), -ENODEV);
			TEST_ASSERT_EQUAL(rte_umr_write_burst(dev, q, &op, 1, 0), -ENODEV);
			TEST_ASSERT_EQUAL(rte_umr_write_list(dev, q, &seg, 1, 0, 0, 0), -ENODEV);
			TEST_ASSERT_EQUAL(rte_umr_write_sg(dev, q, &seg, 1, 0, 0, 0), -ENODEV);
			TEST_ASSERT_EQUAL(rte_umr_mkey_list(dev, q, &mkey, 0, &seg, 1, 0), -ENODEV);
			TEST_ASSERT_EQUAL(rte_umr_mkey_configure(dev, q, &conf, 0), -ENODEV);
			TEST_ASSERT_EQUAL(rte_umr_mkey_invalidate_burst(dev, q, mkeys, 1, 0),
					  -ENODEV);
			TEST_ASSERT_EQUAL(rte_umr_submit(dev, q), -ENODEV);
			TEST_ASSERT_EQUAL(rte_umr_completed(dev, q, 1, &idx, &has_error), 0);
			TEST_ASSERT_EQUAL(rte_umr_completed_status(dev, q, 1, &done), 0);
			TEST_ASSERT_EQUAL(rte_umr_recv_completed(dev, q, 1, &done), 0);
			TEST_ASSERT_EQUAL(rte_umr_desc_avail(dev, q), 0);
		}
	return TEST_SUCCESS;
}

static int
secondary_main(char *name, const char *prefix)
{
	const struct rte_memzone *zone;
	struct rte_umr_mr **mr;

	TEST_ASSERT(eal_start(name, "secondary", prefix) >= 0);
	TEST_ASSERT_EQUAL(rte_eal_process_type(), RTE_PROC_SECONDARY);
	/* Memory is shared: what is there is not why nothing works. */
	zone = rte_memzone_lookup(ZONE);
	TEST_ASSERT(zone != NULL);
	mr = zone->addr;
	TEST_ASSERT(*mr != NULL);
	TEST_ASSERT_SUCCESS(device_calls_say_so());
	TEST_ASSERT_SUCCESS(queue_calls_say_so());
	TEST_ASSERT_SUCCESS(object_calls_say_so(*mr));
	TEST_ASSERT_SUCCESS(data_path_finds_no_device());
	rte_eal_cleanup();
	return TEST_SUCCESS;
}

/* Exit status of the secondary process. */
static int
secondary_run(char *name, char *prefix)
{
	char option[] = "--secondary";
	char *const argv[] = { name, option, prefix, NULL };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execv("/proc/self/exe", argv);
		_exit(EXIT_FAILURE);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int
write_works(struct at_env *env)
{
	const struct rte_umr_seg local = at_seg(env->tx, 0, 16);

	TEST_ASSERT(rte_umr_write(env->tx->dev_id, 0, &local, at_addr(env->rx, 64),
				  env->rx->mr->rkey, 0) >= 0);
	return at_finish(env, 1);
}

static int
primary_run(struct at_env *env, char *name, char *prefix)
{
	const struct at_conf conf = { 0 };
	const struct rte_memzone *zone;

	TEST_NEED(at_env_build(env, &conf));
	TEST_ASSERT_SUCCESS(write_works(env));
	zone = rte_memzone_reserve(ZONE, sizeof(struct rte_umr_mr *), SOCKET_ID_ANY, 0);
	TEST_ASSERT(zone != NULL);
	*(struct rte_umr_mr **)zone->addr = env->tx->mr;
	TEST_ASSERT_EQUAL(secondary_run(name, prefix), EXIT_SUCCESS);
	return write_works(env);
}

/* EAL leaves its files to the next program of the prefix, which there is none of. */
static void
files_remove(const char *pattern)
{
	glob_t found;
	size_t i;

	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (i = 0; i < found.gl_pathc; i++)
		unlink(found.gl_pathv[i]);
	globfree(&found);
}

static void
eal_end(const char *prefix)
{
	char folder[PATH_MAX], pattern[PATH_MAX + MAX_ARG];

	snprintf(folder, sizeof(folder), "%s", rte_eal_get_runtime_dir());
	rte_eal_cleanup();
	snprintf(pattern, sizeof(pattern), "%s/%smap_*", hugetlbfs, prefix);
	files_remove(pattern);
	snprintf(pattern, sizeof(pattern), "%s/*", folder);
	files_remove(pattern);
	rmdir(folder);
}

static int
primary_main(char *name)
{
	char prefix[MAX_ARG / 2];
	struct at_env env;
	int ret;

	if (!has_hugepages()) {
		printf("no hugetlbfs with %u kB: a secondary process shares hugepages\n",
		       2 * HUGE_KB);
		return TEST_SKIPPED;
	}
	snprintf(prefix, sizeof(prefix), "umr-secondary-%d", (int)getpid());
	if (eal_start(name, "primary", prefix) < 0) {
		printf("EAL does not get its hugepages\n");
		return TEST_SKIPPED;
	}
	at_env_init(&env);
	ret = primary_run(&env, name, prefix);
	if (at_env_fini(&env) != 0 && ret == TEST_SUCCESS)
		ret = TEST_FAILED;
	eal_end(prefix);
	return ret;
}

int
main(int argc, char **argv)
{
	int ret;

	if (argc == 3 && strcmp(argv[1], "--secondary") == 0)
		ret = secondary_main(argv[0], argv[2]);
	else
		ret = primary_main(argv[0]);
	if (ret == TEST_SKIPPED)
		return TEST_SKIPPED;
	return ret == TEST_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
