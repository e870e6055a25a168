/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "cases.h"
#include "memlink.h"
#include "wire/conn/conn.h"
#include "wire/wire_route.h"
#include "world.h"

#define PAGE 4096u
#define BUS_SPACE 3u

/* What the environment asks for: SWHCA_WORLD=plain|bus|space|packet. */
static struct {
	uint64_t bus_xor;	/* bits in which bus addresses of commands differ from pointers */
	uint64_t dma_xor;	/* bits in which those that the device asks for do */
	uint8_t bus_space;
	bool is_packet;
} variant;

const char *world_case;
void (*world_case_destroy)(void *arg);

/* Cases are added, by constructors, too, as the variant allows. */
static __attribute__((constructor(101))) void
variant_init(void)
{
	const char *name = getenv("SWHCA_WORLD");

	if (name == NULL || strcmp(name, "plain") == 0)
		return;
	if (strcmp(name, "bus") == 0) {
		/* Bus addresses that are no pointers. */
		variant.bus_xor = variant.dma_xor = UINT64_C(0x5a00000000000000);
	} else if (strcmp(name, "space") == 0) {
		/* What is of no function's space is a pointer that nobody has. */
		variant.bus_space = BUS_SPACE;
		variant.dma_xor = (uint64_t)BUS_SPACE << 56;
	} else if (strcmp(name, "packet") == 0) {
		variant.is_packet = true;
	} else {
		fprintf(stderr, "SWHCA_WORLD is plain, bus, space or packet, not %s\n", name);
		exit(2);
	}
}

bool
world_is_packet(void)
{
	return variant.is_packet;
}

void
world_use_packets(void)
{
	variant.is_packet = true;
}

/* A device that has its own idea of addresses, by functions that know no spans. */
static int
bus_read(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len)
{
	return swhca_dma_process()->read(swhca_dma_process(), dst, addr ^ variant.dma_xor, len);
}

static int
bus_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	return swhca_dma_process()->write(swhca_dma_process(), addr ^ variant.dma_xor, src, len);
}

static const struct swhca_dma bus_dma = {
	.read = bus_read,
	.write = bus_write,
	.write_last = bus_write,
};

uint64_t
world_bus(const void *ptr)
{
	return (uintptr_t)ptr ^ variant.bus_xor;
}

void
world_put_bus(uint8_t *box, unsigned int dw, const void *ptr)
{
	world_put64(box, dw, world_bus(ptr));
}

static struct swhca_wire packet_wire;

/* Only what a port sends to itself, to groups and to the subnet's manager stays in the fabric. */
static void
packet_send(struct swhca_hca *from, const struct swhca_wire_req *req,
	    struct swhca_wire_answer *answer)
{
	if (req->addr.is_loopback || req->dst_qpn == 0xffffff || req->addr.lid == WORLD_SM_LID)
		swhca_wire_fabric()->send(from, req, answer);
	else
		swhca_conn_send(from, req, answer);
}

uint8_t *
world_pages(size_t len)
{
	uint8_t *pages = NOT_NULL(aligned_alloc(PAGE, len));

	return memset(pages, 0, len);
}

uint8_t
world_exec_num(struct swhca_hca *hca, const uint8_t *in, size_t len, uint32_t *num)
{
	uint8_t out[16], status = swhca_hca_cmd_exec(hca, in, len, out, sizeof(out));

	if (status == 0 && num != NULL)
		*num = world_get(out, 2);
	return status;
}

uint8_t
world_exec(struct swhca_hca *hca, const uint8_t *in, size_t len)
{
	return world_exec_num(hca, in, len, NULL);
}

uint8_t
world_query(struct swhca_hca *hca, uint16_t opcode, uint32_t dw1, uint32_t dw2, void *out,
	    size_t out_len)
{
	uint8_t in[16] = { 0 };

	world_put(in, 0, 16, opcode);
	world_put(in, 1, 0, dw1);
	world_put(in, 2, 0, dw2);
	return swhca_hca_cmd_exec(hca, in, sizeof(in), out, out_len);
}

uint8_t
world_user_cmd(struct swhca_hca *hca, uint16_t opcode, uint32_t uid, uint32_t dw2,
	       uint32_t *out_dw2)
{
	uint8_t in[16] = { 0 };

	world_put(in, 0, 0, (uint32_t)opcode << 16 | uid);
	world_put(in, 2, 0, dw2);
	return world_exec_num(hca, in, sizeof(in), out_dw2);
}

uint8_t
world_cmd(struct swhca_hca *hca, uint16_t opcode, uint32_t dw2, uint32_t *out_dw2)
{
	return world_user_cmd(hca, opcode, 0, dw2, out_dw2);
}

void
world_store(void *dst, uint32_t value)
{
	uint32_t be = htobe32(value);

	memcpy(dst, &be, 4);
}

uint32_t
world_alloc(struct swhca_hca *hca, uint16_t opcode)
{
	uint32_t num;

	assert_int_equal(world_cmd(hca, opcode, 0, &num), 0);
	return num;
}

uint32_t
world_exec_create(struct swhca_hca *hca, const uint8_t *in, size_t len)
{
	uint32_t num;

	assert_int_equal(world_exec_num(hca, in, len, &num), 0);
	return num;
}

static void
dev_interrupt(void *arg, unsigned int vector)
{
	struct world_dev *dev = arg;

	assert_int_equal(vector, 7);
	dev->nb_interrupts++;
}

static void
eq_create(struct world_dev *dev)
{
	uint8_t in[WORLD_EQ_BOX];

	dev->eq_uarn = world_alloc(dev->hca, 0x802);
	dev->eq = world_pages(PAGE);
	for (uint32_t i = 0; i < WORLD_EQ_EQES; i++)
		dev->eq[i * WORLD_EQE_BYTES + 63] = 1;
	world_eq_box(dev, in, 6, dev->eq);
	world_put64(in, 22, UINT64_MAX);	/* every event type */
	dev->eqn = world_exec_create(dev->hca, in, sizeof(in));
}

const uint8_t *
world_eqe(struct world *w, int dev)
{
	struct world_dev *d = &w->dev[dev];
	const uint8_t *eqe = d->eq + (d->eq_ci % WORLD_EQ_EQES) * WORLD_EQE_BYTES;

	if ((eqe[63] & 1) != (d->eq_ci / WORLD_EQ_EQES & 1))
		return NULL;
	d->eq_ci++;
	return eqe;
}

void
world_eq_ring(struct world *w, int dev, bool arm)
{
	struct world_dev *d = &w->dev[dev];

	world_store(d->bar + (size_t)d->eq_uarn * SWHCA_UAR_SIZE + (arm ? 0x40 : 0x48),
	      d->eqn << 24 | (d->eq_ci & 0xffffff));
}

/* As the driver of a function does: enable it, speak its language, give it pages, begin. */
static void
dev_bring_up(struct swhca_hca *hca)
{
	static uint8_t in[16 + 576 * 8];

	memset(in, 0, sizeof(in));
	assert_int_equal(world_cmd(hca, 0x104, 0, NULL), 0);
	assert_int_equal(world_cmd(hca, 0x10b, 1, NULL), 0);
	world_put(in, 0, 16, 0x108);
	world_put(in, 1, 0, 1);
	world_put(in, 3, 0, 576);
	for (uint32_t i = 0; i < 576; i++)
		world_put64(in, 4 + 2 * i, (uint64_t)(i + 1) * PAGE);
	assert_int_equal(world_exec(hca, in, sizeof(in)), 0);
	assert_int_equal(world_cmd(hca, 0x102, 0, NULL), 0);
}

static void
dev_create(struct world *w, int i, struct swhca_hca_conf conf)
{
	struct world_dev *dev = &w->dev[i];

	conf.interrupt = dev_interrupt;
	conf.interrupt_arg = dev;
	assert_int_equal(swhca_hca_create(w->fabric, &conf, &dev->hca), 0);
	dev->bar = mmap(NULL, swhca_hca_bar_size(dev->hca), PROT_READ | PROT_WRITE, MAP_SHARED,
			swhca_hca_bar_fd(dev->hca), 0);
	assert_ptr_not_equal(dev->bar, MAP_FAILED);
	if (conf.has_driver)
		dev_bring_up(dev->hca);
	dev->pdn = world_alloc(dev->hca, 0x800);
	dev->uarn = world_alloc(dev->hca, 0x802);
	eq_create(dev);
	w->mem_key[i] = world_mtt_key(w, i, w->mem, WORLD_MEM, WORLD_ALL);
}

void
world_conf(struct swhca_hca_conf conf[2])
{
	for (int i = 0; i < 2; i++)
		conf[i] = (struct swhca_hca_conf){
			.vhca_id = (uint16_t)i,
			.lid = (uint16_t)(i + 1),
			.port_guid = 0x1000 + (uint64_t)i,
			.bus_space = variant.bus_space,
		};
}

void
world_create_conf(struct world *w, const struct swhca_hca_conf conf[2])
{
	memset(w, 0, sizeof(*w));
	w->mem = world_pages(WORLD_MEM);
	assert_int_equal(swhca_fabric_create(variant.dma_xor != 0 ? &bus_dma : NULL,
					     &w->fabric), 0);
	dev_create(w, 0, conf[0]);
	dev_create(w, 1, conf[1]);
	if (!variant.is_packet)
		return;
	packet_wire = *swhca_wire_fabric();
	packet_wire.send = packet_send;
	w->fabric->wire = &packet_wire;
	for (int i = 0; i < 2; i++)
		assert_int_equal(swhca_hca_set_link(w->dev[i].hca, memlink_create(w->dev[i].hca)),
				 0);
}

void
world_create(struct world *w)
{
	struct swhca_hca_conf conf[2];

	world_conf(conf);
	world_create_conf(w, conf);
}

void
world_destroy(struct world *w)
{
	for (int i = 0; i < 2; i++)
		munmap(w->dev[i].bar, swhca_hca_bar_size(w->dev[i].hca));
	swhca_fabric_destroy(w->fabric);
	for (int i = 0; i < 2; i++)
		free(w->dev[i].eq);
	free(w->mem);
}

/* Not 0, which the devices take for "need not wait". */
static uint64_t now_ns = 1000000000;

/* The linker has every call of swhca_now_ns() come here. */
uint64_t __wrap_swhca_now_ns(void);

uint64_t
__wrap_swhca_now_ns(void)
{
	return now_ns;
}

uint64_t
world_now_ns(void)
{
	return now_ns;
}

void
world_wait(uint64_t ns)
{
	now_ns += ns;
}

const struct mlx5_cqe64 *
world_wait_cqe(struct world *w, struct world_qp *qp,
	       const struct mlx5_cqe64 *(*next)(struct world_qp *qp))
{
	const uint64_t deadline = now_ns + UINT64_C(1000000000);
	const struct mlx5_cqe64 *cqe;

	for (;;) {
		swhca_fabric_poll(w->fabric);
		cqe = next(qp);
		if (cqe != NULL || now_ns > deadline)
			return cqe;
		world_wait(1000);
	}
}

void
world_run(struct world *w)
{
	int i, nb_idle = 0;

	/* What waits for an answer is not done, but has its turn. */
	for (i = 0; i < 100 && nb_idle < 2; i++)
		nb_idle = swhca_fabric_poll(w->fabric) == 0 ? nb_idle + 1 : 0;
}

uint32_t
world_mtt_key(struct world *w, int dev, void *addr, uint64_t len, uint8_t access)
{
	size_t size = WORLD_BOX + (len / PAGE + 4) * 8;
	uint8_t *in = calloc(1, size);
	uint32_t index;

	assert_non_null(in);
	world_mkey_box(w, dev, in, (uint32_t)access | WORLD_MTT);
	world_mkey_pages(in, addr, len);
	index = world_exec_create(w->dev[dev].hca, in, size);
	free(in);
	return index << 8;
}

uint32_t
world_klm_key(struct world *w, int dev, uint32_t nb_klm)
{
	uint8_t in[WORLD_BOX];

	world_mkey_box(w, dev, in, WORLD_LR | WORLD_KLMS | WORLD_FREE | WORLD_UMR_EN);
	world_put(in, 17, 0, nb_klm);
	return world_exec_create(w->dev[dev].hca, in, sizeof(in)) << 8;
}

static uint32_t
cq_create(struct world *w, int dev, uint32_t umem, uint32_t offset, uint32_t dbr)
{
	uint8_t in[WORLD_BOX];

	world_cq_box(w, dev, in, umem, offset, dbr);
	world_put(in, 4, 0, w->cqc_dw0);
	return world_exec_create(w->dev[dev].hca, in, sizeof(in));
}

void
world_qp_create(struct world *w, int dev, struct world_qp *qp)
{
	uint8_t umem[0x30 + 8 * (WORLD_QP_BYTES / PAGE)] = { 0 };
	uint8_t in[WORLD_BOX];

	memset(qp, 0, sizeof(*qp));
	qp->hca = w->dev[dev].hca;
	qp->uar = w->dev[dev].bar + (size_t)w->dev[dev].uarn * SWHCA_UAR_SIZE;
	qp->page = world_pages(WORLD_QP_BYTES);
	for (unsigned int i = 0; i < WORLD_CQ_CQES; i++) {
		qp->page[WORLD_SCQ_OFF + i * 64 + 63] = 0xf1;
		qp->page[WORLD_RCQ_OFF + i * 64 + 63] = 0xf1;
	}
	world_put(umem, 0, 16, 0xa08);
	world_put64(umem, 10, world_put_pages(umem, 0x30, qp->page, WORLD_QP_BYTES));
	for (unsigned int i = 0; i < WORLD_QP_BYTES / PAGE; i++)
		world_put(umem, 0x30 / 4 + 2 * i + 1, 0, 3);	/* to be read and written */
	qp->umem = world_exec_create(qp->hca, umem, sizeof(umem));
	qp->scqn = cq_create(w, dev, qp->umem, WORLD_SCQ_OFF, WORLD_DBR_OFF + 64);
	qp->rcqn = cq_create(w, dev, qp->umem, WORLD_RCQ_OFF, WORLD_DBR_OFF + 128);
	world_qp_box(w, dev, in, qp);
	qp->qpn = world_exec_create(qp->hca, in, sizeof(in));
}

void
world_qp_modify(struct world_qp *qp, uint16_t opcode, uint32_t remote_qpn, uint16_t lid,
		uint32_t access)
{
	uint8_t in[WORLD_BOX] = { 0 };

	world_put(in, 0, 16, opcode);
	world_put(in, 2, 0, qp->qpn);
	world_put(in, 8, 29, 5);		/* mtu: 4096 */
	world_put(in, 8, 24, 30);		/* log_msg_max */
	world_put(in, 11, 0, remote_qpn);
	world_put(in, 13, 0, lid);		/* primary path: rlid */
	world_put(in, 14, 27, 1);		/* ack_timeout: 8 us */
	world_put(in, 34, 16, 1);		/* retry_count */
	world_put(in, 34, 13, 1);		/* rnr_retry */
	world_put(in, 42, 14, access);	/* rre, rwe */
	world_put(in, 43, 24, 1);		/* min_rnr_nak: 10 us */
	assert_int_equal(world_exec(qp->hca, in, sizeof(in)), 0);
}

void
world_qp_to_rts(struct world_qp *qp, uint32_t remote_qpn, uint16_t lid, uint32_t access)
{
	world_qp_modify(qp, 0x502, 0, 0, access);
	world_qp_modify(qp, 0x503, remote_qpn, lid, access);
	world_qp_modify(qp, 0x504, 0, 0, access);
}

void
world_qp_connect(struct world *w, struct world_qp *a, struct world_qp *b)
{
	uint16_t lid_a = a->hca == w->dev[0].hca ? 1 : 2;
	uint16_t lid_b = b->hca == w->dev[0].hca ? 1 : 2;

	world_qp_to_rts(a, b->qpn, lid_b, 3);
	if (a != b)
		world_qp_to_rts(b, a->qpn, lid_a, 3);
}

uint8_t
world_qp_replace(struct world_qp *qp, const uint8_t *in)
{
	assert_int_equal(world_cmd(qp->hca, 0x501, qp->qpn, NULL), 0);
	return world_exec_num(qp->hca, in, WORLD_BOX, &qp->qpn);
}

void
world_qp_destroy(struct world_qp *qp)
{
	assert_int_equal(world_cmd(qp->hca, 0x501, qp->qpn, NULL), 0);
	assert_int_equal(world_cmd(qp->hca, 0x401, qp->scqn, NULL), 0);
	assert_int_equal(world_cmd(qp->hca, 0x401, qp->rcqn, NULL), 0);
	assert_int_equal(world_cmd(qp->hca, 0xa0a, qp->umem, NULL), 0);
	free(qp->page);
}

uint8_t
world_qp_state(struct world_qp *qp)
{
	uint8_t out[0x110];

	assert_int_equal(world_query(qp->hca, 0x50b, 0, qp->qpn, out, sizeof(out)), 0);
	return (uint8_t)(world_get(out, 6) >> 28);
}

void
world_post(struct world_qp *qp, uint8_t opcode, uint8_t fm_ce_se, uint32_t imm, const void *body,
	   uint32_t nb_body_ds)
{
	uint8_t wqe[1024] = { 0 };
	uint32_t nb_bb = (nb_body_ds + 1 + 3) / 4, i;

	world_put(wqe, 0, 0, (uint32_t)qp->pi << 8 | opcode);
	world_put(wqe, 1, 0, qp->qpn << 8 | (nb_body_ds + 1));
	wqe[11] = fm_ce_se;
	world_put(wqe, 3, 0, imm);
	if (nb_body_ds > 0)
		memcpy(wqe + 16, body, (size_t)nb_body_ds * 16);
	for (i = 0; i < nb_bb; i++)
		memcpy(qp->page + WORLD_SQ_OFF + (size_t)((qp->pi + i) % WORLD_SQ_BB) * 64,
		       wqe + (size_t)i * 64, 64);
	qp->last = qp->pi;
	qp->pi = (uint16_t)(qp->pi + nb_bb);
}

void
world_ring(struct world_qp *qp)
{
	world_store(qp->page + WORLD_DBR_OFF + 4, qp->pi);
	memcpy(qp->uar + 0x800, qp->page + WORLD_SQ_OFF + (size_t)(qp->last % WORLD_SQ_BB) * 64, 8);
}

void
world_recv(struct world_qp *qp, uint32_t key, void *addr, uint32_t len)
{
	uint8_t *wqe = qp->page + WORLD_RQ_OFF + (size_t)(qp->rq_pi % WORLD_RQ_WQES) * 64;

	memset(wqe, 0, 64);
	world_put(wqe, 0, 0, len);
	world_put(wqe, 1, 0, key);
	world_put64(wqe, 2, (uintptr_t)addr);
	world_put(wqe, 5, 0, 0x100);
	world_store(qp->page + WORLD_DBR_OFF, ++qp->rq_pi);
}

static const struct mlx5_cqe64 *
next_cqe(struct world_qp *qp, uint32_t offset, uint32_t *ci, uint32_t dbr)
{
	const struct mlx5_cqe64 *cqe =
		(const void *)(qp->page + offset + (size_t)(*ci % WORLD_CQ_CQES) * 64);

	if (cqe->op_own >> 4 == 0xf || (cqe->op_own & 1) != (*ci / WORLD_CQ_CQES & 1))
		return NULL;
	(*ci)++;
	world_store(qp->page + dbr, *ci & 0xffffff);
	return cqe;
}

const struct mlx5_cqe64 *
world_send_cqe(struct world_qp *qp)
{
	return next_cqe(qp, WORLD_SCQ_OFF, &qp->scq_ci, WORLD_DBR_OFF + 64);
}

const struct mlx5_cqe64 *
world_recv_cqe(struct world_qp *qp)
{
	return next_cqe(qp, WORLD_RCQ_OFF, &qp->rcq_ci, WORLD_DBR_OFF + 128);
}

uint32_t
world_umr_list(uint8_t *body, uint32_t key, uint8_t access, uint64_t len,
	       const struct world_klm *klms, uint32_t nb)
{
	uint32_t nb_padded = (nb + 3) & ~3u, i;

	memset(body, 0, 112 + (size_t)nb_padded * 16);
	body[0] = 0x80;				/* inline */
	world_put(body, 1, 16, nb_padded);		/* klm_octowords */
	/* mkey_mask: len, tag, four access bits, free */
	world_put64(body, 2, 1u << 0 | 1u << 13 | 0xfu << 18 | 1u << 29);
	world_put(body, 12, 8, access);		/* mkey context at byte 48 */
	world_put(body, 13, 0, 0xffffff00 | (key & 0xff));
	world_put64(body, 18, len);
	for (i = 0; i < nb; i++) {
		world_put(body, 28 + i * 4, 0, klms[i].len);
		world_put(body, 29 + i * 4, 0, klms[i].key);
		world_put64(body, 30 + i * 4, klms[i].addr);
	}
	return 7 + nb_padded;
}

void
world_rdma_body(uint8_t *body, uint64_t raddr, uint32_t rkey, const void *addr, uint32_t lkey,
		uint32_t len)
{
	memset(body, 0, 32);
	world_put64(body, 0, raddr);
	world_put(body, 2, 0, rkey);
	world_put(body, 4, 0, len);
	world_put(body, 5, 0, lkey);
	world_put64(body, 6, (uintptr_t)addr);
}
