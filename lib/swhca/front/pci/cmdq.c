/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "front/pci/cmdq.h"

/* A slot (Linux: struct mlx5_cmd_layout). */
struct slot {
	uint8_t type;
	uint8_t reserved_0[3];
	uint32_t in_len_be;
	uint64_t in_addr_be;
	uint8_t in[16];
	uint8_t out[16];
	uint64_t out_addr_be;
	uint32_t out_len_be;
	uint8_t token;
	uint8_t signature;
	uint8_t reserved_1;
	uint8_t status_own;	/* delivery status in bits 7..1, ownership in bit 0 */
};

static_assert(sizeof(struct slot) == 1u << SWHCA_PCI_LOG_CMD_STRIDE, "a slot has 64 bytes");

#define TYPE_PCI	7u	/* Linux: MLX5_PCI_CMD_XPORT */
#define OWN_HW		1u
#define INLINE_BYTES	16u

/* A mailbox (Linux: struct mlx5_cmd_prot_block). */
struct mailbox {
	uint8_t data[512];
	uint8_t reserved_0[48];
	uint64_t next_be;
	uint32_t number_be;
	uint8_t reserved_1;
	uint8_t token;
	uint8_t control_signature;
	uint8_t signature;
};

static_assert(sizeof(struct mailbox) == 576, "a mailbox has 512 bytes of data, and 64");

#define MAILBOX_ALIGN 512u	/* PRM: bits 63..9 of its address are specified */

/* Delivery status (Linux: MLX5_CMD_DELIVERY_STAT_*). */
enum delivery {
	DELIVERY_OK = 0x0,
	DELIVERY_SIGNATURE = 0x1,
	DELIVERY_TOKEN = 0x2,
	DELIVERY_BLOCK_NUMBER = 0x3,
	DELIVERY_OUT_ALIGN = 0x4,
	DELIVERY_IN_ALIGN = 0x5,
	DELIVERY_FIRMWARE = 0x6,
	DELIVERY_IN_LENGTH = 0x7,
	DELIVERY_OUT_LENGTH = 0x8,
	DELIVERY_DESCRIPTOR = 0x10,
};

/* A command being executed. */
struct job {
	const struct swhca_dma *dma;
	unsigned int space;
	unsigned int index;
	struct slot slot;
	uint8_t *in;
	uint8_t *out;
	uint32_t in_len;
	uint32_t out_len;
};

static uint8_t
xor_of(const void *bytes, size_t len)
{
	const uint8_t *from = bytes;
	uint8_t sum = 0;

	while (len-- > 0)
		sum ^= *from++;
	return sum;
}

static enum delivery
job_reject(const struct job *job, enum delivery status, const char *what, uint64_t value)
{
	SWHCA_LOG(ERR, "command slot %u: %s 0x%" PRIx64, job->index, what, value);
	return status;
}

/* Checks of a slot that need no other memory. */
static enum delivery
slot_check(struct job *job)
{
	if (xor_of(&job->slot, sizeof(job->slot)) != UINT8_MAX)
		return job_reject(job, DELIVERY_SIGNATURE, "wrong signature", job->slot.signature);
	if (job->slot.type != TYPE_PCI)
		return job_reject(job, DELIVERY_DESCRIPTOR, "wrong type", job->slot.type);
	if (job->in_len == 0 || job->in_len > SWHCA_MAX_CMD_IN)
		return job_reject(job, DELIVERY_IN_LENGTH, "input length", job->in_len);
	if (job->out_len == 0 || job->out_len > SWHCA_MAX_CMD_IN)
		return job_reject(job, DELIVERY_OUT_LENGTH, "output length", job->out_len);
	return DELIVERY_OK;
}

/* Fetch a mailbox of a chain. The lengths determine the number of mailboxes, so loops end, too. */
static enum delivery
mailbox_fetch(const struct job *job, uint64_t addr, uint32_t number, struct mailbox *box)
{
	if (job->dma->read(job->dma, box, swhca_pci_bus_addr(job->space, addr), sizeof(*box)) != 0)
		return job_reject(job, DELIVERY_FIRMWARE, "no mailbox at", addr);
	if (box->token != job->slot.token)
		return job_reject(job, DELIVERY_TOKEN, "mailbox with token", box->token);
	if (be32toh(box->number_be) != number)
		return job_reject(job, DELIVERY_BLOCK_NUMBER, "mailbox with number",
				  be32toh(box->number_be));
	return DELIVERY_OK;
}

static enum delivery
mailboxes_fetch(struct job *job, struct mailbox *box)
{
	uint32_t done = job->in_len < INLINE_BYTES ? job->in_len : INLINE_BYTES, number, len;
	uint64_t addr = be64toh(job->slot.in_addr_be);
	enum delivery status;

	memcpy(job->in, job->slot.in, done);
	for (number = 0; done < job->in_len; number++, done += len) {
		if (addr % MAILBOX_ALIGN != 0)
			return job_reject(job, DELIVERY_IN_ALIGN, "mailbox at", addr);
		status = mailbox_fetch(job, addr, number, box);
		if (status != DELIVERY_OK)
			return status;
		len = job->in_len - done;
		if (len > sizeof(box->data))
			len = sizeof(box->data);
		memcpy(job->in + done, box->data, len);
		addr = be64toh(box->next_be);
	}
	return DELIVERY_OK;
}

static enum delivery
input_fetch(struct job *job)
{
	enum delivery status;
	struct mailbox box;

	status = mailboxes_fetch(job, &box);
	/* It may contain a key. */
	explicit_bzero(&box, sizeof(box));
	return status;
}

/* Linux: calc_block_sig(), verify_block_sig(). */
static void
mailbox_sign(struct mailbox *box)
{
	box->control_signature = 0;
	box->signature = 0;
	box->control_signature = (uint8_t)~xor_of(box->reserved_0,
						  sizeof(*box) - sizeof(box->data) - 2);
	box->signature = (uint8_t)~xor_of(box, sizeof(*box) - 1);
}

static enum delivery
output_store(struct job *job)
{
	uint32_t done = job->out_len < INLINE_BYTES ? job->out_len : INLINE_BYTES, number, len;
	uint64_t addr = be64toh(job->slot.out_addr_be), bus;
	enum delivery status;
	struct mailbox box;

	memcpy(job->slot.out, job->out, done);
	for (number = 0; done < job->out_len; number++, done += len) {
		if (addr % MAILBOX_ALIGN != 0)
			return job_reject(job, DELIVERY_OUT_ALIGN, "mailbox at", addr);
		status = mailbox_fetch(job, addr, number, &box);
		if (status != DELIVERY_OK)
			return status;
		len = job->out_len - done;
		if (len > sizeof(box.data))
			len = sizeof(box.data);
		memcpy(box.data, job->out + done, len);
		mailbox_sign(&box);
		bus = swhca_pci_bus_addr(job->space, addr);
		if (job->dma->write(job->dma, bus, &box, sizeof(box)) != 0)
			return job_reject(job, DELIVERY_FIRMWARE, "no mailbox to write at", addr);
		addr = be64toh(box.next_be);
	}
	return DELIVERY_OK;
}

static enum delivery
job_run(struct job *job, struct swhca_hca *hca)
{
	enum delivery status = slot_check(job);

	if (status != DELIVERY_OK)
		return status;
	job->in = malloc(job->in_len);
	job->out = malloc(job->out_len);
	if (job->in == NULL || job->out == NULL)
		return job_reject(job, DELIVERY_FIRMWARE, "no memory for bytes",
				  (uint64_t)job->in_len + job->out_len);
	status = input_fetch(job);
	if (status != DELIVERY_OK)
		return status;
	swhca_hca_cmd_exec(hca, job->in, job->in_len, job->out, job->out_len);
	return output_store(job);
}

/* Write the result, and then return the ownership of the slot. */
static void
slot_give_back(struct job *job, enum delivery status, uint64_t bus)
{
	const size_t out = offsetof(struct slot, out);

	job->slot.status_own = (uint8_t)(status << 1);
	job->slot.signature = 0;
	job->slot.signature = (uint8_t)~xor_of(&job->slot, sizeof(job->slot));
	if (job->dma->write_last(job->dma, bus + out, (const uint8_t *)&job->slot + out,
				 sizeof(job->slot) - out) != 0)
		SWHCA_LOG(ERR, "command slot %u: cannot be written", job->index);
}

static void
slot_exec(struct swhca_pci_cmdq *cmdq, unsigned int space, unsigned int index)
{
	const uint64_t bus = swhca_pci_bus_addr(space, cmdq->addr) +
			     ((uint64_t)index << SWHCA_PCI_LOG_CMD_STRIDE);
	struct job job = { .dma = cmdq->dma, .space = space, .index = index };
	bool has_eq = swhca_hca_has_cmd_eq(cmdq->hca);

	if (cmdq->dma->read(cmdq->dma, &job.slot, bus, sizeof(job.slot)) != 0) {
		SWHCA_LOG(ERR, "command slot %u: cannot be read at 0x%" PRIx64, index, cmdq->addr);
		return;
	}
	if ((job.slot.status_own & OWN_HW) == 0) {
		SWHCA_LOG(WARNING, "command slot %u: rung, but it is owned by software", index);
		return;
	}
	job.in_len = be32toh(job.slot.in_len_be);
	job.out_len = be32toh(job.slot.out_len_be);
	slot_give_back(&job, job_run(&job, cmdq->hca), bus);
	/* Commands contain keys and credentials. */
	if (job.in != NULL)
		explicit_bzero(job.in, job.in_len);
	free(job.in);
	free(job.out);
	if (has_eq)
		swhca_hca_raise_cmd_event(cmdq->hca, UINT32_C(1) << index);
}

void
swhca_pci_cmdq_ring(struct swhca_pci_cmdq *cmdq, unsigned int space, uint32_t slots)
{
	unsigned int i;

	for (i = 0; i < 1u << SWHCA_PCI_LOG_CMDS; i++)
		if ((slots >> i & 1) != 0)
			slot_exec(cmdq, space, i);
}
