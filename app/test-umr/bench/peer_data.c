/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Bytes of bench --peer. Expected fields and ciphertext are those of the scalar references, which
 * are independent of the device and the libraries that are measured beside it.
 */

#include "bench/peer.h"
#include "model/sig_ref.h"
#include "model/xts_ref.h"

/* The signature of a row, in memory or on the wire; NULL: none. */
static const struct rte_umr_sig_domain *
domain_of(const struct bench_peer *b, const struct bench_peer_row *row, bool is_wire)
{
	const struct rte_umr_sig *sig = b->kinds[row->layout].sigs;

	if (row->nb_pieces == 0 || sig == NULL)
		return NULL;
	return is_wire ? &sig->wire : &sig->mem;
}

uint32_t
bench_peer_len(const struct bench_peer *b, const struct bench_peer_row *row, bool is_wire)
{
	const struct rte_umr_sig_domain *domain = domain_of(b, row, is_wire);
	uint32_t field;

	if (domain == NULL || domain->type == RTE_UMR_SIG_NONE)
		return row->len;
	field = rte_umr_sig_size((enum rte_umr_sig_type)domain->type);
	return row->len + field * (domain->block_size == 0 ? 1 : row->len / domain->block_size);
}

/* Number of the place of an operation. */
static uint32_t
place_of(const struct bench_peer *b, const struct bench_peer_row *row, uint32_t i)
{
	return i % (b->data / row->len);
}

uint32_t
bench_peer_remote(const struct bench_peer *b, const struct bench_peer_row *row, uint32_t i)
{
	return place_of(b, row, i) * bench_peer_len(b, row, true);
}

uint32_t
bench_peer_local(const struct bench_peer *b, const struct bench_peer_row *row, uint32_t i)
{
	return row->is_scattered ? i * BENCH_PEER_STEP :
				   place_of(b, row, i) * bench_peer_len(b, row, false);
}

/* Number of the first block or data unit of an operation: its tweak and reference tag. */
static uint64_t
unit_of(const struct bench_peer *b, const struct bench_peer_row *row, uint32_t i)
{
	return (uint64_t)place_of(b, row, i) * (row->len / BENCH_UNIT);
}

/* Data of a queue, which differ from those of other rows and queues. */
static void
data_fill(const struct bench_peer *b, uint32_t index, uint32_t queue)
{
	for (uint32_t i = 0; i < b->data; i++)
		b->source[i] = (uint8_t)(i * 7 + i / 256 + index * 31 + queue * 101 + 1);
}

/* Make the bytes of a row in memory or on the wire from the data. */
static bool
image_make(const struct bench_peer *b, const struct bench_peer_row *row, bool is_wire, uint8_t *out)
{
	const uint32_t nb = RTE_MIN(row->batch, b->data / row->len);
	const bool is_encrypted = row->nb_pieces != 0 && is_wire &&
				  b->kinds[row->layout].cryptos != NULL;
	struct rte_umr_sig_domain domain = { .type = RTE_UMR_SIG_NONE };
	uint8_t tweak[XTS_REF_TWEAK_LEN] = { 0 };
	bool is_ok = true;

	if (domain_of(b, row, is_wire) != NULL)
		domain = *domain_of(b, row, is_wire);
	if (domain.type == RTE_UMR_SIG_NONE && !is_encrypted) {
		memcpy(out, b->source, b->data);
		return true;
	}
	for (uint32_t i = 0; i < nb && is_ok; i++) {
		const uint64_t unit = unit_of(b, row, i);
		const uint8_t *data = b->source + (size_t)i * row->len;
		uint8_t *to = out + (size_t)i * bench_peer_len(b, row, is_wire);

		memcpy(tweak, &unit, sizeof(unit));
		domain.ref_tag = (uint32_t)unit;
		if (!is_encrypted)
			sig_ref_insert(&domain, data, row->len, to);
		else
			is_ok = xts_ref_crypt(bench_aes_keys, BENCH_AES_KEYS_LEN, tweak, BENCH_UNIT,
					      data, to, row->len, true);
	}
	if (!is_ok)
		tool_error("bench: OpenSSL has no AES-XTS");
	return is_ok;
}

bool
bench_peer_failed(const struct bench_peer *b)
{
	tool_error("bench: %s", b->peer->why);
	return false;
}

bool
bench_peer_prepare(struct bench_peer *b, uint32_t index)
{
	const struct bench_peer_row *row = &b->rows[index];
	struct bench_kind_rte *kind = &b->kinds[row->layout];

	for (uint32_t i = 0; row->nb_pieces != 0 && i < row->batch; i++) {
		kind->next = unit_of(b, row, i);
		bench_kind_next(kind, i, kind->cryptos != NULL, kind->sigs != NULL);
	}
	for (uint32_t i = 0; i < b->conf->nb_queues; i++) {
		const uint32_t at = i * b->slice;

		data_fill(b, index, i);
		if (!image_make(b, row, row->is_read, b->memory + at))
			return false;
		if (!row->is_read)
			continue;
		if (!peer_put(b->peer, 0, at, b->memory + at, b->slice))
			return bench_peer_failed(b);
		memset(b->memory + at, 0, b->slice);
	}
	return true;
}

/* Whether the bytes of a queue have arrived. */
static bool
slice_check(const struct bench_peer *b, const struct bench_peer_row *row, const uint8_t *arrived)
{
	const bool is_list = row->is_scattered && row->nb_pieces != 0;
	const uint32_t nb = is_list ? row->nb_pieces : row->batch;
	const uint32_t len = is_list ? row->len / nb : bench_peer_len(b, row, !row->is_read);

	for (uint32_t i = 0; i < nb; i++) {
		const uint32_t remote = is_list ? i * len : bench_peer_remote(b, row, i);
		const uint32_t local = bench_peer_local(b, row, i);
		const uint32_t to = row->is_read ? local : remote;

		if (memcmp(arrived + to, b->expected + (row->is_scattered ? local : to), len) == 0)
			continue;
		tool_error("bench: %s: %s has other bytes", row->name,
			   row->is_read ? "the client" : "the server");
		return false;
	}
	return true;
}

bool
bench_peer_check(const struct bench_peer *b, uint32_t index)
{
	const struct bench_peer_row *row = &b->rows[index];

	for (uint32_t i = 0; i < b->conf->nb_queues; i++) {
		const uint32_t at = i * b->slice;

		data_fill(b, index, i);
		if (!image_make(b, row, !row->is_read, b->expected))
			return false;
		if (!row->is_read && !peer_get(b->peer, 0, at, b->arrived, b->slice))
			return bench_peer_failed(b);
		if (!slice_check(b, row, row->is_read ? b->memory + at : b->arrived))
			return false;
	}
	return true;
}
