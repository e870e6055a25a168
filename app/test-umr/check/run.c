/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <assert.h>
#include <string.h>

#include <rte_common.h>

#include "tool/tool.h"
#include "check/bed.h"
#include "check/run.h"

static const struct check_theme *const themes[] = {
	&check_layout, &check_key, &check_queue, &check_remote, &check_dc,
	&check_sig, &check_sig_error, &check_crypto,
};

void
check_table_init(struct check_table *table)
{
	*table = (struct check_table){ 0 };
	for (size_t i = 0; i < RTE_DIM(themes); i++)
		for (size_t j = 0; j < themes[i]->nb; j++) {
			assert(table->nb < CHECK_MAX);
			table->entries[table->nb++] = (struct check_entry){
				.theme = themes[i], .check = &themes[i]->checks[j],
				.is_wanted = true,
			};
		}
}

/* Select a check by name. */
static bool
want(const char *name, void *arg)
{
	struct check_table *table = arg;

	for (size_t i = 0; i < table->nb; i++)
		if (strcmp(table->entries[i].check->name, name) == 0) {
			table->entries[i].is_wanted = true;
			return true;
		}
	tool_error("--only: '%s' is not a check; see --list", name);
	return false;
}

bool
check_table_only(struct check_table *table, const char *names)
{
	check_table_init(table);
	for (size_t i = 0; i < table->nb; i++)
		table->entries[i].is_wanted = false;
	return tool_parse_list(names, want, table);
}

/*
 * Compare the observation with the expected one, unless the check already set a verdict. After a
 * different or missing answer, verify that the device still works; otherwise the result does not
 * count.
 */
static void
judge(struct check_bed *bed, struct check_entry *entry, unsigned int nb_missed)
{
	struct check_result *result = &entry->result, life = { 0 };
	bool is_alive;

	if (result->verdict == CHECK_DIFFERS &&
	    strcmp(result->observed, entry->check->expected) == 0)
		result->verdict = CHECK_AS_EXPECTED;
	if (result->verdict != CHECK_DIFFERS && bed->dev->nb_missed == nb_missed)
		return;
	bed->result = &life;
	is_alive = check_bed_try(bed);
	bed->result = result;
	if (is_alive)
		return;
	check_break(bed, "%s", bed->dev->is_silent ? CHECK_SILENT : life.detail);
}

static void
ask(struct check_entry *entry, struct check_dev *dev)
{
	unsigned int nb_missed = dev->nb_missed;
	struct check_bed bed;

	entry->result = (struct check_result){ .verdict = CHECK_DIFFERS };
	if (check_bed_create(&bed, dev, &entry->result)) {
		bed.arg = entry->check->arg;
		entry->check->run(&bed);
		judge(&bed, entry, nb_missed);
	}
	check_bed_destroy(&bed);
}

int
check_table_run(struct check_table *table, struct ibv_device *device, uint8_t port,
		void (*print)(const struct check_entry *entry, void *arg), void *arg)
{
	struct check_dev dev;
	int ret = check_dev_open(&dev, device, port);

	if (ret != 0)
		return ret;
	for (size_t i = 0; i < table->nb; i++)
		if (table->entries[i].is_wanted) {
			ask(&table->entries[i], &dev);
			print(&table->entries[i], arg);
		}
	check_dev_close(&dev);
	return 0;
}

void
check_table_count(const struct check_table *table, unsigned int nb[CHECK_NB_VERDICTS])
{
	memset(nb, 0, sizeof(nb[0]) * CHECK_NB_VERDICTS);
	for (size_t i = 0; i < table->nb; i++)
		if (table->entries[i].is_wanted)
			nb[table->entries[i].result.verdict]++;
}
