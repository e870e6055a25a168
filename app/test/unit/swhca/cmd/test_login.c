/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Login sessions and wrapped keys, on a device that takes no others. What is wrapped here is
 * typed in: devtools/check/crypto-test-info.py gave it.
 */

#include "pair.h"

/* swhca-credential-0123456789abcdefghijklm, wrapped by swhca-import-kek-0123456789abcde. */
static const uint8_t wrapped_credential[48] = {
	0x78, 0x1c, 0xdd, 0xb2, 0x9b, 0xdf, 0x3c, 0x66, 0x76, 0x47, 0xa3, 0xdd,
	0xe6, 0xf0, 0x3a, 0xa4, 0x4c, 0xfb, 0x76, 0xa8, 0xe0, 0xcb, 0xf4, 0xde,
	0xb0, 0x74, 0x87, 0xa3, 0xd8, 0x4e, 0x3c, 0xa0, 0xa2, 0x4f, 0x93, 0x40,
	0x50, 0x9c, 0x29, 0xaa, 0xd7, 0xab, 0x21, 0x91, 0xbd, 0x70, 0xc0, 0x9b,
};

/* 16 bytes of 0x11 and 16 of 0x22, likewise; then with the tag "key tag!". */
static const uint8_t wrapped_key[40] = {
	0x5b, 0x01, 0xd3, 0x06, 0xf6, 0xed, 0xdd, 0xcb, 0xcb, 0x52, 0x25, 0xc4,
	0xe9, 0x91, 0xe6, 0xe0, 0x37, 0x5c, 0xe7, 0x5b, 0xaf, 0x18, 0xc5, 0x05,
	0xb9, 0xc3, 0x0c, 0x58, 0xd3, 0x1c, 0xcc, 0xf3, 0xa6, 0x18, 0xba, 0x20,
	0xd0, 0xac, 0x08, 0x11,
};
static const uint8_t wrapped_tagged_key[48] = {
	0x32, 0xa3, 0x4b, 0xa7, 0x90, 0xb4, 0x24, 0x3d, 0xe6, 0x06, 0xb3, 0x08,
	0x4c, 0xba, 0x9c, 0xd3, 0x3a, 0xbd, 0x81, 0x75, 0x9b, 0xea, 0xf3, 0x39,
	0xef, 0x24, 0xf5, 0x2c, 0x43, 0x63, 0xce, 0x0e, 0x3f, 0xc0, 0xd4, 0x68,
	0xdf, 0x2d, 0x5b, 0x6a, 0x91, 0x4b, 0xbf, 0x19, 0x4f, 0xfc, 0xde, 0x07,
};

struct device {
	struct swhca_fabric *fabric;
	struct swhca_hca *hca;
	uint32_t uid;
	uint32_t other_uid;
};

#define LOGIN 0x1f
#define DEK 0x0c
#define BAD_PARAM 0x03

static void
device_destroy(void *arg)
{
	struct device *d = arg;

	swhca_fabric_destroy(d->fabric);
	free(d);
}

/* As next_case(). */
static struct device *
device_case(void **state, const char *name)
{
	const struct swhca_hca_conf conf = { .lid = 1, .has_wrapped_keys = true };
	struct device *d = calloc(1, sizeof(*d));

	case_name(state, name);
	assert_non_null(d);
	assert_int_equal(swhca_fabric_create(NULL, &d->fabric), 0);
	assert_int_equal(swhca_hca_create(d->fabric, &conf, &d->hca), 0);
	d->uid = world_alloc(d->hca, 0xa04);
	d->other_uid = world_alloc(d->hca, 0xa04);
	return case_begin(state, d, device_destroy);
}

/* CREATE_GENERAL_OBJECT of the device, whose other dwords are in the mailbox. */
static uint8_t
object_create(struct device *d, uint32_t uid, uint32_t type, uint8_t *in, const uint8_t *bytes,
	      size_t len, uint32_t *num)
{
	world_put(in, 0, 16, 0xa00);
	world_put(in, 0, 0, uid);
	world_put(in, 1, 0, type);
	memcpy(in + 16 + 0x40, bytes, len);
	return world_exec_num(d->hca, in, 16 + 256, num);
}

/* A login with a credential, numbers in dwords 4 and 5 of the object. */
static uint8_t
login_cmd(struct device *d, const uint8_t *credential, uint32_t cred_id, uint32_t kek_id,
	  uint32_t *num)
{
	uint8_t in[16 + 256] = { 0 };

	world_put(in, 8, 0, cred_id);
	world_put(in, 9, 0, kek_id);
	return object_create(d, d->uid, LOGIN, in, credential, 48, num);
}

static uint8_t
dek_cmd(struct device *d, uint32_t uid, const uint8_t *key, size_t len, bool has_keytag,
	uint32_t *num)
{
	uint8_t in[16 + 256] = { 0 };
	uint32_t pdn;

	assert_int_equal(world_user_cmd(d->hca, 0x800, uid, 0, &pdn), 0);
	world_put(in, 6, 0, 3);
	world_put(in, 6, 7, has_keytag);
	world_put(in, 7, 0, pdn);
	return object_create(d, uid, DEK, in, key, len, num);
}

/* QUERY or DESTROY_GENERAL_OBJECT. */
static uint8_t
object_cmd(struct device *d, uint16_t opcode, uint16_t type, uint32_t num, uint8_t *out)
{
	uint8_t in[16] = { 0 };

	world_put(in, 0, 16, opcode);
	world_put(in, 0, 0, d->uid);
	world_put(in, 1, 0, type);
	world_put(in, 2, 0, num);
	return swhca_hca_cmd_exec(d->hca, in, sizeof(in), out, 16 + 256);
}

CASES(login_takes_the_credential_and_no_other)
{
	struct device *d = device_case(state, "credential");
	uint8_t wrong[48], out[16 + 256];
	uint32_t num;

	memcpy(wrong, wrapped_credential, sizeof(wrong));
	wrong[47] ^= 1;
	assert_int_equal(login_cmd(d, wrong, 0, 0, &num), BAD_PARAM);
	assert_int_equal(login_cmd(d, wrapped_tagged_key, 0, 0, &num), BAD_PARAM);
	assert_int_equal(login_cmd(d, wrapped_credential, 1, 0, &num), BAD_PARAM);
	assert_int_equal(login_cmd(d, wrapped_credential, 0, 1, &num), BAD_PARAM);
	assert_int_equal(login_cmd(d, wrapped_credential, 0, 0, &num), 0);
	assert_int_equal(object_cmd(d, 0xa02, LOGIN, num, out), 0);
	assert_int_equal(out[16 + 16] & 0xf, 0);
	assert_int_equal(object_cmd(d, 0xa03, LOGIN, num, out), 0);
}

CASES(wrapped_keys_need_a_login_of_their_own_context)
{
	struct device *d = device_case(state, "login");
	uint8_t out[16 + 256], plain[40];
	uint32_t session, num, key;

	assert_int_equal(dek_cmd(d, d->uid, wrapped_key, 40, false, &num), BAD_PARAM);
	assert_int_equal(login_cmd(d, wrapped_credential, 0, 0, &session), 0);
	assert_int_equal(dek_cmd(d, d->other_uid, wrapped_key, 40, false, &num), BAD_PARAM);
	assert_int_equal(dek_cmd(d, d->uid, wrapped_key, 40, false, &num), 0);
	assert_int_equal(object_cmd(d, 0xa02, DEK, num, out), 0);
	/* Logged out, the key stays and tells nothing. */
	assert_int_equal(object_cmd(d, 0xa03, LOGIN, session, out), 0);
	assert_int_equal(object_cmd(d, 0xa02, DEK, num, out), BAD_PARAM);
	assert_int_equal(object_cmd(d, 0xa03, DEK, num, out), 0);

	d = device_case(state, "wrapped");
	memset(plain, 0x11, 16);
	memset(plain + 16, 0x22, 24);
	assert_int_equal(login_cmd(d, wrapped_credential, 0, 0, &num), 0);
	assert_int_equal(dek_cmd(d, d->uid, plain, 32, false, &num), BAD_PARAM);
	assert_int_equal(dek_cmd(d, d->uid, wrapped_key, 40, true, &num), BAD_PARAM);
	assert_int_equal(dek_cmd(d, d->uid, wrapped_tagged_key, 48, false, &num), BAD_PARAM);
	assert_int_equal(dek_cmd(d, d->uid, wrapped_tagged_key, 48, true, &num), 0);

	d = device_case(state, "deleted credential");
	assert_int_equal(login_cmd(d, wrapped_credential, 0, 0, &session), 0);
	assert_int_equal(dek_cmd(d, d->uid, wrapped_key, 40, false, &key), 0);
	swhca_hca_credential_delete(d->hca);
	assert_int_equal(object_cmd(d, 0xa02, LOGIN, session, out), 0);
	assert_int_equal(out[16 + 16] & 0xf, 1);
	assert_int_equal(dek_cmd(d, d->uid, wrapped_key, 40, false, &num), BAD_PARAM);
	assert_int_equal(login_cmd(d, wrapped_credential, 0, 0, &num), BAD_PARAM);
	assert_int_equal(object_cmd(d, 0xa03, DEK, key, out), 0);
}

CASES(capabilities_say_how_keys_come)
{
	struct device *d = device_case(state, "capabilities");
	uint8_t out[16 + 4096];

	assert_int_equal(world_query(d->hca, 0x100, 0x1a << 1 | 1, 0, out, sizeof(out)), 0);
	assert_int_equal(out[16] >> 7, 1);	/* wrapped_crypto_operational */
	assert_int_equal(out[19], 0x04);	/* wrapped_import_method: AES-XTS */
	assert_int_equal(out[21], 12);		/* log_max_num_deks */
	assert_int_equal(out[26], 1);		/* one import KEK and one credential */
	assert_int_equal(out[27], 1);
}
