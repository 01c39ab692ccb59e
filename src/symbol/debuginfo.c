// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/debuginfo.h"

#include "symbol/fetch.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#define SERVERS "DEBUGINFOD_URLS"

/* What stands here; a server that is not named is not asked. */
static int find_here(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
		     const char *path, const char *link, GElf_Word link_crc, char **ret_path)
{
	const char *servers = getenv(SERVERS);
	char *kept = servers ? strdup(servers) : NULL;
	int fd = -1;

	if (servers && !kept)
		return -1;
	if (kept)
		(void)unsetenv(SERVERS);
	fd = dwfl_standard_find_debuginfo(module, user, name, base, path, link, link_crc, ret_path);
	if (kept)
		(void)setenv(SERVERS, kept, /* overwrite= */ 1);
	free(kept);
	return fd;
}

/* The file that LINK names is the module's own debug file, or one that such files share (dwz); of
 * the latter there is a name only in the debug information, which is then there. */
static ssize_t wanted_id(Dwfl_Module *module, const char *link, const uint8_t **ret_id)
{
	GElf_Addr bias;
	GElf_Word crc;
	Elf *elf = dwfl_module_getelf(module, &bias);
	const char *own = elf ? dwelf_elf_gnu_debuglink(elf, &crc) : NULL;
	Dwarf_Addr dwarf_bias;
	const char *shared;
	const void *id;
	Dwarf *dwarf;
	ssize_t size;

	if (!link || (own && !strcmp(link, own)))
		return dwfl_module_build_id(module, ret_id, &bias);
	dwarf = dwfl_module_getdwarf(module, &dwarf_bias);
	size = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &shared, &id) : 0;
	if (size > 0)
		*ret_id = id;
	return size;
}

int debuginfo_find(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
		   const char *path, const char *link, GElf_Word link_crc, char **ret_path)
{
	int fd = find_here(module, user, name, base, path, link, link_crc, ret_path);
	const uint8_t *id;
	ssize_t size;

	if (fd >= 0 || !fetch_has_server())
		return fd;
	size = wanted_id(module, link, &id);
	if (size <= 0)
		return -1;
	fd = fetch_debuginfo(id, (size_t)size, ret_path);
	return fd < 0 ? -1 : fd;
}
