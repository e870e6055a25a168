/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What unmodified drivers rely on and our own programs do without: Linux' mlx5_core and mlx5_ib,
 * SPDK's lib/mlx5.
 */

#include "swhca_pair.h"

#define QUERY_QP	0x50b

/* ads.vhca_port_num of the primary path, at dword 6 of the context. */
static unsigned int
port_of(const struct world_qp *qp)
{
	uint8_t in[16] = { 0 }, out[0x110];

	world_put(in, 0, 16, QUERY_QP);
	world_put(in, 2, 0, qp->qpn);
	assert_int_equal(swhca_hca_cmd_exec(qp->hca, in, sizeof(in), out, sizeof(out)), 0);
	return out[0x18 + (6 + 9) * 4 + 1];
}

/* mlx5_qp_get_port_pkey_idx() of SPDK asks a queue pair that it has just created. */
static void
queue_pair_in_reset_has_port_1(void **state)
{
	struct pair *p = *state;
	struct world_qp qp;

	world_qp_create(&p->w, 0, &qp);
	assert_int_equal(port_of(&qp), 1);
	world_qp_destroy(&qp);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(queue_pair_in_reset_has_port_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
