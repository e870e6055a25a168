/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CONF_H
#define SWHCA_CONF_H

/**
 * @file
 * What a user may set: one table for the options of swhca-run and the environment variables that
 * carry them to the program.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/hca.h"

/** Most devices that a process can have. */
#define SWHCA_MAX_DEVICES 8u

/** Longest text of an option, with its end. */
#define SWHCA_CONF_TEXT 512

/** What the options say; zero in a limit means the default of the model. */
struct swhca_conf {
	unsigned int nb_devices;
	unsigned int log;		/**< enum swhca_log_level */
	unsigned int is_uar_static;
	unsigned int model;		/**< enum swhca_model */
	unsigned int link_layer;	/**< enum swhca_link_layer */
	unsigned int has_wrapped_keys;	/**< --crypto wrapped */
	unsigned int is_fork_unsafe;	/**< --no-copy-on-fork */
	unsigned int is_ack_only;
	unsigned int is_strict;
	unsigned int needs_strong_fence;
	unsigned int stale_region;	/**< enum swhca_stale */
	unsigned int log_max_klm;
	unsigned int max_indirection;
	unsigned int log_max_qp;
	unsigned int log_max_qp_sz;
	unsigned int log_max_cq;
	unsigned int log_max_cq_sz;
	unsigned int log_max_mkey;
	unsigned int log_max_uar;
	char wire[SWHCA_CONF_TEXT];	/**< Empty: devices of a process reach each other alone. */
	char impair[SWHCA_CONF_TEXT];	/**< Or empty. */
	char capture[SWHCA_CONF_TEXT];	/**< File, or empty. */
	char fault[SWHCA_CONF_TEXT];	/**< Of the data path (host/inject_text.h), or empty. */
	char quirk[SWHCA_CONF_TEXT];	/**< Names, or empty. */
};

/** An option: a number in [min, max], one of some words, or a text. */
struct swhca_option {
	const char *name;		/**< Behind "--". */
	char letter;			/**< Behind "-"; 0: none. */
	const char *arg;		/**< What its value is called; NULL: a flag. */
	const char *env;
	const char *help;		/**< Lines, without the values and the default. */
	const char *const *words;	/**< NULL-terminated, their index is the value; or NULL. */
	unsigned int min;
	unsigned int max;
	unsigned int value;		/**< Default. */
	size_t offset;			/**< In struct swhca_conf. */
	/**
	 * Of a text, SWHCA_CONF_TEXT bytes in the configuration: what is wrong with it, or NULL.
	 */
	const char *(*check)(const char *word);
	bool is_path;			/**< The value is a file, and not in the configuration. */
	bool is_limit;			/**< The default stands for 0 in the configuration. */
};

extern const struct swhca_option swhca_options[];
extern const size_t swhca_nb_options;

/** Option by "--name" or "-x". @return NULL if there is none. */
const struct swhca_option *swhca_option_find(const char *word);

/**
 * Read a value.
 *
 * @param value
 *   Written on success, unless the value is a text or a file.
 * @param text
 *   What is wrong, "NAME: VALUE: not ...", if it is; size bytes.
 * @return
 *   0 or -EINVAL.
 */
int swhca_option_parse(const struct swhca_option *option, const char *name, const char *word,
		       unsigned int *value, char *text, size_t size);

/** The quirks that it names, as struct swhca_hca_conf has them. */
uint64_t swhca_conf_quirks(const struct swhca_conf *conf);

/** Read the environment. @return 0, or -EINVAL with a text as above. */
int swhca_conf_read(struct swhca_conf *conf, char *text, size_t size);

/**
 * The configuration of this process, read once.
 *
 * @return
 *   Never NULL. If the environment is wrong, which is logged, nb_devices is 0.
 */
const struct swhca_conf *swhca_conf_get(void);

#endif /* SWHCA_CONF_H */
