/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "cases.h"
#include "mem/bsf/sig_calc.h"

static uint64_t
sum_of(enum swhca_sig_type type, bool seed_ones, const void *data, size_t len)
{
	struct swhca_sig_sum sum;

	swhca_sig_sum_init(&sum, type, seed_ones);
	swhca_sig_sum_update(&sum, data, len);
	return swhca_sig_sum_final(&sum);
}

/* Check values of the catalogue of parametrised CRC algorithms: the sum of these nine digits. */
CASE(crcs_have_their_published_check_values)
{
	assert_int_equal(sum_of(SWHCA_SIG_T10DIF_CRC, false, "123456789", 9), 0xd0db);
	assert_int_equal(sum_of(SWHCA_SIG_CRC32, true, "123456789", 9), 0xcbf43926);
	assert_int_equal(sum_of(SWHCA_SIG_CRC32C, true, "123456789", 9), 0xe3069283);
	assert_int_equal(sum_of(SWHCA_SIG_CRC64_XP10, true, "123456789", 9),
			 UINT64_C(0xae8b14860a799888));
}

/* RFC 3720 B.4: 32 bytes of zeros, of ones, and counting. */
CASE(crc32c_has_the_values_of_iscsi)
{
	uint8_t data[32];

	memset(data, 0, sizeof(data));
	assert_int_equal(sum_of(SWHCA_SIG_CRC32C, true, data, sizeof(data)), 0x8a9136aa);
	memset(data, 0xff, sizeof(data));
	assert_int_equal(sum_of(SWHCA_SIG_CRC32C, true, data, sizeof(data)), 0x62a8ab43);
	for (unsigned int i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)i;
	assert_int_equal(sum_of(SWHCA_SIG_CRC32C, true, data, sizeof(data)), 0x46dd794e);
}

/* RFC 1071, chapter 3: the sum is ddf2. */
CASE(checksum_has_the_value_of_its_rfc)
{
	static const uint8_t data[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };

	assert_int_equal(sum_of(SWHCA_SIG_T10DIF_CSUM, false, data, sizeof(data)), 0x220d);
}

/* A seed of zeros: a CRC of zeros stays zero, and is inverted at the end where CRCs are. */
CASE(seed_of_zeros_keeps_zeros)
{
	static const uint8_t zeros[512];

	assert_int_equal(sum_of(SWHCA_SIG_T10DIF_CRC, false, zeros, sizeof(zeros)), 0);
	assert_int_equal(sum_of(SWHCA_SIG_T10DIF_CSUM, false, zeros, sizeof(zeros)), 0xffff);
	assert_int_equal(sum_of(SWHCA_SIG_CRC32, false, zeros, sizeof(zeros)), 0xffffffff);
	assert_int_equal(sum_of(SWHCA_SIG_CRC32C, false, zeros, sizeof(zeros)), 0xffffffff);
	assert_true(sum_of(SWHCA_SIG_CRC64_XP10, false, zeros, sizeof(zeros)) == UINT64_MAX);
}

CASE(pieces_sum_up_as_the_whole_does)
{
	struct swhca_sig_sum sum;
	uint8_t data[521];
	uint64_t whole;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 37 + 11);
	for (int type = SWHCA_SIG_T10DIF_CRC; type <= SWHCA_SIG_CRC64_XP10; type++) {
		whole = sum_of(type, true, data, sizeof(data));
		for (size_t at = 0; at <= sizeof(data); at++) {
			swhca_sig_sum_init(&sum, type, true);
			swhca_sig_sum_update(&sum, data, at);
			swhca_sig_sum_update(&sum, data + at, sizeof(data) - at);
			assert_true(swhca_sig_sum_final(&sum) == whole);
		}
	}
}
