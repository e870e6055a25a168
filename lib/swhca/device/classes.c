/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <swhca_parts.h>

#include "device/classes.h"
#include "eth/steer.h"
#include "mem/bsf/dek.h"
#include "mem/bsf/psv.h"
#include "mem/mkey.h"
#include "object/buf.h"
#include "queue/eq.h"
#include "queue/qp.h"
#include "queue/sched.h"
#include "queue/srq.h"
#include "xport/dct.h"

static bool
all_are_for_users(const struct swhca_obj *obj)
{
	(void)obj;
	return true;
}

/* A build without Ethernet queues creates no such object. */
#define ETH_FINI(fn) .fini = SWHCA_HAS_ETH ? fn : NULL

/*
 * Users may name pages of the BAR, and objects that mlx5_ib always creates for the kernel: XRC
 * domains and the SRQs in them.
 */
const struct swhca_obj_class swhca_obj_classes[SWHCA_NB_OBJ_TYPES] = {
	[SWHCA_OBJ_QP] = { .is_busy = true, .fini = swhca_qp_fini },
	[SWHCA_OBJ_DCT] = { .is_busy = true, .fini = swhca_dct_fini },
	[SWHCA_OBJ_FLOW_TABLE] = { ETH_FINI(swhca_flow_table_fini) },
	[SWHCA_OBJ_TIR] = { ETH_FINI(swhca_tir_fini) },
	[SWHCA_OBJ_RQT] = { ETH_FINI(swhca_rqt_fini) },
	[SWHCA_OBJ_ERQ] = { .is_busy = true, ETH_FINI(swhca_erq_fini) },
	[SWHCA_OBJ_ESQ] = { .is_busy = true, ETH_FINI(swhca_esq_fini) },
	[SWHCA_OBJ_TIS] = { ETH_FINI(swhca_tis_fini) },
	[SWHCA_OBJ_SCHED] = { .fini = swhca_sched_fini },
	[SWHCA_OBJ_SRQ] = { .is_busy = true, .fini = swhca_srq_fini,
			    .is_for_users = swhca_srq_is_for_users },
	[SWHCA_OBJ_CQ] = { .is_busy = true, .fini = swhca_cq_fini },
	[SWHCA_OBJ_EQ] = { .is_busy = true, .fini = swhca_eq_fini },
	[SWHCA_OBJ_MKEY] = { .fini = swhca_mkey_fini },
	[SWHCA_OBJ_PSV] = { .fini = swhca_psv_fini },
	[SWHCA_OBJ_DEK] = { .fini = swhca_dek_fini },
	[SWHCA_OBJ_UMEM] = { .fini = swhca_umem_fini },
	[SWHCA_OBJ_UAR] = { .is_busy = true, .is_for_users = all_are_for_users },
	[SWHCA_OBJ_XRCD] = { .is_for_users = all_are_for_users },
};
