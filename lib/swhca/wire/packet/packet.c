/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include "wire/packet/bytes.h"
#include "wire/packet/packet.h"

/* Headers: IBTA vol. 1, 9.2 and 9.3, annexes A14 and A17. Bytes 1, 4 and 8 of the BTH: */
#define BTH_SE		0x80u
#define BTH_MIGREQ	0x40u
#define BTH_PAD_SHIFT	4
#define BTH_PAD_MASK	0x3u
#define BTH_TVER_MASK	0x0fu
#define BTH_FECN	0x80u
#define BTH_BECN	0x40u
#define BTH_ACKREQ	0x80u

/* DCETH: byte 8. */
#define DCETH_FIRST	0x80u

/* A byte followed by a 24-bit number. */
static void
put_8_24(uint8_t *dst, uint8_t byte, uint32_t value)
{
	swhca_put_be32(dst, (uint32_t)byte << 24 | value);
}

static uint32_t
get_24(const uint8_t *src)
{
	return swhca_get_be32(src) & SWHCA_24_BITS;
}

/* Only the single packet of a message may be empty. */
static bool
payload_is_legal(const struct swhca_opcode_info *info, uint32_t len)
{
	const uint8_t only = SWHCA_OPCODE_F_FIRST | SWHCA_OPCODE_F_LAST;

	if ((info->flags & SWHCA_OPCODE_F_PAYLOAD) == 0)
		return len == 0;
	if (len > SWHCA_PACKET_MTU_MAX)
		return false;
	return len > 0 || (info->flags & only) == only;
}

static bool
has_24_bits(uint32_t value)
{
	return value <= SWHCA_24_BITS;
}

static bool
numbers_fit(const struct swhca_packet *pkt, uint16_t headers)
{
	if (!has_24_bits(pkt->dst_qpn) || !has_24_bits(pkt->psn))
		return false;
	if ((headers & SWHCA_HDR_XRCETH) != 0 && !has_24_bits(pkt->srqn))
		return false;
	if ((headers & (SWHCA_HDR_DCETH | SWHCA_HDR_DETH)) != 0 && !has_24_bits(pkt->src_qpn))
		return false;
	return (headers & SWHCA_HDR_AETH) == 0 || has_24_bits(pkt->msn);
}

static void
bth_put(const struct swhca_packet *pkt, uint8_t *buf)
{
	uint8_t congestion = (pkt->has_fecn ? BTH_FECN : 0) | (pkt->has_becn ? BTH_BECN : 0);

	buf[0] = pkt->opcode;
	buf[1] = (uint8_t)((pkt->is_solicited ? BTH_SE : 0) | (pkt->is_migrated ? BTH_MIGREQ : 0) |
			   (uint32_t)swhca_packet_pad(pkt->payload_len) << BTH_PAD_SHIFT);
	swhca_put_be16(buf + 2, pkt->pkey);
	put_8_24(buf + 4, congestion, pkt->dst_qpn);
	put_8_24(buf + 8, pkt->wants_ack ? BTH_ACKREQ : 0, pkt->psn);
}

static void
bth_get(const uint8_t *buf, struct swhca_packet *pkt)
{
	pkt->opcode = buf[0];
	pkt->is_solicited = (buf[1] & BTH_SE) != 0;
	pkt->is_migrated = (buf[1] & BTH_MIGREQ) != 0;
	pkt->pkey = swhca_get_be16(buf + 2);
	pkt->has_fecn = (buf[4] & BTH_FECN) != 0;
	pkt->has_becn = (buf[4] & BTH_BECN) != 0;
	pkt->dst_qpn = get_24(buf + 4);
	pkt->wants_ack = (buf[8] & BTH_ACKREQ) != 0;
	pkt->psn = get_24(buf + 8);
}

/* Destination other than the queue pair, and source: XRCETH, DCETH, DETH. */
static uint8_t *
peer_put(const struct swhca_packet *pkt, uint16_t headers, uint8_t *at)
{
	if ((headers & SWHCA_HDR_XRCETH) != 0) {
		put_8_24(at, 0, pkt->srqn);
		at += SWHCA_XRCETH_LEN;
	}
	if ((headers & SWHCA_HDR_DCETH) != 0) {
		swhca_put_be64(at, pkt->dc_key);
		put_8_24(at + 8, pkt->dc_is_first ? DCETH_FIRST : 0, pkt->src_qpn);
		swhca_put_be64(at + 12, pkt->dc_session);
		at += SWHCA_DCETH_LEN;
	}
	if ((headers & SWHCA_HDR_DETH) != 0) {
		swhca_put_be32(at, pkt->qkey);
		put_8_24(at + 4, 0, pkt->src_qpn);
		at += SWHCA_DETH_LEN;
	}
	return at;
}

static const uint8_t *
peer_get(const uint8_t *at, uint16_t headers, struct swhca_packet *pkt)
{
	if ((headers & SWHCA_HDR_XRCETH) != 0) {
		pkt->srqn = get_24(at);
		at += SWHCA_XRCETH_LEN;
	}
	if ((headers & SWHCA_HDR_DCETH) != 0) {
		pkt->dc_key = swhca_get_be64(at);
		pkt->dc_is_first = (at[8] & DCETH_FIRST) != 0;
		pkt->src_qpn = get_24(at + 8);
		pkt->dc_session = swhca_get_be64(at + 12);
		at += SWHCA_DCETH_LEN;
	}
	if ((headers & SWHCA_HDR_DETH) != 0) {
		pkt->qkey = swhca_get_be32(at);
		pkt->src_qpn = get_24(at + 4);
		at += SWHCA_DETH_LEN;
	}
	return at;
}

/* Memory: RETH, AtomicETH. */
static uint8_t *
memory_put(const struct swhca_packet *pkt, uint16_t headers, uint8_t *at)
{
	if ((headers & SWHCA_HDR_RETH) != 0) {
		swhca_put_be64(at, pkt->va);
		swhca_put_be32(at + 8, pkt->rkey);
		swhca_put_be32(at + 12, pkt->dma_len);
		at += SWHCA_RETH_LEN;
	}
	if ((headers & SWHCA_HDR_ATOMICETH) != 0) {
		swhca_put_be64(at, pkt->va);
		swhca_put_be32(at + 8, pkt->rkey);
		swhca_put_be64(at + 12, pkt->swap_add);
		swhca_put_be64(at + 20, pkt->compare);
		at += SWHCA_ATOMICETH_LEN;
	}
	return at;
}

static const uint8_t *
memory_get(const uint8_t *at, uint16_t headers, struct swhca_packet *pkt)
{
	if ((headers & SWHCA_HDR_RETH) != 0) {
		pkt->va = swhca_get_be64(at);
		pkt->rkey = swhca_get_be32(at + 8);
		pkt->dma_len = swhca_get_be32(at + 12);
		at += SWHCA_RETH_LEN;
	}
	if ((headers & SWHCA_HDR_ATOMICETH) != 0) {
		pkt->va = swhca_get_be64(at);
		pkt->rkey = swhca_get_be32(at + 8);
		pkt->swap_add = swhca_get_be64(at + 12);
		pkt->compare = swhca_get_be64(at + 20);
		at += SWHCA_ATOMICETH_LEN;
	}
	return at;
}

/* AETH, AtomicAckETH; ImmDt, IETH; reserved bytes of a CNP. */
static void
answer_and_data_put(const struct swhca_packet *pkt, uint16_t headers, uint8_t *at)
{
	if ((headers & SWHCA_HDR_AETH) != 0) {
		put_8_24(at, pkt->syndrome, pkt->msn);
		at += SWHCA_AETH_LEN;
	}
	if ((headers & SWHCA_HDR_ATOMICACKETH) != 0) {
		swhca_put_be64(at, pkt->orig);
		at += SWHCA_ATOMICACKETH_LEN;
	}
	if ((headers & SWHCA_HDR_IMMDT) != 0)
		memcpy(at, &pkt->imm_be, SWHCA_IMMDT_LEN);
	if ((headers & SWHCA_HDR_IETH) != 0)
		swhca_put_be32(at, pkt->inval_rkey);
	if ((headers & SWHCA_HDR_CNP) != 0)
		memset(at, 0, SWHCA_CNP_LEN);
}

static void
answer_and_data_get(const uint8_t *at, uint16_t headers, struct swhca_packet *pkt)
{
	if ((headers & SWHCA_HDR_AETH) != 0) {
		pkt->syndrome = at[0];
		pkt->msn = get_24(at);
		at += SWHCA_AETH_LEN;
	}
	if ((headers & SWHCA_HDR_ATOMICACKETH) != 0) {
		pkt->orig = swhca_get_be64(at);
		at += SWHCA_ATOMICACKETH_LEN;
	}
	if ((headers & SWHCA_HDR_IMMDT) != 0)
		memcpy(&pkt->imm_be, at, SWHCA_IMMDT_LEN);
	if ((headers & SWHCA_HDR_IETH) != 0)
		pkt->inval_rkey = swhca_get_be32(at);
}

size_t
swhca_packet_len(const struct swhca_packet *pkt)
{
	return (size_t)swhca_opcode_info(pkt->opcode)->hdr_len + pkt->payload_len +
	       swhca_packet_pad(pkt->payload_len) + SWHCA_ICRC_LEN;
}

int
swhca_packet_build(const struct swhca_packet *pkt, uint8_t *buf, size_t size)
{
	const struct swhca_opcode_info *info = swhca_opcode_info(pkt->opcode);
	uint8_t *at;

	if (info->name == NULL)
		return -EPROTONOSUPPORT;
	if (!numbers_fit(pkt, info->headers))
		return -ERANGE;
	if (!payload_is_legal(info, pkt->payload_len))
		return -EMSGSIZE;
	if (size < info->hdr_len)
		return -ENOSPC;
	bth_put(pkt, buf);
	at = peer_put(pkt, info->headers, buf + SWHCA_BTH_LEN);
	at = memory_put(pkt, info->headers, at);
	answer_and_data_put(pkt, info->headers, at);
	return info->hdr_len;
}

int
swhca_packet_parse(const uint8_t *buf, size_t len, struct swhca_packet *pkt)
{
	const struct swhca_opcode_info *info;
	const uint8_t *at;
	size_t data_len;
	uint32_t pad;

	if (len < SWHCA_BTH_LEN + SWHCA_ICRC_LEN || len % 4 != 0)
		return -EBADMSG;
	if ((buf[1] & BTH_TVER_MASK) != 0)
		return -EPROTO;
	info = swhca_opcode_info(buf[0]);
	if (info->name == NULL)
		return -EPROTONOSUPPORT;
	if (len < info->hdr_len + SWHCA_ICRC_LEN)
		return -EBADMSG;
	data_len = len - info->hdr_len - SWHCA_ICRC_LEN;
	pad = buf[1] >> BTH_PAD_SHIFT & BTH_PAD_MASK;
	if (data_len < pad || data_len > SWHCA_PACKET_MTU_MAX ||
	    !payload_is_legal(info, (uint32_t)data_len - pad))
		return -EMSGSIZE;

	*pkt = (struct swhca_packet){ .payload_len = (uint16_t)(data_len - pad) };
	bth_get(buf, pkt);
	at = peer_get(buf + SWHCA_BTH_LEN, info->headers, pkt);
	at = memory_get(at, info->headers, pkt);
	answer_and_data_get(at, info->headers, pkt);
	return info->hdr_len;
}

bool
swhca_packet_fits_mtu(const struct swhca_packet *pkt, uint32_t mtu)
{
	const struct swhca_opcode_info *info = swhca_opcode_info(pkt->opcode);
	bool is_last = (info->flags & SWHCA_OPCODE_F_LAST) != 0;

	if ((info->flags & SWHCA_OPCODE_F_PAYLOAD) == 0)
		return pkt->payload_len == 0;
	return is_last ? pkt->payload_len <= mtu : pkt->payload_len == mtu;
}

const char *
swhca_packet_strerror(int ret)
{
	switch (ret) {
	case -EBADMSG:
		return "length does not fit the opcode";
	case -EPROTO:
		return "unknown transport header version";
	case -EPROTONOSUPPORT:
		return "unknown opcode";
	case -EMSGSIZE:
		return "payload does not fit the opcode";
	case -ERANGE:
		return "number of more than 24 bits";
	case -ENOSPC:
		return "buffer too small";
	default:
		return "unknown error";
	}
}
