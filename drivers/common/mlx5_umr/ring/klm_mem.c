/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include <rte_malloc.h>

#include "ring/klm_mem.h"

int
mlx5_umr_klm_mem_create(struct mlx5_umr_klm_mem *mem, struct mlx5_umr_mem_pool *pool,
			struct ibv_pd *pd, uint32_t nb_entries, uint32_t nb_uses, int socket)
{
	uint32_t nb_chunks = mlx5_umr_klm_nb_chunks(nb_entries);
	int ret;

	mem->uses = rte_calloc_socket(NULL, nb_uses, sizeof(*mem->uses), 0, socket);
	if (mem->uses == NULL)
		ret = -ENOMEM;
	else
		ret = mlx5_umr_mem_alloc(pool, pd, (size_t)nb_chunks * MLX5_UMR_KLM_CHUNK_SIZE,
					 socket, &mem->mem);
	if (ret != 0)
		return ret;
	mem->base = mem->mem.va;
	mem->lkey = mlx5_umr_mem_lkey(&mem->mem);
	mem->nb_chunks = nb_chunks;
	mem->use_mask = nb_uses - 1;
	return 0;
}

void
mlx5_umr_klm_mem_destroy(struct mlx5_umr_klm_mem *mem, struct mlx5_umr_mem_pool *pool)
{
	rte_free(mem->uses);
	mem->uses = NULL;
	mlx5_umr_mem_free(pool, &mem->mem);
}
