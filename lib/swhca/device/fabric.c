/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/high_fd.h"
#include "base/log.h"
#include "base/thread.h"
#include "cmd/cmd_av_map.h"
#include "cmd/cmd_memic.h"
#include "cmd/cmd_reserved_qpn.h"
#include "cmd/cmd_sched.h"
#include "device/classes.h"
#include "engine/engine.h"
#include "eth/steer.h"
#include "mad/mad_responder.h"
#include "object/limits.h"
#include "queue/cq.h"
#include "wire/conn/gsi.h"
#include "wire/conn/net.h"
#include "wire/wire_route.h"
#include "xport/dct.h"
#include "xport/mcg.h"

#define MAX_LID			0xbfff	/* IBTA: the unicast range ends here */

int
swhca_fabric_create(const struct swhca_dma *dma, struct swhca_fabric **out)
{
	struct swhca_fabric *fabric = swhca_alloc(sizeof(*fabric));

	if (fabric == NULL)
		return -ENOMEM;
	fabric->wqe_buf = swhca_alloc(SWHCA_FETCH_BYTES);
	/* A WQE with several inline segments has fewer payload bytes than its own size. */
	fabric->payload = malloc(SWHCA_MAX_WQE_SZ_SQ);
	fabric->bounce = malloc(2 * (size_t)SWHCA_BOUNCE_BYTES);
	fabric->zeros = calloc(1, SWHCA_DUMP_FILL_BYTES);
	fabric->dump = malloc(SWHCA_DUMP_FILL_BYTES);
	if (fabric->wqe_buf == NULL || fabric->payload == NULL || fabric->bounce == NULL ||
	    fabric->zeros == NULL || fabric->dump == NULL) {
		free(fabric->wqe_buf);
		free(fabric->payload);
		free(fabric->bounce);
		free(fabric->zeros);
		free(fabric->dump);
		free(fabric);
		return -ENOMEM;
	}
	fabric->dma = dma != NULL ? dma : swhca_dma_process();
	fabric->wire = swhca_wire_fabric();
	fabric->sig_error = swhca_cq_sig_error;
	swhca_lock_init(&fabric->lock);
	LIST_INIT(&fabric->hcas);
	LIST_INIT(&fabric->sa_groups);
	pthread_rwlock_init(&fabric->pins_lock, NULL);
	TAILQ_INIT(&fabric->ready);
	TAILQ_INIT(&fabric->ready_sqs);
	*out = fabric;
	return 0;
}

void
swhca_fabric_destroy(struct swhca_fabric *fabric)
{
	if (fabric == NULL)
		return;
	swhca_fabric_stop(fabric);
	while (!LIST_EMPTY(&fabric->hcas))
		swhca_hca_destroy(LIST_FIRST(&fabric->hcas));
	swhca_spans_fini(&fabric->local);
	swhca_spans_fini(&fabric->remote);
	swhca_gsi_destroy_all(fabric);
	swhca_sa_fini(fabric);
	pthread_rwlock_destroy(&fabric->pins_lock);
	swhca_lock_fini(&fabric->lock);
	free(fabric->wqe_buf);
	free(fabric->payload);
	free(fabric->bounce);
	free(fabric->zeros);
	free(fabric->dump);
	free(fabric->frame_tx);
	free(fabric->frame_seg);
	free(fabric->frame_rx);
	free(fabric);
}

/*
 * The EAL pins a program to one CPU before it opens the device; the engine must not compete with
 * its polling there. Request every CPU, which the kernel reduces to those that the process may use.
 * If that is denied, the engine runs anyway.
 */
static void
engine_unpin(pthread_t engine)
{
	cpu_set_t all;
	int cpu;

	CPU_ZERO(&all);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		CPU_SET(cpu, &all);
	(void)pthread_setaffinity_np(engine, sizeof(all), &all);
}

int
swhca_fabric_start(struct swhca_fabric *fabric)
{
	int ret;

	if (fabric->is_running)
		return 0;
	atomic_store(&fabric->stop, false);
	ret = swhca_thread_start(&fabric->engine, NULL, "swhca", swhca_engine_main, fabric);
	if (ret != 0)
		return ret;
	engine_unpin(fabric->engine);
	fabric->is_running = true;
	return 0;
}

void
swhca_fabric_stop(struct swhca_fabric *fabric)
{
	if (!fabric->is_running)
		return;
	atomic_store(&fabric->stop, true);
	pthread_join(fabric->engine, NULL);
	fabric->is_running = false;
}

unsigned int
swhca_fabric_poll(struct swhca_fabric *fabric)
{
	unsigned int nb_work;

	swhca_fabric_lock(fabric);
	nb_work = swhca_engine_pass(fabric);
	swhca_fabric_unlock(fabric);
	fabric->wire->deliver(fabric);
	return nb_work;
}

bool
swhca_fabric_lend(struct swhca_fabric *fabric)
{
	unsigned int nb_work;

	if (!atomic_load_explicit(&fabric->has_links, memory_order_relaxed) ||
	    !swhca_lock_try_last(&fabric->lock))
		return false;
	nb_work = swhca_engine_pass(fabric);
	swhca_fabric_unlock(fabric);
	/* Work that requires the lock to be free is left to the engine. */
	atomic_store_explicit(&fabric->lent_ns, swhca_now_ns(), memory_order_relaxed);
	return nb_work != 0;
}

static int
bar_create(struct swhca_hca *hca)
{
	int ret;

	hca->bar_size = swhca_timer_bar_offset(hca) + SWHCA_TIMER_BAR_SIZE;
	hca->bar_fd = swhca_fd_raise(memfd_create("swhca-bar", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	if (hca->bar_fd < 0)
		return swhca_call_error("memfd_create");
	/* A process that maps it, for example a VMM, must not shrink it. */
	if (ftruncate(hca->bar_fd, (off_t)hca->bar_size) != 0 ||
	    fcntl(hca->bar_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
		ret = swhca_call_error("ftruncate, fcntl(F_ADD_SEALS)");
		goto close_fd;
	}
	hca->bar = mmap(NULL, hca->bar_size, PROT_READ | PROT_WRITE, MAP_SHARED, hca->bar_fd, 0);
	if (hca->bar == MAP_FAILED) {
		ret = swhca_call_error("mmap");
		goto close_fd;
	}
	return 0;

close_fd:
	close(hca->bar_fd);
	return ret;
}

/* The default GID: link-local prefix and port GUID. */
static void
ib_gid_set(struct swhca_hca *hca)
{
	uint64_t prefix = htobe64(UINT64_C(0xfe80000000000000));
	uint64_t guid = htobe64(hca->conf.port_guid);

	memcpy(hca->ib_gid, &prefix, sizeof(prefix));
	memcpy(hca->ib_gid + sizeof(prefix), &guid, sizeof(guid));
}

static void
tables_init(struct swhca_hca *hca)
{
	const struct {
		uint32_t first;
		uint32_t max;
	} ranges[SWHCA_NB_OBJ_TYPES] = {
		[SWHCA_OBJ_QP] = { hca->conf.first_qpn != 0 ? hca->conf.first_qpn : SWHCA_FIRST_QP,
				   1u << hca->conf.log_max_qp },
		[SWHCA_OBJ_SRQ] = { SWHCA_FIRST_SRQ, 1u << SWHCA_LOG_MAX_SRQ },
		[SWHCA_OBJ_XRCD] = { 1, 1u << SWHCA_LOG_MAX_XRCD },
		[SWHCA_OBJ_CQ] = { SWHCA_FIRST_CQ, 1u << hca->conf.log_max_cq },
		[SWHCA_OBJ_EQ] = { 1, (1u << SWHCA_LOG_MAX_EQ) - 1 },
		[SWHCA_OBJ_MKEY] = { SWHCA_FIRST_MKEY, 1u << hca->conf.log_max_mkey },
		[SWHCA_OBJ_MEMIC] = { 1, SWHCA_MEMIC_SIZE / SWHCA_MEMIC_BLOCK },
		[SWHCA_OBJ_PSV] = { 1, 1u << SWHCA_LOG_MAX_PSV },
		[SWHCA_OBJ_DEK] = { 1, 1u << SWHCA_LOG_MAX_DEK },
		[SWHCA_OBJ_LOGIN] = { 1, 1u << 10 },
		[SWHCA_OBJ_UMEM] = { 1, 1u << 20 },
		[SWHCA_OBJ_UAR] = { hca->conf.first_uar, (1u << hca->conf.log_max_uar) -
							       hca->conf.first_uar -
							       (1u << SWHCA_LOG_NB_VARS) },
		[SWHCA_OBJ_PD] = { 1, 1u << SWHCA_LOG_MAX_PD },
		[SWHCA_OBJ_DCT] = { SWHCA_FIRST_DCT, 1u << SWHCA_LOG_MAX_DCT },
		[SWHCA_OBJ_AV_MAP] = { 1, SWHCA_NB_AV_QP_MAPPINGS },
		[SWHCA_OBJ_RESERVED_QPN] = { SWHCA_FIRST_RESERVED_QPN,
					     1u << SWHCA_LOG_MAX_RESERVED_QPN },
		[SWHCA_OBJ_FLOW_TABLE] = { 1, 1u << SWHCA_LOG_MAX_FLOW_TABLES },
		[SWHCA_OBJ_TIR] = { 1, 1u << SWHCA_LOG_MAX_TIR },
		[SWHCA_OBJ_RQT] = { 1, 1u << SWHCA_LOG_MAX_RQT },
		[SWHCA_OBJ_ERQ] = { 1, 1u << SWHCA_LOG_MAX_ERQ },
		[SWHCA_OBJ_ESQ] = { SWHCA_FIRST_SQ, 1u << SWHCA_LOG_MAX_SQ },
		[SWHCA_OBJ_TIS] = { 1, 1u << SWHCA_LOG_MAX_TIS },
		[SWHCA_OBJ_FLOW_COUNTER] = { 1, SWHCA_NB_FLOW_COUNTERS },
		[SWHCA_OBJ_Q_COUNTER] = { 1, SWHCA_NB_Q_COUNTERS },
		[SWHCA_OBJ_SCHED] = { 1, SWHCA_NB_SCHEDS },
		[SWHCA_OBJ_TD] = { 1, 1u << 10 },
		[SWHCA_OBJ_UCTX] = { 1, 1u << SWHCA_LOG_MAX_UCTX },
	};
	unsigned int i;

	for (i = 0; i < SWHCA_NB_OBJ_TYPES; i++)
		swhca_table_init(&hca->tables[i], ranges[i].first, ranges[i].max);
}

static void
tables_fini(struct swhca_hca *hca)
{
	unsigned int i;

	for (i = 0; i < SWHCA_NB_OBJ_TYPES; i++)
		swhca_table_fini(&hca->tables[i]);
}

/* Limit of the configuration: offset, range, default for 0. */
struct conf_limit {
	const char *name;
	size_t offset;
	uint8_t min;
	uint8_t max;
	uint8_t value;
};

#define LIMIT(field, lowest, highest, default_value)                                               \
	{                                                                                          \
		.name = #field, .offset = offsetof(struct swhca_hca_conf, field), .min = lowest,   \
		.max = highest, .value = default_value                                             \
	}

static const struct conf_limit conf_limits[] = {
	LIMIT(first_uar, 1, 128, 1),
	LIMIT(log_max_uar, 8, 15, 9),
	LIMIT(log_max_klm, 1, 16, 16),
	LIMIT(max_indirection, 1, 8, 4),
	LIMIT(log_max_qp, 1, SWHCA_LOG_MAX_QP, SWHCA_LOG_MAX_QP),
	LIMIT(log_max_qp_sz, 6, SWHCA_LOG_MAX_QP_SZ, SWHCA_LOG_MAX_QP_SZ),
	LIMIT(log_max_cq, 1, SWHCA_LOG_MAX_CQ, SWHCA_LOG_MAX_CQ),
	LIMIT(log_max_cq_sz, 6, SWHCA_LOG_MAX_CQ_SZ, SWHCA_LOG_MAX_CQ_SZ),
	LIMIT(log_max_mkey, 6, SWHCA_LOG_MAX_MKEY, SWHCA_LOG_MAX_MKEY),
};

static int
conf_limits_set(struct swhca_hca_conf *conf)
{
	const struct conf_limit *limit;
	uint8_t *value;
	size_t i;

	for (i = 0; i < sizeof(conf_limits) / sizeof(conf_limits[0]); i++) {
		limit = &conf_limits[i];
		value = (uint8_t *)conf + limit->offset;
		if (*value == 0)
			*value = limit->value;
		if (*value < limit->min || *value > limit->max) {
			SWHCA_LOG(ERR, "HCA: %s %u: not in %u to %u", limit->name, *value,
				  limit->min, limit->max);
			return -EINVAL;
		}
	}
	return 0;
}

/* An Ethernet port has a MAC address instead of a LID. */
static int
conf_port_check(const struct swhca_hca_conf *conf)
{
	static const uint8_t no_mac[sizeof(conf->mac)];

	if (conf->link_layer == SWHCA_LINK_ETH) {
		if (conf->lid == 0 && (conf->mac[0] & 1) == 0 &&
		    memcmp(conf->mac, no_mac, sizeof(no_mac)) != 0)
			return 0;
		SWHCA_LOG(ERR, "HCA: Ethernet port with LID 0x%x and MAC address"
			  " %02x:%02x:%02x:%02x:%02x:%02x", conf->lid, conf->mac[0], conf->mac[1],
			  conf->mac[2], conf->mac[3], conf->mac[4], conf->mac[5]);
		return -EINVAL;
	}
	if (conf->lid == 0 || conf->lid > MAX_LID) {
		SWHCA_LOG(ERR, "HCA: LID 0x%x: not in 1 to 0x%x", conf->lid, MAX_LID);
		return -EINVAL;
	}
	return 0;
}

/* QP numbers have 24 bits, and up to 2^16 of them may exist. */
#define MAX_FIRST_QPN 0xff0000u

static int
conf_check(const struct swhca_fabric *fabric, struct swhca_hca_conf *conf)
{
	const struct swhca_hca *other;
	int ret;

	if (conf->model >= SWHCA_NB_MODELS || conf->link_layer > SWHCA_LINK_ETH) {
		SWHCA_LOG(ERR, "HCA: model %u of %u, link layer %u of 2", (unsigned int)conf->model,
			  SWHCA_NB_MODELS, (unsigned int)conf->link_layer);
		return -EINVAL;
	}
	if (conf->bus_space == UINT8_MAX) {
		SWHCA_LOG(ERR, "HCA: bus space %u, at most %u", conf->bus_space, UINT8_MAX - 1);
		return -EINVAL;
	}
	if (conf->first_qpn > MAX_FIRST_QPN) {
		SWHCA_LOG(ERR, "HCA: first QP number 0x%x, at most 0x%x", conf->first_qpn,
			  MAX_FIRST_QPN);
		return -EINVAL;
	}
	if (conf->max_xlt == 0)
		conf->max_xlt = SWHCA_MAX_XLT;
	if (conf->max_xlt > SWHCA_MAX_XLT) {
		SWHCA_LOG(ERR, "HCA: %u octowords of keys, at most %u", conf->max_xlt,
			  SWHCA_MAX_XLT);
		return -EINVAL;
	}
	if (!swhca_model_has(conf->model, SWHCA_FEATURE_MEMIC_OPS))
		conf->has_memic_ops = false;
	ret = conf_limits_set(conf);
	if (ret == 0)
		ret = conf_port_check(conf);
	if (ret != 0)
		return ret;
	LIST_FOREACH(other, &fabric->hcas, link) {
		if (other->conf.link_layer != conf->link_layer)
			continue;
		if (conf->link_layer == SWHCA_LINK_IB ?
			    other->conf.lid == conf->lid :
			    memcmp(other->conf.mac, conf->mac, sizeof(conf->mac)) == 0) {
			SWHCA_LOG(ERR, "HCA: LID 0x%x or MAC address is in use", conf->lid);
			return -EEXIST;
		}
	}
	return 0;
}

int
swhca_hca_create(struct swhca_fabric *fabric, const struct swhca_hca_conf *conf,
		 struct swhca_hca **out)
{
	struct swhca_hca *hca = swhca_alloc(sizeof(*hca));
	int ret;

	if (hca == NULL)
		return -ENOMEM;
	hca->fabric = fabric;
	hca->conf = *conf;
	hca->conf.has_page_fault_events |= conf->has_driver;
	hca->classes = swhca_obj_classes;
	swhca_fabric_lock(fabric);
	ret = conf_check(fabric, &hca->conf);
	if (ret == 0)
		ret = bar_create(hca);
	if (ret == 0) {
		tables_init(hca);
		hca->port_rate = swhca_port_rate_of(conf->model);
		ib_gid_set(hca);
		swhca_function_init(hca);
		swhca_vport_init(hca);
		hca->no_pd.type = SWHCA_OBJ_PD;
		LIST_INIT(&hca->timers);
		hca->bar_timer.page = (uint64_t *)(hca->bar + swhca_timer_bar_offset(hca));
		LIST_INSERT_HEAD(&hca->timers, &hca->bar_timer, link);
		LIST_INIT(&hca->active_uars);
		LIST_INIT(&hca->odps);
		LIST_INIT(&hca->mcg_members);
		LIST_INIT(&hca->open_cqs);
		LIST_INIT(&hca->due_cqs);
		LIST_INIT(&hca->held_cqs);
		LIST_INIT(&hca->late_qps);
		swhca_timers_update(&hca->timers);
		LIST_INSERT_HEAD(&fabric->hcas, hca, link);
	}
	swhca_fabric_unlock(fabric);
	if (ret != 0) {
		free(hca);
		return ret;
	}
	*out = hca;
	return 0;
}

void
swhca_hca_destroy(struct swhca_hca *hca)
{
	if (hca == NULL)
		return;
	/* An agent that is being called must return first. */
	if (hca->gsi != NULL)
		swhca_hca_set_mad_agent(hca, NULL);
	swhca_fabric_lock(hca->fabric);
	LIST_REMOVE(hca, link);
	swhca_mcg_fini(hca);
	swhca_sa_forget(hca);
	swhca_obj_destroy_all(hca);
	tables_fini(hca);
	swhca_function_fini(hca);
	swhca_net_destroy(hca->net);
	swhca_fabric_unlock(hca->fabric);
	munmap(hca->bar, hca->bar_size);
	close(hca->bar_fd);
	free(hca);
}

int
swhca_hca_bar_fd(const struct swhca_hca *hca)
{
	return hca->bar_fd;
}

size_t
swhca_hca_bar_size(const struct swhca_hca *hca)
{
	return hca->bar_size;
}

size_t
swhca_hca_uar_area_size(const struct swhca_hca *hca)
{
	return swhca_vars_bar_offset(hca);
}

size_t
swhca_hca_timer_offset(const struct swhca_hca *hca)
{
	return swhca_timer_bar_offset(hca);
}

void
swhca_hca_credential_delete(struct swhca_hca *hca)
{
	swhca_fabric_lock(hca->fabric);
	hca->is_credential_deleted = true;
	swhca_fabric_unlock(hca->fabric);
}

void
swhca_hca_stats_get(const struct swhca_hca *hca, struct swhca_hca_stats *stats)
{
	unsigned int i;

	swhca_fabric_lock(hca->fabric);
	*stats = hca->stats;
	for (i = 0; i < SWHCA_NB_OBJ_TYPES; i++)
		stats->nb_objects += hca->tables[i].nb_used;
	stats->nb_umems = hca->tables[SWHCA_OBJ_UMEM].nb_used;
	stats->nb_mkeys = hca->tables[SWHCA_OBJ_MKEY].nb_used;
	swhca_fabric_unlock(hca->fabric);
}
