/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/cfi.h"

#include <elf.h>
#include <endian.h>

/* What of an ELF file's image unwinding needs, read on libc alone and with no trust in it. */

enum {
	UNWIND_SEGMENTS = 16,
	UNWIND_INIT_MOST = 64, /* bytes of .init and .fini as compilers have them */
};

/* EI_DATA of the files whose numbers are read as they are. */
enum { UNWIND_BYTE_ORDER = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB };

struct unwind_segment {
	uint64_t address, size; /* executable, and in the file */
	uint64_t offset;
};

struct unwind_elf {
	const struct unwind_machine *machine; /* NULL where there are no tables for it */
	uint64_t entry;
	struct unwind_segment segments[UNWIND_SEGMENTS];
	unsigned segment_count;
	/* .eh_frame, and .debug_frame; no data where one is not there, or is compressed */
	struct unwind_section frames, debug_frames;
	struct unwind_section pclntab;	  /* of Go's functions, or no data */
	struct unwind_section ends;	  /* .fini_array, or no data: functions called at the end */
	struct unwind_section init, fini; /* the code of .init and .fini, or no data */
};

/* Read the image of SIZE bytes at FILE, to which RET_ELF points on.
 * Returns 0, or -ENOEXEC where it is no ELF file of this byte order or is damaged. */
int unwind_elf_read(const void *file, size_t size, struct unwind_elf *ret_elf);

struct unwind_elf_part {
	uint64_t offset, size;
};

/* Where in a file the headers are that unwind_elf_read() reads. */
struct unwind_elf_headers {
	struct unwind_elf_part segments, sections, names;
};

/* What the SIZE bytes at FILE say of it; NAMES is nothing as long as SECTIONS is not there.
 * Returns 0, or -ENOEXEC as unwind_elf_read() does. */
int unwind_elf_headers(const void *file, size_t size, struct unwind_elf_headers *ret_headers);

/* The segment that ADDRESS is in, or NULL. */
const struct unwind_segment *unwind_elf_segment(const struct unwind_elf *elf, uint64_t address);

/* Where in the file the code from START up to END is; false where it is not in one segment. */
bool unwind_elf_part(const struct unwind_elf *elf, uint64_t start, uint64_t end,
		     struct unwind_elf_part *ret_part);

/* Where in a file what lies DISTANCE in memory from what is at OFFSET is, if it is loaded from
 * there and nobody writes it.  The SIZE bytes at HEAD begin the file, and have its segments'
 * headers. */
bool unwind_elf_moved(const void *head, size_t size, uint64_t offset, int64_t distance,
		      uint64_t *ret_offset);
