/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Configuration space, byte by byte as a bus driver reads it. */

#include "cases.h"
#include "front/pci/config.h"

static struct swhca_pci_config config;

static int
setup(void **state)
{
	const struct swhca_pci_ident ident = {
		.model = SWHCA_MODEL_CX7, .link_layer = SWHCA_LINK_IB,
		.serial = UINT64_C(0x0200c0fffe5a0001), .bar_size = UINT64_C(1) << 24,
		.msix_table = 0xffe000, .msix_pba = 0xfff000, .nb_vectors = 32,
	};

	swhca_pci_config_init(&config, &ident);
	return 0;
}

static uint32_t
get(uint64_t offset)
{
	uint8_t bytes[4];

	assert_int_equal(swhca_pci_config_read(&config, offset, bytes, sizeof(bytes)), 0);
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static bool
put(uint64_t offset, uint32_t value, size_t len)
{
	const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
				  (uint8_t)(value >> 24) };
	bool is_flr = true;

	assert_int_equal(swhca_pci_config_write(&config, offset, bytes, len, &is_flr), 0);
	return is_flr;
}

/* Offset of a capability, in the list that begins at 0x34; 0: there is none. */
static uint32_t
find(uint8_t id)
{
	uint32_t at = get(0x34) & 0xff;

	for (unsigned int i = 0; at != 0 && i < 48; i++) {
		if ((get(at) & 0xff) == id)
			return at;
		at = get(at) >> 8 & 0xff;
	}
	return 0;
}

CASE_WITH(it_is_the_adapter, setup, NULL)
{
	assert_int_equal(get(0x00), 0x102115b3);
	assert_int_equal(get(0x08), 0x02070000);	/* InfiniBand controller */
	assert_int_equal(get(0x2c), 0x004115b3);
	assert_int_equal(get(0x04) >> 16, 0x0010);	/* has a list of capabilities */
	assert_int_equal(get(0x100), 0x00010003);
	assert_int_equal(get(0x104), 0xfe5a0001);
	assert_int_equal(get(0x108), 0x0200c0ff);
}

CASE_WITH(capabilities_are_in_the_list, setup, NULL)
{
	uint32_t at;

	assert_int_not_equal(find(0x01), 0);
	at = find(0x11);
	assert_int_not_equal(at, 0);
	assert_int_equal(get(at) >> 16, 31);
	assert_int_equal(get(at + 4), 0xffe000);
	assert_int_equal(get(at + 8), 0xfff000);
	at = find(0x10);
	assert_int_not_equal(at, 0);
	assert_int_equal(get(at) >> 16, 2);		/* version 2, endpoint */
	assert_int_equal(get(at + 4) >> 28 & 1, 1);	/* can be reset */
}

CASE_WITH(the_bar_tells_its_size, setup, NULL)
{
	put(0x10, UINT32_MAX, 4);
	put(0x14, UINT32_MAX, 4);
	assert_int_equal(get(0x10), 0xff00000c);
	assert_int_equal(get(0x14), UINT32_MAX);
	put(0x10, 0xfd000000, 4);
	put(0x14, 0x12, 4);
	assert_int_equal(get(0x10), 0xfd00000c);
	assert_int_equal(get(0x14), 0x12);
}

CASE_WITH(what_is_read_only_stays, setup, NULL)
{
	put(0x00, 0, 4);
	put(0x08, UINT32_MAX, 4);
	put(0x18, UINT32_MAX, 4);
	put(0x34, 0, 4);
	it_is_the_adapter(state);
	assert_int_equal(get(0x18), 0);
	assert_int_not_equal(find(0x10), 0);
}

CASE_WITH(bus_mastering_is_what_software_says, setup, NULL)
{
	assert_false(swhca_pci_config_is_master(&config));
	put(0x04, 0x0006, 2);
	assert_true(swhca_pci_config_is_master(&config));
	swhca_pci_config_reset(&config);
	assert_false(swhca_pci_config_is_master(&config));
}

CASE_WITH(a_reset_is_asked_for_by_one_bit, setup, NULL)
{
	uint32_t control = find(0x10) + 8;

	assert_false(put(control, 0x7fff, 2));
	assert_true(put(control, 0x8000, 2));
	assert_true(put(control + 1, 0x80, 1));
	assert_false(put(control, 0x80, 1));
	assert_true(put(control - 1, 0x800000, 3));
	/* It is never read as one. */
	assert_int_equal(get(control) & 0x8000, 0);
}

CASE_WITH(nothing_is_outside, setup, NULL)
{
	uint8_t bytes[8] = { 0 };
	bool is_flr;

	assert_int_equal(swhca_pci_config_read(&config, 4092, bytes, 4), 0);
	assert_int_equal(swhca_pci_config_read(&config, 4093, bytes, 4), -EINVAL);
	assert_int_equal(swhca_pci_config_read(&config, UINT64_MAX, bytes, 4), -EINVAL);
	assert_int_equal(swhca_pci_config_write(&config, 4093, bytes, 4, &is_flr), -EINVAL);
	assert_int_equal(swhca_pci_config_write(&config, UINT64_MAX - 1, bytes, 4, &is_flr),
			 -EINVAL);
}
