/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include "check/bed.h"

#define DWORDS(size)	((size) / sizeof(uint32_t))

/* The queues of a check reach themselves or each other. */
#define BED_ACCESS                                                                                 \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |               \
	 IBV_ACCESS_REMOTE_ATOMIC)

void
check_observe(struct check_bed *bed, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(bed->result->observed, CHECK_TEXT_SIZE, format, args);
	va_end(args);
}

void
check_note(struct check_bed *bed, const char *format, ...)
{
	char *detail = bed->result->detail;
	size_t len = strlen(detail);
	va_list args;

	if (len > 0 && len + 2 < CHECK_TEXT_SIZE)
		len += (size_t)snprintf(detail + len, CHECK_TEXT_SIZE - len, "; ");
	va_start(args, format);
	vsnprintf(detail + len, CHECK_TEXT_SIZE - len, format, args);
	va_end(args);
}

void
check_lacks(struct check_bed *bed, const char *capability)
{
	bed->result->verdict = CHECK_NOT_AVAILABLE;
	check_note(bed, "capability: %s", capability);
}

bool
check_has(struct check_bed *bed, struct prm_field capability, const char *name)
{
	if (prm_get(bed->caps, capability) != 0)
		return true;
	check_lacks(bed, name);
	return false;
}

void
check_break(struct check_bed *bed, const char *format, ...)
{
	va_list args;

	bed->result->verdict = CHECK_BROKEN;
	va_start(args, format);
	vsnprintf(bed->result->detail, CHECK_TEXT_SIZE, format, args);
	va_end(args);
}

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
port_is_up(struct check_bed *bed)
{
	const unsigned int number = bed->dev->port;
	struct ibv_port_attr port;
	int ret = ibv_query_port(bed->dev->ctx, bed->dev->port, &port);

	if (ret != 0)
		check_break(bed, "port %u: %s", number, strerror(ret));
	else if (port.state != IBV_PORT_ACTIVE)
		check_break(bed, "port %u is %s", number,
			    port.state == IBV_PORT_DOWN ? "down" : "not active");
	return ret == 0 && port.state == IBV_PORT_ACTIVE;
}

/* What every question takes to work; it may leave no note in the question's result. */
static bool
plain_write(struct check_bed *bed)
{
	struct check_result ignored = { 0 }, *result = bed->result;
	unsigned int nb_missed = bed->dev->nb_missed;
	const char *word;

	bed->result = &ignored;
	word = check_gather(bed, bed->mr->lkey, check_src(bed, 0), CHECK_PIECE);
	bed->result = result;
	if (check_is_done(word) && check_bed_is(bed, 0, 0, CHECK_PIECE))
		return true;
	if (check_is_done(word))
		word = "done, but with other bytes";
	bed->dev->is_silent = bed->dev->nb_missed != nb_missed;
	check_break(bed, "plain write: %s", word);
	return false;
}

bool
check_bed_try(struct check_bed *bed)
{
	bool is_good = port_is_up(bed) && check_bed_renew(bed) &&
		       plain_write(bed) && check_bed_renew(bed);

	check_bed_blank(bed);
	return is_good;
}

bool
check_bed_create(struct check_bed *bed, struct check_dev *dev, struct check_result *result)
{
	int ret;

	*bed = (struct check_bed){
		.dev = dev, .result = result, .caps = dev->caps + PRM_QUERY_HCA_CAP_OUT_CAP_BYTE,
	};
	if (dev->is_silent) {
		check_break(bed, CHECK_SILENT);
		return false;
	}
	/* What rte_umr does. */
	bed->fence = prm_get(bed->caps, PRM_CAP_UMR_FENCE) == PRM_CAP_UMR_FENCE_STRONG ?
			     PRM_CTRL_FM_STRONG_ORDERING : PRM_CTRL_FM_INITIATOR_SMALL;
	ret = pd_create(bed);
	if (ret == 0)
		ret = memory_create(bed);
	if (ret == 0)
		return check_bed_try(bed);
	check_break(bed, "memory: %s", strerror(ret));
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
check_bed_renew(struct check_bed *bed)
{
	int ret;

	check_qp_destroy(&bed->qp);
	ret = check_qp_create(bed, &bed->qp);
	if (ret == 0)
		ret = check_qp_connect(bed, &bed->qp, bed->qp.qp->qp_num);
	if (ret != 0)
		check_break(bed, "a queue connected to itself: %s", strerror(ret));
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
command_failed(struct check_bed *bed, const char *name, const void *out)
{
	check_break(bed, "%s: status 0x%x, syndrome 0x%x: %s", name,
		    (unsigned int)prm_get(out, PRM_CMD_OUT_STATUS),
		    (unsigned int)prm_get(out, PRM_CMD_OUT_SYNDROME), strerror(errno));
}

struct check_key *
check_key_create(struct check_bed *bed, const struct check_key_attr *attr)
{
	uint32_t in[DWORDS(PRM_CREATE_MKEY_IN_XLT_BYTE + PRM_KLM_ALIGN * PRM_KLM_SIZE)] = { 0 };
	const uint32_t nb_actual = attr->klms != NULL ? PRM_KLM_ALIGN : 0;
	uint32_t out[DWORDS(PRM_CMD_SHORT_OUT_SIZE)] = { 0 };
	uint8_t *mkc = (uint8_t *)in + PRM_CREATE_MKEY_IN_MKC_BYTE;
	struct check_key *key;

	if (bed->nb_keys == CHECK_MAX_KEYS) {
		check_break(bed, "more than %u keys", CHECK_MAX_KEYS);
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
			check_observe(bed, "rejected");
			check_note(bed, "syndrome 0x%x",
				   (unsigned int)prm_get(out, PRM_CMD_OUT_SYNDROME));
		} else {
			command_failed(bed, "CREATE_MKEY", out);
		}
		return NULL;
	}
	bed->nb_keys++;
	key->index = (uint32_t)prm_get(out, PRM_CREATE_MKEY_OUT_MKEY_INDEX);
	key->key = key->index << 8 | 1;
	return key;
}

bool
check_key_query(struct check_bed *bed, const struct check_key *key, void *mkc)
{
	uint32_t in[DWORDS(PRM_CMD_SHORT_IN_SIZE)] = { 0 };
	uint32_t out[DWORDS(PRM_QUERY_MKEY_OUT_SIZE)] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_MKEY);
	prm_set(in, PRM_CMD_IN_OBJ, key->index);
	if (mlx5dv_devx_obj_query(key->obj, in, sizeof(in), out, sizeof(out)) != 0) {
		command_failed(bed, "QUERY_MKEY", out);
		return false;
	}
	memcpy(mkc, (uint8_t *)out + PRM_QUERY_MKEY_OUT_MKC_BYTE, PRM_MKC_SIZE);
	return true;
}

bool
check_psv_create(struct check_bed *bed, uint32_t *psv)
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
		command_failed(bed, "CREATE_PSV", out);
		return false;
	}
	bed->psvs[bed->nb_psvs++] = obj;
	*psv = (uint32_t)prm_get(out, PRM_CREATE_PSV_OUT_PSV(0));
	return true;
}

/*
 * Whether the completion belongs to a request that timed out earlier. wqe_counter may name any
 * block of a current request; which one it names is a separate check. A signature error has no
 * counter.
 */
static bool
is_late(const struct check_qp *qp, const struct check_cqe *cqe)
{
	return cqe->opcode != PRM_CQE_OPCODE_SIGERR &&
	       (uint16_t)(cqe->counter - qp->asked) >= (uint16_t)(qp->pi - qp->asked);
}

const char *
check_do(struct check_bed *bed, const struct check_wqe *wqe)
{
	struct check_qp *qp = &bed->qp;
	struct check_cqe cqe;
	bool has_come;

	check_qp_start(qp, wqe);
	while ((has_come = check_cq_wait(&qp->send_cq, &cqe)) && is_late(qp, &cqe))
		check_note(bed, "block %u: late: %s", cqe.counter, check_cqe_word(&cqe));
	qp->asked = qp->pi;
	if (has_come && cqe.opcode == MLX5_CQE_REQ_ERR)
		check_note(bed, "syndrome 0x%02x, vendor 0x%02x", cqe.syndrome, cqe.vendor);
	return has_come ? check_cqe_word(&cqe) : "no completion";
}

bool
check_is_done(const char *word)
{
	return strcmp(word, "done") == 0;
}

void
check_do_observe(struct check_bed *bed, const struct check_wqe *wqe)
{
	check_observe(bed, "%s", check_do(bed, wqe));
}

bool
check_completion(struct check_bed *bed, struct check_cq *cq, struct check_cqe *cqe)
{
	if (check_cq_wait(cq, cqe))
		return true;
	check_observe(bed, "no completion");
	return false;
}

struct check_klm
check_piece(const struct check_bed *bed, uint32_t at)
{
	return (struct check_klm){ check_src(bed, at), bed->mr->lkey, CHECK_PIECE };
}

const char *
check_umr(struct check_bed *bed, const struct check_key *key, const struct check_umr *umr)
{
	struct check_umr own = *umr;
	struct check_wqe wqe;

	own.key = key->key;
	own.tag = (uint8_t)key->key;
	if (own.mask == 0)
		own.access = CHECK_ACCESS_ALL;
	check_wqe_umr(&wqe, &own);
	return check_do(bed, &wqe);
}

bool
check_configure(struct check_bed *bed, const struct check_key *key, const struct check_umr *umr)
{
	const char *word = check_umr(bed, key, umr);

	if (!check_is_done(word))
		check_observe(bed, "configuring a key: %s", word);
	return check_is_done(word);
}

bool
check_list(struct check_bed *bed, const struct check_key *key, const struct check_klm *klms,
	   uint32_t nb)
{
	struct check_umr umr = { .klms = klms, .nb_klm = nb };

	for (uint32_t i = 0; i < nb; i++)
		umr.len += klms[i].len;
	return check_configure(bed, key, &umr);
}

struct check_key *
check_list_create(struct check_bed *bed, const struct check_klm *klms, uint32_t nb)
{
	struct check_key *key = check_key_create(bed, &(struct check_key_attr){ .nb_klm = nb });

	return key != NULL && check_list(bed, key, klms, nb) ? key : NULL;
}

struct check_key *
check_piece_create(struct check_bed *bed, uint32_t at)
{
	const struct check_klm klm = check_piece(bed, at);

	return check_list_create(bed, &klm, 1);
}

struct check_key *
check_umr_create(struct check_bed *bed, const struct check_umr *umr)
{
	struct check_key *key = check_key_create(bed, &(struct check_key_attr){ .nb_klm = 1 });

	return key != NULL && check_configure(bed, key, umr) ? key : NULL;
}

bool
check_inval(struct check_bed *bed, const struct check_key *key)
{
	struct check_wqe wqe;
	const char *word;

	check_wqe_inval(&wqe, key->key);
	word = check_do(bed, &wqe);
	if (!check_is_done(word))
		check_observe(bed, "invalidating: %s", word);
	return check_is_done(word);
}

void
check_write_init(const struct check_bed *bed, struct check_wqe *wqe, uint32_t lkey, uint32_t rkey)
{
	check_wqe_init(wqe, MLX5_OPCODE_RDMA_WRITE, PRM_CTRL_FM_NONE);
	check_wqe_add_raddr(wqe, rkey, check_out(bed, 0));
	check_wqe_add_data(wqe, lkey, check_src(bed, 0), CHECK_PIECE);
}

void
check_gather_init(const struct check_bed *bed, struct check_wqe *wqe, uint32_t lkey, uint64_t addr,
		  uint32_t len, uint32_t out_at)
{
	check_wqe_init(wqe, MLX5_OPCODE_RDMA_WRITE, bed->fence);
	check_wqe_add_raddr(wqe, bed->mr->rkey, check_out(bed, out_at));
	check_wqe_add_data(wqe, lkey, addr, len);
}

const char *
check_gather(struct check_bed *bed, uint32_t lkey, uint64_t addr, uint32_t len)
{
	struct check_wqe wqe;

	check_bed_blank(bed);
	check_gather_init(bed, &wqe, lkey, addr, len, 0);
	return check_do(bed, &wqe);
}

void
check_gather_observe(struct check_bed *bed, const struct check_key *key, uint64_t addr,
		     uint32_t len)
{
	if (key != NULL)
		check_observe(bed, "%s", check_gather(bed, key->key, addr, len));
}

void
check_fetch_init(const struct check_bed *bed, struct check_wqe *wqe, uint32_t rkey, uint64_t addr,
		 uint32_t len)
{
	check_wqe_init(wqe, MLX5_OPCODE_RDMA_READ, bed->fence);
	check_wqe_add_raddr(wqe, rkey, addr);
	check_wqe_add_data(wqe, bed->mr->lkey, check_out(bed, 0), len);
}

const char *
check_fetch(struct check_bed *bed, uint32_t rkey, uint64_t addr, uint32_t len)
{
	struct check_wqe wqe;

	check_bed_blank(bed);
	check_fetch_init(bed, &wqe, rkey, addr, len);
	return check_do(bed, &wqe);
}
