/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdio.h>

#include <rte_common.h>

#include "tool/tool.h"

const struct tool_bit_name tool_capa_names[] = {
	{ RTE_UMR_CAPA_MKEY_LIST, "mkey_list" },
	{ RTE_UMR_CAPA_MKEY_INTERLEAVED, "mkey_interleaved" },
	{ RTE_UMR_CAPA_MKEY_INVALIDATE, "mkey_invalidate" },
	{ RTE_UMR_CAPA_MKEY_TAG, "mkey_tag" },
	{ RTE_UMR_CAPA_MKEY_NESTED, "mkey_nested" },
	{ RTE_UMR_CAPA_MKEY_CONFIGURE, "mkey_configure" },
	{ RTE_UMR_CAPA_MKEY_UPDATE, "mkey_update" },
	{ RTE_UMR_CAPA_MKEY_FIXED, "mkey_fixed" },
	{ RTE_UMR_CAPA_WRITE, "write" },
	{ RTE_UMR_CAPA_READ, "read" },
	{ RTE_UMR_CAPA_SEND, "send" },
	{ RTE_UMR_CAPA_ATOMIC, "atomic" },
	{ RTE_UMR_CAPA_SEND_INV, "send_inv" },
	{ RTE_UMR_CAPA_INLINE, "inline" },
	{ RTE_UMR_CAPA_RECV_INLINE, "recv_inline" },
	{ RTE_UMR_CAPA_QUEUE_EVENT, "queue_event" },
	{ RTE_UMR_CAPA_LOOPBACK, "loopback" },
	{ RTE_UMR_CAPA_RC, "rc" },
	{ RTE_UMR_CAPA_QUEUE_RECOVER, "queue_recover" },
	{ RTE_UMR_CAPA_MW_TYPE_1, "mw_type_1" },
	{ RTE_UMR_CAPA_MW_TYPE_2B, "mw_type_2b" },
	{ RTE_UMR_CAPA_MKEY_BASE, "mkey_base" },
	{ RTE_UMR_CAPA_DC, "dc" },
	{ RTE_UMR_CAPA_DOORBELL_BF, "doorbell_bf" },
	{ RTE_UMR_CAPA_BF, "bf" },
	{ RTE_UMR_CAPA_PD, "pd" },
	{ RTE_UMR_CAPA_MR_REREGISTER, "mr_reregister" },
	{ RTE_UMR_CAPA_MR_ODP, "mr_odp" },
	{ RTE_UMR_CAPA_MR_ODP_IMPLICIT, "mr_odp_implicit" },
	{ RTE_UMR_CAPA_MR_ODP_STATS, "mr_odp_stats" },
	{ RTE_UMR_CAPA_MR_DMABUF, "mr_dmabuf" },
	{ RTE_UMR_CAPA_MKEY_QUERY, "mkey_query" },
	{ RTE_UMR_CAPA_MKEY_SIG, "mkey_sig" },
	{ RTE_UMR_CAPA_MKEY_CRYPTO, "mkey_crypto" },
	{ RTE_UMR_CAPA_CRYPTO_MULTI_UNIT, "crypto_multi_unit" },
	{ RTE_UMR_CAPA_DEK_PLAIN, "dek_plain" },
	{ RTE_UMR_CAPA_DEK_WRAPPED, "dek_wrapped" },
};

const size_t tool_nb_capa_names = RTE_DIM(tool_capa_names);

static const char *
name_of(uint64_t bit)
{
	for (size_t i = 0; i < tool_nb_capa_names; i++)
		if (tool_capa_names[i].bit == bit)
			return tool_capa_names[i].name;
	return "unknown";
}

void
tool_capa_print(char *text, size_t size, uint64_t bits)
{
	size_t len = 0;

	for (; bits != 0 && len < size; bits &= bits - 1)
		len += (size_t)snprintf(text + len, size - len, "%s%s", len == 0 ? "" : ", ",
					name_of(bits & -bits));
}
