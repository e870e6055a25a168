/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Destination of a WQE of an unconnected queue. Layouts: rdma-core, mlx5dv.h, struct mlx5_wqe_av;
 * providers/mlx5/wqe.h, struct mlx5_wqe_xrc_seg.
 */

#include <inttypes.h>

#include "dump/seg.h"
#include "mlx5_prm_wqe.h"

/* Without MLX5_EXTENDED_UD_AV the vector ends after the LID (compact_address_vector). */
#define AV_COMPACT_SIZE	16u
#define AV_GRH		(UINT32_C(1) << 30)

static void
put_av_grh(const struct prm_dump *d, const uint8_t *av)
{
	uint32_t grh_gid_fl = prm_get32(av + 28);

	prm_put(d, "rmac: %02x:%02x:%02x:%02x:%02x:%02x", av[20], av[21], av[22], av[23], av[24],
		av[25]);
	prm_put(d, "tclass: 0x%02x", av[26]);
	prm_put(d, "hop_limit: %u", av[27]);
	prm_put(d, "grh: %u", (grh_gid_fl & AV_GRH) != 0);
	prm_put(d, "gid_index: %u", grh_gid_fl >> 20 & 0xff);
	prm_put(d, "flow_label: 0x%05x", grh_gid_fl & 0xfffff);
	prm_put(d, "rgid: 0x%016" PRIx64 "%016" PRIx64, prm_get64(av + 32), prm_get64(av + 40));
}

void
prm_put_av(struct prm_dump *d, bool is_dc)
{
	bool is_extended = prm_left(d) > 8 && (d->bytes[d->pos + 8] & 0x80) != 0;
	const uint8_t *av;

	prm_section_open(d, "av");
	av = prm_take(d, is_extended ? sizeof(struct mlx5_wqe_av) : AV_COMPACT_SIZE);
	if (av != NULL) {
		if (is_dc)
			prm_put(d, "dc_key: 0x%016" PRIx64, prm_get64(av));
		else
			prm_put(d, "qkey: 0x%08x", prm_get32(av));
		prm_put(d, "%s: 0x%06x", is_dc ? "dctn" : "dqpn", prm_get32(av + 8) & 0xffffff);
		prm_put(d, "extended: %u", is_extended);
		prm_put(d, "stat_rate: %u", av[12] >> 4);
		prm_put(d, "sl: %u", av[12] & 0xf);
		prm_put(d, "fl: %u", av[13] >> 7);
		prm_put(d, "mlid: 0x%02x", av[13] & 0x7f);
		prm_put(d, "rlid: 0x%04x", prm_get16(av + 14));
		if (is_extended)
			put_av_grh(d, av);
	}
	prm_section_close(d);
}

void
prm_put_xrc(struct prm_dump *d)
{
	const uint8_t *xrc;

	prm_section_open(d, "xrc");
	xrc = prm_take(d, PRM_WQE_DS_SIZE);
	if (xrc != NULL)
		prm_put(d, "srqn: 0x%06x", prm_get32(xrc) & 0xffffff);
	prm_section_close(d);
}
