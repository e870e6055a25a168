/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Block signature by libmlx5's own calls, on one queue pair that is connected to itself: what an
 * application of mlx5dv_wr_set_mkey_sig_block(3) and mlx5dv_mkey_check(3) sees.
 */

#include "../world.h"

#define BUF_SIZE	65536u
/* Where plain data and what a key covers are in the buffer. */
#define PLAIN		0u
#define COVERED		32768u

struct rig {
	struct end end;
	struct mlx5dv_mkey *mkey;
};

static void
create_qp(struct rig *r)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC, .cap = { 64, 4, 1, 1, 512 },
		.send_cq = r->end.cq, .recv_cq = r->end.cq, .pd = r->end.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ,
	};
	struct mlx5dv_qp_init_attr dv_attr = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
	};

	r->end.qp = mlx5dv_create_qp(r->end.ctx, &attr, &dv_attr);
	assert_non_null(r->end.qp);
}

static int
setup(void **state)
{
	struct mlx5dv_mkey_init_attr mkey_attr = {
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
		.max_entries = 4,
	};
	const struct rc_qp_conf conf = {
		.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
		.rd_atomic = 1, .timeout = 8, .retry_cnt = 2,
	};
	struct rig *r = calloc(1, sizeof(*r));
	size_t i;

	assert_non_null(r);
	end_open(&r->end, devx_open(), BUF_SIZE);
	create_qp(r);
	assert_int_equal(rc_qp_connect_itself(r->end.qp, &conf), 0);
	for (i = 0; i < BUF_SIZE; i++)
		r->end.buf[i] = (uint8_t)(i * 7 + i / 251);
	mkey_attr.pd = r->end.pd;
	r->mkey = mlx5dv_create_mkey(&mkey_attr);
	assert_non_null(r->mkey);
	*state = r;
	return 0;
}

static int
teardown(void **state)
{
	struct rig *r = *state;

	assert_int_equal(mlx5dv_destroy_mkey(r->mkey), 0);
	end_close(&r->end);
	free(r);
	return 0;
}

/* The key over len bytes, with that signature; NULL resets it. */
static void
configure(struct rig *r, uint32_t len, const struct mlx5dv_sig_block_attr *sig)
{
	struct mlx5dv_mkey_conf_attr conf = {
		.conf_flags = sig == NULL ? MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR : 0,
	};
	struct ibv_sge sge = sge_of(&r->end, COVERED, len);
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(r->end.qp);
	struct mlx5dv_qp_ex *dv = mlx5dv_qp_ex_from_ibv_qp_ex(qpx);

	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED;
	mlx5dv_wr_mkey_configure(dv, r->mkey, sig == NULL ? 2 : 3, &conf);
	mlx5dv_wr_set_mkey_access_flags(dv, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
					    IBV_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_list(dv, 1, &sge);
	if (sig != NULL)
		mlx5dv_wr_set_mkey_sig_block(dv, sig);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	expect_success(r->end.cq);
}

/* Move len bytes of the wire between the key and the plain part of the buffer. */
static void
move(struct rig *r, enum ibv_wr_opcode opcode, uint32_t len)
{
	rdma_post(r->end.qp, opcode, (struct ibv_sge){ 0, len, r->mkey->lkey },
		  r->end.buf + PLAIN, r->end.mr->rkey);
	expect_success(r->end.cq);
}

static struct mlx5dv_mkey_err
check(struct rig *r)
{
	struct mlx5dv_mkey_err err = { 0 };

	assert_int_equal(mlx5dv_mkey_check(r->mkey, &err), 0);
	return err;
}

/* The sum of 4096 times 'a' is 26c74ca2, whoever computes it. */
CASE_OF(struct rig, r, crc32c_is_inserted_into_memory, setup, teardown)
{
	const struct mlx5dv_sig_crc crc = { MLX5DV_SIG_CRC_TYPE_CRC32C, UINT32_MAX };
	const struct mlx5dv_sig_block_domain domain = {
		.sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc,
		.block_size = MLX5DV_BLOCK_SIZE_4096,
	};
	const struct mlx5dv_sig_block_attr sig = { .mem = &domain,
						   .check_mask = MLX5DV_SIG_MASK_CRC32C };
	uint8_t *covered = r->end.buf + COVERED;
	uint32_t sum;

	memset(r->end.buf + PLAIN, 'a', 4096);
	configure(r, 4100, &sig);
	move(r, IBV_WR_RDMA_READ, 4096);
	assert_memory_equal(covered, r->end.buf + PLAIN, 4096);
	memcpy(&sum, covered + 4096, sizeof(sum));
	assert_int_equal(le32toh(sum), 0x26c74ca2);
	/* Back to the wire: it is good, and taken away. */
	memset(r->end.buf + PLAIN, 0, 4100);
	move(r, IBV_WR_RDMA_WRITE, 4096);
	assert_memory_equal(r->end.buf + PLAIN, covered, 4096);
	assert_int_equal(r->end.buf[PLAIN + 4096], 0);
	assert_int_equal(check(r).err_type, MLX5DV_MKEY_NO_ERR);
}

static const struct mlx5dv_sig_t10dif t10dif = {
	.bg_type = MLX5DV_SIG_T10DIF_CRC, .app_tag = 0x1234, .ref_tag = 1000,
	.flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP,
};

static struct mlx5dv_sig_block_domain
t10dif_domain(const struct mlx5dv_sig_t10dif *dif)
{
	return (struct mlx5dv_sig_block_domain){
		.sig_type = MLX5DV_SIG_TYPE_T10DIF, .sig.dif = dif,
		.block_size = MLX5DV_BLOCK_SIZE_512,
	};
}

#define ALL_T10DIF                                                                                 \
	(MLX5DV_SIG_MASK_T10DIF_GUARD | MLX5DV_SIG_MASK_T10DIF_APPTAG |                            \
	 MLX5DV_SIG_MASK_T10DIF_REFTAG)

CASE_OF(struct rig, r, errors_are_found_and_named, setup, teardown)
{
	const struct mlx5dv_sig_block_domain domain = t10dif_domain(&t10dif);
	const struct mlx5dv_sig_block_attr sig = { .mem = &domain, .check_mask = ALL_T10DIF };
	uint8_t *covered = r->end.buf + COVERED;
	struct mlx5dv_mkey_err err;

	configure(r, 3 * 520, &sig);
	move(r, IBV_WR_RDMA_READ, 3 * 512);
	assert_int_equal(check(r).err_type, MLX5DV_MKEY_NO_ERR);
	covered[2 * 520 - 1] = 7;	/* reference tag of block 1: 1001 before */
	move(r, IBV_WR_RDMA_WRITE, 3 * 512);
	err = check(r);
	assert_int_equal(err.err_type, MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG);
	assert_int_equal(err.err.sig.actual_value, 1001);
	assert_int_equal(err.err.sig.expected_value, (1001 & ~0xff) | 7);
	assert_int_equal(err.err.sig.offset, 520);
	assert_int_equal(check(r).err_type, MLX5DV_MKEY_NO_ERR);
	/* The next configuration waits for the next error; without one it is not told. */
	configure(r, 3 * 520, &sig);
	covered[2 * 520 - 1] = 1001 & 0xff;
	covered[2 * 520 + 514] ^= 1;	/* application tag of block 2 */
	move(r, IBV_WR_RDMA_WRITE, 3 * 512);
	err = check(r);
	assert_int_equal(err.err_type, MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG);
	assert_int_equal(err.err.sig.actual_value, 0x1234);
	assert_int_equal(err.err.sig.expected_value, 0x1334);
	assert_int_equal(err.err.sig.offset, 1040);
	configure(r, 3 * 520, &sig);
	covered[2 * 520 + 514] ^= 1;
	covered[0] ^= 0x80;
	move(r, IBV_WR_RDMA_WRITE, 3 * 512);
	err = check(r);
	assert_int_equal(err.err_type, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	assert_int_equal(err.err.sig.expected_value, covered[512] << 8 | covered[513]);
	assert_int_equal(err.err.sig.offset, 0);
}

/* Reference tags of another count on the wire; the rest of the field is copied. */
CASE_OF(struct rig, r, reference_tags_are_remapped, setup, teardown)
{
	const struct mlx5dv_sig_t10dif far = {
		.bg_type = MLX5DV_SIG_T10DIF_CRC, .app_tag = 0x1234, .ref_tag = 0x10000000,
		.flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP,
	};
	const struct mlx5dv_sig_block_domain mem = t10dif_domain(&t10dif);
	const struct mlx5dv_sig_block_domain wire = t10dif_domain(&far);
	const struct mlx5dv_sig_block_attr one = { .mem = &mem, .check_mask = ALL_T10DIF };
	const struct mlx5dv_sig_block_attr both = { .mem = &mem, .wire = &wire,
						    .check_mask = ALL_T10DIF };
	uint8_t *covered = r->end.buf + COVERED, *plain = r->end.buf + PLAIN;
	uint32_t i, ref;

	configure(r, 2 * 520, &one);
	move(r, IBV_WR_RDMA_READ, 2 * 512);
	configure(r, 2 * 520, &both);
	move(r, IBV_WR_RDMA_WRITE, 2 * 520);
	for (i = 0; i < 2; i++) {
		assert_memory_equal(plain + i * 520, covered + i * 520, 516);
		memcpy(&ref, covered + i * 520 + 516, sizeof(ref));
		assert_int_equal(be32toh(ref), 1000 + i);
		memcpy(&ref, plain + i * 520 + 516, sizeof(ref));
		assert_int_equal(be32toh(ref), 0x10000000 + i);
	}
	assert_int_equal(check(r).err_type, MLX5DV_MKEY_NO_ERR);
}

CASE_OF(struct rig, r, copy_mask_keeps_what_is_not_known, setup, teardown)
{
	const struct mlx5dv_sig_block_domain domain = t10dif_domain(&t10dif);
	const struct mlx5dv_sig_block_attr sig = {
		.mem = &domain, .wire = &domain,
		.flags = MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK, .check_mask = 0,
		.copy_mask = MLX5DV_SIG_MASK_T10DIF_APPTAG,
	};
	uint8_t *covered = r->end.buf + COVERED, *plain = r->end.buf + PLAIN;

	configure(r, 520, &sig);
	move(r, IBV_WR_RDMA_WRITE, 520);
	assert_memory_equal(plain, covered, 512);
	assert_memory_equal(plain + 514, covered + 514, 2);
	assert_memory_equal(plain + 516, "\0\0\x03\xe8", 4);
}

CASE_OF(struct rig, r, signature_can_be_reset, setup, teardown)
{
	const struct mlx5dv_sig_block_domain domain = t10dif_domain(&t10dif);
	const struct mlx5dv_sig_block_attr sig = { .wire = &domain, .check_mask = ALL_T10DIF };
	uint8_t *plain = r->end.buf + PLAIN;

	configure(r, 1024, &sig);
	move(r, IBV_WR_RDMA_WRITE, 1040);
	assert_memory_equal(plain + 516, "\0\0\x03\xe8", 4);
	configure(r, 1024, NULL);
	move(r, IBV_WR_RDMA_WRITE, 1024);
	assert_memory_equal(plain, r->end.buf + COVERED, 1024);
}
