/* SPDX-License-Identifier: BSD-2-Clause */
/* sandbox: gives up to start threads, processes and programs, on pain of death, calls one() 10
 * times and aborts. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef SYS_fork /* aarch64 has none */
#define SYS_fork SYS_clone
#define SYS_vfork SYS_clone
#endif

#define DIES(number)                                       \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

__attribute__((noinline)) void one(void)
{
	__asm__ volatile("");
}

int main(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		DIES(SYS_clone),
		DIES(SYS_clone3),
		DIES(SYS_fork),
		DIES(SYS_vfork),
		DIES(SYS_execve),
		DIES(SYS_execveat),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(rules) / sizeof(*rules), rules};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 1;
	for (int i = 0; i < 10; i++)
		one();
	abort();
}
