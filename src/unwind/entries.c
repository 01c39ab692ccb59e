// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/entries.h"

#include <string.h>

/* How addresses are written (LSB's DW_EH_PE_*): a size, a sign, and what they are relative to. */
enum {
	ENCODING_WORD = 0x00,
	ENCODING_ULEB128 = 0x01,
	ENCODING_TWO = 0x02,
	ENCODING_FOUR = 0x03,
	ENCODING_EIGHT = 0x04,
	ENCODING_SIGNED = 0x08,
	ENCODING_RELATIVE = 0x10,
	ENCODING_BASE = 0xf0,
	ENCODING_NONE = 0xff,
};

void unwind_entries_start(struct unwind_entries *entries, const struct unwind_section *section)
{
	*entries = (struct unwind_entries){.section = *section, .common_at = UINT64_MAX};
}

/* The bytes of a number of ENCODING; 0 where that is not known. */
static unsigned encoded_size(const struct unwind_section *section, uint8_t encoding)
{
	switch (encoding & 0x07) {
	case ENCODING_WORD:
		return section->word_size;
	case ENCODING_TWO:
		return 2;
	case ENCODING_FOUR:
		return 4;
	case ENCODING_EIGHT:
		return 8;
	default:
		return 0;
	}
}

static uint64_t sign_extend(uint64_t value, unsigned size)
{
	unsigned unused = 64 - 8 * size;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

static uint64_t read_address(const struct unwind_section *section, struct bytes *bytes,
			     uint8_t encoding)
{
	uint64_t at = section->address + (uint64_t)(bytes->at - section->data);
	unsigned size = encoded_size(section, encoding);
	uint64_t value;

	if (!size || (encoding & ENCODING_BASE & ~ENCODING_RELATIVE)) {
		bytes->is_short = true;
		return 0;
	}
	value = bytes_number(bytes, size);
	if (encoding & ENCODING_SIGNED)
		value = sign_extend(value, size);
	if (encoding & ENCODING_RELATIVE)
		value += at;
	return section->word_size == 4 ? (uint32_t)value : value;
}

/* The letters behind 'z' say what the augmentation data holds, in their order. */
static bool read_augmentation(const struct unwind_section *section, struct unwind_common *common,
			      const char *letters, struct bytes *bytes)
{
	struct bytes data;

	if (!*letters)
		return true;
	if (*letters != 'z')
		return false;
	common->has_length = true;
	data = bytes_take(bytes, bytes_uleb128(bytes));
	for (letters++; *letters; letters++) {
		if (*letters == 'S')
			common->is_signal = true;
		else if (*letters == 'R')
			common->encoding = (uint8_t)bytes_number(&data, 1);
		else if (*letters == 'L')
			bytes_number(&data, 1);
		else if (*letters == 'P')
			bytes_take(&data, encoded_size(section, (uint8_t)bytes_number(&data, 1)));
		else if (*letters != 'B')
			return false;
	}
	return !data.is_short && common->encoding != ENCODING_NONE;
}

static bool read_common(const struct unwind_section *section, struct unwind_common *common,
			struct bytes *bytes)
{
	uint64_t version = bytes_number(bytes, 1);
	const char *letters = bytes_string(bytes);

	*common = (struct unwind_common){.encoding = ENCODING_WORD};
	if (version == 4) {
		uint64_t word_size = bytes_number(bytes, 1);

		if (word_size != section->word_size || bytes_number(bytes, 1))
			return false; /* segment selectors: nobody has them */
	} else if (version != 1 && version != 3) {
		return false;
	}
	common->code_align = bytes_uleb128(bytes);
	common->data_align = bytes_sleb128(bytes);
	common->return_register = version == 1 ? bytes_number(bytes, 1) : bytes_uleb128(bytes);
	if (!read_augmentation(section, common, letters, bytes) || bytes->is_short)
		return false;
	common->program = *bytes;
	return true;
}

/* One entry of the section. */
struct record {
	uint64_t id_at; /* where in the section its first field is */
	uint64_t id;
	bool is_common;
	struct bytes body;
};

/* The entry at *AT, which moves behind it; false at the end.  An entry of no length is where an
 * object file's ended, which others may follow. */
static bool read_record(const struct unwind_section *section, uint64_t *at, struct record *record)
{
	struct bytes bytes = {section->data + *at, section->data + section->size, false};
	uint64_t length;
	bool is_wide;
	unsigned size;

	do {
		*at = (uint64_t)(bytes.at - section->data);
		length = bytes_number(&bytes, 4);
	} while (!length && !bytes.is_short);
	is_wide = length == UINT32_MAX;
	size = is_wide && section->is_debug_frame ? 8 : 4;
	if (is_wide)
		length = bytes_number(&bytes, 8);
	record->body = bytes_take(&bytes, length);
	if (record->body.is_short)
		return false;
	*at = (uint64_t)(bytes.at - section->data);
	record->id_at = (uint64_t)(record->body.at - section->data);
	record->id = bytes_number(&record->body, size);
	record->is_common = section->is_debug_frame
				    ? record->id == (size == 8 ? UINT64_MAX : UINT32_MAX)
				    : !record->id;
	return true;
}

/* Have the common entry at AT in ENTRIES; false where it is not understood. */
static bool load_common(struct unwind_entries *entries, uint64_t at)
{
	struct record record;
	uint64_t next = at;

	if (at == entries->common_at)
		return entries->is_known;
	entries->common_at = at;
	entries->is_known = at < entries->section.size &&
			    read_record(&entries->section, &next, &record) && record.is_common &&
			    read_common(&entries->section, &entries->common, &record.body);
	return entries->is_known;
}

static bool read_function(const struct unwind_section *section, struct unwind_entry *entry,
			  struct bytes *bytes)
{
	const struct unwind_common *common = &entry->common;
	/* A length has the size of an address, and is relative to nothing. */
	uint8_t length_encoding = common->encoding & 0x07;
	uint64_t length;

	entry->start = read_address(section, bytes, common->encoding);
	length = read_address(section, bytes, length_encoding);
	entry->end = entry->start + length;
	if (common->has_length)
		bytes_take(bytes, bytes_uleb128(bytes));
	entry->program = *bytes;
	return !bytes->is_short && entry->end > entry->start &&
	       (section->word_size == 8 || entry->end <= UINT32_MAX);
}

bool unwind_entries_next(struct unwind_entries *entries, struct unwind_entry *ret_entry)
{
	const struct unwind_section *section = &entries->section;
	struct record record;

	while (entries->at < section->size && read_record(section, &entries->at, &record)) {
		/* In .eh_frame the distance back from the field, in .debug_frame the offset. */
		uint64_t common_at = section->is_debug_frame ? record.id : record.id_at - record.id;

		if (record.is_common || !load_common(entries, common_at))
			continue;
		*ret_entry =
			(struct unwind_entry){.common = entries->common, .common_at = common_at};
		if (read_function(section, ret_entry, &record.body))
			return true;
	}
	return false;
}
