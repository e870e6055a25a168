/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include <rte_malloc.h>

#include "mlx5_umr_klm_mem.h"
#include "mlx5_umr_log.h"

int
mlx5_umr_klm_mem_create(struct mlx5_umr_klm_mem *mem, struct ibv_pd *pd, uint32_t nb_entries,
			uint32_t nb_uses, int socket)
{
	uint32_t nb_chunks = mlx5_umr_klm_nb_chunks(nb_entries);
	size_t size = (size_t)nb_chunks * MLX5_UMR_KLM_CHUNK_SIZE;
	/* A variable: ibv_reg_mr() is a macro that takes constants for something else. */
	int access = 0, error;

	mem->base = rte_malloc_socket("mlx5_umr_klm", size, PRM_ADAPTER_PAGE_SIZE, socket);
	mem->uses = rte_calloc_socket(NULL, nb_uses, sizeof(*mem->uses), 0, socket);
	if (mem->base == NULL || mem->uses == NULL) {
		MLX5_UMR_LOG(ERR, "no memory for lists of %u entries on socket %d", nb_entries,
			     socket);
		return -ENOMEM;
	}
	mem->mr = ibv_reg_mr(pd, mem->base, size, access);
	if (mem->mr == NULL) {
		error = errno != 0 ? errno : EIO;
		MLX5_UMR_LOG(ERR, "cannot register %zu bytes for lists: %s", size,
			     strerror(error));
		return -error;
	}
	mem->lkey = mem->mr->lkey;
	mem->nb_chunks = nb_chunks;
	mem->use_mask = nb_uses - 1;
	return 0;
}

void
mlx5_umr_klm_mem_destroy(struct mlx5_umr_klm_mem *mem)
{
	int ret = mem->mr != NULL ? ibv_dereg_mr(mem->mr) : 0;

	rte_free(mem->uses);
	/* The device may still read from it. */
	if (ret != 0)
		MLX5_UMR_LOG(ERR, "cannot deregister the memory of lists, which stays: %s",
			     strerror(ret));
	else
		rte_free(mem->base);
}
