/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * From probe to close, what a device is asked to do step by step. How a step takes a command that
 * fails is tested in command.c.
 */

#include <string.h>

#include "autotest.h"
#include "command.h"
#include "model/xts_ref.h"

#define NB_KEYS		16u
#define NB_SIG_KEYS	3u
/* Two AES-128 keys. */
#define DEK_LEN		32u

/* A step that is one call. */
#define STEP_CALL(name, call)                                                                      \
	static int name(struct fail_bed *bed)                                                      \
	{                                                                                          \
		return (call);                                                                     \
	}
/* A step whose call creates an object of the bed, or sets rte_errno. */
#define STEP_CREATE(name, object, call)                                                            \
	static int name(struct fail_bed *bed)                                                      \
	{                                                                                          \
		bed->object = (call);                                                              \
		return bed->object == NULL ? -rte_errno : 0;                                       \
	}

int
fail_probe(struct fail_bed *bed)
{
	int ret = rte_umr_dev_probe(bed->name, &bed->side->dev_id);

	if (ret != 0)
		return ret;
	return rte_umr_dev_info_get(bed->side->dev_id, &bed->info);
}

int
fail_close(struct fail_bed *bed)
{
	int ret = rte_umr_dev_close(bed->side->dev_id);

	if (ret == 0)
		bed->side->dev_id = -1;
	return ret;
}

STEP_CREATE(pd_alloc, pd, rte_umr_pd_alloc(bed->side->dev_id))
STEP_CALL(pd_free, rte_umr_pd_free(bed->pd))

STEP_CREATE(mr_register, mr,
	    at_mr_register(bed->side->dev_id, bed->side->buf, AT_BUF_LEN, bed->info.access_capa, 0))
STEP_CALL(mr_deregister, rte_umr_mr_deregister(bed->mr))

/*
 * Ordering cannot be changed in place: the region becomes another key. One that was lost on the way
 * is registered anew, so that there is one to go on with.
 */
static int
mr_reregister(struct fail_bed *bed, uint32_t changes)
{
	const struct rte_umr_mr_conf conf = {
		.addr = bed->side->buf, .len = AT_BUF_LEN,
		.access = bed->mr->access ^ RTE_UMR_ACCESS_RELAXED_ORDERING,
	};

	if ((bed->info.mr_access_capa & RTE_UMR_ACCESS_RELAXED_ORDERING) == 0)
		return 0;
	const int ret = rte_umr_mr_reregister(bed->mr, changes, &conf);
	if (bed->mr->is_lost) {
		TEST_ASSERT(ret != 0);
		TEST_ASSERT_SUCCESS(mr_deregister(bed));
		TEST_ASSERT_SUCCESS(mr_register(bed));
	}
	return ret;
}

int
fail_mr_access_change(struct fail_bed *bed)
{
	return mr_reregister(bed, RTE_UMR_MR_CHANGE_ACCESS);
}

int
fail_warm_up(struct fail_bed *bed)
{
	TEST_ASSERT_SUCCESS(fail_probe(bed));
	TEST_ASSERT_SUCCESS(mr_register(bed));
	TEST_ASSERT_SUCCESS(fail_mr_access_change(bed));
	TEST_ASSERT_SUCCESS(mr_deregister(bed));
	return fail_close(bed);
}

STEP_CALL(mr_translation_change,
	  mr_reregister(bed, RTE_UMR_MR_CHANGE_ACCESS | RTE_UMR_MR_CHANGE_TRANSLATION))

static int
pool_create(struct fail_bed *bed)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = NB_KEYS, .max_entries = 52, .socket_id = -1,
	};

	bed->pool = rte_umr_mkey_pool_create(bed->side->dev_id, &conf);
	return bed->pool == NULL ? -rte_errno : 0;
}

/* Two values of a signature for each key, in front of the key. */
static int
sig_pool_create(struct fail_bed *bed)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = NB_SIG_KEYS, .max_entries = 4, .flags = RTE_UMR_MKEY_POOL_F_SIG,
		.socket_id = -1,
	};

	bed->sig_pool = rte_umr_mkey_pool_create(bed->side->dev_id, &conf);
	return bed->sig_pool == NULL ? -rte_errno : 0;
}

STEP_CALL(sig_pool_destroy, rte_umr_mkey_pool_destroy(bed->sig_pool))
STEP_CALL(pool_destroy, rte_umr_mkey_pool_destroy(bed->pool))

/* Where keys come wrapped; the credential is that of every software device. */
static int
login_create(struct fail_bed *bed)
{
	uint8_t credential[RTE_UMR_CREDENTIAL_LEN];
	const struct rte_umr_crypto_login_conf conf = { .credential = credential };

	TEST_ASSERT(xts_ref_credential(credential));
	bed->login = rte_umr_crypto_login_create(bed->side->dev_id, &conf);
	return bed->login == NULL ? -rte_errno : 0;
}

static int
login_query(struct fail_bed *bed)
{
	uint8_t state = RTE_UMR_CRYPTO_LOGIN_INVALID;
	int ret = rte_umr_crypto_login_query(bed->login, &state);

	if (ret == 0)
		TEST_ASSERT_EQUAL(state, RTE_UMR_CRYPTO_LOGIN_VALID);
	return ret;
}

STEP_CALL(login_destroy, rte_umr_crypto_login_destroy(bed->login))

static int
dek_create(struct fail_bed *bed)
{
	uint8_t plain[DEK_LEN], wrapped[DEK_LEN + XTS_REF_WRAP_LEN];
	struct rte_umr_dek_conf conf = {
		.key = plain, .key_len = sizeof(plain), .size = RTE_UMR_DEK_128,
		.login = bed->login,
	};

	for (unsigned int i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)(i * 37 + 11);
	if (bed->login != NULL) {
		TEST_ASSERT(xts_ref_wrap(plain, sizeof(plain), wrapped));
		conf.key = wrapped;
		conf.key_len = sizeof(wrapped);
	}
	bed->dek = rte_umr_dek_create(bed->side->dev_id, &conf);
	return bed->dek == NULL ? -rte_errno : 0;
}

static int
dek_query(struct fail_bed *bed)
{
	struct rte_umr_dek_attr attr;

	return rte_umr_dek_query(bed->dek, &attr);
}

STEP_CALL(dek_destroy, rte_umr_dek_destroy(bed->dek))

/* A loopback, two queues that are connected to each other; a DC initiator and a target. */
enum { LOOPBACK, RC, OTHER_RC, NB_QUEUES, DCI = NB_QUEUES, DCT, NB_QUEUES_WITH_DC };

STEP_CREATE(mw_create, mw, rte_umr_mw_create(bed->side->dev_id, NULL, RTE_UMR_MW_TYPE_2B))
STEP_CALL(mw_destroy, rte_umr_mw_destroy(bed->mw))

static int
mkey_query(struct fail_bed *bed)
{
	struct rte_umr_mkey *mkey = rte_umr_mkey_get(bed->pool);
	struct rte_umr_mkey_attr attr;
	int ret;

	TEST_ASSERT(mkey != NULL);
	ret = rte_umr_mkey_query(mkey, &attr);
	rte_umr_mkey_put(bed->pool, mkey);
	return ret;
}

int
fail_configure(struct fail_bed *bed)
{
	bool has_dc = (bed->info.dev_capa & RTE_UMR_CAPA_DC) != 0;
	const struct rte_umr_dev_conf conf = {
		.nb_queues = has_dc ? NB_QUEUES_WITH_DC : NB_QUEUES,
	};

	return rte_umr_dev_configure(bed->side->dev_id, &conf);
}

static int
queue_setup(struct fail_bed *bed, uint16_t queue_id, enum rte_umr_transport transport)
{
	const struct rte_umr_queue_conf conf = {
		.transport = transport,
		.nb_desc = transport == RTE_UMR_TRANSPORT_DCT ? 0 : 64,
		.nb_recv_desc = transport == RTE_UMR_TRANSPORT_RC ||
				transport == RTE_UMR_TRANSPORT_DCT ? 16 : 0,
		.nb_sig_mkeys = (bed->info.dev_capa & RTE_UMR_CAPA_MKEY_SIG) != 0 ?
					NB_SIG_KEYS : 0,
		.socket_id = -1,
	};

	return rte_umr_queue_setup(bed->side->dev_id, queue_id, &conf);
}

int
fail_loopback_setup(struct fail_bed *bed)
{
	return queue_setup(bed, LOOPBACK, RTE_UMR_TRANSPORT_LOOPBACK);
}

STEP_CALL(rc_setup, queue_setup(bed, RC, RTE_UMR_TRANSPORT_RC))

/* The new queue takes the place of the old one; if it cannot be made, the old one stays. */
STEP_CALL(other_rc_setup, queue_setup(bed, OTHER_RC, RTE_UMR_TRANSPORT_RC))
STEP_CALL(dci_setup, queue_setup(bed, DCI, RTE_UMR_TRANSPORT_DCI))
STEP_CALL(dct_setup, queue_setup(bed, DCT, RTE_UMR_TRANSPORT_DCT))

int
fail_start(struct fail_bed *bed)
{
	return rte_umr_dev_start(bed->side->dev_id);
}

STEP_CALL(dev_stop, rte_umr_dev_stop(bed->side->dev_id))

static int
connect_to(struct fail_bed *bed, uint16_t queue_id, uint16_t peer)
{
	struct rte_umr_endpoint remote;
	int ret = rte_umr_queue_endpoint_get(bed->side->dev_id, peer, &remote);

	return ret != 0 ? ret : rte_umr_queue_connect(bed->side->dev_id, queue_id, &remote);
}

/* A connection that failed may leave the queue in error, which recovery ends. */
static int
queue_connect(struct fail_bed *bed)
{
	int ret = connect_to(bed, 1, 2);

	if (ret == -EIO && rte_umr_queue_recover(bed->side->dev_id, 1) != 0)
		return -ENOTRECOVERABLE;
	return ret;
}

STEP_CALL(queue_recover, rte_umr_queue_recover(bed->side->dev_id, 1))

int
fail_queues_connect(struct fail_bed *bed)
{
	int ret = connect_to(bed, 1, 2);

	return ret != 0 ? ret : connect_to(bed, 2, 1);
}

/* It is destroyed and made anew. */
STEP_CALL(target_recover, rte_umr_queue_recover(bed->side->dev_id, DCT))

const struct fail_step fail_steps[] = {
	{ .name = "probe", .enter = fail_probe, .leave = fail_close, .has_substitute = true },
	{ .name = "pd", .capa = RTE_UMR_CAPA_PD, .enter = pd_alloc, .leave = pd_free },
	{ .name = "region", .enter = mr_register, .leave = mr_deregister },
	{ .name = "access of the region", .capa = RTE_UMR_CAPA_MR_REREGISTER,
	  .enter = fail_mr_access_change, .has_substitute = true },
	{ .name = "memory of the region", .capa = RTE_UMR_CAPA_MR_REREGISTER,
	  .enter = mr_translation_change, .has_substitute = true },
	{ .name = "pool", .enter = pool_create, .leave = pool_destroy, .is_gone = true },
	{ .name = "pool with signatures", .capa = RTE_UMR_CAPA_MKEY_SIG,
	  .enter = sig_pool_create, .leave = sig_pool_destroy, .is_gone = true },
	{ .name = "login", .capa = RTE_UMR_CAPA_DEK_WRAPPED, .enter = login_create,
	  .leave = login_destroy },
	{ .name = "login query", .capa = RTE_UMR_CAPA_DEK_WRAPPED, .enter = login_query },
	{ .name = "DEK", .capa = RTE_UMR_CAPA_MKEY_CRYPTO, .enter = dek_create,
	  .leave = dek_destroy },
	{ .name = "DEK query", .capa = RTE_UMR_CAPA_MKEY_CRYPTO, .enter = dek_query },
	{ .name = "key query", .capa = RTE_UMR_CAPA_MKEY_QUERY, .enter = mkey_query },
	{ .name = "window", .capa = RTE_UMR_CAPA_MW_TYPE_2B, .enter = mw_create,
	  .leave = mw_destroy },
	{ .name = "configure", .enter = fail_configure, .has_none = true },
	{ .name = "loopback", .enter = fail_loopback_setup },
	{ .name = "rc", .enter = rc_setup },
	{ .name = "rc again", .enter = rc_setup, .has_substitute = true },
	{ .name = "other rc", .enter = other_rc_setup },
	{ .name = "dci", .capa = RTE_UMR_CAPA_DC, .enter = dci_setup },
	{ .name = "dct", .capa = RTE_UMR_CAPA_DC, .enter = dct_setup },
	{ .name = "start", .enter = fail_start, .leave = dev_stop, .is_gone = true },
	{ .name = "connect", .enter = queue_connect },
	{ .name = "recover", .enter = queue_recover },
	{ .name = "recover target", .capa = RTE_UMR_CAPA_DC, .enter = target_recover,
	  .is_anew = true },
};

const unsigned int nb_fail_steps = RTE_DIM(fail_steps);
