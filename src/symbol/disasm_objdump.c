// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/disasm_reader.h"
#include "symbol/riscv.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* As Debian and others call that of a machine which may not be the one this runs on. */
#define OBJDUMP "riscv64-linux-gnu-objdump"

const char *disasm_objdump_why_not(void)
{
	const char *at = getenv("PATH");
	char path[PATH_MAX];

	for (; at && *at; at += *at == ':') {
		int length = (int)strcspn(at, ":");

		(void)snprintf(path, sizeof(path), "%.*s/" OBJDUMP, length, at);
		if (length && !access(path, X_OK))
			return NULL;
		at += length;
	}
	return "RISC-V is read by Capstone 5 or by " OBJDUMP
	       ", and neither is here: install one (Debian: binutils-riscv64-linux-gnu)";
}

/* What it says: "   1004:\tbeqz\ta0,0x1010". */
struct listing {
	FILE *file;
	char *line;
	size_t capacity;
	char *text; /* in line, of the instruction at ADDRESS; NULL: there are no more */
	uint64_t address;
};

static void read_next(struct listing *listing)
{
	char *end;

	listing->text = NULL;
	while (!listing->text && getline(&listing->line, &listing->capacity, listing->file) > 0) {
		listing->address = strtoull(listing->line, &end, 16);
		if (end == listing->line || end[0] != ':' || end[1] != '\t')
			continue;
		listing->text = end + 2;
		/* Behind a target is a name made of the file's, and behind some a remark. */
		listing->text[strcspn(listing->text, "<#\n")] = '\0';
		/* "Address 0x1008 is out of bounds." stands at what is cut short. */
		if (!strncmp(listing->text, "Address ", strlen("Address ")))
			listing->text = NULL;
	}
}

static void set_text(const char *from, struct instruction *to)
{
	int name = (int)strcspn(from, "\t");
	const char *operands = from[name] ? from + name + 1 : "";

	(void)snprintf(to->text, sizeof(to->text), "%-7.*s %.*s", name < 32 ? name : 32, from,
		       (int)sizeof(to->text) - 40, operands);
	for (size_t end = strlen(to->text); end && to->text[end - 1] == ' '; end--)
		to->text[end - 1] = '\0';
}

static void set_bytes(const uint8_t *bytes, struct instruction *to)
{
	int length = snprintf(to->text, sizeof(to->text), "%-7s", ".byte");

	/* As many as there is room for. */
	for (uint8_t i = 0; i < to->size && length + 8 < (int)sizeof(to->text); i++)
		length += snprintf(to->text + length, sizeof(to->text) - (size_t)length,
				   i ? ", 0x%02x" : " 0x%02x", bytes[i]);
}

/* Where an instruction begins and where it goes is read from the bytes; the listing has its name,
 * where it agrees that there is one. */
static int walk(struct listing *listing, const uint8_t *bytes, size_t size, uint64_t address,
		disasm_take *take, void *context)
{
	int ret = 0;

	for (size_t done = 0; !ret && done < size;) {
		struct instruction instruction = {
			.address = address + done,
			.size = riscv_length(bytes + done, size - done),
		};

		while (listing->text && listing->address < instruction.address)
			read_next(listing);
		if (listing->text && listing->address == instruction.address)
			set_text(listing->text, &instruction);
		else
			set_bytes(bytes + done, &instruction);
		riscv_classify(bytes + done, &instruction);
		ret = take(context, &instruction);
		done += instruction.size;
	}
	return ret;
}

/* The shell opens the descriptor FD as a file; nothing else in its words is from outside. */
static FILE *start(int fd, uint64_t address)
{
	char command[256];

	(void)snprintf(command, sizeof(command),
		       "exec " OBJDUMP " -b binary -m riscv:rv64 -Dz --no-show-raw-insn"
		       " --adjust-vma=0x%" PRIx64 " /proc/self/fd/%d 2>/dev/null",
		       address, fd);
	return popen(command, "re");
}

/* A listing without one instruction is that of a program that failed. */
static int run(int fd, const uint8_t *bytes, size_t size, uint64_t address, disasm_take *take,
	       void *context)
{
	struct listing listing = {.file = start(fd, address)};
	int ret;

	if (!listing.file)
		return -EIO;
	read_next(&listing);
	ret = listing.text || !size ? walk(&listing, bytes, size, address, take, context) : -EIO;
	free(listing.line);
	(void)pclose(listing.file);
	return ret;
}

int disasm_objdump_run(const uint8_t *bytes, size_t size, uint64_t address, disasm_take *take,
		       void *context)
{
	int fd = memfd_create("profil-text", /* flags= */ 0), ret = -EIO;

	if (fd < 0)
		return ret;
	if (write(fd, bytes, size) == (ssize_t)size)
		ret = run(fd, bytes, size, address, take, context);
	close(fd);
	return ret;
}
