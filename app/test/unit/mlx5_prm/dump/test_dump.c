/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The bytes below are typed from the documented layouts, not made by code of this project. */

#include "budget.h"
#include "text.h"

#define NB_RANDOM (8 * test_nb_cases())

/* List of two segments, access LR|LW|RR|RW, tag 0x42. */
static const uint8_t wqe_umr_list[192] = {
	/* ctrl: index 258, UMR, QP 0x123, 12 DS, small fence, completion */
	0x00, 0x01, 0x02, 0x25, 0x00, 0x01, 0x23, 0x0c,
	0x00, 0x00, 0x00, 0x28, 0x00, 0x01, 0x02, 0x42,
	/* UMR control: inline, 4 octowords, LEN MKEY LW RR RW FREE */
	0x80, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x20, 0x1c, 0x20, 0x01,
	/* mkey context */
	[64] = 0x00, 0x00, 0x3c, 0x00, 0xff, 0xff, 0xff, 0x42,
	[88] = 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x30, 0x39,
	/* KLMs: 4096 and 8249 bytes, two of padding */
	[128] = 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x11, 0x11,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x01,
	0x00, 0x00, 0x20, 0x39, 0x00, 0x00, 0x22, 0x22,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x01, 0x00, 0x00,
};

static const char text_umr_list[] =
	"wqe:\n"
	"  ctrl:\n"
	"    opcode: 0x25 (UMR)\n" "    opmod: 0x00\n" "    wqe_index: 258\n" "    qpn: 0x000123\n"
	"    ds: 12 (192 bytes, 3 WQEBB)\n" "    signature: 0x00\n" "    dci_stream: 0\n"
	"    fence: 0x20 (initiator small)\n" "    completion: 0x08 (always)\n" "    solicited: 0\n"
	"    imm: 0x00010242 (mkey)\n"
	"  umr_ctrl:\n"
	"    flags: 0x80 (INLINE)\n" "    klm_octowords: 4\n" "    bsf_octowords: 0\n"
	"    mkey_mask: 0x00000000201c2001 (LEN|MKEY|LW|RR|RW|FREE)\n"
	"  mkc:\n"
	"    free: 0\n" "    access_mode: 0 (PA)\n" "    umr_en: 0\n"
	"    access: 0x3c00 (RW|RR|LW|LR)\n" "    relaxed_ordering_write: 0\n"
	"    relaxed_ordering_read: 0\n" "    qpn: 0xffffff (any)\n" "    mkey_7_0: 0x42\n"
	"    length64: 0\n" "    bsf_en: 0\n" "    sync_umr: 0\n" "    expected_sigerr_count: 0\n"
	"    en_rinval: 0\n" "    pd: 0x000000\n" "    start_addr: 0x0000000000000000\n"
	"    len: 12345\n" "    bsf_octwords: 0\n" "    translations_octwords: 0\n"
	"    log_page_size: 0\n" "    crypto_en: 0\n"
	"  translation:\n"
	"    klm[0]:\n"
	"      byte_count: 4096\n" "      mkey: 0x00001111\n" "      addr: 0x00007f0000001001\n"
	"    klm[1]:\n"
	"      byte_count: 8249\n" "      mkey: 0x00002222\n" "      addr: 0x00007f0000010000\n"
	"    klm[2]: zero\n" "    klm[3]: zero\n";

/* Two interleaved entries of 100 and 28 bytes at strides 512 and 64, repeated 1000 times. */
static const uint8_t wqe_umr_interleaved[192] = {
	0x00, 0xff, 0xff, 0x25, 0xab, 0xcd, 0xef, 0x0c,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00,
	0xa0, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	[88] = 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xf4, 0x00,
	[128] = 0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x04, 0x00,
	0x00, 0x00, 0x03, 0xe8, 0x00, 0x00, 0x00, 0x02,
	0x02, 0x00, 0x00, 0x64, 0x00, 0x00, 0x11, 0x11,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x00,
	0x00, 0x40, 0x00, 0x1c, 0x00, 0x00, 0x22, 0x22,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x20, 0x00,
};

static const char text_umr_interleaved_translation[] =
	"  translation:\n"
	"    repeat_block:\n"
	"      byte_count: 128\n" "      op: 0x00000400 (repeat)\n" "      repeat_count: 1000\n"
	"      num_ent: 2\n" "      entry[0]:\n"
	"        stride: 512\n" "        byte_count: 100\n" "        mkey: 0x00001111\n"
	"        addr: 0x00007f0000001000\n"
	"      entry[1]:\n"
	"        stride: 64\n" "        byte_count: 28\n" "        mkey: 0x00002222\n"
	"        addr: 0x00007f0000002000\n"
	"    klm[0]: zero\n";

/* Non-inline list behind a pointer, part of a longer one: 144 bytes. */
static const uint8_t wqe_umr_pointer[144] = {
	0x00, 0x00, 0x00, 0x25, 0x00, 0x00, 0x07, 0x09,
	0x00, 0x00, 0x00, 0x08, 0x00, 0x01, 0x02, 0x00,
	0x10, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x08,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x01,
	[128] = 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x33, 0x33,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x08, 0x00,
};

/* RDMA write with immediate, two pieces, 4 DS. */
static const uint8_t wqe_write[64] = {
	0x00, 0x00, 0x05, 0x09, 0x00, 0x00, 0x07, 0x04,
	0x00, 0x00, 0x00, 0x4a, 0x11, 0x22, 0x33, 0x44,
	0x00, 0x00, 0x7e, 0x00, 0x00, 0x00, 0x00, 0x10,
	0x00, 0x00, 0xaa, 0xaa, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0xbb, 0xbb,
	0x00, 0x00, 0x7d, 0x00, 0x00, 0x00, 0x00, 0x20,
	0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0xcc, 0xcc,
	0x00, 0x00, 0x7d, 0x00, 0x00, 0x00, 0x00, 0x30,
};

static const char text_write[] =
	"wqe:\n"
	"  ctrl:\n"
	"    opcode: 0x09 (RDMA_WRITE_IMM)\n" "    opmod: 0x00\n" "    wqe_index: 5\n"
	"    qpn: 0x000007\n" "    ds: 4 (64 bytes, 1 WQEBB)\n" "    signature: 0x00\n"
	"    dci_stream: 0\n" "    fence: 0x40 (fence)\n" "    completion: 0x08 (always)\n"
	"    solicited: 1\n" "    imm: 0x11223344 (immediate data)\n"
	"  raddr:\n"
	"    raddr: 0x00007e0000000010\n" "    rkey: 0x0000aaaa\n"
	"  data[0]:\n"
	"    byte_count: 1\n" "    lkey: 0x0000bbbb\n" "    addr: 0x00007d0000000020\n"
	"  data[1]:\n"
	"    byte_count: 2\n" "    lkey: 0x0000cccc\n" "    addr: 0x00007d0000000030\n";

/* Send of 5 inline bytes. */
static const uint8_t wqe_send_inline[32] = {
	0x00, 0x00, 0x01, 0x0a, 0x00, 0x00, 0x07, 0x02,
	0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00,
	0x80, 0x00, 0x00, 0x05, 'h', 'e', 'l', 'l', 'o',
};

/* Compare and swap. */
static const uint8_t wqe_cas[64] = {
	0x00, 0x00, 0x01, 0x11, 0x00, 0x00, 0x07, 0x04,
	0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00,
	0x00, 0x00, 0xaa, 0xaa, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x06,
	0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0xbb, 0xbb,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00,
};

static const uint8_t wqe_nop[16] = {
	0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x07, 0x01,
};

static const uint8_t wqe_local_inval[16] = {
	0x00, 0x00, 0x01, 0x1b, 0x00, 0x00, 0x07, 0x01,
	0x00, 0x00, 0x00, 0x60, 0x00, 0x01, 0x02, 0x42,
};

static const uint8_t cqe_req[64] = {
	[44] = 0x00, 0x00, 0x10, 0x00,
	[48] = 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05,
	[56] = 0x25, 0x00, 0x01, 0x23, 0x00, 0x09, 0x00, 0x01,
};

static const char text_cqe_req[] =
	"cqe:\n"
	"  opcode: 0x0 (REQ)\n" "  format: 0 (no inline data)\n" "  solicited: 0\n" "  owner: 1\n"
	"  qpn: 0x000123\n" "  wqe_counter: 9\n" "  signature: 0x00\n" "  wqe_opcode: 0x25 (UMR)\n"
	"  srqn_uidx: 0x000000\n" "  imm: 0x00000000 (unused)\n" "  byte_cnt: 4096\n"
	"  timestamp: 0x0000000102030405\n";

static const uint8_t cqe_resp_imm[64] = {
	[22] = 0x00, 0x17, 0x13, 0x00, 0x04, 0x56,
	[32] = 0x00, 0x00, 0x00, 0x42, 0xde, 0xad, 0xbe, 0xef,
	[44] = 0x00, 0x00, 0x00, 0x40,
	[56] = 0x00, 0x00, 0x01, 0x23, 0x00, 0x09, 0x7f, 0x32,
};

static const char text_cqe_resp_imm[] =
	"cqe:\n"
	"  opcode: 0x3 (RESP_SEND_IMM)\n" "  format: 0 (no inline data)\n" "  solicited: 1\n"
	"  owner: 0\n" "  qpn: 0x000123\n" "  wqe_counter: 9\n" "  signature: 0x7f\n"
	"  slid: 0x0017\n" "  sl: 3\n" "  grh: 1\n" "  remote_qpn: 0x000456\n"
	"  srqn_uidx: 0x000042\n" "  imm: 0xdeadbeef (immediate data)\n" "  byte_cnt: 64\n"
	"  timestamp: 0x0000000000000000\n";

static const uint8_t cqe_error[64] = {
	[54] = 0x88, 0x13, 0x08, 0x00, 0x01, 0x23, 0xff, 0xfe, 0x00, 0xd1,
};

static const char text_cqe_error[] =
	"cqe:\n"
	"  opcode: 0xd (REQ_ERR)\n" "  format: 0 (no inline data)\n" "  solicited: 0\n"
	"  owner: 1\n" "  qpn: 0x000123\n" "  wqe_counter: 65534\n" "  signature: 0x00\n"
	"  syndrome: 0x13 (REMOTE_ACCESS_ERR)\n" "  vendor_err_synd: 0x88\n"
	"  wqe_opcode: 0x08 (RDMA_WRITE)\n" "  srqn: 0x000000\n";

static const uint8_t cqe_sigerr[64] = {
	[16] = 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	[32] = 0x20, 0x00, 0x01, 0x01, 0x00, 0xab, 0xcd, 0x42,
	[63] = 0xc0,
};

static const char text_cqe_sigerr[] =
	"cqe:\n"
	"  opcode: 0xc (SIG_ERR)\n" "  format: 0 (no inline data)\n" "  solicited: 0\n"
	"  owner: 0\n" "  expected_trans_sig: 0x11223344\n" "  actual_trans_sig: 0x55667788\n"
	"  expected_ref_tag: 0x00000000\n" "  actual_ref_tag: 0x00000000\n" "  syndrome: 0x2000\n"
	"  sig_type: 0x01 (transaction)\n" "  domain: 0x01 (memory)\n" "  mkey: 0x00abcd42\n"
	"  sig_err_offset: 0x0000000000000000\n";

/* An indirect key for UMR, as CREATE_MKEY has it. */
static const uint8_t mkc[64] = {
	0x40, 0x00, 0x86, 0x00, 0xff, 0xff, 0xff, 0x07,
	[12] = 0x81, 0x00, 0x00, 0x2a,
	[52] = 0x00, 0x00, 0x00, 0x34, 0x00, 0x00, 0x00, 0x00,
};

static const char text_mkc[] =
	"mkc:\n"
	"  free: 1\n" "  access_mode: 2 (KLMS)\n" "  umr_en: 1\n" "  access: 0x0400 (LR)\n"
	"  relaxed_ordering_write: 0\n" "  relaxed_ordering_read: 0\n" "  qpn: 0xffffff (any)\n"
	"  mkey_7_0: 0x07\n" "  length64: 1\n" "  bsf_en: 0\n" "  sync_umr: 0\n"
	"  expected_sigerr_count: 0\n" "  en_rinval: 1\n" "  pd: 0x00002a\n"
	"  start_addr: 0x0000000000000000\n" "  len: 0\n" "  bsf_octwords: 0\n"
	"  translations_octwords: 52\n" "  log_page_size: 0\n" "  crypto_en: 0\n";

static const uint8_t wqe_longest[17 * 64] = { 0, 0, 1, 0, 0, 0, 0x42, 0xff };
static const uint8_t wqe_unknown[32] = {
	0x00, 0x00, 0x01, 0x77, 0x00, 0x00, 0x07, 0x02, [16] = 0xaa,
};
static const uint8_t wqe_no_ds[16] = { 0x00, 0x00, 0x01, 0x0a, 0x00, 0x00, 0x07, 0x00 };

static const struct text_row texts[] = {
	{ "list", WQE, BYTES(wqe_umr_list), .all = text_umr_list },
	{ "interleaved", WQE, BYTES(wqe_umr_interleaved),
	  .part = text_umr_interleaved_translation },
	{ "flags of interleaved", WQE, BYTES(wqe_umr_interleaved),
	  .part = "    flags: 0xa0 (INLINE|CHECK_FREE)\n" },
	{ "48-bit offset", WQE, BYTES(wqe_umr_pointer), .part = "    translation_offset: 65544\n" },
	{ "pointer", WQE, BYTES(wqe_umr_pointer),
	  .part = "  translation_pointer:\n"
		  "    byte_count: 4096\n" "    lkey: 0x00003333\n"
		  "    addr: 0x00007f0000000800\n" },
	{ "write with immediate", WQE, BYTES(wqe_write), .all = text_write },
	{ "inline data without padding", WQE, BYTES(wqe_send_inline),
	  .part = "    imm: 0x00000000 (unused)\n"
		  "  inline_data:\n" "    byte_count: 5\n" "    0x0000: 68 65 6c 6c 6f\n" },
	{ "atomic operands", WQE, BYTES(wqe_cas),
	  .part = "  atomic:\n" "    swap: 0x0000000000000005\n" "    compare: 0x0000000000000006\n"
		  "  data[0]:\n" "    byte_count: 8\n" },
	{ "no segments", WQE, BYTES(wqe_nop), .part = "    opcode: 0x00 (NOP)\n" },
	{ "invalidation", WQE, BYTES(wqe_local_inval),
	  .part = "    fence: 0x60 (strong ordering)\n" "    completion: 0x00 (on error)\n"
		  "    solicited: 0\n" "    imm: 0x00010242 (mkey)\n" },
	{ "unknown opcode", WQE, BYTES(wqe_unknown), .part = "    opcode: 0x77 (unknown)\n" },
	{ "bytes of an unknown opcode", WQE, BYTES(wqe_unknown),
	  .part = "  extra:\n"
		  "    0x0000: aa 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n" },
	{ "requester CQE", CQE, BYTES(cqe_req), .all = text_cqe_req },
	{ "responder CQE", CQE, BYTES(cqe_resp_imm), .all = text_cqe_resp_imm },
	{ "error CQE", CQE, BYTES(cqe_error), .all = text_cqe_error },
	{ "signature error", CQE, BYTES(cqe_sigerr), .all = text_cqe_sigerr },
	{ "key context", MKC, BYTES(mkc), .all = text_mkc },
	{ "2 bytes of a CQE", CQE, cqe_req, 2,
	  .all = "cqe:\n" "  truncated: 2 of 64 bytes\n" "    0x0000: 00 00\n" },
	{ "150 bytes of a list", WQE, wqe_umr_list, 150,
	  .part = "    klm[1]:\n" "      truncated: 6 of 16 bytes\n"
		  "        0x0000: 00 00 20 39 00 00\n"
		  "    truncated: 2 of 4 entries\n" "  truncated: 150 of 192 bytes\n" },
};

/* WQEs that do not end with their bytes. */
static const struct text_row endless[] = {
	/* 63 octowords, and no more are the WQE's. */
	{ "longest", WQE, BYTES(wqe_longest), .part = "    ds: 63 (1008 bytes, 16 WQEBB)\n" },
	{ "no DS", WQE, BYTES(wqe_no_ds), .part = "  invalid: ds is 0\n" },
};

CASE(entries_are_decoded_field_by_field)
{
	for (size_t i = 0; i < NB_OF(texts); i++)
		text_check(&texts[i]);
	for (size_t i = 0; i < NB_OF(endless); i++)
		text_check(&endless[i]);
}

CASE(unknown_mask_bits_are_shown_as_number)
{
	uint8_t wqe[192];

	memcpy(wqe, wqe_umr_list, sizeof(wqe));
	wqe[24] = 0x80;
	text_check(&(struct text_row){ "mask", WQE, BYTES(wqe),
				       .part = "|FREE|0x8000000000000000)\n" });
}

CASE(bytes_behind_the_wqe_are_ignored)
{
	uint8_t bytes[64];

	memset(bytes, 0xee, sizeof(bytes));
	memcpy(bytes, wqe_send_inline, sizeof(wqe_send_inline));
	text_check(&(struct text_row){ "behind", WQE, BYTES(bytes),
				       .part = "    0x0000: 68 65 6c 6c 6f\n", .lacks = "ee" });
}

CASE(return_value_leads_to_the_next_wqe)
{
	static const struct {
		const char *name;
		const uint8_t *bytes;
		size_t len, ring_bytes;
	} rows[] = {
		{ "NOP", BYTES(wqe_nop), 64 },
		{ "pointer", BYTES(wqe_umr_pointer), 192 },
		{ "16 bytes", wqe_umr_list, 16, 192 },
		{ "15 bytes", wqe_umr_list, 15, 0 },
		{ "no DS", BYTES(wqe_no_ds), 0 },
		{ "longest", BYTES(wqe_longest), 16 * 64 },
	};
	size_t ring_bytes;

	for (size_t i = 0; i < NB_OF(rows); i++) {
		free(text_of(WQE, rows[i].bytes, rows[i].len, &ring_bytes));
		row_check(rows[i].name, ring_bytes, rows[i].ring_bytes);
	}
}

/* Up to the last one, which ends with the WQE. */
CASE(every_bsf_is_decoded)
{
	uint8_t wqe[256] = { 0 };
	unsigned int nb_bsf, nb;
	const char *at;
	char *text;

	for (nb_bsf = 1; nb_bsf <= 2; nb_bsf++) {
		memcpy(wqe, wqe_umr_list, 128);
		wqe[7] = (uint8_t)(8 + 4 * nb_bsf);	/* DS */
		wqe[21] = 0;				/* KLM octowords */
		wqe[23] = (uint8_t)(4 * nb_bsf);	/* those of BSFs */
		text = text_of(WQE, wqe, 128 + 64 * nb_bsf, NULL);
		for (nb = 0, at = text; (at = strstr(at, "bsf_signature:\n")) != NULL; at++)
			nb++;
		assert_int_equal(nb, nb_bsf);
		free(text);
	}
}

/* Its bits are in two places: 28 to 26, and 9 and 8 (Linux: mlx5_ifc_mkc_bits). */
CASE(mode_of_a_key_is_put_together)
{
	static const char *const modes[] = {
		"access_mode: 0 (PA)\n", "access_mode: 1 (MTT)\n", "access_mode: 2 (KLMS)\n",
		"access_mode: 3 (KSM)\n", "access_mode: 4 (SW_ICM)\n", "access_mode: 5 (MEMIC)\n",
	};
	uint8_t bytes[sizeof(mkc)];

	memcpy(bytes, mkc, sizeof(bytes));
	for (unsigned int i = 0; i < NB_OF(modes); i++) {
		bytes[0] = (uint8_t)(0x40 | i >> 2 << 2);
		bytes[2] = (uint8_t)(0x84 | (i & 3));
		text_check(&(struct text_row){ modes[i], MKC, BYTES(bytes), .part = modes[i] });
	}
}

CASE_WITH(no_length_reads_over_the_end, edge_setup, edge_teardown)
{
	edge_check(texts, NB_OF(texts), true);
}

CASE_WITH(random_bytes_read_nothing_over_the_end, edge_setup, edge_teardown)
{
	static const uint8_t opcodes[] = {
		0x00, 0x01, 0x08, 0x09, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x14, 0x15, 0x1b, 0x20, 0x25,
	};
	uint8_t bytes[1024];
	unsigned int seed = test_seed();

	for (unsigned int n = 0; n < NB_RANDOM; n++) {
		size_t len = (size_t)rand_r(&seed) % (sizeof(bytes) + 1);

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)(rand_r(&seed) >> 8);
		bytes[3] = opcodes[n % sizeof(opcodes)];
		/* Half of the UMRs carry a repeat block. */
		if (n % 2 == 0)
			memcpy(bytes + 132, (uint8_t[]){ 0x00, 0x00, 0x04, 0x00 }, 4);
		free(text_of(n % 4 == 0 ? CQE : WQE, edge_put(bytes, len), len, NULL));
	}
}
