/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Segments of unconnected queues, byte stream formats and MMO as text. The bytes are typed from
 * rdma-core's structs (mlx5dv.h, providers/mlx5/wqe.h), not made by code of this project.
 */

#include "text.h"

/* SEND to QP 0xABC at LID 7, compact vector, 32 bytes of key 0x1100. */
static const uint8_t wqe_compact[64] = {
	0x00, 0x00, 0x00, 0x0a, 0x00, 0x00, 0x48, 0x03,
	[11] = 0x08,
	/* Q_Key, reserved, DQPN, rate 2 SL 3, fl 1 path bits 5, LID */
	[16] = 0x11, 0x11, 0x11, 0x11, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x0a, 0xbc, 0x23, 0x85, 0x00, 0x07,
	[32] = 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x11, 0x00,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x00,
};

static const char text_compact[] =
	"  av:\n"
	"    qkey: 0x11111111\n" "    dqpn: 0x000abc\n" "    extended: 0\n" "    stat_rate: 2\n"
	"    sl: 3\n" "    fl: 1\n" "    mlid: 0x05\n" "    rlid: 0x0007\n"
	"  data[0]:\n"
	"    byte_count: 32\n" "    lkey: 0x00001100\n" "    addr: 0x00007f0000001000\n";

/* WRITE over DC with an extended vector: 3 + 1 + 1 octowords behind the control segment. */
static const uint8_t wqe_dc[128] = {
	0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x49, 0x06,
	[9] = 0x00, 0x05,	/* stream 5 */
	[16] = 0x00, 0x00, 0x00, 0x00, 0xaa, 0xbb, 0xcc, 0xdd,
	0x80, 0x12, 0x34, 0x56, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x02, 0xc0, 0xff, 0x5a,
	0x00, 0x01, 0x10, 0x40, 0x40, 0x31, 0x23, 0x45,
	0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0xc0, 0xff, 0xfe, 0x5a, 0x00, 0x01, 0x02,
	[64] = 0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x20, 0x00,
	0x00, 0x00, 0x22, 0x01, 0x00, 0x00, 0x00, 0x00,
	[80] = 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x11, 0x00,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x00,
};

static const char text_dc[] =
	"  av:\n"
	"    dc_key: 0x00000000aabbccdd\n" "    dctn: 0x123456\n" "    extended: 1\n"
	"    stat_rate: 0\n" "    sl: 0\n" "    fl: 0\n" "    mlid: 0x00\n" "    rlid: 0x0000\n"
	"    rmac: 02:c0:ff:5a:00:01\n" "    tclass: 0x10\n" "    hop_limit: 64\n" "    grh: 1\n"
	"    gid_index: 3\n" "    flow_label: 0x12345\n"
	"    rgid: 0xfe8000000000000000c0fffe5a000102\n"
	"  raddr:\n"
	"    raddr: 0x00007f0000002000\n" "    rkey: 0x00002201\n"
	"  data[0]:\n"
	"    byte_count: 64\n" "    lkey: 0x00001100\n" "    addr: 0x00007f0000001000\n";

/* SEND over XRC to SRQ 0x55. */
static const uint8_t wqe_xrc[64] = {
	0x00, 0x00, 0x00, 0x0a, 0x00, 0x00, 0x48, 0x02,
	[16] = 0x00, 0x00, 0x00, 0x55,
};

/* MMO DMA of 256 bytes. */
static const uint8_t wqe_mmo[64] = {
	0x01, 0x00, 0x00, 0x2f, 0x00, 0x00, 0x48, 0x04,
	[16] = 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x33, 0x00,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x30, 0x00,
	[32] = 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x11, 0x00,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x00,
	[48] = 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x22, 0x00,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x20, 0x00,
};

static const char text_mmo[] =
	"  mmo_dma:\n"
	"    mmo_control: 0x00000000\n" "    lkey: 0x00003300\n" "    addr: 0x00007f0000003000\n"
	"  data[0]:\n"
	"    byte_count: 256\n" "    lkey: 0x00001100\n";

/* UMR without translation: T10-DIF on the wire, CRC32C in memory, and crypto. 20 DS. */
static const uint8_t wqe_bsf[320] = {
	0x00, 0x00, 0x00, 0x25, 0x00, 0x00, 0x48, 0x14,
	[16] = 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08,
	/* signature: both formats, check mask, wire 520, memory 512, CRC32C with seed */
	[128] = 0xc0, 0xff, 0x02, 0x01, 0xff, 0xff, 0xff, 0xff,
	0x00, 0x00, 0x00, 0x11, 0x41, 0x00, 0x00, 0x12,
	[160] = 0xc0, 0x00, 0x56, 0x78, 0x12, 0x34, 0x56, 0x78,
	0x01, 0x88, 0x00, 0x00, 0x00, 0x42, 0xff, 0xff,
	/* crypto: encrypted raw memory, 512-byte units, tweak, key 0x77, tag */
	[192] = 0xc1, 0x03, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff,
	0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	[223] = 0x2a, 0x00, 0x00, 0x00, 0x77,
	[232] = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
};

static const char text_bsf[] =
	"  bsf_signature:\n"
	"    size: 3 (signature and crypto)\n" "    same_block_structure: 0\n"
	"    check_byte_mask: 0xff\n" "    wire_block_size: 2 (520 bytes)\n"
	"    mem_block_size: 1 (512 bytes)\n" "    raw_data_size: 4294967295\n"
	"    wire: bfs 0x00 (none), psv 0x000011\n" "    mem: bfs 0x41 (CRC32C), psv 0x000012\n"
	"    init_gen_pro_size: 0x00000000 (none)\n" "    epi_size: 0x00000000\n"
	"    wire_transaction: tfs 0x00 (none), psv 0x000000\n"
	"    mem_transaction: tfs 0x00 (none), psv 0x000000\n" "    wire_inline:\n"
	"      vld_refresh: 0xc000 (VALID|REFRESH_DIF)\n" "      dif_apptag: 0x5678\n"
	"      dif_reftag: 0x12345678\n" "      sig_type: 0x01\n" "      rp_inv_seed: 0x88\n"
	"      dif_inc_ref_guard_check: 0x42\n" "      dif_app_bitmask_check: 0xffff\n";

static const char text_bsf_crypto[] =
	"  bsf_crypto:\n"
	"    size: 3 (signature and crypto)\n" "    enc_order: 3 (encrypted raw memory)\n"
	"    enc_standard: 0 (AES-XTS)\n" "    raw_data_size: 4294967295\n"
	"    block_size: 1 (512 bytes)\n"
	"    xts_initial_tweak: 0x0000000000000000000000000000002a\n" "    dek: 0x000077\n"
	"    keytag: 0x0102030405060708\n";

/* A transaction signature as SPDK posts it: a CRC32C over the wire, 32 bytes of a BSF. */
static const uint8_t wqe_bsf_trans[192] = {
	0x00, 0x00, 0x00, 0x25, 0x00, 0x00, 0x48, 0x0c,
	[16] = 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04,
	[128] = 0x40, 0xff, 0x00, 0x00, 0x00, 0x00, 0x10, 0x10,
	[144] = 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x40, 0x44, 0x55, 0x66,
};

static const char text_bsf_trans[] =
	"  bsf_signature:\n"
	"    size: 1 (extended)\n" "    same_block_structure: 0\n" "    check_byte_mask: 0xff\n"
	"    wire_block_size: 0 (none)\n" "    mem_block_size: 0 (none)\n"
	"    raw_data_size: 4112\n" "    wire: bfs 0x00 (none), psv 0x000000\n"
	"    mem: bfs 0x00 (none), psv 0x000000\n"
	"    init_gen_pro_size: 0x30000000 (W_INIT|W_CHECK_GEN)\n" "    epi_size: 0x00000000\n"
	"    wire_transaction: tfs 0x40 (CRC32C), psv 0x445566\n"
	"    mem_transaction: tfs 0x00 (none), psv 0x000000\n";

static const struct text_row texts[] = {
	{ "datagram has its address", WQE_DATAGRAM, BYTES(wqe_compact), .part = text_compact },
	{ "DC has its key and route", WQE_DC, BYTES(wqe_dc), .part = text_dc },
	{ "DC has its stream", WQE_DC, BYTES(wqe_dc), .part = "dci_stream: 5\n" },
	{ "XRC has its SRQ", WQE_XRC, BYTES(wqe_xrc), .part = "  xrc:\n    srqn: 0x000055\n" },
	{ "connected has no address", WQE_CONNECTED, BYTES(wqe_compact), .part = "data[1]:",
	  .lacks = "av:" },
	{ "MMO has its three places", WQE_CONNECTED, BYTES(wqe_mmo), .part = text_mmo },
	{ "MMO has its third place", WQE_CONNECTED, BYTES(wqe_mmo), .part = "  data[1]:\n" },
	{ "signature", WQE_CONNECTED, BYTES(wqe_bsf), .part = text_bsf },
	{ "crypto", WQE_CONNECTED, BYTES(wqe_bsf), .part = text_bsf_crypto },
	/* Nobody looks at what is behind the 32 bytes. */
	{ "transaction signature", WQE_CONNECTED, BYTES(wqe_bsf_trans), .part = text_bsf_trans,
	  .lacks = "inline:" },
};

static void
segments_are_decoded(void **state)
{
	for (size_t i = 0; i < NB_OF(texts); i++)
		text_check(&texts[i]);
}

static void
no_length_reads_over_the_end(void **state)
{
	edge_check(texts, NB_OF(texts), false);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_decoded),
		cmocka_unit_test_setup_teardown(no_length_reads_over_the_end, edge_setup,
						edge_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
