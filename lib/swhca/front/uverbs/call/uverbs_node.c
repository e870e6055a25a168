/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Names and status of device files. */

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "host/sysfs.h"
#include "front/uverbs/call/uverbs.h"
#include "front/uverbs/dev/dev.h"

/* Parse the number that ends a path. @return false if it is something else. */
static bool
path_number(const char *text, unsigned int *number)
{
	char *end;
	unsigned long value;

	if (text[0] < '0' || text[0] > '9')
		return false;
	value = strtoul(text, &end, 10);
	if (*end != '\0' || value > UINT16_MAX)
		return false;
	*number = (unsigned int)value;
	return true;
}

int
swhca_uverbs_path(const char *path)
{
	static const char by_name[] = "/dev/infiniband/uverbs";
	static const char by_number[] = "/dev/char/231:";
	unsigned int index;

	/* Calls with an invalid path are not for us. */
	if (path == NULL || strncmp(path, "/dev/", 5) != 0)
		return -1;
	if (strncmp(path, by_name, sizeof(by_name) - 1) == 0) {
		if (!path_number(path + sizeof(by_name) - 1, &index))
			return -1;
	} else if (strncmp(path, by_number, sizeof(by_number) - 1) == 0) {
		if (!path_number(path + sizeof(by_number) - 1, &index))
			return -1;
		/* A smaller number wraps and is out of range below. */
		index -= SWHCA_UVERBS_BASE_MINOR;
	} else {
		return -1;
	}
	return index < swhca_udev_nb() && !swhca_udev_is_removed(index) ? (int)index :
										      -1;
}

void
swhca_uverbs_stat(unsigned int index, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_mode = S_IFCHR | S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
	st->st_nlink = 1;
	st->st_ino = index + 1;
	st->st_blksize = 4096;
	st->st_rdev = makedev(SWHCA_UVERBS_MAJOR, SWHCA_UVERBS_BASE_MINOR + index);
}
