/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory of mempools and of EAL: each object has a key, and the device reaches it. */

#include <string.h>
#include <sys/mman.h>

#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "autotest.h"
#include "env.h"

#define NB_MBUFS	300u
#define LEN		64u
#define CHUNK		0x20000u
#define PAGE		0x1000u
#define HEAP_LEN	0x400000u
#define FULL		(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE)

/* LEN bytes from there arrive at the other side, by the key that a lookup finds. */
static int
reaches(struct at_env *env, uint8_t *place)
{
	struct rte_umr_seg local = { .addr = (uintptr_t)place, .length = LEN };

	memset(place, 0x5a, LEN);
	memset(env->rx->buf, 0, LEN);
	TEST_ASSERT_EQUAL(rte_umr_addr_to_mkey_burst(env->tx->dev_id, &local, 1), 1);
	TEST_ACCEPT(at_write(env, local, 0, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SAME(place, env->rx->buf, LEN);
	return TEST_SUCCESS;
}

static int
all_mbufs_have_keys(struct at_env *env, struct rte_mempool *mp)
{
	static struct rte_mbuf *mbufs[NB_MBUFS];

	TEST_ASSERT_SUCCESS(rte_pktmbuf_alloc_bulk(mp, mbufs, NB_MBUFS));
	for (unsigned int i = 0; i < NB_MBUFS; i++)
		TEST_ASSERT(rte_umr_addr_to_mkey(env->tx->dev_id, mbufs[i]->buf_addr,
						 mbufs[i]->buf_len) != RTE_UMR_LKEY_NONE);
	TEST_ASSERT_SUCCESS(reaches(env, mbufs[0]->buf_addr));
	TEST_ASSERT_SUCCESS(reaches(env, rte_pktmbuf_mtod(mbufs[NB_MBUFS - 1], uint8_t *)));
	rte_pktmbuf_free_bulk(mbufs, NB_MBUFS);
	return TEST_SUCCESS;
}

static int
no_mbuf_has_a_key(struct at_env *env, struct rte_mempool *mp)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(mp);

	TEST_ASSERT(mbuf != NULL);
	TEST_ASSERT_EQUAL(rte_umr_addr_to_mkey(env->tx->dev_id, mbuf->buf_addr, 1),
			  RTE_UMR_LKEY_NONE);
	rte_pktmbuf_free(mbuf);
	return TEST_SUCCESS;
}

static int
mempool_is_registered(struct at_env *env, struct rte_mempool *mp)
{
	const int16_t dev_id = env->tx->dev_id;

	TEST_ASSERT(mp != NULL);
	TEST_ASSERT_SUCCESS(no_mbuf_has_a_key(env, mp));
	TEST_ASSERT_SUCCESS(rte_umr_mempool_register(dev_id, mp, FULL));
	TEST_ASSERT_SUCCESS(all_mbufs_have_keys(env, mp));
	TEST_ASSERT_SUCCESS(rte_umr_mempool_register(dev_id, mp, FULL));
	TEST_ASSERT_EQUAL(rte_umr_mempool_register(dev_id, mp, 0), -EEXIST);
	TEST_ASSERT_SUCCESS(rte_umr_mempool_unregister(dev_id, mp));
	TEST_ASSERT_SUCCESS(all_mbufs_have_keys(env, mp));
	TEST_ASSERT_SUCCESS(rte_umr_mempool_unregister(dev_id, mp));
	TEST_ASSERT_EQUAL(rte_umr_mempool_unregister(dev_id, mp), -ENOENT);
	TEST_ASSERT_SUCCESS(no_mbuf_has_a_key(env, mp));
	rte_mempool_free(mp);
	return TEST_SUCCESS;
}

AT_CASE(mem, mbufs_of_eal_memory_have_keys)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	return mempool_is_registered(env, rte_pktmbuf_pool_create("at_mem", NB_MBUFS, 0, 0,
								  RTE_MBUF_DEFAULT_BUF_SIZE,
								  SOCKET_ID_ANY));
}

/* Nothing says that they do not have a page between them. */
static uint8_t *
chunks_map(unsigned int nb)
{
	uint8_t *at = mmap(NULL, (size_t)nb * 2 * CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);

	if (at == MAP_FAILED)
		return NULL;
	for (unsigned int i = 0; i < nb; i++)
		if (mprotect(at + (size_t)i * 2 * CHUNK, CHUNK, PROT_READ | PROT_WRITE) != 0)
			return NULL;
	return at;
}

AT_CASE(mem, mbufs_in_chunks_of_the_application_have_keys)
{
	const struct rte_pktmbuf_pool_private priv = { .mbuf_data_room_size = 256 };
	const unsigned int nb_chunks = 8;
	unsigned int i;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	uint8_t *const chunks = TEST_NOT_NULL(chunks_map(nb_chunks));
	struct rte_mempool *const mp = rte_mempool_create_empty("at_mem", NB_MBUFS,
								sizeof(struct rte_mbuf) + 256, 0,
								sizeof(priv), SOCKET_ID_ANY, 0);
	TEST_ASSERT(mp != NULL);
	TEST_ASSERT_EQUAL(rte_umr_mempool_register(env->tx->dev_id, mp, FULL), -EINVAL);
	rte_pktmbuf_pool_init(mp, (void *)(uintptr_t)&priv);
	for (i = 0; i < nb_chunks && mp->populated_size < mp->size; i++)
		TEST_ASSERT(rte_mempool_populate_virt(mp, (char *)chunks + (size_t)i * 2 * CHUNK,
						      CHUNK, PAGE, NULL, NULL) > 0);
	TEST_ASSERT_EQUAL(mp->populated_size, NB_MBUFS);
	TEST_ASSERT(i > 1);
	rte_mempool_obj_iter(mp, rte_pktmbuf_init, NULL);
	TEST_ASSERT_SUCCESS(mempool_is_registered(env, mp));
	munmap(chunks, (size_t)nb_chunks * 2 * CHUNK);
	return TEST_SUCCESS;
}

AT_CASE(mem, pinned_buffers_have_keys)
{
	const size_t len = (size_t)NB_MBUFS * 512;
	struct rte_pktmbuf_extmem ext = { .elt_size = 512 };

	AT_BUILD(env, .topology = AT_LOOPBACK);
	ext.buf_len = RTE_ALIGN_CEIL(len, (size_t)PAGE);
	ext.buf_ptr = mmap(NULL, ext.buf_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	TEST_ASSERT(ext.buf_ptr != MAP_FAILED);
	ext.buf_iova = (uintptr_t)ext.buf_ptr;
	TEST_ASSERT_SUCCESS(mempool_is_registered(env, rte_pktmbuf_pool_create_extbuf("at_mem",
										      NB_MBUFS, 0,
										      0, 512,
										      SOCKET_ID_ANY,
										      &ext, 1)));
	munmap(ext.buf_ptr, ext.buf_len);
	return TEST_SUCCESS;
}

AT_CASE(mem, what_eal_allocates_has_a_key)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	const int16_t dev_id = env->tx->dev_id;
	uint8_t *const place = TEST_NOT_NULL(rte_malloc(NULL, LEN, 0));
	TEST_ASSERT_SUCCESS(rte_umr_eal_memory_register(dev_id, FULL));
	TEST_ASSERT_SUCCESS(reaches(env, place));
	TEST_ASSERT_EQUAL(rte_umr_eal_memory_register(dev_id, 0), -EEXIST);
	TEST_ASSERT_SUCCESS(rte_umr_eal_memory_unregister(dev_id));
	TEST_ASSERT_EQUAL(rte_umr_addr_to_mkey(dev_id, place, LEN), RTE_UMR_LKEY_NONE);
	TEST_ASSERT_EQUAL(rte_umr_eal_memory_unregister(dev_id), -ENOENT);
	rte_free(place);
	return TEST_SUCCESS;
}

/* A heap of the program's memory, before and after EAL's memory is registered. */
AT_CASE(mem, what_is_added_to_a_heap_has_a_key)
{
	const size_t len = 2 * HEAP_LEN;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	const int16_t dev_id = env->tx->dev_id;
	uint8_t *const memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				     -1, 0);
	TEST_ASSERT(memory != MAP_FAILED);
	TEST_ASSERT_SUCCESS(rte_malloc_heap_create("at_heap"));
	const int socket = rte_malloc_heap_get_socket("at_heap");
	TEST_ASSERT_SUCCESS(rte_malloc_heap_memory_add("at_heap", memory, HEAP_LEN, NULL, 0, PAGE));
	uint8_t *const first = rte_malloc_socket(NULL, LEN, 0, socket);
	TEST_ASSERT_SUCCESS(rte_umr_eal_memory_register(dev_id, FULL));
	TEST_ASSERT_SUCCESS(reaches(env, first));
	TEST_ASSERT_EQUAL(rte_umr_addr_to_mkey(dev_id, memory + HEAP_LEN, LEN), RTE_UMR_LKEY_NONE);
	TEST_ASSERT_SUCCESS(rte_malloc_heap_memory_add("at_heap", memory + HEAP_LEN, HEAP_LEN, NULL,
						       0, PAGE));
	uint8_t *const second = rte_malloc_socket(NULL, HEAP_LEN / 2, 0, socket);
	TEST_ASSERT(second >= memory + HEAP_LEN);
	TEST_ASSERT_SUCCESS(reaches(env, second));
	TEST_ASSERT_SUCCESS(rte_umr_eal_memory_unregister(dev_id));
	TEST_ASSERT_EQUAL(rte_umr_addr_to_mkey(dev_id, second, LEN), RTE_UMR_LKEY_NONE);
	rte_free(first);
	rte_free(second);
	TEST_ASSERT_SUCCESS(rte_malloc_heap_memory_remove("at_heap", memory, HEAP_LEN));
	TEST_ASSERT_SUCCESS(rte_malloc_heap_memory_remove("at_heap", memory + HEAP_LEN, HEAP_LEN));
	TEST_ASSERT_SUCCESS(rte_malloc_heap_destroy("at_heap"));
	munmap(memory, len);
	return TEST_SUCCESS;
}
