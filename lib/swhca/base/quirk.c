/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stddef.h>
#include <string.h>

#include "include/quirk.h"

static const struct {
	const char *name;
	const char *text;
} quirks_known[] = {
	[SWHCA_QUIRK_LIST_STALE_TAIL] = {
		"list-stale-tail", "a shorter list clears the entries after it"
	},
	[SWHCA_QUIRK_LIST_EMPTY_ENTRY] = {
		"list-empty-entry", "an entry of 0 bytes is 2 GiB long"
	},
	[SWHCA_QUIRK_LIST_2G_ENTRY] = {
		"list-2g-entry", "the device ignores the highest bit of an entry's length"
	},
	[SWHCA_QUIRK_DATA_SEGMENT_ZERO] = {
		"data-segment-zero", "a data segment of length 0 is empty"
	},
	[SWHCA_QUIRK_LIST_DEAD_ENTRY] = { "list-dead-entry", "a key in an entry may be free" },
	[SWHCA_QUIRK_LIST_STALE_ENTRY] = {
		"list-stale-entry", "the device ignores the tag of a key in an entry"
	},
	[SWHCA_QUIRK_LIST_LEVELS] = {
		"list-levels", "one level of keys less than max_indirection"
	},
	[SWHCA_QUIRK_LIST_TOO_SHORT] = { "list-too-short", "zeros follow the end of a list" },
	[SWHCA_QUIRK_LIST_UNCHECKED] = {
		"list-unchecked", "the device checks entries when a UMR writes them"
	},
	[SWHCA_QUIRK_KEY_OF_LENGTH_ZERO] = {
		"key-of-length-zero", "a key of length 0 has no bounds"
	},
	[SWHCA_QUIRK_ENTRY_SIZE_ADDRESS] = {
		"entry-size-address", "entries of fixed size must be aligned to it"
	},
	[SWHCA_QUIRK_REPEAT_TOO_SHORT] = { "repeat-too-short", "zeros follow the last repetition" },
	[SWHCA_QUIRK_REPEAT_STRIDE] = { "repeat-stride", "the stride of a repetition is signed" },
	[SWHCA_QUIRK_LIST_POINTER_ALIGN] = {
		"list-pointer-align", "a list in memory may be aligned to 64 bytes"
	},
	[SWHCA_QUIRK_UPDATE_WINDOW] = { "update-window", "the device ignores translation offsets" },
	[SWHCA_QUIRK_LIST_RELAXED] = {
		"list-relaxed", "a UMR cannot set relaxed ordering, whatever the capability says"
	},
	[SWHCA_QUIRK_LIST_ODP] = {
		"list-odp", "entries cannot refer to regions with on-demand paging"
	},
	[SWHCA_QUIRK_KEY_TAG] = { "key-tag", "a UMR does not change the tag of a key in use" },
	[SWHCA_QUIRK_KEY_NAMED_BY_OLD_TAG] = {
		"key-named-by-old-tag", "a UMR must address a key in use with its tag"
	},
	[SWHCA_QUIRK_KEY_IN_USE] = { "key-in-use", "the device ignores check_free" },
	[SWHCA_QUIRK_KEY_INVALIDATE] = {
		"key-invalidate", "a key that was configured is usable when it is free"
	},
	[SWHCA_QUIRK_KEY_INVALIDATE_FREE] = {
		"key-invalidate-free", "a free key cannot be invalidated"
	},
	[SWHCA_QUIRK_KEY_UPDATE_FREE] = { "key-update-free", "the device ignores check_not_free" },
	[SWHCA_QUIRK_KEY_UNCONFIGURED] = {
		"key-unconfigured", "a key that was created free is usable"
	},
	[SWHCA_QUIRK_KEY_QUERY] = { "key-query", "QUERY_MKEY returns no length" },
	[SWHCA_QUIRK_KEY_ACCESS_KEPT] = {
		"key-access-kept", "a UMR that does not set remote read clears it"
	},
	[SWHCA_QUIRK_KEY_ATOMIC] = {
		"key-atomic", "CREATE_MKEY rejects atomic access above keys without it"
	},
	[SWHCA_QUIRK_KEY_FENCE] = {
		"key-fence", "the small fence does not wait for a UMR without a CQE"
	},
	[SWHCA_QUIRK_CQE_COUNTER] = { "cqe-counter", "wqe_counter is the last WQEBB of a WQE" },
	[SWHCA_QUIRK_ERROR_UNSIGNALED] = {
		"error-unsignaled", "an unsignaled WQE that fails has no CQE"
	},
	[SWHCA_QUIRK_ERROR_FLUSH] = {
		"error-flush", "an unsignaled WQE that is flushed has no CQE"
	},
	[SWHCA_QUIRK_ERROR_LATE] = { "error-late", "WQEs posted after an error are not flushed" },
	[SWHCA_QUIRK_RESET_COUNTER] = {
		"reset-counter", "RESET does not clear the counter of a send queue"
	},
	[SWHCA_QUIRK_ATOMIC_ORDER] = { "atomic-order", "old values of atomics are byte-swapped" },
	[SWHCA_QUIRK_DOORBELL_COPY] = {
		"doorbell-copy", "the device ignores WQEs that are copied to the doorbell register"
	},
	[SWHCA_QUIRK_SEND_INV_IMAICL] = {
		"send-inv-imaicl",
		"SEND with invalidate is not supported, whatever the capability says"
	},
	[SWHCA_QUIRK_SEND_INV_UNMARKED] = { "send-inv-unmarked", "a SEND invalidates any key" },
	[SWHCA_QUIRK_WRITE_OF_ZERO] = {
		"write-of-zero", "the device checks the key of a transfer of 0 bytes"
	},
	[SWHCA_QUIRK_LOCAL_VENDOR] = {
		"local-vendor", "a wrong local key has another vendor syndrome"
	},
	[SWHCA_QUIRK_REMOTE_VENDOR] = {
		"remote-vendor", "a wrong remote key has another vendor syndrome"
	},
	[SWHCA_QUIRK_RETRY_VENDOR] = {
		"retry-vendor", "a peer that does not respond has another vendor syndrome"
	},
	[SWHCA_QUIRK_REMOTE_BOTH_ENDS] = {
		"remote-both-ends", "a responder stays usable after a wrong key"
	},
	[SWHCA_QUIRK_RECEIVE_FLUSH] = { "receive-flush", "receives are not flushed" },
	[SWHCA_QUIRK_RECEIVE_MISSING] = {
		"receive-missing", "a send without a receive fails like one without a response"
	},
	[SWHCA_QUIRK_RECEIVE_INLINE] = { "receive-inline", "receives are never in the CQE" },
	[SWHCA_QUIRK_DC_WRONG_KEY] = { "dc-wrong-key", "a target responds to a wrong access key" },
	[SWHCA_QUIRK_DC_UMR] = { "dc-umr", "an initiator does not execute UMRs" },
	[SWHCA_QUIRK_T10DIF_FIELD] = {
		"t10dif-field", "the application tag of T10-DIF is little endian"
	},
	[SWHCA_QUIRK_T10DIF_SEED] = { "t10dif-seed", "a guard with seed ones is inverted" },
	[SWHCA_QUIRK_T10DIF_CHECKSUM] = { "t10dif-checksum", "an IP checksum is not inverted" },
	[SWHCA_QUIRK_CRC32_FIELD] = { "crc32-field", "CRC32 is big endian" },
	[SWHCA_QUIRK_CRC32_SEED_ZERO] = { "crc32-seed-zero", "CRC32 with seed 0 is not inverted" },
	[SWHCA_QUIRK_CRC32C_FIELD] = { "crc32c-field", "CRC32C is not inverted" },
	[SWHCA_QUIRK_CRC64_FIELD] = { "crc64-field", "CRC64 is big endian" },
	[SWHCA_QUIRK_BLOCK_4048] = { "block-4048", "blocks of selector 6 have 4096 bytes" },
	[SWHCA_QUIRK_REFERENCE_NEXT] = {
		"reference-next", "all blocks of a transfer have the same reference tag"
	},
	[SWHCA_QUIRK_REFERENCE_OFFSET] = {
		"reference-offset", "reference tags count from where a transfer starts"
	},
	[SWHCA_QUIRK_SIGERR_TRANSFER] = {
		"sigerr-transfer", "a signature error fails the transfer"
	},
	[SWHCA_QUIRK_SIGERR_RESPONDER] = {
		"sigerr-responder", "the error of a responder's key is reported on its send CQ"
	},
	[SWHCA_QUIRK_SIGERR_ONCE] = { "sigerr-once", "each transfer reports the error again" },
	[SWHCA_QUIRK_SIGERR_CONTENTS] = {
		"sigerr-contents", "the two guards of a CQE are swapped"
	},
	[SWHCA_QUIRK_CRYPTO_UNIT_4048] = {
		"crypto-unit-4048", "data units of selector 6 have 4096 bytes"
	},
	[SWHCA_QUIRK_CRYPTO_TWEAK_OFFSET] = {
		"crypto-tweak-offset", "tweaks count from where a transfer starts"
	},
};

_Static_assert(sizeof(quirks_known) / sizeof(quirks_known[0]) == SWHCA_NB_QUIRKS,
	       "each has a name");

const char *
swhca_quirk_name(enum swhca_quirk quirk)
{
	return quirks_known[quirk].name;
}

const char *
swhca_quirk_text(enum swhca_quirk quirk)
{
	return quirks_known[quirk].text;
}

/* Number of the quirk of a name that is len bytes long, or SWHCA_NB_QUIRKS. */
static unsigned int
quirk_find(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < SWHCA_NB_QUIRKS; i++)
		if (strlen(quirks_known[i].name) == len &&
		    memcmp(quirks_known[i].name, name, len) == 0)
			break;
	return i;
}

const char *
swhca_quirks_parse(const char *names, uint64_t *quirks)
{
	uint64_t found = 0;
	unsigned int quirk;
	size_t len;

	for (;; names += len + 1) {
		len = strcspn(names, ",");
		quirk = quirk_find(names, len);
		if (quirk == SWHCA_NB_QUIRKS)
			return "not the name of a quirk; 'list' shows them";
		found |= UINT64_C(1) << quirk;
		if (names[len] == '\0')
			break;
	}
	if (quirks != NULL)
		*quirks = found;
	return NULL;
}
