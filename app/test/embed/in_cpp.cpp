/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A C++ program: two pieces under one key, and a write that gathers them.
 * devtools/check/install.sh builds it from the installed files and adds every installed header.
 */

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <rte_eal.h>

#include <rte_umr.h>

namespace {

void
need(bool is_good, const char *what)
{
	if (!is_good)
		throw std::runtime_error(what);
}

#define NEED(what) need(what, #what)

void
wait_for(int16_t dev, unsigned int nb)
{
	rte_umr_completion done;

	while (nb > 0) {
		if (rte_umr_completed_status(dev, 0, 1, &done) == 0)
			continue;
		if (done.status != RTE_UMR_STATUS_SUCCESS)
			throw std::runtime_error(rte_umr_op_name(done.op) + std::string(": ") +
						 rte_umr_status_name(done.status));
		nb--;
	}
}

/* The same operations by calls and by bursts of them: what is inline is C++ here. */
std::string
gather(int16_t dev, rte_umr_mkey *mkey, const rte_umr_mr *mr, std::vector<char> &memory)
{
	const auto at = [&](size_t offset) {
		return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&memory[offset]));
	};
	const rte_umr_seg pieces[] = { { at(7), 7, mr->lkey }, { at(0), 7, mr->lkey } };
	rte_umr_seg whole = {};

	whole.length = 14;
	whole.lkey = mkey->key;
	NEED(rte_umr_mkey_list(dev, 0, mkey, RTE_UMR_ACCESS_LOCAL_WRITE, pieces, 2, 0) >= 0);
	NEED(rte_umr_write(dev, 0, &whole, at(128), mr->rkey, RTE_UMR_OP_F_SUBMIT) >= 0);
	wait_for(dev, 2);
	return std::string(&memory[128], 14);
}

void
run()
{
	std::vector<char> memory(256);
	char names[1][RTE_UMR_DEV_NAME_LEN];
	rte_umr_dev_conf dev_conf = {};
	rte_umr_queue_conf queue_conf = {};
	rte_umr_mkey_pool_conf pool_conf = {};
	rte_umr_mr_conf mr_conf = {};
	int16_t dev;

	std::memcpy(memory.data(), "of C++\nHello,", 14);
	memory[13] = ' ';
	dev_conf.nb_queues = 1;
	queue_conf.nb_desc = 64;
	queue_conf.socket_id = SOCKET_ID_ANY;
	pool_conf.nb_mkeys = 1;
	pool_conf.max_entries = 4;
	mr_conf.addr = memory.data();
	mr_conf.len = memory.size();
	mr_conf.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE;
	NEED(rte_umr_dev_scan(names, 1) > 0);
	NEED(rte_umr_dev_probe(names[0], &dev) == 0);
	NEED(rte_umr_dev_configure(dev, &dev_conf) == 0);
	NEED(rte_umr_queue_setup(dev, 0, &queue_conf) == 0);
	NEED(rte_umr_dev_start(dev) == 0);

	rte_umr_mr *mr = rte_umr_mr_register(dev, &mr_conf);
	rte_umr_mkey_pool *pool = rte_umr_mkey_pool_create(dev, &pool_conf);
	NEED(mr != nullptr && pool != nullptr);
	rte_umr_mkey *mkey = rte_umr_mkey_get(pool);
	NEED(mkey != nullptr);
	std::printf("%s", gather(dev, mkey, mr, memory).c_str());

	NEED(rte_umr_mkey_put(pool, mkey) == 0);
	NEED(rte_umr_dev_stop(dev) == 0);
	NEED(rte_umr_mkey_pool_destroy(pool) == 0);
	NEED(rte_umr_mr_deregister(mr) == 0);
	NEED(rte_umr_dev_close(dev) == 0);
}

} /* namespace */

int
main(int argc, char **argv)
{
	if (rte_eal_init(argc, argv) < 0)
		return 1;
	try {
		run();
	} catch (const std::exception &e) {
		std::fprintf(stderr, "failed: %s\n", e.what());
		return 1;
	}
	return rte_eal_cleanup();
}
