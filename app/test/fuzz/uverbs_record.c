/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Writes down what a program asks of device files, for uverbs_seeds.py to make seeds of. To be
 * loaded before the software device, with the file to append to in UVERBS_RECORD:
 *
 *   swhca-run sh -c 'LD_PRELOAD=$0:$LD_PRELOAD exec "$@"' uverbs_record.so program...
 *
 * Lines: "pid N", "close FD", "mmap FD LENGTH PROTECTION OFFSET", "ioctl FD DEVICE OBJECT METHOD
 * RESULT" and, for each attribute, "attr ID LENGTH FLAGS DATA-BEFORE DATA-AFTER IN OUT ADDRESSES":
 * IN and OUT are the bytes that it points to before and after, or "-"; ADDRESSES are offsets in IN,
 * or in the data, where an address of the program is. All numbers but bytes are decimal.
 */

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <rdma/rdma_user_ioctl_cmds.h>

#define MAX_ATTRS 64u
/* Nothing is mapped below that, and many numbers are. */
#define MIN_ADDR 0x10000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *output;

/* Attributes of a request, and what they point to, as they were. */
struct record {
	struct ib_uverbs_attr attrs[MAX_ATTRS];
	uint8_t *before[MAX_ATTRS];
	union {
		struct ib_uverbs_ioctl_hdr hdr;
		uint8_t bytes[sizeof(struct ib_uverbs_ioctl_hdr)];
	} head;
};

static FILE *
output_get(void)
{
	const char *path = getenv("UVERBS_RECORD");

	if (output == NULL && path != NULL) {
		output = fopen(path, "ae");
		if (output != NULL)
			fprintf(output, "pid %d\n", (int)getpid());
	}
	return output;
}

/* Bytes of the program, which may not be there. */
static uint8_t *
bytes_get(uint64_t addr, size_t len)
{
	uint8_t *bytes = malloc(len + 1);
	const struct iovec local = { .iov_base = bytes, .iov_len = len };
	const struct iovec remote = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };

	if (bytes != NULL &&
	    process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != (ssize_t)len) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

static void
bytes_print(const uint8_t *bytes, size_t len)
{
	size_t i;

	fputc(' ', output);
	if (bytes == NULL || len == 0)
		fputc('-', output);
	for (i = 0; bytes != NULL && i < len; i++)
		fprintf(output, "%02x", bytes[i]);
}

/* Offsets of words that are addresses: where something is mapped. */
static void
addrs_print(const uint8_t *bytes, size_t len)
{
	const char *space = " ";
	uint64_t word;
	uint8_t *byte;
	size_t i;

	for (i = 0; bytes != NULL && i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		byte = word < MIN_ADDR ? NULL : bytes_get(word, 1);
		if (byte == NULL)
			continue;
		fprintf(output, "%s%zu", space, i);
		space = ",";
		free(byte);
	}
	if (space[0] == ' ')
		fputs(" -", output);
}

static void
record_begin(struct record *rec, const void *arg)
{
	const uint8_t *hdr = arg;
	unsigned int i;

	memset(rec, 0, sizeof(*rec));
	memcpy(rec->head.bytes, hdr, sizeof(rec->head));
	if (rec->head.hdr.num_attrs > MAX_ATTRS)
		rec->head.hdr.num_attrs = MAX_ATTRS;
	memcpy(rec->attrs, hdr + sizeof(rec->head),
	       rec->head.hdr.num_attrs * sizeof(rec->attrs[0]));
	for (i = 0; i < rec->head.hdr.num_attrs; i++) {
		if (rec->attrs[i].len > sizeof(rec->attrs[i].data))
			rec->before[i] = bytes_get(rec->attrs[i].data, rec->attrs[i].len);
	}
}

/* Which device a file is of: its descriptor is one of memory with that name. */
static unsigned int
device_of(int fd)
{
	char path[32], name[64] = "";
	unsigned int device = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, name, sizeof(name) - 1) > 0)
		sscanf(name, "/memfd:uverbs%u", &device);
	return device;
}

static void
record_end(struct record *rec, int fd, const void *arg, int ret)
{
	const uint8_t *hdr = arg;
	struct ib_uverbs_attr now;
	unsigned int i;
	uint8_t *after;

	fprintf(output, "ioctl %d %u %u %u %d\n", fd, device_of(fd), rec->head.hdr.object_id,
		rec->head.hdr.method_id, ret);
	for (i = 0; i < rec->head.hdr.num_attrs; i++) {
		const struct ib_uverbs_attr *attr = &rec->attrs[i];

		memcpy(&now, hdr + sizeof(rec->head) + i * sizeof(now), sizeof(now));
		after = (now.flags & UVERBS_ATTR_F_VALID_OUTPUT) != 0 && attr->len != 0 ?
				bytes_get(attr->data, attr->len) : NULL;
		fprintf(output, "attr %u %u %u %" PRIu64 " %" PRIu64, attr->attr_id, attr->len,
			now.flags, (uint64_t)attr->data, (uint64_t)now.data);
		bytes_print(rec->before[i], attr->len);
		bytes_print(after, attr->len);
		if (attr->len > sizeof(attr->data))
			addrs_print(rec->before[i], attr->len);
		else
			addrs_print((const uint8_t *)&attr->data, attr->len);
		fputc('\n', output);
		free(after);
		free(rec->before[i]);
	}
	fflush(output);
}

#define REAL(ret, name, ...)                                                                       \
	ret (*real)(__VA_ARGS__) = (ret (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

int
ioctl(int fd, unsigned long request, ...)
{
	REAL(int, ioctl, int, unsigned long, ...);
	static struct record rec;
	va_list ap;
	void *arg;
	int ret;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request != RDMA_VERBS_IOCTL)
		return real(fd, request, arg);
	pthread_mutex_lock(&lock);
	if (output_get() != NULL)
		record_begin(&rec, arg);
	ret = real(fd, request, arg);
	if (output != NULL)
		record_end(&rec, fd, arg, ret);
	pthread_mutex_unlock(&lock);
	return ret;
}

int
close(int fd)
{
	REAL(int, close, int);

	if (output != NULL)
		fprintf(output, "close %d\n", fd);
	return real(fd);
}

void *
mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	REAL(void *, mmap, void *, size_t, int, int, int, off_t);

	if (output != NULL && fd >= 0)
		fprintf(output, "mmap %d %zu %d %lld\n", fd, len, prot, (long long)offset);
	return real(addr, len, prot, flags, fd, offset);
}
