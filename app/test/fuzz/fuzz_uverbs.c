/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What a program asks of device files: ioctl(2), mmap(2), read(2) of events, open and close. The
 * first byte says of which kind the devices are (UVERBS_KIND_*). A step is one of the below; the
 * requests that they begin with are made of attributes (see attr_read()):
 *
 *   u8 0        u8 file, u8 object, u8 method, u8 twist, u8 attributes, attribute...
 *   u8 8        u8 file, u8 command, u16 index, u8 pages, u8 protection
 *   u8 9        u8 mapping, or 0x80 and u16 page, u8 pages: they go away
 *   u8 10       u8 file: open, or close and open again
 *   u8 11       u8 event file, u8 other: close, or duplicate
 *   u8 12       u8 event file, u8 length
 *   u8 13       u8 time
 *   u8 14       u32 offset in the arena, u8 length, bytes
 *   u8 15       the next command of the device fails, if its request may be undone
 *
 * Whatever it does, when the files are closed nothing may be left.
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "fuzz.h"
#include "fuzz_uverbs.h"
#include "host/trap.h"
#include "front/uverbs/call/uverbs.h"

#define NB_FILES	3u
#define NB_MAPS		8u
#define MAX_STEPS	256u
#define MAX_ATTRS	80u
#define MAX_MAP_PAGES	17u

/* Where the attributes of a request are, and what they point to. */
#define REQUEST_ADDR	UVERBS_ARGS
#define PAYLOAD_ADDR	(UVERBS_ARGS + 4096)
/* Behind what a request may write to. */
#define CANARY_BYTES	64u
#define CANARY		0xa5

struct map {
	void *va;
	size_t len;
};

struct program {
	struct fuzz_input *in;
	int files[NB_FILES];
	struct map maps[NB_MAPS];
	bool fails_next;
};

/* A header, which ends with what follows it. */
union header {
	struct ib_uverbs_ioctl_hdr hdr;
	uint8_t bytes[sizeof(struct ib_uverbs_ioctl_hdr)];
};

/* A request on its way into memory. */
struct request {
	struct ib_uverbs_attr attrs[MAX_ATTRS];
	uint64_t next;			/* where the next payload goes */
	uint64_t canaries[MAX_ATTRS];	/* their addresses */
	unsigned int nb_canaries;
	uint64_t write_cmd;		/* of INVOKE_WRITE */
	union header head;
};

/* Numbers of the ABI: those of drivers begin at 0x1000. */
static uint16_t
id_read(struct fuzz_input *in)
{
	uint8_t code = fuzz_u8(in);

	return (uint16_t)(((code & 0x80) != 0 ? 1u << UVERBS_ID_NS_SHIFT : 0) | (code & 0x7f));
}

/* Memory that is none, or not for writing, or ends too early. */
static uint64_t
bad_addr(uint8_t choice)
{
	static const uint64_t addrs[] = {
		0, 8, UVERBS_HOLE, UVERBS_READ_ONLY, UINT64_MAX - 7, UVERBS_READ_ONLY - 4,
		UVERBS_ARGS + UVERBS_ARGS_SIZE - 4,
	};

	return addrs[choice % (sizeof(addrs) / sizeof(addrs[0]))];
}

/* Bytes that are mostly zero: u8 zeros, u8 bytes, bytes..., until there are none. */
static void
sparse_read(struct fuzz_input *in, uint8_t *dst, size_t len)
{
	size_t at = 0;
	uint8_t nb;

	memset(dst, 0, len);
	while (in->left > 0) {
		at += fuzz_u8(in);
		nb = fuzz_u8(in);
		if (nb == 0 || at >= len)
			return;
		if (nb > len - at)
			nb = (uint8_t)(len - at);
		fuzz_bytes(in, dst + at, nb);
		at += nb;
	}
}

/* Room for a payload, and for a canary behind it. @return 0 if there is none left. */
static uint64_t
payload_take(struct request *req, size_t len)
{
	uint64_t addr = req->next;
	uint64_t size = (len + CANARY_BYTES + 15) / 16 * 16;

	if (addr + size > UVERBS_ARGS + UVERBS_ARGS_SIZE)
		return 0;
	req->next += size;
	memset(uverbs_host_args(addr), CANARY, size);
	req->canaries[req->nb_canaries++] = addr + len;
	return addr;
}

enum attr_kind {
	ATTR_HANDLE,	/* u8: an object, or a descriptor */
	ATTR_U32,
	ATTR_U64,
	ATTR_IN,	/* u16 length, sparse bytes */
	ATTR_OUT,	/* u16 length */
	ATTR_BAD,	/* u16 length, u8 address */
	ATTR_LONG,	/* s64: a handle that is none */
	ATTR_EMPTY,
};

/*
 * u8 number, u8 kind (bit 7: the caller can do without it, bit 6: reserved bits follow, u16), and
 * what the kind says.
 */
static void
attr_read(struct fuzz_input *in, struct request *req, struct ib_uverbs_attr *attr)
{
	uint8_t kind;

	memset(attr, 0, sizeof(*attr));
	attr->attr_id = id_read(in);
	kind = fuzz_u8(in);
	attr->flags = (kind & 0x80) != 0 ? 0 : UVERBS_ATTR_F_MANDATORY;
	if ((kind & 0x40) != 0)
		attr->attr_data.reserved = fuzz_u16(in);
	switch ((enum attr_kind)(kind & 0x7)) {
	case ATTR_HANDLE:
		attr->data = fuzz_u8(in);
		break;
	case ATTR_U32:
		attr->len = 4;
		attr->data = fuzz_u32(in);
		break;
	case ATTR_U64:
	case ATTR_LONG:
		attr->len = (kind & 0x7) == ATTR_U64 ? 8 : 0;
		fuzz_bytes(in, &attr->data, sizeof(attr->data));
		break;
	case ATTR_IN:
		attr->len = fuzz_u16(in);
		if (attr->len <= sizeof(attr->data)) {
			sparse_read(in, (uint8_t *)&attr->data, attr->len);
			break;
		}
		attr->data = payload_take(req, attr->len);
		if (attr->data != 0)
			sparse_read(in, uverbs_host_args(attr->data), attr->len);
		break;
	case ATTR_OUT:
		attr->len = fuzz_u16(in);
		attr->data = payload_take(req, attr->len);
		break;
	case ATTR_BAD:
		attr->len = fuzz_u16(in);
		attr->data = bad_addr(fuzz_u8(in));
		break;
	case ATTR_EMPTY:
		break;
	}
	if (attr->attr_id == UVERBS_ATTR_WRITE_CMD)
		req->write_cmd = attr->data;
}

/* Headers that are wrong: only of a few values, so that most are right. */
enum {
	TWIST_LENGTH = 0xf0,
	TWIST_NUMBER,
	TWIST_RESERVED,
	TWIST_DRIVER,
	TWIST_ADDRESS,
	TWIST_CODE,
	TWIST_NUMBERS,
};

static void
request_read(struct fuzz_input *in, struct request *req, uint8_t *twist)
{
	struct ib_uverbs_ioctl_hdr *hdr = &req->head.hdr;
	uint16_t nb;

	memset(req, 0, sizeof(*req));
	req->next = PAYLOAD_ADDR;
	hdr->object_id = id_read(in);
	hdr->method_id = id_read(in);
	hdr->driver_id = RDMA_DRIVER_MLX5;
	*twist = fuzz_u8(in);
	if (*twist == TWIST_NUMBERS) {
		hdr->object_id = fuzz_u16(in);
		hdr->method_id = fuzz_u16(in);
	}
	nb = fuzz_u8(in) % (MAX_ATTRS + 1);
	for (uint16_t i = 0; i < nb; i++)
		attr_read(in, req, &req->attrs[i]);
	hdr->num_attrs = nb;
	hdr->length = (uint16_t)(sizeof(*hdr) + nb * sizeof(req->attrs[0]));
	if (*twist == TWIST_LENGTH)
		hdr->length += 8;
	else if (*twist == TWIST_NUMBER)
		hdr->num_attrs += 40;
	else if (*twist == TWIST_RESERVED)
		hdr->reserved1 = 1;
	else if (*twist == TWIST_DRIVER)
		hdr->driver_id = 0;
}

/* A request that gives something back cannot be undone: what it leaves behind is its right. */
static bool
may_fail(const struct request *req)
{
	static const uint16_t destroy_cmds[] = {
		IB_USER_VERBS_CMD_DEALLOC_PD, IB_USER_VERBS_CMD_DESTROY_AH,
		IB_USER_VERBS_CMD_DEREG_MR, IB_USER_VERBS_CMD_DEALLOC_MW,
		IB_USER_VERBS_CMD_DESTROY_CQ, IB_USER_VERBS_CMD_DESTROY_QP,
		IB_USER_VERBS_CMD_DESTROY_SRQ, IB_USER_VERBS_CMD_CLOSE_XRCD,
		IB_USER_VERBS_CMD_DETACH_MCAST,
	};
	static const struct {
		uint16_t object;
		uint16_t method;
	} methods[] = {
		{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE },
		{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT },
		{ UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE },
		{ UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE },
		{ UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE },
		{ UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC },
		{ UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_MAP_OP_ADDR },
		{ UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG },
		{ UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR },
		{ MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC },
		{ MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_ALLOC },
		{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE },
		{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY },
		{ MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG },
	};

	for (size_t i = 0; i < sizeof(destroy_cmds) / sizeof(destroy_cmds[0]); i++) {
		if (req->write_cmd == destroy_cmds[i])
			return false;
	}
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (methods[i].object == req->head.hdr.object_id &&
		    methods[i].method == req->head.hdr.method_id)
			return true;
	}
	return false;
}

static unsigned int
file_pick(struct fuzz_input *in)
{
	return fuzz_u8(in) % NB_FILES;
}

static void
canaries_check(const struct request *req)
{
	for (unsigned int i = 0; i < req->nb_canaries; i++) {
		for (unsigned int j = 0; j < CANARY_BYTES; j++)
			FUZZ_NEED(uverbs_host_args(req->canaries[i])[j] == CANARY);
	}
}

static void
step_ioctl(struct program *p)
{
	unsigned int slot = file_pick(p->in), device = uverbs_host_device(slot);
	static struct request req;
	unsigned long code;
	uint64_t addr;
	uint8_t twist;
	int ret = -EBADF;

	request_read(p->in, &req, &twist);
	addr = twist == TWIST_ADDRESS ? bad_addr(fuzz_u8(p->in)) : REQUEST_ADDR;
	code = twist == TWIST_CODE ? RDMA_VERBS_IOCTL + 1 : RDMA_VERBS_IOCTL;
	memcpy(uverbs_host_args(REQUEST_ADDR), req.head.bytes, sizeof(req.head));
	memcpy(uverbs_host_args(REQUEST_ADDR) + sizeof(req.head), req.attrs, sizeof(req.attrs));
	if (p->fails_next && may_fail(&req))
		swhca_uverbs_cmd_fail(device, 1);
	p->fails_next = false;
	swhca_uverbs_ioctl(p->files[slot], code, (void *)(uintptr_t)addr, &ret);
	FUZZ_NEED(ret <= 0 && ret > -4096);
	swhca_uverbs_cmd_fail(device, 0);
	canaries_check(&req);
	uverbs_host_take_fds();
}

static void
map_drop(struct map *map)
{
	if (map->va == NULL)
		return;
	swhca_uverbs_invalidate(map->va, map->len);
	swhca_trap_remove(map->va, map->len);
	munmap(map->va, map->len);
	map->va = NULL;
}

/* The mapping that was allowed: of one part of the file, or of what is behind its end. */
static void
map_make(struct program *p, int fd, size_t len, int prot, off_t offset)
{
	struct map *map = &p->maps[0];
	struct stat st;

	FUZZ_NEED(fstat(fd, &st) == 0);
	FUZZ_NEED(offset >= 0 && offset % FUZZ_PAGE == 0);
	FUZZ_NEED(offset >= st.st_size || len <= (size_t)(st.st_size - offset));
	for (unsigned int i = 0; i < NB_MAPS; i++) {
		if (p->maps[i].va == NULL)
			map = &p->maps[i];
	}
	map_drop(map);
	map->len = len;
	map->va = mmap(NULL, len, prot, MAP_SHARED, fd, offset);
	FUZZ_NEED(map->va != MAP_FAILED);
	if (swhca_uverbs_mapped(fd, map->va, len, offset) != 0)
		map_drop(map);
}

static void
step_mmap(struct program *p)
{
	int file = p->files[file_pick(p->in)], flags;
	uint64_t cmd = fuzz_u8(p->in), index = fuzz_u16(p->in);
	size_t len = fuzz_u8(p->in) % MAX_MAP_PAGES * (size_t)FUZZ_PAGE;
	uint8_t prot = fuzz_u8(p->in);
	off_t offset;

	/* mlx5_ib: get_command(), get_extended_index() */
	offset = (off_t)(((index >> 8) << 16 | cmd << 8 | (index & 0xff)) * FUZZ_PAGE);
	if ((prot & 0x40) != 0)
		fuzz_bytes(p->in, &offset, sizeof(offset));
	flags = (prot & 0x80) != 0 ? MAP_PRIVATE : MAP_SHARED;
	prot &= PROT_READ | PROT_WRITE | PROT_EXEC;
	/* No driver is asked about a mapping of nothing. */
	if (len != 0 && swhca_uverbs_mmap(file, len, prot, flags, &offset) == 0)
		map_make(p, file, len, prot, offset);
}

static void
step_unmap(struct program *p)
{
	uint8_t which = fuzz_u8(p->in);
	uint64_t page;

	if ((which & 0x80) == 0) {
		map_drop(&p->maps[which % NB_MAPS]);
		return;
	}
	page = fuzz_u16(p->in) % (UVERBS_ARENA_SIZE / FUZZ_PAGE);
	swhca_uverbs_invalidate((void *)(uintptr_t)(UVERBS_ARENA + page * FUZZ_PAGE),
				fuzz_u8(p->in) * (size_t)FUZZ_PAGE);
}

static void
file_close(struct program *p, unsigned int slot)
{
	if (p->files[slot] < 0)
		return;
	swhca_uverbs_close(p->files[slot]);
	close(p->files[slot]);
	p->files[slot] = -1;
}

static void
file_open(struct program *p, unsigned int slot)
{
	file_close(p, slot);
	p->files[slot] = swhca_uverbs_open(uverbs_host_device(slot), O_CLOEXEC);
	FUZZ_NEED(p->files[slot] >= 0);
}

static int
event_fd_pick(struct program *p)
{
	return UVERBS_FD_FIRST + fuzz_u8(p->in) % UVERBS_NB_FDS;
}

static void
step_event_fd(struct program *p)
{
	int fd = event_fd_pick(p), other = event_fd_pick(p);

	if (fd != other && fcntl(fd, F_GETFD) >= 0) {
		FUZZ_NEED(dup2(fd, other) == other);
		swhca_uverbs_dup(fd, other);
		return;
	}
	swhca_uverbs_close(fd);
	close(fd);
}

static void
step_read(struct program *p)
{
	int fd = event_fd_pick(p);
	uint8_t len = fuzz_u8(p->in);

	if (!swhca_uverbs_is_event(fd))
		return;
	swhca_uverbs_read(fd, uverbs_host_args(PAYLOAD_ADDR), len);
}

static void
step_poke(struct program *p)
{
	uint64_t addr = UVERBS_ARENA + fuzz_u32(p->in) % UVERBS_ARENA_SIZE;
	uint8_t bytes[UINT8_MAX];
	uint8_t len = fuzz_u8(p->in);

	fuzz_bytes(p->in, bytes, len);
	uverbs_host_put(addr, bytes, len);
}

static void
step_open(struct program *p)
{
	file_open(p, file_pick(p->in));
}

static void
step_time(struct program *p)
{
	fuzz_world_wait(UINT64_C(1) << fuzz_u8(p->in) % 40);
	uverbs_host_run();
}

static void
step_fail(struct program *p)
{
	p->fails_next = true;
}

static void (*const steps[16])(struct program *p) = {
	step_ioctl, step_ioctl, step_ioctl, step_ioctl, step_ioctl, step_ioctl, step_ioctl,
	step_ioctl, step_mmap, step_unmap, step_open, step_event_fd, step_read, step_time,
	step_poke, step_fail,
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .data = data, .left = size };
	struct program p = { .in = &in, .files = { -1, -1, -1 } };
	static bool is_ready;

	if (!is_ready)
		uverbs_host_init();
	is_ready = true;
	uverbs_host_begin(fuzz_u8(&in));
	file_open(&p, 0);
	for (unsigned int i = 0; i < MAX_STEPS && in.left > 0; i++)
		steps[fuzz_u8(&in) % 16](&p);
	for (unsigned int i = 0; i < NB_MAPS; i++)
		map_drop(&p.maps[i]);
	for (unsigned int i = 0; i < NB_FILES; i++)
		file_close(&p, i);
	uverbs_host_end();
	return 0;
}
