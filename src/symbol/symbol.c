// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/symbol.h"

#include "base/array.h"
#include "symbol/elf.h"
#include "symbol/fetch.h"
#include "symbol/source.h"

#include <errno.h>
#include <stdlib.h>

static const struct symbol_source_ops *const sources[] = {
	[SYMBOL_FILE] = &elf_source,
	[SYMBOL_KERNEL] = &ksym_source,
	[SYMBOL_VDSO] = &vdso_source,
	[SYMBOL_ANON] = &perfmap_source,
};

int symbols_open(const struct symbols_options *options, struct symbols **ret_symbols,
		 struct error *reterr)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols) {
		symbols->options = *options;
		symbols->kallsyms_path = KALLSYMS_USUAL;
		symbols->perfmap_folder = "/tmp";
		symbols->demangler = demangler_new();
		symbols->elf_cache = elf_cache_new();
	}
	if (!symbols || !symbols->demangler || !symbols->elf_cache) {
		symbols_close(symbols);
		return error_set(reterr, -ENOMEM,
				 "names: out of memory: close something and try again");
	}
	*ret_symbols = symbols;
	return 0;
}

struct symbols *symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return NULL;
	elf_cache_free(symbols->elf_cache);
	ksym_close(symbols->ksym);
	demangler_free(symbols->demangler);
	free(symbols);
	return NULL;
}

int symbols_name(struct symbols *symbols, const struct symbol_object *object,
		 const uint64_t *addresses, size_t count, symbol_take *take, void *context)
{
	const struct symbol_batch batch = {
		.symbols = symbols,
		.object = object,
		.addresses = addresses,
		.count = count,
		.take = take,
		.context = context,
	};

	if ((size_t)object->space >= ARRAY_LENGTH(sources))
		return -EINVAL;
	if (fetch_is_stopped())
		return -ECANCELED;
	return count ? sources[object->space]->name_batch(&batch) : 0;
}
