/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * DPDK's crypto driver encrypts or decrypts one block of data many times over.
 *
 * Usage: interop-cryptodev EAL-OPTION... -- encrypt|decrypt KEY IV INPUT EXPECTED
 *
 * AES-XTS; all in hex. The last line says "DONE WRONG": how many operations succeeded, and after
 * how many of these the data was not EXPECTED. Exit status 0, or 1 after a message.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cryptodev.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "../../patience.h"

#define NB_OPS 64u
#define BURST 8u
#define NB_DESC 64u
#define MAX_BYTES 4096u
#define IV_BYTES 16u
#define IV_OFFSET (sizeof(struct rte_crypto_op) + sizeof(struct rte_crypto_sym_op))

struct text {
	uint8_t bytes[MAX_BYTES];
	uint32_t len;
};

static struct text key, iv, input, expected;
static struct rte_mempool *op_pool, *mbuf_pool;
static void *session;

static void
die(const char *what, int error)
{
	fprintf(stderr, "%s: %s\n", what, rte_strerror(abs(error)));
	exit(EXIT_FAILURE);
}

static void
hex_parse(const char *hex, struct text *text)
{
	unsigned int byte;
	int nb;

	for (text->len = 0; *hex != '\0' && text->len < MAX_BYTES; hex += 2) {
		if (sscanf(hex, "%2x%n", &byte, &nb) != 1 || nb != 2)
			die(hex, EINVAL);
		text->bytes[text->len++] = byte;
	}
	if (*hex != '\0')
		die("too many bytes", E2BIG);
}

/* Queue pair 0 and a session of the first device. */
static void
device_start(bool encrypt)
{
	struct rte_crypto_sym_xform xform = {
		.type = RTE_CRYPTO_SYM_XFORM_CIPHER,
		.cipher = {
			.op = encrypt ? RTE_CRYPTO_CIPHER_OP_ENCRYPT : RTE_CRYPTO_CIPHER_OP_DECRYPT,
			.algo = RTE_CRYPTO_CIPHER_AES_XTS,
			.key = { .data = key.bytes, .length = key.len },
			.iv = { .offset = IV_OFFSET, .length = IV_BYTES },
			.dataunit_len = input.len,
		},
	};
	struct rte_cryptodev_config config = { .socket_id = SOCKET_ID_ANY, .nb_queue_pairs = 1 };
	struct rte_cryptodev_qp_conf qp = { .nb_descriptors = NB_DESC };
	int ret;

	op_pool = rte_crypto_op_pool_create("ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, NB_DESC, 0,
					    IV_BYTES, SOCKET_ID_ANY);
	mbuf_pool = rte_pktmbuf_pool_create("mbufs", NB_DESC, 0, 0,
					    RTE_PKTMBUF_HEADROOM + MAX_BYTES, SOCKET_ID_ANY);
	qp.mp_session = rte_cryptodev_sym_session_pool_create(
		"sessions", 8, rte_cryptodev_sym_get_private_session_size(0), 0, 0, SOCKET_ID_ANY);
	if (op_pool == NULL || mbuf_pool == NULL || qp.mp_session == NULL)
		die("pools", rte_errno);
	ret = rte_cryptodev_configure(0, &config);
	if (ret == 0)
		ret = rte_cryptodev_queue_pair_setup(0, 0, &qp, SOCKET_ID_ANY);
	if (ret == 0)
		ret = rte_cryptodev_start(0);
	if (ret != 0)
		die("device", ret);
	session = rte_cryptodev_sym_session_create(0, &xform, qp.mp_session);
	if (session == NULL)
		die("session", rte_errno);
}

static struct rte_crypto_op *
op_make(void)
{
	struct rte_crypto_op *op = rte_crypto_op_alloc(op_pool, RTE_CRYPTO_OP_TYPE_SYMMETRIC);
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(mbuf_pool);

	if (op == NULL || mbuf == NULL)
		die("operation", ENOMEM);
	memcpy(rte_pktmbuf_append(mbuf, input.len), input.bytes, input.len);
	memcpy(rte_crypto_op_ctod_offset(op, uint8_t *, IV_OFFSET), iv.bytes, IV_BYTES);
	rte_crypto_op_attach_sym_session(op, session);
	op->sym->m_src = mbuf;
	op->sym->cipher.data.offset = 0;
	op->sym->cipher.data.length = input.len;
	return op;
}

/* Count an operation in: did it succeed, and is the data what it should be? */
static void
op_judge(struct rte_crypto_op *op, unsigned int *nb_done, unsigned int *nb_wrong)
{
	if (op->status == RTE_CRYPTO_OP_STATUS_SUCCESS) {
		(*nb_done)++;
		if (memcmp(rte_pktmbuf_mtod(op->sym->m_src, void *), expected.bytes,
			   expected.len) != 0)
			(*nb_wrong)++;
	}
	rte_pktmbuf_free(op->sym->m_src);
	rte_crypto_op_free(op);
}

static void
burst(unsigned int *nb_done, unsigned int *nb_wrong)
{
	uint64_t end = patience_end();
	struct rte_crypto_op *ops[BURST];
	unsigned int i, nb, nb_back;

	for (i = 0; i < BURST; i++)
		ops[i] = op_make();
	if (rte_cryptodev_enqueue_burst(0, 0, ops, BURST) != BURST)
		die("enqueue", ENOSPC);
	for (nb_back = 0; nb_back < BURST; nb_back += nb) {
		nb = rte_cryptodev_dequeue_burst(0, 0, ops, BURST);
		for (i = 0; i < nb; i++)
			op_judge(ops[i], nb_done, nb_wrong);
		if (nb == 0 && patience_is_over(end))
			die("dequeue", ETIMEDOUT);
	}
}

int
main(int argc, char **argv)
{
	unsigned int i, nb_done = 0, nb_wrong = 0;
	int nb_eal = rte_eal_init(argc, argv);

	if (nb_eal < 0)
		die("rte_eal_init", rte_errno);
	argc -= nb_eal;
	argv += nb_eal;
	if (argc != 6)
		die("arguments", EINVAL);
	hex_parse(argv[2], &key);
	hex_parse(argv[3], &iv);
	hex_parse(argv[4], &input);
	hex_parse(argv[5], &expected);
	if (iv.len != IV_BYTES || input.len == 0 || input.len != expected.len)
		die("lengths", EINVAL);
	if (rte_cryptodev_count() == 0)
		die("crypto device", ENODEV);
	device_start(strcmp(argv[1], "encrypt") == 0);
	for (i = 0; i < NB_OPS; i += BURST)
		burst(&nb_done, &nb_wrong);
	rte_cryptodev_sym_session_free(0, session);
	rte_cryptodev_stop(0);
	rte_cryptodev_close(0);
	rte_eal_cleanup();
	printf("%u %u\n", nb_done, nb_wrong);
	return EXIT_SUCCESS;
}
