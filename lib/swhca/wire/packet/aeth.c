/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "wire/packet/aeth.h"

#define RESERVED_BIT	0x80u
#define KIND_SHIFT	5

enum swhca_aeth_kind
swhca_aeth_kind(uint8_t syndrome)
{
	enum swhca_aeth_kind kind = (enum swhca_aeth_kind)(syndrome >> KIND_SHIFT);

	if ((syndrome & RESERVED_BIT) != 0)
		return SWHCA_AETH_RESERVED;
	if (kind == SWHCA_AETH_NAK && swhca_aeth_code(syndrome) > SWHCA_NAK_INVAL_RD_REQ)
		return SWHCA_AETH_RESERVED;
	return kind;
}

/*
 * IBTA vol. 1, 9.7.7.2, table of credit counts: 0, 1, 2, 3, 4, 6, 8, 12, 16, 24 ... 32768. From
 * code 2 on even codes are powers of two, and odd codes are 1.5 times the previous one.
 */
uint32_t
swhca_aeth_credits(uint8_t code)
{
	code &= SWHCA_AETH_CODE_MASK;
	if (code == SWHCA_AETH_CREDITS_NONE)
		return SWHCA_CREDITS_UNLIMITED;
	if (code < 2)
		return code;
	return (2u + (code & 1u)) << (code / 2 - 1);
}

uint8_t
swhca_aeth_credits_code(uint32_t nb_wqes)
{
	uint8_t code = SWHCA_AETH_CREDITS_NONE - 1;

	while (swhca_aeth_credits(code) > nb_wqes)
		code--;
	return code;
}
