/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>

#include "dump/dump.h"
#include "dump/text.h"
#include "mlx5_prm_sig.h"
#include "mlx5_prm_wqe.h"

static const struct prm_name cqe_opcodes[] = {
	{ MLX5_CQE_REQ, "REQ" },
	{ MLX5_CQE_RESP_WR_IMM, "RESP_WR_IMM" },
	{ MLX5_CQE_RESP_SEND, "RESP_SEND" },
	{ MLX5_CQE_RESP_SEND_IMM, "RESP_SEND_IMM" },
	{ MLX5_CQE_RESP_SEND_INV, "RESP_SEND_INV" },
	{ MLX5_CQE_RESIZE_CQ, "RESIZE_CQ" },
	{ MLX5_CQE_NO_PACKET, "NO_PACKET" },
	{ PRM_CQE_OPCODE_SIGERR, "SIG_ERR" },
	{ MLX5_CQE_REQ_ERR, "REQ_ERR" },
	{ MLX5_CQE_RESP_ERR, "RESP_ERR" },
	{ PRM_CQE_OPCODE_INVALID, "INVALID" },
};

static const struct prm_name cqe_formats[] = {
	{ 0, "no inline data" },
	{ 1, "32 bytes of data inline" },
	{ 2, "64 bytes of data inline" },
	{ 3, "compressed" },
};

static const struct prm_name cqe_syndromes[] = {
	{ MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, "LOCAL_LENGTH_ERR" },
	{ MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, "LOCAL_QP_OP_ERR" },
	{ MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, "LOCAL_PROT_ERR" },
	{ MLX5_CQE_SYNDROME_WR_FLUSH_ERR, "WR_FLUSH_ERR" },
	{ MLX5_CQE_SYNDROME_MW_BIND_ERR, "MW_BIND_ERR" },
	{ MLX5_CQE_SYNDROME_BAD_RESP_ERR, "BAD_RESP_ERR" },
	{ MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR, "LOCAL_ACCESS_ERR" },
	{ MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, "REMOTE_INVAL_REQ_ERR" },
	{ MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, "REMOTE_ACCESS_ERR" },
	{ MLX5_CQE_SYNDROME_REMOTE_OP_ERR, "REMOTE_OP_ERR" },
	{ MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR, "TRANSPORT_RETRY_EXC_ERR" },
	{ MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR, "RNR_RETRY_EXC_ERR" },
	{ MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR, "REMOTE_ABORTED_ERR" },
};

const char *
prm_cqe_opcode_name(uint8_t opcode)
{
	return PRM_NAME_OF(cqe_opcodes, opcode);
}

const char *
prm_cqe_syndrome_name(uint8_t syndrome)
{
	return PRM_NAME_OF(cqe_syndromes, syndrome);
}

/* Completion with error: rdma-core, struct mlx5_err_cqe. */
static void
put_cqe_error(const struct prm_dump *d, const uint8_t *cqe)
{
	uint8_t sop = cqe[56];

	prm_put(d, "syndrome: 0x%02x (%s)", cqe[55], prm_cqe_syndrome_name(cqe[55]));
	prm_put(d, "vendor_err_synd: 0x%02x", cqe[54]);
	if (PRM_CQE_OPCODE(cqe[63]) == MLX5_CQE_REQ_ERR)
		prm_put(d, "wqe_opcode: 0x%02x (%s)", sop, prm_wqe_opcode_name(sop));
	prm_put(d, "srqn: 0x%06x", prm_get32(cqe + 32) & 0xffffff);
}

/* rdma-core, providers/mlx5/verbs.c: MLX5_SIGERR_CQE_* */
static const struct prm_name sigerr_types[] = {
	{ PRM_SIGERR_TYPE_BLOCK, "block" },
	{ PRM_SIGERR_TYPE_TRANSACTION, "transaction" },
};

static const struct prm_name sigerr_domains[] = {
	{ PRM_SIGERR_DOMAIN_WIRE, "wire" },
	{ PRM_SIGERR_DOMAIN_MEMORY, "memory" },
};

/* Signature error: rdma-core, providers/mlx5/cq.c, struct mlx5_sigerr_cqe. */
static void
put_cqe_sigerr(const struct prm_dump *d, const uint8_t *cqe)
{
	prm_put(d, "expected_trans_sig: 0x%08x", prm_get32(cqe + 16));
	prm_put(d, "actual_trans_sig: 0x%08x", prm_get32(cqe + 20));
	prm_put(d, "expected_ref_tag: 0x%08x", prm_get32(cqe + 24));
	prm_put(d, "actual_ref_tag: 0x%08x", prm_get32(cqe + 28));
	prm_put(d, "syndrome: 0x%04x", prm_get16(cqe + 32));
	prm_put(d, "sig_type: 0x%02x (%s)", cqe[34], PRM_NAME_OF(sigerr_types, cqe[34]));
	prm_put(d, "domain: 0x%02x (%s)", cqe[35], PRM_NAME_OF(sigerr_domains, cqe[35]));
	prm_put(d, "mkey: 0x%08x", prm_get32(cqe + 36));
	prm_put(d, "sig_err_offset: 0x%016" PRIx64, prm_get64(cqe + 40));
}

static const char *
cqe_imm_meaning(uint8_t opcode)
{
	switch (opcode) {
	case MLX5_CQE_RESP_WR_IMM:
	case MLX5_CQE_RESP_SEND_IMM:
		return "immediate data";
	case MLX5_CQE_RESP_SEND_INV:
		return "invalidated key";
	default:
		return "unused";
	}
}

static void
put_cqe_success(const struct prm_dump *d, const uint8_t *cqe, uint8_t opcode)
{
	uint32_t flags_rqpn = prm_get32(cqe + 24);

	if (opcode == MLX5_CQE_REQ) {
		prm_put(d, "wqe_opcode: 0x%02x (%s)", cqe[56], prm_wqe_opcode_name(cqe[56]));
	} else {
		prm_put(d, "slid: 0x%04x", prm_get16(cqe + 22));
		prm_put(d, "sl: %u", flags_rqpn >> 24 & 0xf);
		prm_put(d, "grh: %u", flags_rqpn >> 28 & 0x3);
		prm_put(d, "remote_qpn: 0x%06x", flags_rqpn & 0xffffff);
	}
	prm_put(d, "srqn_uidx: 0x%06x", prm_get32(cqe + 32) & 0xffffff);
	prm_put(d, "imm: 0x%08x (%s)", prm_get32(cqe + 36), cqe_imm_meaning(opcode));
	prm_put(d, "byte_cnt: %u", prm_get32(cqe + 44));
	prm_put(d, "timestamp: 0x%016" PRIx64, prm_get64(cqe + 48));
}

void
prm_cqe_dump(FILE *f, const void *cqe, size_t len)
{
	struct prm_dump d = { .f = f, .bytes = cqe, .len = len };
	unsigned int format;
	const uint8_t *bytes;
	uint8_t opcode;

	prm_section_open(&d, "cqe");
	bytes = prm_take(&d, sizeof(struct mlx5_cqe64));
	if (bytes == NULL)
		return;
	opcode = PRM_CQE_OPCODE(bytes[63]);
	format = bytes[63] >> 2 & 0x3;
	prm_put(&d, "opcode: 0x%x (%s)", opcode, prm_cqe_opcode_name(opcode));
	prm_put(&d, "format: %u (%s)", format, PRM_NAME_OF(cqe_formats, format));
	prm_put(&d, "solicited: %u", bytes[63] >> 1 & 1);
	prm_put(&d, "owner: %u", bytes[63] & 1);
	if (opcode == PRM_CQE_OPCODE_SIGERR) {
		put_cqe_sigerr(&d, bytes);
		return;
	}
	prm_put(&d, "qpn: 0x%06x", prm_get32(bytes + 56) & 0xffffff);
	prm_put(&d, "wqe_counter: %u", prm_get16(bytes + 60));
	prm_put(&d, "signature: 0x%02x", bytes[62]);
	if (opcode == MLX5_CQE_REQ_ERR || opcode == MLX5_CQE_RESP_ERR)
		put_cqe_error(&d, bytes);
	else
		put_cqe_success(&d, bytes, opcode);
	if (format == 1) {
		prm_section_open(&d, "inline_data");
		prm_put_hex(&d, bytes, 32);
	}
}
