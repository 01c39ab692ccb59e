// SPDX-License-Identifier: BSD-2-Clause
#include "target/module.h"

#include "base/array.h"
#include "base/build_id.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char *const state_texts[] = {
	[MODULE_SAME] = "",
	[MODULE_MISSING] = "the file is gone: its addresses are shown as they are",
	[MODULE_UNREADABLE] = "the file cannot be read: its addresses are shown as they are",
	[MODULE_CHANGED] =
		"another file stands there since it ran: its addresses are shown as they are",
	[MODULE_NOT_ELF] = "not an ELF file: its addresses are shown as they are",
};

const char *module_state_text(enum module_state state)
{
	return (size_t)state < ARRAY_LENGTH(state_texts) ? state_texts[state] : "unknown";
}

static enum module_state state_of_errno(int code)
{
	switch (code) {
	case ENOENT:
	case ENOTDIR:
	case ENAMETOOLONG:
		return MODULE_MISSING;
	default:
		return MODULE_UNREADABLE;
	}
}

/* The inode's generation, 0 where the file system does not tell.  The request's number speaks of
 * a long, yet kernels write an int: read the int, and have room for the long. */
static uint32_t generation_of(int fd)
{
	uint32_t generation[2] = {0};

	return ioctl(fd, FS_IOC_GETVERSION, generation) ? 0 : generation[0];
}

static bool identity_agrees(const struct file_identity *then, const struct stat *now, int fd)
{
	int64_t mtime_ns = (int64_t)now->st_mtim.tv_sec * 1000000000 + now->st_mtim.tv_nsec;
	uint32_t generation;

	if (!then->inode)
		return true;
	if (then->inode != now->st_ino || then->mtime_ns != mtime_ns)
		return false;
	/* Where several file systems are shown as one (overlay, btrfs), stat(2) invents a device
	 * of major number 0; the kernel's mapping knows the real one. */
	if (then->device != now->st_dev && major(now->st_dev))
		return false;
	generation = then->generation ? generation_of(fd) : 0;
	return !generation || generation == then->generation;
}

static void read_build_id(Elf *elf, char *ret_hex, size_t size)
{
	const void *bits;
	ssize_t length = dwelf_elf_gnu_build_id(elf, &bits);
	size_t room = (size - 1) / 2;

	if (length > 0)
		build_id_print(bits, (size_t)length < room ? (size_t)length : room, ret_hex);
}

/* The kernel hands out build-ids in 20 bytes, a shorter one filled up with zeros. */
static bool build_id_agrees(const char *then, const char *now)
{
	size_t length = strlen(now);

	if (!length || strncmp(then, now, length))
		return false;
	return then[length + strspn(then + length, "0")] == '\0';
}

static int read_segments(Elf *elf, struct module *module)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) || !count)
		return 0;
	module->segments = calloc(count, sizeof(*module->segments));
	if (!module->segments)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header))
			break;
		if (header.p_type != PT_LOAD)
			continue;
		module->segments[module->segment_count++] = (struct module_segment){
			.offset = header.p_offset,
			.size = header.p_filesz,
			.address = header.p_vaddr,
			.executable = !!(header.p_flags & PF_X),
		};
	}
	return 0;
}

/* FD is the regular file that stands at the path; SAME is what its identity says. */
static int inspect_open(int fd, bool same, const char *build_id, struct module *module)
{
	Elf *elf;
	int ret = 0;

	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		read_build_id(elf, module->build_id, sizeof(module->build_id));
	if (*build_id)
		same = build_id_agrees(build_id, module->build_id);
	if (!same)
		module->state = MODULE_CHANGED;
	else if (!elf || elf_kind(elf) != ELF_K_ELF)
		module->state = MODULE_NOT_ELF;
	else
		ret = read_segments(elf, module);
	elf_end(elf);
	return ret;
}

int module_inspect(const char *path, const struct file_identity *identity, const char *build_id,
		   struct module *ret_module)
{
	struct stat now;
	int fd, ret = 0;

	*ret_module = (struct module){.state = MODULE_SAME};
	/* Looked at before it is opened: to open a device can be an act. */
	if (stat(path, &now)) {
		ret_module->state = state_of_errno(errno);
		return 0;
	}
	if (!S_ISREG(now.st_mode)) {
		ret_module->state = MODULE_CHANGED;
		return 0;
	}
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		ret_module->state = state_of_errno(errno);
		return 0;
	}
	if (fstat(fd, &now))
		ret_module->state = MODULE_UNREADABLE;
	else if (!S_ISREG(now.st_mode))
		ret_module->state = MODULE_CHANGED;
	else
		ret = inspect_open(fd, identity_agrees(identity, &now, fd), build_id, ret_module);
	close(fd);
	return ret;
}

void module_done(struct module *module)
{
	free(module->segments);
	memset(module, 0, sizeof(*module));
}

static bool holds(const struct module_segment *segment, uint64_t offset, uint64_t page)
{
	uint64_t start = segment->offset & ~(page - 1);
	uint64_t end = (segment->offset + segment->size + page - 1) & ~(page - 1);

	return offset >= start && offset < end;
}

/* The kernel maps whole pages, so code may run a little outside the bytes that a segment claims:
 * the segment that claims the byte comes first, then the one whose page it is; in both, text
 * before data. */
const struct module_segment *module_address(const struct module *module, uint64_t offset,
					    uint64_t *ret_address)
{
	const uint64_t pages[] = {1, (uint64_t)sysconf(_SC_PAGESIZE)};

	for (size_t p = 0; p < ARRAY_LENGTH(pages); p++) {
		for (unsigned executable = 2; executable-- > 0;) {
			for (size_t i = 0; i < module->segment_count; i++) {
				const struct module_segment *segment = &module->segments[i];

				if (segment->executable != executable ||
				    !holds(segment, offset, pages[p]))
					continue;
				*ret_address = segment->address + (offset - segment->offset);
				return segment;
			}
		}
	}
	return NULL;
}
