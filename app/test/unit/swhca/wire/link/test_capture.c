/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Captures: bytes of blocks, the files that they are in, and links that write them. */

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "../../../../patience.h"
#include "base/log.h"
#include "include/gid.h"
#include "wire/link/open.h"
#include "wire/link/pcapng.h"
#include "wire/packet/icrc.h"
#include "wire/packet/packet.h"

#include "link_bed.h"

#define LEN 64u

static char folder[] = "/tmp/swhca-capture-XXXXXX";

/* A name in the folder, valid until the next but three. */
static const char *
in_folder(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

static int
setup_all(void **state)
{
	return mkdtemp(folder) == NULL ? -1 : 0;
}

static int
teardown_all(void **state)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

/* The host's order of numbers in the golden bytes: least significant first. */
static bool
is_little_endian(void)
{
	const uint16_t one = 1;

	return *(const uint8_t *)&one == 1;
}

CASE(section_header_is_as_the_draft_has_it)
{
	static const uint8_t want[] = {
		0x0a, 0x0d, 0x0d, 0x0a, 44, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		4, 0, 5, 0, 's', 'w', 'h', 'c', 'a', 0, 0, 0, 0, 0, 0, 0, 44, 0, 0, 0,
	};
	uint8_t got[SWHCA_PCAPNG_SHB_MAX];

	if (!is_little_endian())
		skip();
	assert_int_equal(swhca_pcapng_shb(got), sizeof(want));
	assert_memory_equal(got, want, sizeof(want));
}

CASE(interface_is_as_the_draft_has_it)
{
	static const uint8_t want[] = {
		1, 0, 0, 0, 52, 0, 0, 0, 101, 0, 0, 0, 0, 0, 0, 0,
		2, 0, 6, 0, 's', 'w', 'h', 'c', 'a', '3', 0, 0,
		3, 0, 3, 0, 'u', 'd', 'p', 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 52, 0, 0, 0,
	};
	uint8_t got[SWHCA_PCAPNG_IDB_MAX];
	char longest[1000];

	if (!is_little_endian())
		skip();
	assert_int_equal(swhca_pcapng_idb("swhca3", "udp", got), sizeof(want));
	assert_memory_equal(got, want, sizeof(want));
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_true(swhca_pcapng_idb(longest, longest, got) <= SWHCA_PCAPNG_IDB_MAX);
}

static struct swhca_packet_ip
ip_make(bool is_ipv6)
{
	struct swhca_packet_ip ip = { .is_df = true, .src_port = 4791, .hop_limit = 64 };

	if (is_ipv6) {
		ip.sgid[15] = ip.dgid[15] = 1;
		return ip;
	}
	ip.sgid[10] = ip.sgid[11] = ip.dgid[10] = ip.dgid[11] = 0xff;
	ip.sgid[12] = ip.dgid[12] = 127;
	ip.sgid[15] = 1;
	ip.dgid[15] = 2;
	return ip;
}

CASE(packets_are_as_the_draft_has_them)
{
	static const uint8_t want[] = {
		6, 0, 0, 0, 92, 0, 0, 0, 7, 0, 0, 0, 0x04, 0x03, 0x02, 0x01, 0x08, 0x07, 0x06, 0x05,
		45, 0, 0, 0, 45, 0, 0, 0,
		0x45, 0, 0, 45, 0, 0, 0x40, 0, 64, 17, 0x3c, 0xbd, 127, 0, 0, 1, 127, 0, 0, 2,
		0x12, 0xb7, 0x12, 0xb7, 0, 25, 0, 0,
	};
	static const uint8_t want_tail[] = { 0, 0, 0, 2, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0,
					     92, 0, 0, 0 };
	const uint8_t data[17] = { 0 };
	const struct swhca_packet_ip ip = ip_make(false);
	struct swhca_pcapng_packet packet = { .interface = 7, .is_outbound = true,
		.time_ns = 0x0102030405060708, .ip = &ip, .data = data, .len = sizeof(data) };
	uint8_t got[SWHCA_PCAPNG_HEAD_MAX], tail[SWHCA_PCAPNG_TAIL_MAX];

	if (!is_little_endian())
		skip();
	assert_int_equal(swhca_pcapng_head(&packet, got), sizeof(want));
	assert_memory_equal(got, want, sizeof(want));
	assert_int_equal(swhca_pcapng_tail(&packet, tail), sizeof(want_tail));
	assert_memory_equal(tail, want_tail, sizeof(want_tail));
	packet.is_outbound = false;
	swhca_pcapng_tail(&packet, tail);
	assert_int_equal(tail[7], 1);
}

CASE(checksum_of_udp_over_ipv6_is_there)
{
	const uint8_t data[17] = { 1, 2, 3, [16] = 0xab };
	const struct swhca_packet_ip ip = ip_make(true);
	const struct swhca_pcapng_packet packet = { .ip = &ip, .data = data, .len = sizeof(data) };
	uint8_t head[SWHCA_PCAPNG_HEAD_MAX];

	assert_int_equal(swhca_pcapng_head(&packet, head), 28 + 48);
	/*
	 * Pseudo header 1 + 1 + 25 + 17, UDP 0x12b7 + 0x12b7 + 25, data 0x0102 + 0x0300 + 0xab00,
	 * all together 0xd4b5, of which the complement is taken.
	 */
	assert_int_equal(head[28 + 46] << 8 | head[28 + 47], 0x2b4a);
}

/* What a file has. */
struct content {
	unsigned int nb_interfaces, nb_packets, nb_in;
	unsigned int nb_right;	/* Of the ICRCs. */
	uint64_t last_ns;
};

static void
packet_look(const uint8_t *block, uint32_t len, struct content *content)
{
	uint32_t words[7], flags;
	struct swhca_packet_ip ip;
	size_t ib_len;
	int hdr_len;

	memcpy(words, block, sizeof(words));
	assert_true(words[2] < content->nb_interfaces);
	hdr_len = swhca_packet_ip_parse(block + 28, words[5], &ip, &ib_len);
	assert_true(hdr_len > 0);
	content->nb_packets++;
	content->nb_right += swhca_icrc_is_right(&ip, block + 28 + hdr_len, ib_len);
	content->last_ns = (uint64_t)words[3] << 32 | words[4];
	memcpy(&flags, block + len - 12, sizeof(flags));
	content->nb_in += flags == 1;
}

/* A file that is whole, from its first block to the last. */
static struct content
content_of(const char *path)
{
	static uint8_t bytes[1 << 20];
	struct content content = { 0 };
	int fd = open(path, O_RDONLY);
	uint32_t block[2], end;
	ssize_t len, at;

	assert_true(fd >= 0);
	len = read(fd, bytes, sizeof(bytes));
	close(fd);
	for (at = 0; at < len; at += block[1]) {
		memcpy(block, bytes + at, sizeof(block));
		assert_true(at + block[1] <= len && block[1] % 4 == 0);
		memcpy(&end, bytes + at + block[1] - 4, sizeof(end));
		assert_int_equal(end, block[1]);
		assert_int_equal(block[0] == SWHCA_PCAPNG_SHB, at == 0);
		content.nb_interfaces += block[0] == 1;
		if (block[0] == 6)
			packet_look(bytes + at, block[1], &content);
	}
	return content;
}

static void
packet_bytes(const struct swhca_packet_ip *ip, uint8_t *data)
{
	const struct swhca_packet fields = { .opcode = SWHCA_PACKET_SEND_ONLY,
					     .payload_len = LEN - 16 };

	memset(data, 0, LEN);
	assert_int_equal(swhca_packet_build(&fields, data, LEN), SWHCA_BTH_LEN);
	swhca_icrc_put(swhca_icrc_begin(ip, data, LEN - 4, LEN), data + LEN - 4);
}

/* Send so many packets, and have them received. */
static void
traffic(struct swhca_link *from, struct swhca_link *to, unsigned int nb)
{
	uint8_t data[LEN];
	struct swhca_link_packet packet = bed_packet(from, to, data, LEN), in[4];

	packet_bytes(&packet.ip, data);
	for (; nb > 0; nb--) {
		bed_send(from, &packet, 1);
		assert_int_equal(bed_receive_some(to, in, 4, patience_ms()), 1);
	}
}

CASE(links_of_a_process_share_a_file)
{
	const char *path = in_folder("share.pcapng");
	struct swhca_link *a = bed_open("udp", NULL, path, 0);
	struct swhca_link *b = bed_open("udp", NULL, path, 1);
	struct content content;
	struct stat st;
	struct timespec now;

	traffic(a, b, 5);
	traffic(b, a, 7);
	content = content_of(path);
	assert_int_equal(content.nb_interfaces, 2);
	assert_int_equal(content.nb_packets, 24);
	assert_int_equal(content.nb_in, 12);
	assert_int_equal(content.nb_right, 24);
	clock_gettime(CLOCK_REALTIME, &now);
	assert_true(content.last_ns / 1000000000u + 1 >= (uint64_t)now.tv_sec - 1);
	assert_true(content.last_ns / 1000000000u <= (uint64_t)now.tv_sec);
	swhca_link_close(a);
	traffic(b, b, 1);
	swhca_link_close(b);
	assert_int_equal(content_of(path).nb_packets, 26);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* Again: it begins anew. */
	a = bed_open("udp", NULL, path, 0);
	swhca_link_close(a);
	assert_int_equal(content_of(path).nb_packets, 0);
	assert_int_equal(content_of(path).nb_interfaces, 1);
}

/* A link that brings a packet of another host, whose identifications are not 0. */
static unsigned int
far_receive(struct swhca_link *link, struct swhca_link_packet *packets, unsigned int nb)
{
	static uint8_t data[LEN];

	assert_true(nb > 0);
	packets[0] = (struct swhca_link_packet){ .ip = ip_make(false), .data = data, .len = LEN };
	packets[0].ip.id = 0xbeef;
	packet_bytes(&packets[0].ip, data);
	packets[0].ip.id = 0;
	return 1;
}

static void
far_close(struct swhca_link *link)
{
}

CASE(identification_is_found)
{
	static const struct swhca_link_ops ops = { .receive = far_receive, .close = far_close };
	const struct swhca_link_conf conf = { .wire = "", .capture = in_folder("id.pcapng") };
	struct swhca_link far = { .ops = &ops }, *link;
	struct swhca_link_packet in[1];

	assert_int_equal(swhca_capture_open(&conf, &far, &link), 0);
	assert_int_equal(link->ops->receive(link, in, 1), 1);
	assert_int_equal(in[0].ip.id, 0);
	swhca_link_close(link);
	assert_int_equal(content_of(conf.capture).nb_right, 1);
}

CASE(faults_are_in_the_file)
{
	const char *path = in_folder("faults.pcapng");
	struct swhca_link *a = bed_open("udp", "corrupt=1", path, 0);
	struct swhca_link *b = bed_open("udp", NULL, NULL, 1);

	traffic(a, b, 3);
	assert_int_equal(content_of(path).nb_packets, 3);
	assert_int_equal(content_of(path).nb_right, 0);
	assert_int_equal(swhca_link_set_impair(a, "loss=1"), 0);
	assert_int_equal(swhca_link_set_impair(b, "off"), 0);
	swhca_link_close(a);
	swhca_link_close(b);
}

static int
open_of(const char *path)
{
	const struct swhca_link_conf conf = { .wire = "udp", .capture = path };
	struct swhca_link *link;
	int ret = swhca_link_open(&conf, &link);

	if (ret == 0)
		swhca_link_close(link);
	return ret;
}

static void
file_write(const char *path, const char *text)
{
	FILE *file = NOT_NULL(fopen(path, "w"));

	fputs(text, file);
	fclose(file);
}

CASE(what_is_no_capture_is_not_overwritten)
{
	struct stat st;

	file_write(in_folder("thesis.txt"), "years of work");
	assert_int_equal(open_of(in_folder("thesis.txt")), -EEXIST);
	assert_int_equal(stat(in_folder("thesis.txt"), &st), 0);
	assert_int_equal(st.st_size, 13);
	file_write(in_folder("x"), "x");
	assert_int_equal(open_of(in_folder("x")), -EEXIST);
	file_write(in_folder("empty"), "");
	assert_int_equal(open_of(in_folder("empty")), 0);
	assert_int_equal(symlink("empty", in_folder("symlink")), 0);
	assert_int_equal(open_of(in_folder("symlink")), -EEXIST);
	assert_int_equal(link(in_folder("empty"), in_folder("hardlink")), 0);
	assert_int_equal(open_of(in_folder("hardlink")), -EEXIST);
	assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
	assert_int_equal(open_of(in_folder("fifo")), -EEXIST);
	assert_int_equal(open_of(folder), -EISDIR);
	assert_int_equal(open_of(in_folder("none/x.pcapng")), -ENOENT);
}

CASE(long_names_are_refused)
{
	char path[PATH_MAX + 100];

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(open_of(path), -ENAMETOOLONG);
	path[PATH_MAX - 2] = '\0';
	memcpy(path, "%p", 2);
	assert_int_equal(open_of(path), -ENAMETOOLONG);
}

/* Does a child write to a file with this name of the folder? */
static void
child_writes_to(const char *asked, const char *format)
{
	char name[64];
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct swhca_link *link = bed_open("udp", NULL, in_folder(asked), 0);

		traffic(link, link, 2);
		swhca_link_close(link);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	snprintf(name, sizeof(name), format, (long)pid);
	assert_int_equal(content_of(in_folder(name)).nb_packets, 4);
	unlink(in_folder(name));
}

CASE(processes_have_files_of_their_own)
{
	struct swhca_link *link = bed_open("udp", NULL, in_folder("busy.pcapng"), 0);

	traffic(link, link, 1);
	child_writes_to("busy.pcapng", "busy-%ld.pcapng");
	traffic(link, link, 1);
	assert_int_equal(content_of(in_folder("busy.pcapng")).nb_packets, 4);
	assert_int_equal(content_of(in_folder("busy.pcapng")).nb_interfaces, 1);
	swhca_link_close(link);
	child_writes_to("p%p.pcapng", "p%ld.pcapng");
	/* No suffix; a point in the folder is none. */
	assert_int_equal(mkdir(in_folder("a.b"), 0700), 0);
	link = bed_open("udp", NULL, in_folder("a.b/busy"), 0);
	child_writes_to("a.b/busy", "a.b/busy-%ld");
	swhca_link_close(link);
}

/* A disk that is full: packets go on, the file is whole. */
CASE(file_that_cannot_grow_ends_whole)
{
	const char *path = in_folder("full.pcapng");
	struct rlimit limit, old;
	struct swhca_link *link = bed_open("udp", NULL, path, 0);
	unsigned int nb;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ .rlim_cur = 3000, .rlim_max = old.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	traffic(link, link, 100);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	nb = content_of(path).nb_packets;
	assert_true(nb > 10 && nb < 30);
	traffic(link, link, 10);
	assert_int_equal(content_of(path).nb_packets, nb);
	swhca_link_close(link);
}

int
main(void)
{
	return cases_run(setup_all, teardown_all);
}
