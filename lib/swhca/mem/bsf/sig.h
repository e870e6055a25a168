/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SIG_H
#define SWHCA_SIG_H

/**
 * @file
 * What a key with a byte stream format (BSF) does to the bytes of a transfer.
 *
 * The addresses of such a key are those of the wire: an RDMA READ of n bytes returns n bytes, with
 * the signatures that the wire domain has. Which bytes of memory these are, swhca_xform_plan()
 * says. A flow then takes the bytes of one side and gives those of the other:
 *
 *   transmit: memory -> [cipher] -> strip -> [cipher] -> insert -> [cipher] -> wire
 *   receive:  wire   -> [cipher] -> strip -> [cipher] -> insert -> [cipher] -> memory
 *
 * There is one cipher at most. Strip checks the signature of the domain that the bytes come from
 * and takes it away, insert generates or copies that of the other domain.
 */

#include "mem/bsf/bsf.h"
#include "mem/bsf/crypto.h"
#include "mem/mkey.h"

/** A signature that data do not have. */
struct swhca_sig_error {
	uint32_t key;
	uint32_t qpn;
	uint16_t syndrome;	/**< PRM_SIGERR_SYNDROME_* */
	bool is_memory;		/**< The domain that it was checked in. */
	bool is_trans;		/**< It is that of a transaction, not of a block. */
	uint64_t expected;	/**< What the signature field says. */
	uint64_t actual;	/**< What the data give. */
	uint64_t offset;	/**< Of the block in its domain, in bytes. */
};

/** Where a flow puts what comes out. @return 0 or a negative errno, which ends the flow. */
typedef int (*swhca_flow_out)(void *arg, const uint8_t *data, size_t len);

/** One domain's place in the stream. */
struct swhca_flow_domain {
	const struct swhca_sig_domain *conf;	/**< NULL: nothing to do. */
	const struct swhca_hca *hca;
	uint64_t first;			/**< Index of the block that the transfer begins with. */
	uint64_t psv;			/**< Its transient signature. */
	uint64_t pos;			/**< Bytes of this block so far, with its signature. */
	uint32_t field_len;
	uint64_t index;			/**< Of this block, from the beginning of the key. */
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

/** A transfer through one key on its way. */
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

/** Begin. @return 0 or a negative errno. */
int swhca_flow_init(struct swhca_flow *flow, const struct swhca_xform *xform, swhca_flow_out out,
		    void *arg);

/** Push bytes in; what is complete comes out. @return 0 or a negative errno. */
int swhca_flow_push(struct swhca_flow *flow, const uint8_t *data, size_t len);

/**
 * End: what is left of the last data unit comes out, and the field of a transaction whose last byte
 * that was. @return 0 or a negative errno.
 */
int swhca_flow_end(struct swhca_flow *flow);

void swhca_flow_fini(struct swhca_flow *flow);

#endif /* SWHCA_SIG_H */
