// SPDX-License-Identifier: BSD-2-Clause
#include "target/executable.h"

#include "base/path.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define INTERPRETERS 5 /* that the kernel follows from script to script */

enum obstacle {
	NO_OBSTACLE,
	OTHER_RIGHTS,
	OTHER_MACHINE,
	IS_STATIC,
	OTHER_LOADER,
};

/* Why, and what to do. */
static const char *const sentences[] = {
	[OTHER_RIGHTS] = "it gets other rights than its caller has (set-user-ID, set-group-ID, "
			 "capabilities), and its loader takes no orders: run it as the user that "
			 "it becomes, or take",
	[OTHER_MACHINE] = "it is for another kind of processor than profil: take",
	[IS_STATIC] = "it is static, and no loader could put the engine into it: link it "
		      "dynamically, or take",
	[OTHER_LOADER] = "it has another C library than profil: take",
};

/* ---- where it is ---- */

static bool can_run(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

static bool find(const char *program, char path[PATH_MAX])
{
	const char *folders = getenv("PATH"), *end;

	if (strchr(program, '/'))
		return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX;
	for (folders = folders ? folders : "/bin:/usr/bin";; folders = end + 1) {
		end = strchrnul(folders, ':');
		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - folders), folders,
			     end == folders ? "" : "/", program) < PATH_MAX &&
		    can_run(path))
			return true;
		if (!*end)
			return false;
	}
}

/* ---- what it is ---- */

static bool gets_rights(int fd)
{
	struct stat status;

	if (fstat(fd, &status))
		return false;
	if (status.st_mode & S_ISUID && status.st_uid != geteuid())
		return true;
	if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	    status.st_gid != getegid())
		return true;
	return geteuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

struct segments {
	bool is_wide; /* 64-bit */
	uint64_t at;
	unsigned count;
};

static bool read_segments(int fd, struct segments *ret)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} header = {0};

	if (pread(fd, &header, sizeof(header), 0) < (ssize_t)sizeof(header.narrow) ||
	    memcmp(header.ident, ELFMAG, SELFMAG) != 0)
		return false;
	*ret = header.ident[EI_CLASS] == ELFCLASS64
		       ? (struct segments){true, header.wide.e_phoff, header.wide.e_phnum}
		       : (struct segments){false, header.narrow.e_phoff, header.narrow.e_phnum};
	return true;
}

/* A 32-bit file's segment as a 64-bit one's. */
static bool read_segment(int fd, const struct segments *segments, unsigned index, Elf64_Phdr *ret)
{
	Elf32_Phdr narrow;
	void *to = segments->is_wide ? (void *)ret : &narrow;
	size_t size = segments->is_wide ? sizeof(*ret) : sizeof(narrow);

	if (pread(fd, to, size, (off_t)(segments->at + index * size)) != (ssize_t)size)
		return false;
	if (!segments->is_wide)
		*ret = (Elf64_Phdr){.p_type = narrow.p_type,
				    .p_offset = narrow.p_offset,
				    .p_filesz = narrow.p_filesz};
	return true;
}

/* The loader that the program at FD asks for, "" for none.  False: it cannot be read. */
static bool read_loader(int fd, char loader[PATH_MAX])
{
	struct segments segments;
	Elf64_Phdr segment;

	loader[0] = '\0';
	if (!read_segments(fd, &segments))
		return false;
	for (unsigned i = 0; i < segments.count && read_segment(fd, &segments, i, &segment); i++) {
		if (segment.p_type != PT_INTERP || segment.p_filesz >= PATH_MAX)
			continue;
		if (pread(fd, loader, segment.p_filesz, (off_t)segment.p_offset) !=
		    (ssize_t)segment.p_filesz)
			loader[0] = '\0';
		loader[segment.p_filesz] = '\0';
		break;
	}
	return true;
}

/* The processor and the loader are to be those of profil itself. */
static enum obstacle judge_elf(int fd)
{
	unsigned char program[EI_NIDENT + 4], own[EI_NIDENT + 4];
	char loader[PATH_MAX], own_loader[PATH_MAX];
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	enum obstacle found = NO_OBSTACLE;

	if (self < 0)
		return NO_OBSTACLE;
	/* Behind the kind of file, which may be either, stands the processor. */
	if (pread(fd, program, sizeof(program), 0) == sizeof(program) &&
	    pread(self, own, sizeof(own), 0) == sizeof(own) &&
	    (program[EI_CLASS] != own[EI_CLASS] ||
	     memcmp(program + EI_NIDENT + 2, own + EI_NIDENT + 2, 2) != 0))
		found = OTHER_MACHINE;
	else if (!read_loader(fd, loader) || !read_loader(self, own_loader))
		found = NO_OBSTACLE;
	else if (!*loader)
		found = IS_STATIC;
	else if (*own_loader && strcmp(path_base(loader), path_base(own_loader)) != 0)
		found = OTHER_LOADER;
	close(self);
	return found;
}

/* "#!interpreter argument" */
static bool read_interpreter(const char *line, char path[PATH_MAX])
{
	size_t length;

	if (strncmp(line, "#!", 2) != 0)
		return false;
	line += 2 + strspn(line + 2, " \t");
	length = strcspn(line, " \t\n");
	return length && snprintf(path, PATH_MAX, "%.*s", (int)length, line) < PATH_MAX;
}

/* PATH becomes the interpreter's where it is a script: then *RET_SCRIPT. */
static enum obstacle judge(char path[PATH_MAX], bool *ret_script)
{
	char start[256] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	enum obstacle found = NO_OBSTACLE;
	ssize_t bytes;

	*ret_script = false;
	if (fd < 0)
		return NO_OBSTACLE;
	bytes = pread(fd, start, sizeof(start) - 1, 0);
	if (bytes >= EI_NIDENT && !memcmp(start, ELFMAG, SELFMAG))
		found = gets_rights(fd) ? OTHER_RIGHTS : judge_elf(fd);
	else
		*ret_script = read_interpreter(start, path);
	close(fd);
	return found;
}

char *executable_path(const char *program)
{
	char path[PATH_MAX];
	bool is_script = find(program, path);

	if (!is_script)
		return NULL;
	for (int i = 0; is_script && i < INTERPRETERS; i++)
		(void)judge(path, &is_script);
	return realpath(path, NULL);
}

bool executable_loader(const char *path, char ret_loader[PATH_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_read = fd >= 0 && read_loader(fd, ret_loader);

	if (fd >= 0)
		close(fd);
	return is_read && *ret_loader;
}

int executable_takes_preload(const char *program, const char *who, struct error *reterr)
{
	char path[PATH_MAX];
	enum obstacle found = NO_OBSTACLE;
	bool is_script = find(program, path);

	for (int i = 0; is_script && i < INTERPRETERS; i++)
		found = judge(path, &is_script);
	if (!found)
		return 0;
	return error_set(reterr, -EINVAL,
			 "%.256s: the %s cannot count in it: %s '--engine kernel' or '--engine "
			 "perf'",
			 path, who, sentences[found]);
}
