/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The life of a crypto login by libmlx5's own calls, on a device that takes wrapped keys, with a
 * crypto officer who deletes the credential.
 */

#include "../world.h"

/*
 * devtools/check/crypto-test-info.py --wrap, of the credential and of 16 times 0x11, 16 times 0x22.
 */
static const uint8_t credential[48] = {
	0x78, 0x1c, 0xdd, 0xb2, 0x9b, 0xdf, 0x3c, 0x66, 0x76, 0x47, 0xa3, 0xdd,
	0xe6, 0xf0, 0x3a, 0xa4, 0x4c, 0xfb, 0x76, 0xa8, 0xe0, 0xcb, 0xf4, 0xde,
	0xb0, 0x74, 0x87, 0xa3, 0xd8, 0x4e, 0x3c, 0xa0, 0xa2, 0x4f, 0x93, 0x40,
	0x50, 0x9c, 0x29, 0xaa, 0xd7, 0xab, 0x21, 0x91, 0xbd, 0x70, 0xc0, 0x9b,
};
static const uint8_t key[40] = {
	0x5b, 0x01, 0xd3, 0x06, 0xf6, 0xed, 0xdd, 0xcb, 0xcb, 0x52, 0x25, 0xc4,
	0xe9, 0x91, 0xe6, 0xe0, 0x37, 0x5c, 0xe7, 0x5b, 0xaf, 0x18, 0xc5, 0x05,
	0xb9, 0xc3, 0x0c, 0x58, 0xd3, 0x1c, 0xcc, 0xf3, 0xa6, 0x18, 0xba, 0x20,
	0xd0, 0xac, 0x08, 0x11,
};

static enum mlx5dv_crypto_login_state
login_state(struct ibv_context *ctx)
{
	enum mlx5dv_crypto_login_state state;

	assert_int_equal(mlx5dv_crypto_login_query_state(ctx, &state), 0);
	return state;
}

CASE(login_is_valid_until_its_credential_is_deleted)
{
	struct mlx5dv_crypto_login_attr login = { 0 };
	struct mlx5dv_dek_init_attr init = {
		.key_size = MLX5DV_CRYPTO_KEY_SIZE_128,
		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
	};
	struct ibv_context *ctx = devx_open();
	struct mlx5dv_dek *dek;

	init.pd = ibv_alloc_pd(ctx);
	assert_non_null(init.pd);
	memcpy(init.key, key, sizeof(key));
	memcpy(login.credential, credential, sizeof(credential));
	assert_int_equal(login_state(ctx), MLX5DV_CRYPTO_LOGIN_STATE_NO_LOGIN);
	assert_null(mlx5dv_dek_create(ctx, &init));
	login.credential[3] ^= 1;
	assert_int_equal(mlx5dv_crypto_login(ctx, &login), EINVAL);
	login.credential[3] ^= 1;
	assert_int_equal(mlx5dv_crypto_login(ctx, &login), 0);
	assert_int_equal(login_state(ctx), MLX5DV_CRYPTO_LOGIN_STATE_VALID);
	dek = mlx5dv_dek_create(ctx, &init);
	assert_non_null(dek);
	assert_int_equal(ctl("delete-credential", "7"), 1);
	assert_int_equal(ctl("delete-credential", "0"), 0);
	assert_int_equal(login_state(ctx), MLX5DV_CRYPTO_LOGIN_STATE_INVALID);
	assert_null(mlx5dv_dek_create(ctx, &init));
	assert_int_equal(mlx5dv_crypto_logout(ctx), 0);
	assert_int_equal(mlx5dv_crypto_login(ctx, &login), EINVAL);
	assert_int_equal(mlx5dv_dek_destroy(dek), 0);
	assert_int_equal(ibv_dealloc_pd(init.pd), 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}
