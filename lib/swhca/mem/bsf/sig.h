/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SIG_H
#define SWHCA_SIG_H

/**
 * @file
 * Transformation of transferred bytes by a key with a byte stream format (BSF).
 *
 * Addresses of such a key are those of the wire: an RDMA READ of n bytes returns n bytes, including
 * signatures of the wire domain. swhca_xform_plan() finds the corresponding bytes of memory. A flow
 * then converts the bytes of one side to those of the other:
 *
 *   transmit: memory -> [cipher] -> strip -> [cipher] -> insert -> [cipher] -> wire
 *   receive:  wire   -> [cipher] -> strip -> [cipher] -> insert -> [cipher] -> memory
 *
 * There is at most one cipher. Strip checks and removes the signature of the source domain; insert
 * generates or copies the signature of the other domain.
 */

#include "mem/bsf/bsf.h"
#include "mem/bsf/crypto.h"
#include "mem/mkey.h"

/** A signature error. */
struct swhca_sig_error {
	uint32_t key;
	uint32_t qpn;
	uint16_t syndrome;	/**< PRM_SIGERR_SYNDROME_* */
	bool is_memory;		/**< Checked in the memory domain. */
	bool is_trans;		/**< Signature of a transaction, not of a block. */
	uint64_t expected;	/**< Content of the signature field. */
	uint64_t actual;	/**< Signature computed from the data. */
	uint64_t offset;	/**< Offset of the block in its domain, in bytes. */
};

/** Consumer of a flow's output. @return 0 or a negative errno, which ends the flow. */
typedef int (*swhca_flow_out)(void *arg, const uint8_t *data, size_t len);

/** State of a domain in the stream. */
struct swhca_flow_domain {
	const struct swhca_sig_domain *conf;	/**< NULL: unused. */
	const struct swhca_hca *hca;
	uint64_t first;			/**< Index of the first block of the transfer. */
	uint64_t psv;			/**< Its transient signature. */
	uint64_t pos;			/**< Bytes of this block so far, including its signature. */
	uint32_t field_len;
	uint64_t index;			/**< Index of this block, from the start of the key. */
	struct swhca_sig_sum sum;
	uint8_t field[SWHCA_SIG_MAX_FIELD];
};

enum swhca_flow_step {
	SWHCA_FLOW_CIPHER_FIRST,
	SWHCA_FLOW_STRIP,
	SWHCA_FLOW_CIPHER_MIDDLE,
	SWHCA_FLOW_INSERT,
	SWHCA_FLOW_CIPHER_LAST,
	SWHCA_FLOW_OUT,
};

/** State of a transfer through one key. */
struct swhca_flow {
	const struct swhca_xform *xform;
	const struct swhca_bsf_sig *sig;	/**< NULL: no signature. */
	struct swhca_flow_domain strip;
	struct swhca_flow_domain insert;
	enum swhca_flow_step cipher_at;		/**< SWHCA_FLOW_OUT: no cipher. */
	struct swhca_cipher cipher;
	swhca_flow_out out;
	void *arg;
};

/** Start a flow. @return 0 or a negative errno. */
int swhca_flow_init(struct swhca_flow *flow, const struct swhca_xform *xform, swhca_flow_out out,
		    void *arg);

/** Push bytes; complete output is passed on. @return 0 or a negative errno. */
int swhca_flow_push(struct swhca_flow *flow, const uint8_t *data, size_t len);

/**
 * End a flow: output the rest of the last data unit, and the field of a transaction that ends here.
 * @return 0 or a negative errno.
 */
int swhca_flow_end(struct swhca_flow *flow);

void swhca_flow_fini(struct swhca_flow *flow);

#endif /* SWHCA_SIG_H */
