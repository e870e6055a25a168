/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The bytes below are typed from the documented layouts, not made by code of this project. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "budget.h"
#include "dump/dump.h"

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
	"    opcode: 0x25 (UMR)\n"
	"    opmod: 0x00\n"
	"    wqe_index: 258\n"
	"    qpn: 0x000123\n"
	"    ds: 12 (192 bytes, 3 WQEBB)\n"
	"    signature: 0x00\n"
	"    dci_stream: 0\n"
	"    fence: 0x20 (initiator small)\n"
	"    completion: 0x08 (always)\n"
	"    solicited: 0\n"
	"    imm: 0x00010242 (mkey)\n"
	"  umr_ctrl:\n"
	"    flags: 0x80 (INLINE)\n"
	"    klm_octowords: 4\n"
	"    bsf_octowords: 0\n"
	"    mkey_mask: 0x00000000201c2001 (LEN|MKEY|LW|RR|RW|FREE)\n"
	"  mkc:\n"
	"    free: 0\n"
	"    access_mode: 0 (PA)\n"
	"    umr_en: 0\n"
	"    access: 0x3c00 (RW|RR|LW|LR)\n"
	"    relaxed_ordering_write: 0\n"
	"    relaxed_ordering_read: 0\n"
	"    qpn: 0xffffff (any)\n"
	"    mkey_7_0: 0x42\n"
	"    length64: 0\n"
	"    bsf_en: 0\n"
	"    sync_umr: 0\n"
	"    expected_sigerr_count: 0\n"
	"    en_rinval: 0\n"
	"    pd: 0x000000\n"
	"    start_addr: 0x0000000000000000\n"
	"    len: 12345\n"
	"    bsf_octwords: 0\n"
	"    translations_octwords: 0\n"
	"    log_page_size: 0\n"
	"    crypto_en: 0\n"
	"  translation:\n"
	"    klm[0]:\n"
	"      byte_count: 4096\n"
	"      mkey: 0x00001111\n"
	"      addr: 0x00007f0000001001\n"
	"    klm[1]:\n"
	"      byte_count: 8249\n"
	"      mkey: 0x00002222\n"
	"      addr: 0x00007f0000010000\n"
	"    klm[2]: zero\n"
	"    klm[3]: zero\n";

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
	"      byte_count: 128\n"
	"      op: 0x00000400 (repeat)\n"
	"      repeat_count: 1000\n"
	"      num_ent: 2\n"
	"      entry[0]:\n"
	"        stride: 512\n"
	"        byte_count: 100\n"
	"        mkey: 0x00001111\n"
	"        addr: 0x00007f0000001000\n"
	"      entry[1]:\n"
	"        stride: 64\n"
	"        byte_count: 28\n"
	"        mkey: 0x00002222\n"
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
	"    opcode: 0x09 (RDMA_WRITE_IMM)\n"
	"    opmod: 0x00\n"
	"    wqe_index: 5\n"
	"    qpn: 0x000007\n"
	"    ds: 4 (64 bytes, 1 WQEBB)\n"
	"    signature: 0x00\n"
	"    dci_stream: 0\n"
	"    fence: 0x40 (fence)\n"
	"    completion: 0x08 (always)\n"
	"    solicited: 1\n"
	"    imm: 0x11223344 (immediate data)\n"
	"  raddr:\n"
	"    raddr: 0x00007e0000000010\n"
	"    rkey: 0x0000aaaa\n"
	"  data[0]:\n"
	"    byte_count: 1\n"
	"    lkey: 0x0000bbbb\n"
	"    addr: 0x00007d0000000020\n"
	"  data[1]:\n"
	"    byte_count: 2\n"
	"    lkey: 0x0000cccc\n"
	"    addr: 0x00007d0000000030\n";

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
	"  opcode: 0x0 (REQ)\n"
	"  format: 0 (no inline data)\n"
	"  solicited: 0\n"
	"  owner: 1\n"
	"  qpn: 0x000123\n"
	"  wqe_counter: 9\n"
	"  signature: 0x00\n"
	"  wqe_opcode: 0x25 (UMR)\n"
	"  srqn_uidx: 0x000000\n"
	"  imm: 0x00000000 (unused)\n"
	"  byte_cnt: 4096\n"
	"  timestamp: 0x0000000102030405\n";

static const uint8_t cqe_resp_imm[64] = {
	[22] = 0x00, 0x17, 0x13, 0x00, 0x04, 0x56,
	[32] = 0x00, 0x00, 0x00, 0x42, 0xde, 0xad, 0xbe, 0xef,
	[44] = 0x00, 0x00, 0x00, 0x40,
	[56] = 0x00, 0x00, 0x01, 0x23, 0x00, 0x09, 0x7f, 0x32,
};

static const char text_cqe_resp_imm[] =
	"cqe:\n"
	"  opcode: 0x3 (RESP_SEND_IMM)\n"
	"  format: 0 (no inline data)\n"
	"  solicited: 1\n"
	"  owner: 0\n"
	"  qpn: 0x000123\n"
	"  wqe_counter: 9\n"
	"  signature: 0x7f\n"
	"  slid: 0x0017\n"
	"  sl: 3\n"
	"  grh: 1\n"
	"  remote_qpn: 0x000456\n"
	"  srqn_uidx: 0x000042\n"
	"  imm: 0xdeadbeef (immediate data)\n"
	"  byte_cnt: 64\n"
	"  timestamp: 0x0000000000000000\n";

static const uint8_t cqe_error[64] = {
	[54] = 0x88, 0x13, 0x08, 0x00, 0x01, 0x23, 0xff, 0xfe, 0x00, 0xd1,
};

static const char text_cqe_error[] =
	"cqe:\n"
	"  opcode: 0xd (REQ_ERR)\n"
	"  format: 0 (no inline data)\n"
	"  solicited: 0\n"
	"  owner: 1\n"
	"  qpn: 0x000123\n"
	"  wqe_counter: 65534\n"
	"  signature: 0x00\n"
	"  syndrome: 0x13 (REMOTE_ACCESS_ERR)\n"
	"  vendor_err_synd: 0x88\n"
	"  wqe_opcode: 0x08 (RDMA_WRITE)\n"
	"  srqn: 0x000000\n";

static const uint8_t cqe_sigerr[64] = {
	[16] = 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	[32] = 0x20, 0x00, 0x01, 0x01, 0x00, 0xab, 0xcd, 0x42,
	[63] = 0xc0,
};

static const char text_cqe_sigerr[] =
	"cqe:\n"
	"  opcode: 0xc (SIG_ERR)\n"
	"  format: 0 (no inline data)\n"
	"  solicited: 0\n"
	"  owner: 0\n"
	"  expected_trans_sig: 0x11223344\n"
	"  actual_trans_sig: 0x55667788\n"
	"  expected_ref_tag: 0x00000000\n"
	"  actual_ref_tag: 0x00000000\n"
	"  syndrome: 0x2000\n"
	"  sig_type: 0x01 (transaction)\n"
	"  domain: 0x01 (memory)\n"
	"  mkey: 0x00abcd42\n"
	"  sig_err_offset: 0x0000000000000000\n";

/* An indirect key for UMR, as CREATE_MKEY has it. */
static const uint8_t mkc[64] = {
	0x40, 0x00, 0x86, 0x00, 0xff, 0xff, 0xff, 0x07,
	[12] = 0x81, 0x00, 0x00, 0x2a,
	[52] = 0x00, 0x00, 0x00, 0x34, 0x00, 0x00, 0x00, 0x00,
};

static const char text_mkc[] =
	"mkc:\n"
	"  free: 1\n"
	"  access_mode: 2 (KLMS)\n"
	"  umr_en: 1\n"
	"  access: 0x0400 (LR)\n"
	"  relaxed_ordering_write: 0\n"
	"  relaxed_ordering_read: 0\n"
	"  qpn: 0xffffff (any)\n"
	"  mkey_7_0: 0x07\n"
	"  length64: 1\n"
	"  bsf_en: 0\n"
	"  sync_umr: 0\n"
	"  expected_sigerr_count: 0\n"
	"  en_rinval: 1\n"
	"  pd: 0x00002a\n"
	"  start_addr: 0x0000000000000000\n"
	"  len: 0\n"
	"  bsf_octwords: 0\n"
	"  translations_octwords: 52\n"
	"  log_page_size: 0\n"
	"  crypto_en: 0\n";

enum kind { KIND_WQE, KIND_CQE, KIND_MKC };

/* Text of an entry; freed by the caller. */
static char *
text_of(enum kind kind, const void *bytes, size_t len, size_t *ring_bytes)
{
	char *text = NULL;
	size_t text_len, ret = 0;
	FILE *f;

	f = open_memstream(&text, &text_len);
	assert_non_null(f);
	if (kind == KIND_WQE)
		ret = prm_wqe_dump(f, bytes, len);
	else if (kind == KIND_CQE)
		prm_cqe_dump(f, bytes, len);
	else
		prm_mkc_dump(f, bytes, len);
	assert_int_equal(fclose(f), 0);
	if (ring_bytes != NULL)
		*ring_bytes = ret;
	return text;
}

static void
assert_text(enum kind kind, const void *bytes, size_t len, const char *expected)
{
	char *text = text_of(kind, bytes, len, NULL);

	assert_string_equal(text, expected);
	free(text);
}

static void
assert_text_has(enum kind kind, const void *bytes, size_t len, const char *part)
{
	char *text = text_of(kind, bytes, len, NULL);

	if (strstr(text, part) == NULL) {
		print_error("not found:\n%sin:\n%s", part, text);
		fail();
	}
	free(text);
}

static void
umr_list_is_decoded_field_by_field(void **state)
{
	(void)state;
	assert_text(KIND_WQE, wqe_umr_list, sizeof(wqe_umr_list), text_umr_list);
}

static void
umr_interleaved_shows_repeat_block(void **state)
{
	(void)state;
	assert_text_has(KIND_WQE, wqe_umr_interleaved, sizeof(wqe_umr_interleaved),
			text_umr_interleaved_translation);
	assert_text_has(KIND_WQE, wqe_umr_interleaved, sizeof(wqe_umr_interleaved),
			"    flags: 0xa0 (INLINE|CHECK_FREE)\n");
}

static void
umr_pointer_and_48_bit_offset_are_shown(void **state)
{
	(void)state;
	assert_text_has(KIND_WQE, wqe_umr_pointer, sizeof(wqe_umr_pointer),
			"    translation_offset: 65544\n");
	assert_text_has(KIND_WQE, wqe_umr_pointer, sizeof(wqe_umr_pointer),
			"  translation_pointer:\n"
			"    byte_count: 4096\n"
			"    lkey: 0x00003333\n"
			"    addr: 0x00007f0000000800\n");
}

static void
write_with_immediate_is_decoded_field_by_field(void **state)
{
	(void)state;
	assert_text(KIND_WQE, wqe_write, sizeof(wqe_write), text_write);
}

/* The longest one: 63 octowords, and no more are the WQE's. */
static void
largest_size_is_shown(void **state)
{
	static uint8_t nop[17 * 64] = { 0, 0, 1, 0, 0, 0, 0x42, 0xff };
	size_t ring_bytes;
	char *text;

	(void)state;
	text = text_of(KIND_WQE, nop, sizeof(nop), &ring_bytes);
	assert_non_null(strstr(text, "    ds: 63 (1008 bytes, 16 WQEBB)\n"));
	assert_int_equal(ring_bytes, 16 * 64);
	free(text);
}

static void
inline_data_is_shown_without_its_padding(void **state)
{
	(void)state;
	assert_text_has(KIND_WQE, wqe_send_inline, sizeof(wqe_send_inline),
			"    imm: 0x00000000 (unused)\n"
			"  inline_data:\n"
			"    byte_count: 5\n"
			"    0x0000: 68 65 6c 6c 6f\n");
}

static void
atomic_operands_are_shown(void **state)
{
	(void)state;
	assert_text_has(KIND_WQE, wqe_cas, sizeof(wqe_cas),
			"  atomic:\n"
			"    swap: 0x0000000000000005\n"
			"    compare: 0x0000000000000006\n"
			"  data[0]:\n"
			"    byte_count: 8\n");
}

static void
wqe_without_segments_ends_after_ctrl(void **state)
{
	(void)state;
	assert_text_has(KIND_WQE, wqe_nop, sizeof(wqe_nop), "    opcode: 0x00 (NOP)\n");
	assert_text_has(KIND_WQE, wqe_local_inval, sizeof(wqe_local_inval),
			"    fence: 0x60 (strong ordering)\n"
			"    completion: 0x00 (on error)\n"
			"    solicited: 0\n"
			"    imm: 0x00010242 (mkey)\n");
}

static void
unknown_opcode_shows_its_bytes(void **state)
{
	uint8_t wqe[32] = { 0x00, 0x00, 0x01, 0x77, 0x00, 0x00, 0x07, 0x02, [16] = 0xaa };

	(void)state;
	assert_text_has(KIND_WQE, wqe, sizeof(wqe), "    opcode: 0x77 (unknown)\n");
	assert_text_has(KIND_WQE, wqe, sizeof(wqe),
			"  extra:\n"
			"    0x0000: aa 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n");
}

static void
unknown_mask_bits_are_shown_as_number(void **state)
{
	uint8_t wqe[192];

	(void)state;
	memcpy(wqe, wqe_umr_list, sizeof(wqe));
	wqe[24] = 0x80;
	assert_text_has(KIND_WQE, wqe, sizeof(wqe), "|FREE|0x8000000000000000)\n");
}

static void
bytes_behind_the_wqe_are_ignored(void **state)
{
	uint8_t bytes[64];
	char *text;

	(void)state;
	memset(bytes, 0xee, sizeof(bytes));
	memcpy(bytes, wqe_send_inline, sizeof(wqe_send_inline));
	assert_text_has(KIND_WQE, bytes, sizeof(bytes), "    0x0000: 68 65 6c 6c 6f\n");
	text = text_of(KIND_WQE, bytes, sizeof(bytes), NULL);
	assert_null(strstr(text, "ee"));
	free(text);
}

static void
return_value_leads_to_the_next_wqe(void **state)
{
	static const uint8_t no_ds[16] = { 0x00, 0x00, 0x01, 0x0a, 0x00, 0x00, 0x07, 0x00 };
	size_t ring_bytes;

	(void)state;
	free(text_of(KIND_WQE, wqe_nop, sizeof(wqe_nop), &ring_bytes));
	assert_int_equal(ring_bytes, 64);
	free(text_of(KIND_WQE, wqe_umr_pointer, sizeof(wqe_umr_pointer), &ring_bytes));
	assert_int_equal(ring_bytes, 192);
	free(text_of(KIND_WQE, wqe_umr_list, 16, &ring_bytes));
	assert_int_equal(ring_bytes, 192);
	free(text_of(KIND_WQE, wqe_umr_list, 15, &ring_bytes));
	assert_int_equal(ring_bytes, 0);
	free(text_of(KIND_WQE, no_ds, sizeof(no_ds), &ring_bytes));
	assert_int_equal(ring_bytes, 0);
	assert_text_has(KIND_WQE, no_ds, sizeof(no_ds), "  invalid: ds is 0\n");
}

static void
cqes_are_decoded_field_by_field(void **state)
{
	(void)state;
	assert_text(KIND_CQE, cqe_req, sizeof(cqe_req), text_cqe_req);
	assert_text(KIND_CQE, cqe_resp_imm, sizeof(cqe_resp_imm), text_cqe_resp_imm);
	assert_text(KIND_CQE, cqe_error, sizeof(cqe_error), text_cqe_error);
	assert_text(KIND_CQE, cqe_sigerr, sizeof(cqe_sigerr), text_cqe_sigerr);
}

static void
mkc_is_decoded_field_by_field(void **state)
{
	(void)state;
	assert_text(KIND_MKC, mkc, sizeof(mkc), text_mkc);
}

/* Up to the last one, which ends with the WQE. */
static void
every_bsf_is_decoded(void **state)
{
	uint8_t wqe[256] = { 0 };
	const char *at;
	unsigned int nb_bsf, nb;
	char *text;

	(void)state;
	for (nb_bsf = 1; nb_bsf <= 2; nb_bsf++) {
		memcpy(wqe, wqe_umr_list, 128);
		wqe[7] = (uint8_t)(8 + 4 * nb_bsf);	/* DS */
		wqe[21] = 0;				/* KLM octowords */
		wqe[23] = (uint8_t)(4 * nb_bsf);	/* those of BSFs */
		text = text_of(KIND_WQE, wqe, 128 + 64 * nb_bsf, NULL);
		for (nb = 0, at = text; (at = strstr(at, "bsf_signature:\n")) != NULL; at++)
			nb++;
		assert_int_equal(nb, nb_bsf);
		free(text);
	}
}

/* Its bits are in two places: 28 to 26, and 9 and 8 (Linux: mlx5_ifc_mkc_bits). */
static void
mode_of_a_key_is_put_together(void **state)
{
	static const char *const modes[] = {
		"0 (PA)", "1 (MTT)", "2 (KLMS)", "3 (KSM)", "4 (SW_ICM)", "5 (MEMIC)",
	};
	char expected[32], *text;
	uint8_t bytes[sizeof(mkc)];
	unsigned int i;

	(void)state;
	memcpy(bytes, mkc, sizeof(bytes));
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		bytes[0] = (uint8_t)(0x40 | i >> 2 << 2);
		bytes[2] = (uint8_t)(0x84 | (i & 3));
		text = text_of(KIND_MKC, bytes, sizeof(bytes), NULL);
		snprintf(expected, sizeof(expected), "access_mode: %s\n", modes[i]);
		assert_non_null(strstr(text, expected));
		free(text);
	}
}

static void
truncation_is_said(void **state)
{
	(void)state;
	assert_text(KIND_CQE, cqe_req, 2,
		    "cqe:\n"
		    "  truncated: 2 of 64 bytes\n"
		    "    0x0000: 00 00\n");
	assert_text_has(KIND_WQE, wqe_umr_list, 150,
			"    klm[1]:\n"
			"      truncated: 6 of 16 bytes\n"
			"        0x0000: 00 00 20 39 00 00\n"
			"    truncated: 2 of 4 entries\n"
			"  truncated: 150 of 192 bytes\n");
}

/* Bytes whose end is the end of a page that has no neighbor: reading on is a SIGSEGV. */
struct edge {
	uint8_t *page;
	size_t page_size;
};

static int
edge_setup(void **state)
{
	static struct edge edge;

	edge.page_size = (size_t)sysconf(_SC_PAGESIZE);
	edge.page = mmap(NULL, 2 * edge.page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (edge.page == MAP_FAILED)
		return -1;
	*state = &edge;
	return mprotect(edge.page + edge.page_size, edge.page_size, PROT_NONE);
}

static int
edge_teardown(void **state)
{
	struct edge *edge = *state;

	return munmap(edge->page, 2 * edge->page_size);
}

static void *
edge_put(const struct edge *edge, const void *bytes, size_t len)
{
	return memcpy(edge->page + edge->page_size - len, bytes, len);
}

static void
no_length_reads_over_the_end(void **state)
{
	static const struct {
		enum kind kind;
		const uint8_t *bytes;
		size_t len;
	} samples[] = {
		{ KIND_WQE, wqe_umr_list, sizeof(wqe_umr_list) },
		{ KIND_WQE, wqe_umr_interleaved, sizeof(wqe_umr_interleaved) },
		{ KIND_WQE, wqe_umr_pointer, sizeof(wqe_umr_pointer) },
		{ KIND_WQE, wqe_write, sizeof(wqe_write) },
		{ KIND_WQE, wqe_send_inline, sizeof(wqe_send_inline) },
		{ KIND_WQE, wqe_cas, sizeof(wqe_cas) },
		{ KIND_WQE, wqe_local_inval, sizeof(wqe_local_inval) },
		{ KIND_CQE, cqe_req, sizeof(cqe_req) },
		{ KIND_CQE, cqe_error, sizeof(cqe_error) },
		{ KIND_MKC, mkc, sizeof(mkc) },
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		for (size_t len = 0; len < samples[i].len; len++) {
			void *bytes = edge_put(*state, samples[i].bytes, len);
			char *text = text_of(samples[i].kind, bytes, len, NULL);

			assert_non_null(strstr(text, "truncated: "));
			free(text);
		}
}

static void
random_bytes_read_nothing_over_the_end(void **state)
{
	static const uint8_t opcodes[] = {
		0x00, 0x01, 0x08, 0x09, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x14, 0x15, 0x1b, 0x20, 0x25,
	};
	uint8_t bytes[1024];
	unsigned int seed = test_seed();

	for (unsigned int n = 0; n < NB_RANDOM; n++) {
		size_t len = (size_t)rand_r(&seed) % (sizeof(bytes) + 1);
		enum kind kind = n % 4 == 0 ? KIND_CQE : KIND_WQE;

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)(rand_r(&seed) >> 8);
		bytes[3] = opcodes[n % sizeof(opcodes)];
		/* Half of the UMRs carry a repeat block. */
		if (n % 2 == 0)
			memcpy(bytes + 132, (uint8_t[]){ 0x00, 0x00, 0x04, 0x00 }, 4);
		free(text_of(kind, edge_put(*state, bytes, len), len, NULL));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(umr_list_is_decoded_field_by_field),
		cmocka_unit_test(umr_interleaved_shows_repeat_block),
		cmocka_unit_test(umr_pointer_and_48_bit_offset_are_shown),
		cmocka_unit_test(write_with_immediate_is_decoded_field_by_field),
		cmocka_unit_test(largest_size_is_shown),
		cmocka_unit_test(inline_data_is_shown_without_its_padding),
		cmocka_unit_test(atomic_operands_are_shown),
		cmocka_unit_test(wqe_without_segments_ends_after_ctrl),
		cmocka_unit_test(unknown_opcode_shows_its_bytes),
		cmocka_unit_test(unknown_mask_bits_are_shown_as_number),
		cmocka_unit_test(bytes_behind_the_wqe_are_ignored),
		cmocka_unit_test(return_value_leads_to_the_next_wqe),
		cmocka_unit_test(cqes_are_decoded_field_by_field),
		cmocka_unit_test(mkc_is_decoded_field_by_field),
		cmocka_unit_test(mode_of_a_key_is_put_together),
		cmocka_unit_test(every_bsf_is_decoded),
		cmocka_unit_test(truncation_is_said),
		cmocka_unit_test_setup_teardown(no_length_reads_over_the_end, edge_setup,
						edge_teardown),
		cmocka_unit_test_setup_teardown(random_bytes_read_nothing_over_the_end,
						edge_setup, edge_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
