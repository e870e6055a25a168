/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_DEK_H
#define MLX5_UMR_DEK_H

/**
 * @file
 * Control path of crypto: capabilities, data encryption keys, logins. Operations of lib/umr except
 * the first two functions; all return 0 or a negative errno, logged.
 */

#include <rte_umr_pmd.h>

#include "ctrl/devx.h"

/** Query crypto capabilities; general_cap is the general capability page. */
int mlx5_umr_crypto_caps_query(const struct mlx5_umr_device *dev, const void *general_cap,
			       struct mlx5_umr_crypto_caps *caps);
/** Set capabilities and limits of crypto in info. */
void mlx5_umr_crypto_info_get(const struct mlx5_umr_crypto_caps *caps,
			      struct rte_umr_dev_info *info);

int mlx5_umr_crypto_login_create(struct rte_umr_dev *umr_dev,
				 const struct rte_umr_crypto_login_conf *conf, void **login);
int mlx5_umr_crypto_login_query(void *login, uint8_t *state);
int mlx5_umr_crypto_login_destroy(void *login);

int mlx5_umr_dek_create(struct rte_umr_dev *umr_dev, const struct rte_umr_dek_conf *conf,
			struct rte_umr_dek *dek);
int mlx5_umr_dek_query(struct rte_umr_dek *dek, struct rte_umr_dek_attr *attr);
int mlx5_umr_dek_destroy(struct rte_umr_dek *dek);

#endif /* MLX5_UMR_DEK_H */
