// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The kernel's own answer to "what is at this address": a few microseconds an address, where
 * reading the list of all its symbols takes fifty milliseconds. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "ksym.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

__u64 asked;
char answer[KSYM_TEXT];

SEC("syscall")
int ksym(void *context)
{
	static const char format[] = "%pS";
	__u64 values[] = {asked};

	return bpf_snprintf(answer, sizeof(answer), format, values, sizeof(values));
}
