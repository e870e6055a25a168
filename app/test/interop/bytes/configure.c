/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * rte_umr_mkey_configure() and mlx5dv_wr_mkey_configure(): the same bytes for every combination
 * of the setters of rights and layout, also for none.
 */

#include "bytes.h"

/* A request as both sides take it. */
struct request {
	struct rte_umr_mkey_op conf;
	unsigned int verbs_access;
	union {
		struct ibv_sge sges[WB_MAX_ENTRIES];
		struct mlx5dv_mr_interleaved entries[WB_MAX_ENTRIES];
	};
};

static void
random_list(struct request *req)
{
	uint32_t i;

	for (i = 0; i < req->conf.nb_entries; i++)
		req->sges[i] = wb_random_sge(WB_MAX_LEN);
	req->conf.layout = RTE_UMR_LAYOUT_LIST;
	req->conf.segs = (const struct rte_umr_seg *)req->sges;
}

static void
random_pattern(struct request *req)
{
	uint32_t i;

	for (i = 0; i < req->conf.nb_entries; i++)
		req->entries[i] = wb_random_interleaved();
	req->conf.layout = RTE_UMR_LAYOUT_INTERLEAVED;
	req->conf.interleaved = (const struct rte_umr_interleaved *)req->entries;
	req->conf.repeat = wb_random32() | 1;
}

static void
libmlx5_configure(const struct request *req)
{
	struct mlx5dv_mkey_conf_attr attr = { 0 };
	const struct rte_umr_mkey_op *conf = &req->conf;
	bool has_access = (conf->setters & RTE_UMR_MKEY_SET_ACCESS) != 0;
	bool has_layout = (conf->setters & RTE_UMR_MKEY_SET_LAYOUT) != 0;

	mlx5dv_wr_mkey_configure(wb.dvqp, wb.mkey, has_access + has_layout, &attr);
	if (has_layout && conf->layout == RTE_UMR_LAYOUT_LIST)
		mlx5dv_wr_set_mkey_layout_list(wb.dvqp, (uint16_t)conf->nb_entries, req->sges);
	else if (has_layout)
		mlx5dv_wr_set_mkey_layout_interleaved(wb.dvqp, conf->repeat,
						      (uint16_t)conf->nb_entries, req->entries);
	if (has_access)
		mlx5dv_wr_set_mkey_access_flags(wb.dvqp, req->verbs_access);
}

static void
compare(const struct request *req)
{
	struct wb_pair pair;

	wb_pair_begin(&pair);
	wb_libmlx5_begin(true);
	libmlx5_configure(req);
	wb_libmlx5_end(&pair.theirs);
	wb_driver_end(rte_umr_mkey_configure(wb.dev_id, 0, &req->conf, 0), pair.our_pi,
		      &pair.ours);
	wb_compare_umr(&pair);
}

/* Both types of layout, each number of entries. */
static void
setters_have_the_same_bytes(uint32_t setters)
{
	const uint32_t nb = test_nb_cases();
	struct request req;
	uint32_t i, max, is_list;

	for (i = 0; i < nb; i++) {
		req.conf = (struct rte_umr_mkey_op){ .setters = setters };
		req.conf.mkey = wb.key;
		req.conf.access = wb_random_access(&req.verbs_access);
		is_list = i % 2;
		max = is_list ? WB_MAX_ENTRIES : WB_MAX_ENTRIES - 1;
		req.conf.nb_entries = i / 2 == 0 ? max :
				      i / 2 < max ? i / 2 : wb_random32() % max + 1;
		if (is_list)
			random_list(&req);
		else
			random_pattern(&req);
		compare(&req);
	}
}

static int
setup(void **state)
{
	return wb_setup(&(struct wb_conf){ .dv_ops = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE });
}

CASE(no_setter_has_the_same_bytes)
{
	setters_have_the_same_bytes(0);
}

CASE(access_has_the_same_bytes)
{
	setters_have_the_same_bytes(RTE_UMR_MKEY_SET_ACCESS);
}

CASE(layout_has_the_same_bytes)
{
	setters_have_the_same_bytes(RTE_UMR_MKEY_SET_LAYOUT);
}

CASE(access_and_layout_have_the_same_bytes)
{
	setters_have_the_same_bytes(RTE_UMR_MKEY_SET_ACCESS_LAYOUT);
}

int
main(int argc, char **argv)
{
	return wb_run(argc, argv, setup, wb_teardown);
}
