// SPDX-License-Identifier: BSD-2-Clause
#include "engine/checkup.h"

#include "base/lent.h"
#include "base/perf_event.h"
#include "engine/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define SETCAP "sudo setcap cap_bpf,cap_perfmon+ep \"$(command -v profil)\""

static void say(struct checkup_row *row, enum checkup_verdict verdict, const char *advice,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

static void say(struct checkup_row *row, enum checkup_verdict verdict, const char *advice,
		const char *format, ...)
{
	va_list args;

	row->verdict = verdict;
	va_start(args, format);
	(void)vsnprintf(row->found, sizeof(row->found), format, args);
	va_end(args);
	(void)snprintf(row->advice, sizeof(row->advice), "%s", advice);
}

/* The first line of a file, "unknown" when it cannot be read. */
static void first_line(const char *path, char *line, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, line, size - 1);

	if (fd >= 0)
		close(fd);
	line[got > 0 ? got : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (!*line)
		(void)snprintf(line, size, "unknown");
}

/* The number behind KEY in /proc/self/status, or -1. */
static long own_status(const char *key)
{
	FILE *file = fopen("/proc/self/status", "re");
	size_t length = strlen(key);
	char line[256];
	long value = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, length) && line[length] == ':')
			value = strtol(line + length + 1, NULL, 10);
	if (file)
		fclose(file);
	return value;
}

static void look_kernel(struct checkup_row *row)
{
	struct utsname name;

	(void)uname(&name);
	if (privilege_kernel_is_older(PRIVILEGE_MAJOR, PRIVILEGE_MINOR))
		say(row, CHECKUP_BAD, "upgrade it: the kernel engine needs 5.17", "Linux %.128s",
		    name.release);
	else if (privilege_kernel_is_older(6, 1))
		say(row, CHECKUP_NOTE, "from 6.1 on a sample is cheaper", "Linux %.128s",
		    name.release);
	else
		say(row, CHECKUP_GOOD, "", "Linux %.128s, %.64s", name.release, name.machine);
}

static void look_btf(struct checkup_row *row)
{
	if (access("/sys/kernel", F_OK))
		say(row, CHECKUP_BAD, "mount -t sysfs sysfs /sys", "/sys is not mounted");
	else if (access(PRIVILEGE_BTF, R_OK))
		say(row, CHECKUP_BAD, "boot a kernel built with CONFIG_DEBUG_INFO_BTF=y",
		    PRIVILEGE_BTF ": %s", strerror(errno));
	else
		say(row, CHECKUP_GOOD, "", "the kernel describes its own types");
}

static void look_capabilities(struct checkup_row *row)
{
	const char *missing = privilege_missing();

	if (!*missing)
		say(row, CHECKUP_GOOD, "", "CAP_BPF and CAP_PERFMON%s",
		    lent_held() ? ", lent by profil's file" : "");
	else
		say(row, CHECKUP_BAD, SETCAP, "%s missing", missing);
}

static void look_file(struct checkup_row *row)
{
	ssize_t size = getxattr("/proc/self/exe", "security.capability", NULL, 0);

	if (size <= 0)
		say(row, CHECKUP_GOOD, "",
		    "profil's file carries no capabilities; with them every user would count in "
		    "the kernel, what he could trace himself and no more");
	else if (own_status("NoNewPrivs") == 1 && *privilege_missing())
		say(row, CHECKUP_BAD, "allow privilege escalation for the container",
		    "profil's file carries capabilities, but no_new_privs keeps them off");
	else
		say(row, CHECKUP_GOOD, "",
		    "profil's file lends capabilities: every user counts in the kernel, what he "
		    "could trace himself and no more; no program inherits them");
}

static void look_bpf(struct checkup_row *row)
{
	int ret = privilege_try_bpf();

	if (!ret)
		say(row, CHECKUP_GOOD, "", "the system call works");
	else if (ret == -ENOSYS)
		say(row, CHECKUP_BAD, "boot a kernel built with CONFIG_BPF_SYSCALL=y", "%s",
		    strerror(-ret));
	else
		say(row, CHECKUP_BAD,
		    "see the capabilities above; in a container its seccomp profile", "%s",
		    strerror(-ret));
}

/* On the calling thread, wherever it runs. */
static int try_event(uint32_t type, uint64_t config, bool user_only)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.sample_period = 1000000,
		.disabled = 1,
		.exclude_kernel = user_only,
		.exclude_hv = user_only,
	};

	return perf_event_try(&attr, /* tid: this */ 0, /* cpu: any */ -1);
}

static void look_perf(struct checkup_row *row)
{
	const uint32_t type = PERF_TYPE_SOFTWARE;
	const uint64_t clock = PERF_COUNT_SW_CPU_CLOCK;
	char paranoid[32];
	int ret;

	first_line("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
	if (!privilege_try_clock()) {
		say(row, CHECKUP_GOOD, "", "clocks on CPUs, kernel time included (paranoid %s)",
		    paranoid);
		return;
	}
	if (!try_event(type, clock, /* user_only= */ false)) {
		say(row, CHECKUP_NOTE, "", "own processes, kernel time included (paranoid %s)",
		    paranoid);
		return;
	}
	ret = try_event(type, clock, /* user_only= */ true);
	if (!ret)
		say(row, CHECKUP_NOTE, "sudo sysctl kernel.perf_event_paranoid=1",
		    "own processes, without kernel time (paranoid %s)", paranoid);
	else if (ret == -EACCES)
		say(row, CHECKUP_BAD, "sudo sysctl kernel.perf_event_paranoid=2",
		    "refused (paranoid %s)", paranoid);
	else
		say(row, CHECKUP_BAD,
		    "in a container: allow perf_event_open in its seccomp profile", "%s",
		    strerror(-ret));
}

static void look_rate(struct checkup_row *row)
{
	char text[32];
	long rate;

	first_line("/proc/sys/kernel/perf_event_max_sample_rate", text, sizeof(text));
	rate = strtol(text, NULL, 10);
	if (rate > 0 && rate < 20000)
		say(row, CHECKUP_NOTE, "sudo sysctl kernel.perf_event_max_sample_rate=100000",
		    "faster clocks than %ld Hz are slowed down by the kernel", rate);
	else
		say(row, CHECKUP_GOOD, "", "%s Hz at most", text);
}

static void look_seccomp(struct checkup_row *row)
{
	if (own_status("Seccomp") > 0)
		say(row, CHECKUP_NOTE, "", "a filter is on: it may refuse system calls");
	else
		say(row, CHECKUP_GOOD, "", "no filter");
}

static void look_lockdown(struct checkup_row *row)
{
	char modes[128];
	const char *now;

	first_line("/sys/kernel/security/lockdown", modes, sizeof(modes));
	now = strchr(modes, '[');
	if (now && !strncmp(now, "[confidentiality]", 17))
		say(row, CHECKUP_BAD, "boot with lockdown=integrity or less",
		    "confidentiality: BPF may not read the kernel");
	else
		say(row, CHECKUP_GOOD, "", "%s",
		    now && !strncmp(now, "[integrity]", 11) ? "integrity" : "none");
}

static void look_names(struct checkup_row *row)
{
	char restricted[32];

	first_line("/proc/sys/kernel/kptr_restrict", restricted, sizeof(restricted));
	if (privilege_kernel_shown())
		say(row, CHECKUP_GOOD, "", "the kernel's functions can be named (kptr_restrict %s)",
		    restricted);
	else
		say(row, CHECKUP_NOTE, "run profil as root, or with CAP_SYSLOG of one's own",
		    "the kernel hides its addresses from this user, and is one line of a report "
		    "(kptr_restrict %s)",
		    restricted);
}

static void look_hertz(struct checkup_row *row)
{
	struct timespec tick = {}, fine = {};

	(void)clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	(void)clock_getres(CLOCK_MONOTONIC, &fine);
	if (fine.tv_sec || fine.tv_nsec > 1000)
		say(row, CHECKUP_BAD, "boot with highres=on",
		    "no high-resolution timers: no faster than %ld Hz",
		    fine.tv_nsec ? 1000000000 / fine.tv_nsec : 1);
	else
		say(row, CHECKUP_GOOD, "", "high-resolution; the scheduler's own tick is %ld Hz",
		    tick.tv_nsec ? 1000000000 / tick.tv_nsec : 0);
}

static void look_counters(struct checkup_row *row)
{
	if (!try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, /* user_only= */ true))
		say(row, CHECKUP_GOOD, "", "hardware counters are there");
	else
		say(row, CHECKUP_NOTE, "",
		    "no hardware counters (a virtual machine?): the clock needs none");
}

const struct checkup checkup_list[] = {
	{"kernel", look_kernel},
	{"BTF", look_btf},
	{"capabilities", look_capabilities},
	{"file", look_file},
	{"bpf", look_bpf},
	{"perf events", look_perf},
	{"sample rate", look_rate},
	{"seccomp", look_seccomp},
	{"lockdown", look_lockdown},
	{"kernel names", look_names},
	{"timers", look_hertz},
	{"PMU", look_counters},
	{},
};

void checkup_look(const struct checkup *checkup, struct checkup_row *ret_row)
{
	*ret_row = (struct checkup_row){.item = checkup->item};
	checkup->look(ret_row);
}
