// SPDX-License-Identifier: BSD-2-Clause
#include "dos/program.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define MZ_HEADER 0x40
#define MZ_RELOCATIONS 0x18 /* where the relocations are: 40h or above in an .EXE that is more */
#define MZ_NEW_HEADER 0x3c

static uint32_t little(const unsigned char *bytes, int count)
{
	uint32_t value = 0;

	while (count--)
		value = value << 8 | bytes[count];
	return value;
}

/* What stands at the new header's place is what the file is besides. */
static bool is_more(int fd, const unsigned char *header)
{
	static const char *const others[] = {"PE", "NE", "LE", "LX", "W3", "W4", "MP", "P2", "P3"};
	char magic[2];

	if (little(header + MZ_RELOCATIONS, 2) < MZ_HEADER ||
	    pread(fd, magic, sizeof(magic), little(header + MZ_NEW_HEADER, 4)) != sizeof(magic))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!memcmp(magic, others[i], sizeof(magic)))
			return true;
	return false;
}

static bool is_com(const char *path, const unsigned char *header, ssize_t size)
{
	size_t length = strlen(path);

	if (length < 4 || strcasecmp(path + length - 4, ".com") || size < 1)
		return false;
	if (size >= 4 && !memcmp(header, "\177ELF", 4))
		return false;
	return size < 2 || memcmp(header, "#!", 2);
}

bool dos_program_is(const char *path)
{
	unsigned char header[MZ_HEADER] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	bool is_dos = false;
	ssize_t size;

	if (fd < 0)
		return false;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode)) {
		size = pread(fd, header, sizeof(header), 0);
		if (size >= 28 && !memcmp(header, "MZ", 2))
			is_dos = !is_more(fd, header);
		else
			is_dos = is_com(path, header, size);
	}
	close(fd);
	return is_dos;
}

/* Letters, digits and what else DOS allows in a name. */
static size_t name_part(const char *name)
{
	size_t length = 0;

	while (isalnum((unsigned char)name[length]) ||
	       (name[length] && strchr("!#$&'()-@^_`{}~", name[length])))
		length++;
	return length;
}

bool dos_name_is_short(const char *name)
{
	size_t stem = name_part(name), ending;

	if (!stem || stem > 8)
		return false;
	if (!name[stem])
		return true;
	if (name[stem] != '.')
		return false;
	ending = name_part(name + stem + 1);
	return ending <= 3 && !name[stem + 1 + ending];
}
