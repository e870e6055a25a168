/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "mlx5_prm_wqe.h"
#include "mem/cause.h"

#define ROW(at, cqe, vendor_, nak_, text_)                                                         \
	[at] = { .error = { .syndrome = MLX5_CQE_SYNDROME_##cqe##_ERR, .vendor = vendor_,          \
			    .text = text_ },                                                       \
		 .nak = SWHCA_NAK_##nak_ },
#define CAUSE_ROW(name, cqe, vendor, nak, text)                                                    \
	ROW(SWHCA_CAUSE_##name, cqe, vendor, nak, text)
#define FAULT_ROW(name, text)                                                                      \
	ROW(SWHCA_CAUSE_OF(SWHCA_FAULT_##name), LOCAL_PROT, SWHCA_VENDOR_OF(name), ACCESS, text)

const struct swhca_cause_row *
swhca_cause_row(enum swhca_cause cause)
{
	static const struct swhca_cause_row rows[] = {
		SWHCA_CAUSES(CAUSE_ROW) SWHCA_FAULTS(FAULT_ROW)
	};

	return &rows[cause];
}
