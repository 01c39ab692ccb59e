// SPDX-License-Identifier: BSD-2-Clause
#include "base/lent.h"

#include "base/capability.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NEEDED (1ull << CAP_BPF | 1ull << CAP_PERFMON)

static bool is_secure;	 /* the kernel says that the file gives rights */
static uint64_t is_held; /* of them */
static bool is_hidden;	 /* for it has had any */

static int refuse(int code, struct error *reterr)
{
	return error_set(reterr, code, "capabilities: %s: see 'getcap' of profil's file",
			 strerror(-code));
}

int lent_begin(struct error *reterr)
{
	int ret;

	if (!getauxval(AT_SECURE))
		return 0;
	if (geteuid() != getuid() || getegid() != getgid())
		return error_set(
			reterr, -EPERM,
			"rights: profil's file is set-user-ID or set-group-ID, which is more "
			"than it needs: 'chmod ug-s' it, and 'setcap cap_bpf,cap_perfmon+ep'");
	is_secure = is_hidden = true;
	/* The default, but fs.suid_dumpable may say otherwise. */
	lent_show(0);
	ret = capability_set_effective(0);
	ret = ret ? ret : capability_keep(NEEDED);
	if (ret)
		return refuse(ret, reterr);
	is_held = capability_permitted();
	/* Where no_new_privs keeps off what the file would give, there is nothing to hide, and the
	 * timer engine's memory must be reached by the program. */
	if (!is_held)
		lent_show(1);
	is_hidden = is_held != 0;
	return 0;
}

uint64_t lent_held(void)
{
	return is_held;
}

/* Where nothing is lent, what is in effect is the user's own, and stays. */
static int put_in_effect(uint64_t set, struct error *reterr)
{
	int ret = is_secure ? capability_set_effective(set) : 0;

	return ret ? refuse(ret, reterr) : 0;
}

int lent_raise(struct error *reterr)
{
	return put_in_effect(is_held, reterr);
}

int lent_lower(struct error *reterr)
{
	return put_in_effect(0, reterr);
}

int lent_keep(uint64_t keep)
{
	is_held &= keep;
	return is_secure ? capability_keep(keep) : 0;
}

void lent_show(int shown)
{
	if (is_hidden)
		(void)prctl(PR_SET_DUMPABLE, shown, 0, 0, 0);
}

/* Where the kernel has put the strings that came with execve(2). */
static bool find_strings(char **ret_start, char **ret_end)
{
	FILE *file = fopen("/proc/self/stat", "re");
	unsigned long start = 0, end = 0;
	char text[2048], *rest;
	size_t got;

	if (!file)
		return false;
	got = fread(text, 1, sizeof(text) - 1, file);
	(void)fclose(file);
	text[got] = '\0';
	rest = strrchr(text, ')'); /* behind the name, which is field 2 */
	for (int field = 2; rest && field < 50; field++)
		rest = strchr(rest + 1, ' ');
	if (!rest || sscanf(rest, "%lu %lu", &start, &end) != 2 || !start || end < start)
		return false;
	*ret_start = (char *)start;
	*ret_end = (char *)end;
	return true;
}

char **lent_environment(void)
{
	char *start, *end, **list;
	size_t count = 0;

	if (!is_secure || !find_strings(&start, &end))
		return NULL;
	for (const char *at = start; at < end; at += strlen(at) + 1)
		count++;
	list = calloc(count + 1, sizeof(*list));
	for (size_t i = 0; list && i < count; i++, start += strlen(start) + 1)
		list[i] = start;
	return list;
}
