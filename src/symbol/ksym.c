// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/ksym.h"

#include "ksym.skel.h"
#include "symbol/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* Kernel addresses, asked one by one of the kernel itself (BPF, with the privilege to); without
 * that privilege, or where a test names another list, looked up in /proc/kallsyms. */

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static struct ksym *asker_open(void)
{
	libbpf_print_fn_t before = libbpf_set_print(silent);
	struct ksym *asker = ksym__open_and_load();

	libbpf_set_print(before);
	/* Short of memory, libbpf may load an object and not map its variables. */
	if (asker && !asker->bss) {
		ksym__destroy(asker);
		return NULL;
	}
	return asker;
}

/* Cut "name+0x12/0x34 [module]" down to "name [module]".  False when it is only a number. */
static bool trim_answer(char *text)
{
	char *plus = strstr(text, "+0x"), *module;

	if (!plus || plus == text)
		return false;
	module = strchr(plus, ' ');
	if (module)
		memmove(plus, module, strlen(module) + 1);
	else
		*plus = '\0';
	return true;
}

static int ask(struct ksym *asker, const struct symbol_batch *batch, size_t index)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	char text[KSYM_TEXT];

	asker->bss->asked = batch->addresses[index];
	if (bpf_prog_test_run_opts(bpf_program__fd(asker->progs.ksym), &options))
		return batch_take_unknown(batch, index, "[kernel]");
	memcpy(text, asker->bss->answer, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	if (!trim_answer(text))
		return batch_take_unknown(batch, index, "[kernel]");
	return batch_take(batch, index, SYMBOL_NAMED, text);
}

static int ksym_name_batch(const struct symbol_batch *batch)
{
	struct symbols *symbols = batch->symbols;
	int result = 0;

	/* To load it takes longer than a thousand questions. */
	if (!symbols->ksym && !strcmp(symbols->kallsyms_path, KALLSYMS_USUAL))
		symbols->ksym = asker_open();
	if (!symbols->ksym)
		return kallsyms_source.name_batch(batch);
	for (size_t i = 0; i < batch->count && !result; i++)
		result = ask(symbols->ksym, batch, i);
	return result;
}

void ksym_close(struct ksym *asker)
{
	if (asker)
		ksym__destroy(asker);
}

const struct symbol_source_ops ksym_source = {
	.name = "ksym",
	.name_batch = ksym_name_batch,
};
