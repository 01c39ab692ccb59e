/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <elfutils/libdwfl.h>

/* A Dwfl_Callbacks' find_debuginfo: the separate debug file as libdwfl finds it here, or else by
 * fetch.h, whose limits libdwfl's own asking would not keep to. */
int debuginfo_find(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
		   const char *path, const char *link, GElf_Word link_crc, char **ret_path);
