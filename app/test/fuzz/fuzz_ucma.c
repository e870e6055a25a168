/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The connection manager as a whole: an input is a sequence of commands of two programs, MADs that
 * they send to each other, lost or changed on the way, MADs of strangers, and time. The devices are
 * names; nothing is sent but to a list, and answers go to memory of the harness.
 */

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <unistd.h>

#include "base/log.h"
#include "host/conf.h"
#include "front/cm/cm_msg.h"
#include "front/ucma/agent.h"
#include "front/ucma/id.h"
#include "front/ucma/ucma.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "fuzz.h"

#define NB_DEVICES 2u
#define NB_CHANNELS 2u
#define NB_HANDLES 16u
#define NB_MADS 32u
#define NB_COMMANDS 25u
#define BODY_MAX 700u
#define NS_PER_MS UINT64_C(1000000)

/* Where a command has its response and its identifier. */
static const struct {
	int16_t response;
	int16_t id;
} places[NB_COMMANDS] = {
#define PLACE(name, type, response, id)                                                            \
	[RDMA_USER_CM_CMD_##name] = { response, (int16_t)offsetof(struct rdma_ucm_##type, id) }
	[RDMA_USER_CM_CMD_CREATE_ID] = { offsetof(struct rdma_ucm_create_id, response), -1 },
	PLACE(DESTROY_ID, destroy_id, 0, id), PLACE(BIND_IP, bind_ip, -1, id),
	PLACE(RESOLVE_IP, resolve_ip, -1, id), PLACE(RESOLVE_ROUTE, resolve_route, -1, id),
	PLACE(QUERY_ROUTE, query, 0, id), PLACE(CONNECT, connect, -1, id),
	PLACE(LISTEN, listen, -1, id), PLACE(ACCEPT, accept, -1, id),
	PLACE(REJECT, reject, -1, id), PLACE(DISCONNECT, disconnect, -1, id),
	PLACE(INIT_QP_ATTR, init_qp_attr, 0, id),
	[RDMA_USER_CM_CMD_GET_EVENT] = { 0, -1 },
	[RDMA_USER_CM_CMD_GET_OPTION] = { -1, -1 },
	PLACE(SET_OPTION, set_option, offsetof(struct rdma_ucm_set_option, optval), id),
	PLACE(NOTIFY, notify, -1, id), PLACE(JOIN_IP_MCAST, join_ip_mcast, 0, id),
	PLACE(LEAVE_MCAST, destroy_id, 0, id), PLACE(MIGRATE_ID, migrate_id, 0, id),
	PLACE(QUERY, query, 0, id), PLACE(BIND, bind, -1, id),
	PLACE(RESOLVE_ADDR, resolve_addr, -1, id), PLACE(JOIN_MCAST, join_mcast, 0, id),
	[RDMA_USER_CM_CMD_JOIN_MCAST + 1] = { -1, -1 },
	[RDMA_USER_CM_CMD_JOIN_MCAST + 2] = { -1, -1 },
};

static struct swhca_conf conf;
static struct swhca_udev devs[NB_DEVICES];
static struct swhca_mad_agent agents[NB_DEVICES];
static struct swhca_mad mads[NB_MADS];
static unsigned int nb_mads;
static uint64_t now_ns;
static int fds[NB_CHANNELS];
static uint32_t handles[NB_HANDLES];
static unsigned int nb_handles;
/* A peer that was asked whether it is there, and is not. */
static uint8_t peer[16];
static bool is_peer_gone;
static bool has_lost;
/* Answers, and option values: larger than any of them. */
static _Alignas(8) uint8_t scratch[4096];

/* ---- What the connection manager asks of others ---- */

const struct swhca_conf *__wrap_swhca_conf_get(void);
int __wrap_swhca_udev_get(unsigned int index, struct swhca_udev **dev);
struct swhca_udev *__wrap_swhca_udev_find(unsigned int index);
int __wrap_swhca_hca_mad_build(struct swhca_hca *hca, const struct swhca_mad *mad,
			       struct swhca_mad_packet *out);
void __wrap_swhca_hca_peer_probe(struct swhca_hca *hca, const uint8_t gid[16]);
bool __wrap_swhca_hca_peer_gone(struct swhca_hca *hca, uint8_t gid[16]);
int __wrap_swhca_hca_mad_send(struct swhca_hca *hca, const struct swhca_mad *mad);
void __wrap_swhca_hca_set_mad_agent(struct swhca_hca *hca, const struct swhca_mad_agent *agent);
uint64_t __wrap_swhca_now_ns(void);
ssize_t __wrap_getrandom(void *buf, size_t len, unsigned int flags);

const struct swhca_conf *
__wrap_swhca_conf_get(void)
{
	return &conf;
}

int
__wrap_swhca_udev_get(unsigned int index, struct swhca_udev **dev)
{
	*dev = &devs[index];
	return 0;
}

struct swhca_udev *
__wrap_swhca_udev_find(unsigned int index)
{
	return index < NB_DEVICES ? &devs[index] : NULL;
}

int
__wrap_swhca_hca_mad_send(struct swhca_hca *hca, const struct swhca_mad *mad)
{
	struct swhca_cm_msg msg;

	(void)hca;
	FUZZ_NEED(swhca_cm_parse(mad->data, &msg) == 0);
	if (nb_mads == NB_MADS)
		return -ENETUNREACH;
	mads[nb_mads++] = *mad;
	return 0;
}

/* What others are to say at the end is a message, too. */
int
__wrap_swhca_hca_mad_build(struct swhca_hca *hca, const struct swhca_mad *mad,
			   struct swhca_mad_packet *out)
{
	struct swhca_cm_msg msg;

	(void)hca;
	(void)out;
	FUZZ_NEED(swhca_cm_parse(mad->data, &msg) == 0 && msg.attr == SWHCA_CM_DREQ);
	return -ENETUNREACH;
}

/* Who is asked behind lose_step() is gone. */
void
__wrap_swhca_hca_peer_probe(struct swhca_hca *hca, const uint8_t gid[16])
{
	(void)hca;
	memcpy(peer, gid, sizeof(peer));
	is_peer_gone = has_lost;
	has_lost = false;
}

bool
__wrap_swhca_hca_peer_gone(struct swhca_hca *hca, uint8_t gid[16])
{
	bool is_gone = is_peer_gone;

	(void)hca;
	is_peer_gone = false;
	if (is_gone)
		memcpy(gid, peer, sizeof(peer));
	return is_gone;
}

/* A device is its number, plus one. */
void
__wrap_swhca_hca_set_mad_agent(struct swhca_hca *hca, const struct swhca_mad_agent *agent)
{
	agents[(uintptr_t)hca - 1] = *agent;
}

uint64_t
__wrap_swhca_now_ns(void)
{
	return now_ns;
}

ssize_t
__wrap_getrandom(void *buf, size_t len, unsigned int flags)
{
	(void)flags;
	memset(buf, 0x5a, len);
	return (ssize_t)len;
}

/* ---- Steps ---- */

static void
handle_add(uint32_t handle)
{
	handles[nb_handles++ % NB_HANDLES] = handle;
}

static uint32_t
handle_pick(struct fuzz_input *in)
{
	return handles[fuzz_u8(in) % NB_HANDLES];
}

static int
command_write(struct fuzz_input *in, uint32_t cmd, void *body, size_t len)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		uint8_t body[BODY_MAX];
	} request = { .hdr = { .cmd = cmd, .in = (uint16_t)len, .out = sizeof(scratch) } };
	uint64_t response = (uintptr_t)scratch;
	ssize_t ret;

	memcpy(request.body, body, len);
	if (cmd < NB_COMMANDS && places[cmd].response >= 0)
		memcpy(request.body + places[cmd].response, &response, sizeof(response));
	if (fuzz_u8(in) == 0xff)
		request.hdr.out = fuzz_u16(in) % sizeof(scratch);
	ret = swhca_ucma_write(fds[fuzz_u8(in) % NB_CHANNELS], &request,
			       sizeof(request.hdr) + len);
	FUZZ_NEED(ret < 0 || ret == (ssize_t)(sizeof(request.hdr) + len));
	return ret < 0 ? (int)ret : 0;
}

/* Addresses that exist, one that does not, and any. */
static void
addr_make(struct fuzz_input *in, struct sockaddr_in *addr)
{
	static const uint8_t hosts[][4] = {
		{ 192, 0, 2, 1 }, { 192, 0, 2, 2 }, { 192, 0, 2, 9 }, { 0, 0, 0, 0 },
		{ 127, 0, 0, 1 }, { 192, 90, 0, 1 }, { 192, 90, 0, 2 }, { 239, 1, 2, 3 },
	};

	*addr = (struct sockaddr_in){ .sin_family = AF_INET };
	memcpy(&addr->sin_addr, hosts[fuzz_u8(in) % 8], 4);
	addr->sin_port = (uint16_t)(fuzz_u8(in) % 4);
}

static void
command_step(struct fuzz_input *in)
{
	_Alignas(8) uint8_t body[BODY_MAX];
	uint32_t cmd = fuzz_u8(in) % NB_COMMANDS, id = handle_pick(in);
	size_t len = fuzz_u16(in) % (BODY_MAX / 2);
	struct swhca_ucm_id *found;

	memset(body, 0, sizeof(body));
	fuzz_bytes(in, body, len);
	if (places[cmd].id >= 0)
		memcpy(body + places[cmd].id, &id, sizeof(id));
	/* The other half is zero: most commands are longer than what is worth changing. */
	if (cmd == RDMA_USER_CM_CMD_MIGRATE_ID)
		((struct rdma_ucm_migrate_id *)body)->fd = (uint32_t)fds[fuzz_u8(in) % NB_CHANNELS];
	if (cmd == RDMA_USER_CM_CMD_SET_OPTION)
		((struct rdma_ucm_set_option *)body)->optlen %= sizeof(scratch);
	if (cmd == RDMA_USER_CM_CMD_CONNECT)
		((struct rdma_ucm_connect *)body)->conn_param.valid = fuzz_u8(in);
	if (cmd == RDMA_USER_CM_CMD_ACCEPT) {
		((struct rdma_ucm_accept *)body)->conn_param.valid = fuzz_u8(in);
		((struct rdma_ucm_accept *)body)->uid = 1;
	}
	if (command_write(in, cmd, body, BODY_MAX / 2 + 300) == 0 &&
	    cmd == RDMA_USER_CM_CMD_JOIN_MCAST)
		handle_add(*(uint32_t *)scratch);
	LIST_FOREACH(found, &swhca_ucm_ids, link)
		FUZZ_NEED(found->state <= SWHCA_UCM_DISCONNECT);
}

static void
create_step(struct fuzz_input *in)
{
	static const uint16_t spaces[] = { RDMA_PS_TCP, RDMA_PS_UDP, RDMA_PS_IB, RDMA_PS_IPOIB };
	struct rdma_ucm_create_id body = { .uid = 1, .ps = spaces[fuzz_u8(in) % 4] };

	body.qp_type = fuzz_u8(in) % 12;
	if (command_write(in, RDMA_USER_CM_CMD_CREATE_ID, &body, sizeof(body)) == 0)
		handle_add(*(uint32_t *)scratch);
}

static void
bind_step(struct fuzz_input *in)
{
	struct rdma_ucm_bind at = { .id = handle_pick(in), .addr_size = 16 };
	struct rdma_ucm_listen listen = { .id = at.id, .backlog = 2 };
	struct sockaddr_in addr;

	addr_make(in, &addr);
	memcpy(&at.addr, &addr, sizeof(addr));
	command_write(in, RDMA_USER_CM_CMD_BIND, &at, sizeof(at));
	command_write(in, RDMA_USER_CM_CMD_LISTEN, &listen, sizeof(listen));
}

static void
resolve_step(struct fuzz_input *in)
{
	struct rdma_ucm_resolve_addr to = { .id = handle_pick(in), .dst_size = 16 };
	struct rdma_ucm_resolve_route route = { .id = to.id };
	struct sockaddr_in addr;

	addr_make(in, &addr);
	memcpy(&to.dst_addr, &addr, sizeof(addr));
	command_write(in, RDMA_USER_CM_CMD_RESOLVE_ADDR, &to, sizeof(to));
	command_write(in, RDMA_USER_CM_CMD_RESOLVE_ROUTE, &route, sizeof(route));
}

static void
event_step(struct fuzz_input *in)
{
	const struct rdma_ucm_event_resp *event = (const struct rdma_ucm_event_resp *)scratch;
	struct rdma_ucm_get_event body = { 0 };

	if (command_write(in, RDMA_USER_CM_CMD_GET_EVENT, &body, sizeof(body)) == 0)
		handle_add(event->id);
}

/* The first MAD on its way, as it is or changed; to the device that has the address, or any. */
static void
deliver_step(struct fuzz_input *in)
{
	struct swhca_mad mad;
	unsigned int nb, dev;

	if (nb_mads == 0)
		return;
	mad = mads[0];
	memmove(mads, mads + 1, --nb_mads * sizeof(mads[0]));
	dev = mad.dgid[15] == 2;
	nb = fuzz_u8(in);
	if (nb < 200)
		nb = 0;
	for (unsigned int i = 200; i < nb && i < 204; i++)
		mad.data[24 + fuzz_u8(in) % 232] = fuzz_u8(in);
	if (agents[dev].receive != NULL)
		agents[dev].receive(agents[dev].arg, &mad);
}

static void
stranger_step(struct fuzz_input *in)
{
	struct swhca_mad mad = { .src_qpn = 1 };
	unsigned int dev = fuzz_u8(in) % NB_DEVICES;

	fuzz_bytes(in, mad.data, 24 + 176);
	if (fuzz_u8(in) % 8 != 0) {
		memcpy(mad.data, (const uint8_t[]){ 1, 7, 2, 3 }, 4);
		mad.data[16] = 0;
		mad.data[17] = (uint8_t)(SWHCA_CM_REQ + mad.data[17] % 9);
	}
	fuzz_bytes(in, mad.sgid, sizeof(mad.sgid));
	if (agents[dev].receive != NULL)
		agents[dev].receive(agents[dev].arg, &mad);
}

static void
time_step(struct fuzz_input *in)
{
	now_ns += fuzz_u16(in) * NS_PER_MS;
	for (unsigned int i = 0; i < NB_DEVICES; i++)
		if (agents[i].tick != NULL)
			agents[i].tick(agents[i].arg, now_ns);
}

static void
lose_step(struct fuzz_input *in)
{
	(void)in;
	has_lost = true;
	if (nb_mads > 0)
		nb_mads--;
}

/* Rarely: not much is left afterwards. */
static void
removed_step(struct fuzz_input *in)
{
	if (fuzz_u8(in) < 16)
		swhca_ucma_removed(fuzz_u8(in) % NB_DEVICES);
}

static void (*const steps[10])(struct fuzz_input *in) = {
	command_step, create_step, bind_step, resolve_step, event_step, deliver_step, lose_step,
	stranger_step, time_step, removed_step,
};

static void
world_make(bool is_eth)
{
	swhca_log_level = SWHCA_LOG_NONE;
	conf.nb_devices = NB_DEVICES;
	conf.link_layer = is_eth ? SWHCA_LINK_ETH : SWHCA_LINK_IB;
	nb_mads = 0;
	has_lost = false;
	is_peer_gone = false;
	nb_handles = 0;
	memset(handles, 0, sizeof(handles));
	swhca_ucm_forget();
	for (unsigned int i = 0; i < NB_DEVICES; i++) {
		devs[i].index = i;
		devs[i].hca = (struct swhca_hca *)(uintptr_t)(i + 1);
		prm_set(devs[i].caps, PRM_CAP_PORT_TYPE,
			is_eth ? PRM_CAP_PORT_TYPE_ETH : PRM_CAP_PORT_TYPE_IB);
		prm_set(devs[i].caps, PRM_CAP_LOCAL_CA_ACK_DELAY, 15);
	}
	for (unsigned int i = 0; i < NB_CHANNELS; i++) {
		fds[i] = swhca_ucma_open(O_CLOEXEC | O_NONBLOCK);
		FUZZ_NEED(fds[i] >= 0);
	}
	FUZZ_NEED(swhca_ucm_agents_start() == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .data = data, .left = size };
	static bool is_ready;

	if (!is_ready)
		swhca_ufds_start();
	is_ready = true;
	world_make((fuzz_u8(&in) & 1) == 0);
	while (in.left > 0)
		steps[fuzz_u8(&in) % 10](&in);
	for (unsigned int i = 0; i < NB_CHANNELS; i++) {
		swhca_ufd_close(fds[i]);
		close(fds[i]);
	}
	FUZZ_NEED(LIST_EMPTY(&swhca_ucm_ids));
	return 0;
}
