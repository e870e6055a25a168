/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "front/pci/pci_request.h"

/* A request being handled, and its reply. */
struct request {
	struct swhca_vfu_session *session;
	struct swhca_pci_function *function;
	struct swhca_vfu_msg *msg;
	struct swhca_vfu_reply *reply;
};

static void
reply_set(struct request *request, const void *data, size_t len)
{
	memcpy(request->reply->data, data, len);
	request->reply->len = len;
}

static int
value_reject(const struct request *request, const char *what, uint64_t value, uint64_t limit)
{
	SWHCA_LOG(ERR, "vfio-user: command %u: %s 0x%" PRIx64 ", limit 0x%" PRIx64,
		  request->msg->header.cmd, what, value, limit);
	return -EINVAL;
}

/* The capabilities of the peer do not change our behavior. */
static int
version(struct request *request)
{
	struct swhca_vfu_version theirs, ours = { .major = SWHCA_VFU_MAJOR };
	int len;

	memcpy(&theirs, request->msg->data, sizeof(theirs));
	if (theirs.major != SWHCA_VFU_MAJOR) {
		SWHCA_LOG(ERR, "vfio-user: version %u.%u, this is %u.%u", theirs.major,
			  theirs.minor, SWHCA_VFU_MAJOR, SWHCA_VFU_MINOR);
		return -EPROTO;
	}
	ours.minor = theirs.minor < SWHCA_VFU_MINOR ? theirs.minor : SWHCA_VFU_MINOR;
	reply_set(request, &ours, sizeof(ours));
	len = snprintf((char *)request->reply->data + sizeof(ours), 256,
		       "{\"capabilities\":{\"max_msg_fds\":%u,\"max_data_xfer_size\":%u,"
		       "\"max_dma_maps\":%u}}", SWHCA_VFU_MAX_FDS, SWHCA_VFU_MAX_XFER,
		       SWHCA_VFU_MAX_MAPS);
	request->reply->len += (size_t)len + 1;
	request->session->has_version = true;
	return 0;
}

static int
dma_map(struct request *request)
{
	struct swhca_pci_region region;
	struct swhca_vfu_dma_map map;
	int fd, ret;

	memcpy(&map, request->msg->data, sizeof(map));
	if ((map.flags & ~(SWHCA_VFU_DMA_READ | SWHCA_VFU_DMA_WRITE)) != 0)
		return value_reject(request, "flags", map.flags,
				    SWHCA_VFU_DMA_READ | SWHCA_VFU_DMA_WRITE);
	region = (struct swhca_pci_region){
		.addr = map.addr,
		.size = map.size,
		.may_read = (map.flags & SWHCA_VFU_DMA_READ) != 0,
		.may_write = (map.flags & SWHCA_VFU_DMA_WRITE) != 0,
	};
	fd = request->msg->nb_fds > 0 ? request->msg->fds[0] : -1;
	ret = swhca_pci_mem_map(request->function->mem, request->function->index, &region, fd,
				map.offset);
	return ret;
}

static int
dma_unmap(struct request *request)
{
	struct swhca_pci_function *function = request->function;
	struct swhca_vfu_dma_unmap unmap;
	int ret = 0;

	memcpy(&unmap, request->msg->data, sizeof(unmap));
	if ((unmap.flags & ~SWHCA_VFU_DMA_UNMAP_ALL) != 0)
		return value_reject(request, "flags", unmap.flags, SWHCA_VFU_DMA_UNMAP_ALL);
	if ((unmap.flags & SWHCA_VFU_DMA_UNMAP_ALL) != 0)
		swhca_pci_mem_unmap_all(function->mem, function->index);
	else
		ret = swhca_pci_mem_unmap(function->mem, function->index, unmap.addr, unmap.size);
	reply_set(request, &unmap, sizeof(unmap));
	return ret;
}

static int
get_info(struct request *request)
{
	/* The first 16 bytes of struct vfio_device_info. */
	const uint32_t info[4] = { sizeof(info), VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI,
				  VFIO_PCI_NUM_REGIONS, VFIO_PCI_NUM_IRQS };

	reply_set(request, info, sizeof(info));
	return 0;
}

/* BAR 0 and its mappable area: struct vfio_region_info_cap_sparse_mmap with one area. */
struct bar_info {
	struct vfio_region_info info;
	struct vfio_info_cap_header cap;
	uint32_t nr_areas;
	uint32_t reserved;
	struct vfio_region_sparse_mmap_area area;
};

static_assert(offsetof(struct bar_info, area) - offsetof(struct bar_info, cap) ==
	      sizeof(struct vfio_region_info_cap_sparse_mmap), "areas are behind the capability");

static void
bar_info_get(struct request *request, uint32_t argsz)
{
	const struct swhca_pci_function *function = request->function;
	struct bar_info bar = {
		.info = {
			.argsz = sizeof(bar),
			.flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE |
				 VFIO_REGION_INFO_FLAG_MMAP | VFIO_REGION_INFO_FLAG_CAPS,
			.index = VFIO_PCI_BAR0_REGION_INDEX,
			.cap_offset = offsetof(struct bar_info, cap),
			.size = function->bar_size,
		},
		.cap = { .id = VFIO_REGION_INFO_CAP_SPARSE_MMAP, .version = 1 },
		.nr_areas = 1,
		.area = {
			.offset = SWHCA_PCI_MAP_OFFSET,
			.size = function->hca_bar_size - SWHCA_PCI_MAP_OFFSET,
		},
	};

	/* "argsz": a caller with too little room gets a part, and asks again. */
	reply_set(request, &bar, argsz < sizeof(bar) ? sizeof(bar.info) : sizeof(bar));
	if (argsz >= sizeof(bar))
		request->reply->fd = swhca_hca_bar_fd(function->hca);
}

static int
get_region_info(struct request *request)
{
	struct vfio_region_info info;

	memcpy(&info, request->msg->data, sizeof(info));
	if (info.index >= VFIO_PCI_NUM_REGIONS)
		return value_reject(request, "region", info.index, VFIO_PCI_NUM_REGIONS - 1);
	if (info.argsz < sizeof(info))
		return value_reject(request, "argsz", info.argsz, sizeof(info));
	if (info.index == VFIO_PCI_BAR0_REGION_INDEX) {
		bar_info_get(request, info.argsz);
		return 0;
	}
	info = (struct vfio_region_info){ .argsz = sizeof(info), .index = info.index };
	if (info.index == VFIO_PCI_CONFIG_REGION_INDEX) {
		info.flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
		info.size = SWHCA_PCI_CONFIG_SIZE;
	}
	reply_set(request, &info, sizeof(info));
	return 0;
}

static int
get_irq_info(struct request *request)
{
	struct vfio_irq_info info;

	memcpy(&info, request->msg->data, sizeof(info));
	if (info.index >= VFIO_PCI_NUM_IRQS)
		return value_reject(request, "interrupt", info.index, VFIO_PCI_NUM_IRQS - 1);
	info = (struct vfio_irq_info){ .argsz = sizeof(info), .index = info.index };
	if (info.index == VFIO_PCI_MSIX_IRQ_INDEX) {
		info.flags = VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE;
		info.count = SWHCA_PCI_NB_VECTORS;
	}
	reply_set(request, &info, sizeof(info));
	return 0;
}

/*
 * Non-blocking: a full eventfd is already signaled, and other vectors need not wait for it if the
 * client keeps the flag.
 */
static int
eventfd_take(struct swhca_vfu_msg *msg, unsigned int index)
{
	int fd = swhca_vfu_msg_take_fd(msg, index);

	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return fd;
}

static int
eventfds_check(const struct swhca_vfu_msg *msg, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count && i < msg->nb_fds; i++) {
		if (!swhca_pci_is_eventfd(msg->fds[i])) {
			SWHCA_LOG(ERR, "vfio-user: descriptor %u of interrupts is not an eventfd",
				  i);
			return -EINVAL;
		}
	}
	return 0;
}

/* Set MSI-X vectors. */
static int
vectors_set(struct request *request, const struct vfio_irq_set *set)
{
	struct swhca_pci_irqs *irqs = &request->function->irqs;
	bool has_eventfds = (set->flags & VFIO_IRQ_SET_DATA_EVENTFD) != 0;
	uint32_t i;

	if (has_eventfds && eventfds_check(request->msg, set->count) != 0)
		return -EINVAL;
	for (i = 0; i < set->count; i++) {
		if (has_eventfds)
			swhca_pci_irq_set(irqs, set->start + i, eventfd_take(request->msg, i));
		else
			swhca_pci_irq_raise(irqs, set->start + i);
	}
	return 0;
}

static int
set_irqs(struct request *request)
{
	struct vfio_irq_set set;

	memcpy(&set, request->msg->data, sizeof(set));
	SWHCA_LOG(DEBUG, "interrupts %u: flags 0x%x, %u from %u on, %u descriptors", set.index,
		  set.flags, set.count, set.start, request->msg->nb_fds);
	if (set.index != VFIO_PCI_MSIX_IRQ_INDEX)
		return set.count == 0 ? 0 : value_reject(request, "interrupt", set.index,
							 VFIO_PCI_MSIX_IRQ_INDEX);
	if ((set.flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) != VFIO_IRQ_SET_ACTION_TRIGGER)
		return value_reject(request, "action", set.flags, VFIO_IRQ_SET_ACTION_TRIGGER);
	if (set.start > SWHCA_PCI_NB_VECTORS || set.count > SWHCA_PCI_NB_VECTORS - set.start)
		return value_reject(request, "vectors up to", (uint64_t)set.start + set.count,
				    SWHCA_PCI_NB_VECTORS);
	if ((set.flags & VFIO_IRQ_SET_DATA_NONE) != 0 && set.count == 0) {
		swhca_pci_irqs_disarm(&request->function->irqs);
		return 0;
	}
	if ((set.flags & VFIO_IRQ_SET_DATA_BOOL) != 0)
		return value_reject(request, "data", set.flags, VFIO_IRQ_SET_DATA_EVENTFD);
	return vectors_set(request, &set);
}

static int
region_read(struct request *request)
{
	uint8_t *to = request->reply->data + sizeof(struct swhca_vfu_region_rw);
	struct swhca_vfu_region_rw rw;
	int ret = -EINVAL;

	memcpy(&rw, request->msg->data, sizeof(rw));
	if (rw.count > SWHCA_VFU_MAX_XFER)
		return value_reject(request, "bytes", rw.count, SWHCA_VFU_MAX_XFER);
	if (rw.region == VFIO_PCI_BAR0_REGION_INDEX)
		ret = swhca_pci_bar_load(request->function, rw.offset, to, rw.count);
	else if (rw.region == VFIO_PCI_CONFIG_REGION_INDEX)
		ret = swhca_pci_config_read(&request->function->config, rw.offset, to, rw.count);
	if (ret != 0)
		return value_reject(request, "offset", rw.offset, rw.region);
	reply_set(request, &rw, sizeof(rw));
	request->reply->len += rw.count;
	return 0;
}

static int
region_write(struct request *request)
{
	const uint8_t *from = request->msg->data + sizeof(struct swhca_vfu_region_rw);
	struct swhca_vfu_region_rw rw;
	int ret = -EINVAL;

	memcpy(&rw, request->msg->data, sizeof(rw));
	if (rw.count != request->msg->len - sizeof(rw))
		return value_reject(request, "bytes", rw.count, request->msg->len - sizeof(rw));
	if (rw.region == VFIO_PCI_BAR0_REGION_INDEX)
		ret = swhca_pci_bar_store(request->function, rw.offset, from, rw.count);
	else if (rw.region == VFIO_PCI_CONFIG_REGION_INDEX)
		ret = swhca_pci_function_configure(request->function, rw.offset, from, rw.count);
	if (ret != 0)
		return value_reject(request, "offset", rw.offset, rw.region);
	reply_set(request, &rw, sizeof(rw));
	return 0;
}

static int
reset(struct request *request)
{
	swhca_pci_function_reset(request->function);
	return 0;
}

static const struct {
	size_t min_len;
	int (*run)(struct request *request);
} commands[] = {
	[SWHCA_VFU_VERSION] = { sizeof(struct swhca_vfu_version), version },
	[SWHCA_VFU_DMA_MAP] = { sizeof(struct swhca_vfu_dma_map), dma_map },
	[SWHCA_VFU_DMA_UNMAP] = { sizeof(struct swhca_vfu_dma_unmap), dma_unmap },
	[SWHCA_VFU_GET_INFO] = { 0, get_info },
	[SWHCA_VFU_GET_REGION_INFO] = { sizeof(struct vfio_region_info), get_region_info },
	[SWHCA_VFU_GET_IRQ_INFO] = { sizeof(struct vfio_irq_info), get_irq_info },
	[SWHCA_VFU_SET_IRQS] = { sizeof(struct vfio_irq_set), set_irqs },
	[SWHCA_VFU_REGION_READ] = { sizeof(struct swhca_vfu_region_rw), region_read },
	[SWHCA_VFU_REGION_WRITE] = { sizeof(struct swhca_vfu_region_rw), region_write },
	[SWHCA_VFU_RESET] = { 0, reset },
};

int
swhca_vfu_request(struct swhca_vfu_session *session, struct swhca_vfu_msg *msg,
		  struct swhca_vfu_reply *reply)
{
	struct request request = {
		.session = session,
		.function = session->function,
		.msg = msg,
		.reply = reply,
	};
	const uint16_t cmd = msg->header.cmd;

	reply->len = 0;
	reply->fd = -1;
	if (cmd >= sizeof(commands) / sizeof(commands[0]) || commands[cmd].run == NULL) {
		SWHCA_LOG(ERR, "vfio-user: command %u is not known", cmd);
		return -ENOTSUP;
	}
	if (!session->has_version && cmd != SWHCA_VFU_VERSION) {
		SWHCA_LOG(ERR, "vfio-user: command %u before VERSION", cmd);
		return -EPROTO;
	}
	if (msg->len < commands[cmd].min_len)
		return value_reject(&request, "bytes", msg->len, commands[cmd].min_len);
	return commands[cmd].run(&request);
}
