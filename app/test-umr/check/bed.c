/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include "check/bed.h"

#define DWORDS(size)	((size) / sizeof(uint32_t))

/* Of the write that has to work before anything is asked. */
#define PLAIN_LEN	64u

/* The queues of a check reach themselves or each other. */
#define BED_ACCESS                                                                                 \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |               \
	 IBV_ACCESS_REMOTE_ATOMIC)

/* By libmlx5, before any command of DevX: without DevX there is no check. */
int
check_dev_open(struct check_dev *dev, struct ibv_device *device, uint8_t port)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	uint32_t in[DWORDS(PRM_CMD_SHORT_IN_SIZE)] = { 0 };
	int ret;

	*dev = (struct check_dev){ .port = port };
	errno = 0;
	dev->ctx = mlx5dv_open_device(device, &attr);
	if (dev->ctx == NULL)
		return errno != 0 ? errno : EIO;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_HCA_CAP);
	prm_set(in, PRM_CMD_IN_OP_MOD,
		(uint64_t)PRM_HCA_CAP_PAGE_GENERAL << 1 | PRM_HCA_CAP_OP_MOD_CUR);
	ret = mlx5dv_devx_general_cmd(dev->ctx, in, sizeof(in), dev->caps, sizeof(dev->caps));
	if (ret == 0)
		return 0;
	check_dev_close(dev);
	return ret > 0 ? ret : EIO;
}

void
check_dev_close(struct check_dev *dev)
{
	if (dev->ctx != NULL)
		ibv_close_device(dev->ctx);
	dev->ctx = NULL;
}

/* Bytes that depend on their offset; the sums that checks expect are of these. */
static void
src_fill(uint8_t *src)
{
	uint32_t word = 1;

	for (uint32_t i = 0; i < CHECK_SRC_SIZE; i++) {
		word = word * 1103515245 + 12345;
		src[i] = (uint8_t)(word >> 16);
	}
}

static int
memory_create(struct check_bed *bed)
{
	void *mem;
	int ret = posix_memalign(&mem, 4096, CHECK_SRC_SIZE + CHECK_OUT_SIZE);

	if (ret != 0)
		return ret;
	bed->src = mem;
	bed->out = bed->src + CHECK_SRC_SIZE;
	src_fill(bed->src);
	check_bed_blank(bed);
	bed->mr = ibv_reg_mr(bed->pd, mem, CHECK_SRC_SIZE + CHECK_OUT_SIZE, BED_ACCESS);
	return bed->mr != NULL ? 0 : errno;
}

static int
pd_create(struct check_bed *bed)
{
	struct mlx5dv_obj obj;
	struct mlx5dv_pd pd;

	bed->pd = ibv_alloc_pd(bed->dev->ctx);
	if (bed->pd == NULL)
		return errno;
	obj.pd.in = bed->pd;
	obj.pd.out = &pd;
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD) != 0)
		return EIO;
	bed->pdn = pd.pdn;
	return 0;
}

static bool
port_is_up(const struct check_bed *bed, struct check_result *result)
{
	const unsigned int number = bed->dev->port;
	struct ibv_port_attr port;
	int ret = ibv_query_port(bed->dev->ctx, bed->dev->port, &port);

	if (ret != 0)
		check_break(result, "port %u: %s", number, strerror(ret));
	else if (port.state != IBV_PORT_ACTIVE)
		check_break(result, "port %u is %s", number,
			    port.state == IBV_PORT_DOWN ? "down" : "not active");
	return ret == 0 && port.state == IBV_PORT_ACTIVE;
}

/* What every question takes to work; it may leave no note in the question's result. */
static bool
plain_write(struct check_bed *bed, struct check_result *result)
{
	struct check_result ignored = { 0 };
	unsigned int nb_missed = bed->dev->nb_missed;
	const char *word = check_gather(bed, &ignored, bed->mr->lkey, check_src(bed, 0), PLAIN_LEN);

	if (strcmp(word, "done") == 0 && !check_bed_is(bed, 0, 0, PLAIN_LEN))
		word = "done, but with other bytes";
	else if (strcmp(word, "done") == 0)
		return true;
	bed->dev->is_silent = bed->dev->nb_missed != nb_missed;
	check_break(result, "plain write: %s", word);
	return false;
}

bool
check_bed_try(struct check_bed *bed, struct check_result *result)
{
	bool is_good = port_is_up(bed, result) && check_bed_renew(bed, result) &&
		       plain_write(bed, result) && check_bed_renew(bed, result);

	check_bed_blank(bed);
	return is_good;
}

bool
check_bed_create(struct check_bed *bed, struct check_dev *dev, struct check_result *result)
{
	int ret;

	*bed = (struct check_bed){
		.dev = dev,
		.caps = dev->caps + PRM_QUERY_HCA_CAP_OUT_CAP_BYTE,
	};
	/* What rte_umr does. */
	bed->fence = prm_get(bed->caps, PRM_CAP_UMR_FENCE) == PRM_CAP_UMR_FENCE_STRONG ?
			     PRM_CTRL_FM_STRONG_ORDERING : PRM_CTRL_FM_INITIATOR_SMALL;
	ret = pd_create(bed);
	if (ret == 0)
		ret = memory_create(bed);
	if (ret == 0)
		return check_bed_try(bed, result);
	check_break(result, "memory: %s", strerror(ret));
	return false;
}

void
check_keys_destroy(struct check_bed *bed)
{
	while (bed->nb_keys > 0)
		mlx5dv_devx_obj_destroy(bed->keys[--bed->nb_keys].obj);
}

void
check_bed_destroy(struct check_bed *bed)
{
	check_qp_destroy(&bed->qp);
	check_keys_destroy(bed);
	while (bed->nb_psvs > 0)
		mlx5dv_devx_obj_destroy(bed->psvs[--bed->nb_psvs]);
	if (bed->mr != NULL)
		ibv_dereg_mr(bed->mr);
	free(bed->src);
	if (bed->pd != NULL)
		ibv_dealloc_pd(bed->pd);
}

bool
check_bed_renew(struct check_bed *bed, struct check_result *result)
{
	int ret;

	check_qp_destroy(&bed->qp);
	ret = check_qp_create(bed, &bed->qp);
	if (ret == 0)
		ret = check_qp_connect(bed, &bed->qp, bed->qp.qp->qp_num);
	if (ret != 0)
		check_break(result, "a queue connected to itself: %s", strerror(ret));
	return ret == 0;
}

void
check_bed_blank(struct check_bed *bed)
{
	memset(bed->out, CHECK_BLANK, CHECK_OUT_SIZE);
}

bool
check_bed_is(const struct check_bed *bed, uint32_t out_at, uint32_t src_at, uint32_t len)
{
	return memcmp(bed->out + out_at, bed->src + src_at, len) == 0;
}

bool
check_bed_is_blank(const struct check_bed *bed, uint32_t out_at, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		if (bed->out[out_at + i] != CHECK_BLANK)
			return false;
	return true;
}

uint64_t
check_src(const struct check_bed *bed, uint32_t at)
{
	return (uint64_t)(uintptr_t)(bed->src + at);
}

uint64_t
check_out(const struct check_bed *bed, uint32_t at)
{
	return (uint64_t)(uintptr_t)(bed->out + at);
}

/* A command was rejected: what support asks for. */
static void
command_failed(struct check_result *result, const char *name, const void *out)
{
	check_break(result, "%s: status 0x%x, syndrome 0x%x: %s", name,
		    (unsigned int)prm_get(out, PRM_CMD_OUT_STATUS),
		    (unsigned int)prm_get(out, PRM_CMD_OUT_SYNDROME), strerror(errno));
}

struct check_key *
check_key_create(struct check_bed *bed, struct check_result *result,
		 const struct check_key_attr *attr)
{
	uint32_t in[DWORDS(PRM_CREATE_MKEY_IN_XLT_BYTE + PRM_KLM_ALIGN * PRM_KLM_SIZE)] = { 0 };
	const uint32_t nb_actual = attr->klms != NULL ? PRM_KLM_ALIGN : 0;
	uint32_t out[DWORDS(PRM_CMD_SHORT_OUT_SIZE)] = { 0 };
	uint8_t *mkc = (uint8_t *)in + PRM_CREATE_MKEY_IN_MKC_BYTE;
	struct check_key *key;

	if (bed->nb_keys == CHECK_MAX_KEYS) {
		check_break(result, "more than %u keys", CHECK_MAX_KEYS);
		return NULL;
	}
	key = &bed->keys[bed->nb_keys];
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_MKEY);
	prm_set(mkc, PRM_MKC_FREE, 1);
	prm_set(mkc, PRM_MKC_UMR_EN, 1);
	prm_set(mkc, PRM_MKC_LR, 1);
	prm_set(mkc, PRM_MKC_ACCESS_MODE_1_0,
		attr->log_entry != 0 ? PRM_MKC_ACCESS_MODE_KSM : PRM_MKC_ACCESS_MODE_KLMS);
	prm_set(mkc, PRM_MKC_LOG_PAGE_SIZE, attr->log_entry);
	prm_set(mkc, PRM_MKC_QPN, PRM_MKC_QPN_ANY);
	prm_set(mkc, PRM_MKC_EN_RINVAL, attr->has_rinval);
	prm_set(mkc, PRM_MKC_CRYPTO_EN, attr->has_crypto);
	prm_set(mkc, PRM_MKC_A, attr->has_atomic);
	prm_set(mkc, PRM_MKC_PD, bed->pdn);
	prm_set(mkc, PRM_MKC_BSF_OCTWORD_SIZE, attr->nb_bsf_ow);
	prm_set(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE,
		(attr->nb_klm + PRM_KLM_ALIGN - 1) / PRM_KLM_ALIGN * PRM_KLM_ALIGN);
	prm_set(mkc, PRM_MKC_LEN, attr->len);
	prm_set(in, PRM_CREATE_MKEY_IN_XLT_OCT_ACTUAL, nb_actual);
	if (attr->klms != NULL)
		check_klms_write((uint8_t *)in + PRM_CREATE_MKEY_IN_XLT_BYTE, attr->klms,
				 attr->nb_klm);
	key->obj = mlx5dv_devx_obj_create(bed->dev->ctx, in, PRM_CREATE_MKEY_IN_XLT_BYTE +
					  nb_actual * PRM_KLM_SIZE, out, sizeof(out));
	if (key->obj == NULL) {
		if (attr->may_fail && prm_get(out, PRM_CMD_OUT_STATUS) == PRM_CMD_BAD_PARAM) {
			check_observe(result, "rejected");
			check_note(result, "syndrome 0x%x",
				   (unsigned int)prm_get(out, PRM_CMD_OUT_SYNDROME));
		} else {
			command_failed(result, "CREATE_MKEY", out);
		}
		return NULL;
	}
	bed->nb_keys++;
	key->index = (uint32_t)prm_get(out, PRM_CREATE_MKEY_OUT_MKEY_INDEX);
	key->key = key->index << 8 | 1;
	return key;
}

bool
check_key_query(const struct check_key *key, struct check_result *result, void *mkc)
{
	uint32_t in[DWORDS(PRM_CMD_SHORT_IN_SIZE)] = { 0 };
	uint32_t out[DWORDS(PRM_QUERY_MKEY_OUT_SIZE)] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_MKEY);
	prm_set(in, PRM_CMD_IN_OBJ, key->index);
	if (mlx5dv_devx_obj_query(key->obj, in, sizeof(in), out, sizeof(out)) != 0) {
		command_failed(result, "QUERY_MKEY", out);
		return false;
	}
	memcpy(mkc, (uint8_t *)out + PRM_QUERY_MKEY_OUT_MKC_BYTE, PRM_MKC_SIZE);
	return true;
}

bool
check_psv_create(struct check_bed *bed, struct check_result *result, uint32_t *psv)
{
	uint32_t in[DWORDS(PRM_CMD_SHORT_IN_SIZE)] = { 0 };
	uint32_t out[DWORDS(PRM_CREATE_PSV_OUT_SIZE)] = { 0 };
	struct mlx5dv_devx_obj *obj;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_PSV);
	prm_set(in, PRM_CREATE_PSV_IN_NUM_PSV, 1);
	prm_set(in, PRM_CREATE_PSV_IN_PD, bed->pdn);
	obj = bed->nb_psvs == CHECK_MAX_PSVS ?
		      NULL : mlx5dv_devx_obj_create(bed->dev->ctx, in, sizeof(in), out,
						    sizeof(out));
	if (obj == NULL) {
		command_failed(result, "CREATE_PSV", out);
		return false;
	}
	bed->psvs[bed->nb_psvs++] = obj;
	*psv = (uint32_t)prm_get(out, PRM_CREATE_PSV_OUT_PSV(0));
	return true;
}

bool
check_configure(struct check_bed *bed, struct check_result *result, const struct check_umr *umr)
{
	struct check_wqe wqe;
	const char *word;

	check_wqe_umr(&wqe, umr);
	word = check_do(bed, result, &wqe);
	if (strcmp(word, "done") == 0)
		return true;
	check_observe(result, "configuring a key: %s", word);
	return false;
}

bool
check_list(struct check_bed *bed, struct check_result *result, struct check_key *key,
	   const struct check_klm *klms, uint32_t nb)
{
	struct check_umr umr = {
		.key = key->key,
		.access = CHECK_ACCESS_ALL,
		.tag = (uint8_t)key->key,
		.klms = klms,
		.nb_klm = nb,
	};

	for (uint32_t i = 0; i < nb; i++)
		umr.len += klms[i].len;
	return check_configure(bed, result, &umr);
}

const char *
check_gather(struct check_bed *bed, struct check_result *result, uint32_t lkey, uint64_t addr,
	     uint32_t len)
{
	struct check_wqe wqe;

	check_bed_blank(bed);
	check_wqe_init(&wqe, MLX5_OPCODE_RDMA_WRITE, bed->fence);
	check_wqe_add_raddr(&wqe, bed->mr->rkey, check_out(bed, 0));
	check_wqe_add_data(&wqe, lkey, addr, len);
	return check_do(bed, result, &wqe);
}

const char *
check_fetch(struct check_bed *bed, struct check_result *result, uint32_t rkey, uint64_t addr,
	    uint32_t len)
{
	struct check_wqe wqe;

	check_bed_blank(bed);
	check_wqe_init(&wqe, MLX5_OPCODE_RDMA_READ, bed->fence);
	check_wqe_add_raddr(&wqe, rkey, addr);
	check_wqe_add_data(&wqe, bed->mr->lkey, check_out(bed, 0), len);
	return check_do(bed, result, &wqe);
}
