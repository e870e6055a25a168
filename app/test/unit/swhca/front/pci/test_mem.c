/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory of guests: regions, who may do what with them, and that one guest's are not another's. */

#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "base/span.h"
#include "front/pci/pci_mem.h"
#include "front/pci/vfu.h"

#define PAGE 4096u
#define BASE 0x100000u

static struct {
	struct swhca_pci_mem mem;
	int fd;
	uint8_t *bytes;		/* 4 pages of the file */
} world;

static int
setup(void **state)
{
	swhca_pci_mem_init(&world.mem);
	swhca_pci_mem_set_master(&world.mem, 0, true);
	swhca_pci_mem_set_master(&world.mem, 1, true);
	world.fd = memfd_create("guest", MFD_CLOEXEC);
	assert_true(world.fd >= 0);
	assert_int_equal(ftruncate(world.fd, 4 * PAGE), 0);
	world.bytes = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, world.fd, 0);
	assert_ptr_not_equal(world.bytes, MAP_FAILED);
	return 0;
}

static int
teardown(void **state)
{
	swhca_pci_mem_fini(&world.mem);
	munmap(world.bytes, 4 * PAGE);
	close(world.fd);
	return 0;
}

static int
map(unsigned int space, uint64_t addr, uint64_t size, uint64_t offset)
{
	const struct swhca_pci_region region = { .addr = addr, .size = size, .may_read = true,
						 .may_write = true };

	return swhca_pci_mem_map(&world.mem, space, &region, world.fd, offset);
}

static int
put(unsigned int space, uint64_t addr, const void *src, size_t len)
{
	return world.mem.dma.write(&world.mem.dma, swhca_pci_bus_addr(space, addr), src, len);
}

static int
get(unsigned int space, uint64_t addr, void *dst, size_t len)
{
	return world.mem.dma.read(&world.mem.dma, dst, swhca_pci_bus_addr(space, addr), len);
}

CASE_WITH(what_is_mapped_is_what_is_accessed, setup, teardown)
{
	char text[8];

	assert_int_equal(map(0, BASE, PAGE, PAGE), 0);
	assert_int_equal(put(0, BASE + 16, "written", 8), 0);
	assert_memory_equal(world.bytes + PAGE + 16, "written", 8);
	memcpy(world.bytes + 2 * PAGE - 8, "the end", 8);
	assert_int_equal(get(0, BASE + PAGE - 8, text, 8), 0);
	assert_string_equal(text, "the end");
	/* One byte too far, at either end. */
	assert_int_equal(get(0, BASE + PAGE - 7, text, 8), -EFAULT);
	assert_int_equal(get(0, BASE - 1, text, 8), -EFAULT);
}

CASE_WITH(accesses_go_on_in_the_region_behind, setup, teardown)
{
	char text[8];

	/* In another order than their addresses, and than in the file. */
	assert_int_equal(map(0, BASE + PAGE, PAGE, 0), 0);
	assert_int_equal(map(0, BASE, PAGE, 3 * PAGE), 0);
	assert_int_equal(put(0, BASE + PAGE - 3, "acrossX", 8), 0);
	assert_memory_equal(world.bytes + 4 * PAGE - 3, "acr", 3);
	assert_memory_equal(world.bytes, "ossX", 5);
	assert_int_equal(get(0, BASE + PAGE - 3, text, 8), 0);
	assert_string_equal(text, "acrossX");
}

CASE_WITH(spaces_do_not_see_each_other, setup, teardown)
{
	uint8_t byte;

	assert_int_equal(map(0, BASE, PAGE, 0), 0);
	assert_int_equal(get(1, BASE, &byte, 1), -EFAULT);
	/* Spaces that nobody has. */
	assert_int_equal(world.mem.dma.read(&world.mem.dma, &byte, BASE, 1), -EFAULT);
	assert_int_equal(world.mem.dma.read(&world.mem.dma, &byte, UINT64_MAX, 1), -EFAULT);
	assert_int_equal(get(SWHCA_PCI_MAX_FUNCTIONS, BASE, &byte, 1), -EFAULT);
}

/* Addresses that a guest makes up must not be those of another's. */
CASE_WITH(no_address_reaches_into_another_space, setup, teardown)
{
	const uint64_t end = UINT64_C(1) << 56;
	struct swhca_span dst, src;
	uint8_t bytes[8];

	assert_int_equal(map(0, end - PAGE, PAGE, 0), 0);
	assert_int_equal(map(1, 0, PAGE, PAGE), 0);
	assert_int_equal(get(1, 0, bytes, 8), 0);
	assert_int_equal(get(0, UINT64_C(3) << 56, bytes, 8), -EFAULT);
	assert_int_equal(get(0, UINT64_C(2) << 56, bytes, 8), -EFAULT);
	assert_int_equal(get(0, end - 8, bytes, 8), 0);
	assert_int_equal(get(0, end - 7, bytes, 8), -EFAULT);
	assert_int_equal(put(0, end - 7, bytes, 8), -EFAULT);
	src = (struct swhca_span){ .addr = swhca_pci_bus_addr(0, end - 7), .len = 8 };
	dst = swhca_span_of(bytes, 8);
	assert_int_equal(swhca_dma_copy(&world.mem.dma, &dst, 1, &src, 1), -EFAULT);
	assert_int_equal(swhca_dma_copy(&world.mem.dma, &src, 1, &dst, 1), -EACCES);
}

CASE_WITH(overlaps_are_refused, setup, teardown)
{
	assert_int_equal(map(0, BASE, 2 * PAGE, 0), 0);
	assert_int_equal(map(0, BASE, 2 * PAGE, 0), -EEXIST);
	assert_int_equal(map(0, BASE + PAGE, PAGE, 0), -EEXIST);
	assert_int_equal(map(0, BASE - PAGE, 2 * PAGE, 0), -EEXIST);
	assert_int_equal(map(0, BASE - PAGE, 4 * PAGE, 0), -EEXIST);
	assert_int_equal(map(0, BASE - PAGE, PAGE, 0), 0);
	assert_int_equal(map(0, BASE + 2 * PAGE, PAGE, 0), 0);
	assert_int_equal(map(1, BASE, PAGE, 0), 0);
}

CASE_WITH(ranges_and_files_that_are_none_are_refused, setup, teardown)
{
	assert_int_equal(map(0, BASE, 0, 0), -EINVAL);
	assert_int_equal(map(0, UINT64_MAX - PAGE + 1, PAGE, 0), -EINVAL);
	assert_int_equal(map(0, UINT64_C(1) << 56, PAGE, 0), -EINVAL);
	assert_int_equal(map(0, (UINT64_C(1) << 56) - PAGE, 2 * PAGE, 0), -EINVAL);
	assert_int_equal(map(0, PAGE, UINT64_MAX, 0), -EINVAL);
	/* Beyond the end of the file. */
	assert_int_equal(map(0, BASE, 5 * PAGE, 0), -EINVAL);
	assert_int_equal(map(0, BASE, PAGE, 4 * PAGE), -EINVAL);
	assert_int_equal(map(0, BASE, PAGE, UINT64_MAX - PAGE + 1), -EINVAL);
	/* Not at a page of it. */
	assert_int_equal(map(0, BASE, PAGE, 1), -EINVAL);
}

CASE_WITH(there_are_so_many_regions, setup, teardown)
{
	uint64_t i;

	for (i = 0; i < SWHCA_VFU_MAX_MAPS; i++)
		assert_int_equal(map(0, BASE + i * PAGE, PAGE, 0), 0);
	assert_int_equal(map(0, BASE + i * PAGE, PAGE, 0), -ENOSPC);
	assert_int_equal(swhca_pci_mem_unmap(&world.mem, 0, BASE + 77 * PAGE, PAGE), 0);
	assert_int_equal(map(0, BASE + i * PAGE, PAGE, 0), 0);
}

CASE_WITH(there_are_so_many_bytes, setup, teardown)
{
	const struct swhca_pci_region region = { .addr = 0, .size = UINT64_C(1) << 55 };

	world.mem.max_mapped = 4 * PAGE;
	assert_int_equal(map(0, BASE, 2 * PAGE, 0), 0);
	assert_int_equal(map(0, 2 * BASE, 3 * PAGE, 0), -ENOSPC);
	assert_int_equal(map(0, 2 * BASE, 2 * PAGE, 0), 0);
	assert_int_equal(map(0, 3 * BASE, PAGE, 0), -ENOSPC);
	/* Another function has its own part, and what is not mapped counts for nothing. */
	assert_int_equal(map(1, BASE, 4 * PAGE, 0), 0);
	assert_int_equal(swhca_pci_mem_map(&world.mem, 2, &region, -1, 0), 0);
	assert_int_equal(swhca_pci_mem_unmap(&world.mem, 0, BASE, 2 * PAGE), 0);
	assert_int_equal(map(0, 3 * BASE, PAGE, 0), 0);
	swhca_pci_mem_unmap_all(&world.mem, 0);
	assert_int_equal(map(0, BASE, 4 * PAGE, 0), 0);
}

CASE_WITH(what_is_unmapped_is_gone, setup, teardown)
{
	uint8_t byte;

	assert_int_equal(map(0, BASE, 2 * PAGE, 0), 0);
	assert_int_equal(swhca_pci_mem_unmap(&world.mem, 0, BASE, PAGE), -ENOENT);
	assert_int_equal(swhca_pci_mem_unmap(&world.mem, 0, BASE + PAGE, PAGE), -ENOENT);
	assert_int_equal(get(0, BASE, &byte, 1), 0);
	assert_int_equal(swhca_pci_mem_unmap(&world.mem, 0, BASE, 2 * PAGE), 0);
	assert_int_equal(get(0, BASE, &byte, 1), -EFAULT);
	assert_int_equal(map(0, BASE, PAGE, 0), 0);
	swhca_pci_mem_unmap_all(&world.mem, 0);
	assert_int_equal(get(0, BASE, &byte, 1), -EFAULT);
}

CASE_WITH(rights_of_a_region_hold, setup, teardown)
{
	struct swhca_pci_region region = { .addr = BASE, .size = PAGE, .may_read = true };
	uint8_t byte = 1;

	assert_int_equal(swhca_pci_mem_map(&world.mem, 0, &region, world.fd, 0), 0);
	assert_int_equal(get(0, BASE, &byte, 1), 0);
	assert_int_equal(put(0, BASE, &byte, 1), -EFAULT);
	/* One without a file is there for nobody. */
	region.addr = 2 * BASE;
	assert_int_equal(swhca_pci_mem_map(&world.mem, 0, &region, -1, 0), 0);
	assert_int_equal(get(0, 2 * BASE, &byte, 1), -EFAULT);
}

CASE_WITH(who_is_no_bus_master_accesses_nothing, setup, teardown)
{
	uint8_t byte;

	assert_int_equal(map(0, BASE, PAGE, 0), 0);
	swhca_pci_mem_set_master(&world.mem, 0, false);
	assert_int_equal(get(0, BASE, &byte, 1), -EFAULT);
	swhca_pci_mem_set_master(&world.mem, 0, true);
	assert_int_equal(get(0, BASE, &byte, 1), 0);
}

CASE_WITH(a_file_that_shrinks_is_no_fault_of_ours, setup, teardown)
{
	uint8_t byte;

	assert_int_equal(map(0, BASE, 2 * PAGE, 0), 0);
	assert_int_equal(ftruncate(world.fd, PAGE), 0);
	assert_int_equal(get(0, BASE, &byte, 1), 0);
	assert_int_equal(get(0, BASE + PAGE, &byte, 1), -EFAULT);
}

CASE_WITH(lists_are_copied_between_spaces, setup, teardown)
{
	char tail[4] = "";
	const struct swhca_span src[] = {
		{ .addr = swhca_pci_bus_addr(0, BASE + PAGE - 4), .len = 8 },
		swhca_span_of("abcd", 4),
	};
	const struct swhca_span dst[] = {
		{ .addr = swhca_pci_bus_addr(1, BASE), .len = 9 },
		swhca_span_of(tail, 3),
	};

	assert_int_equal(map(0, BASE, PAGE, 0), 0);
	assert_int_equal(map(0, BASE + PAGE, PAGE, 2 * PAGE), 0);
	assert_int_equal(map(1, BASE, PAGE, PAGE), 0);
	memcpy(world.bytes + PAGE - 4, "0123", 4);
	memcpy(world.bytes + 2 * PAGE, "4567", 4);
	assert_int_equal(swhca_dma_copy(&world.mem.dma, dst, 2, src, 2), 0);
	assert_memory_equal(world.bytes + PAGE, "01234567a", 9);
	assert_string_equal(tail, "bcd");
}

CASE_WITH(copies_say_which_side_is_wrong, setup, teardown)
{
	const struct swhca_span good = { .addr = swhca_pci_bus_addr(0, BASE), .len = 8 };
	const struct swhca_span bad = { .addr = swhca_pci_bus_addr(1, BASE), .len = 8 };

	assert_int_equal(map(0, BASE, PAGE, 0), 0);
	assert_int_equal(swhca_dma_copy(&world.mem.dma, &good, 1, &bad, 1), -EFAULT);
	assert_int_equal(swhca_dma_copy(&world.mem.dma, &bad, 1, &good, 1), -EACCES);
}
