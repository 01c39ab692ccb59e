/* SPDX-License-Identifier: BSD-2-Clause */
/* 32 MiB of text, so that its file takes a while to be written. */
__asm__(".text\n.skip 0x2000000, 0x90\n");

__attribute__((noinline)) void one(void)
{
	__asm__ volatile("");
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		one();
	return 0;
}
