// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/linked.h"

#include "base/array.h"
#include "base/keyset.h"
#include "base/strings.h"
#include "symbol/section.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A local symbol, or a function. */
struct symbol {
	uint64_t start, size;
	size_t index; /* in the table */
	const char *name, *file;
	uint32_t name_id, file_id; /* the same as numbers; file 0: not known */
	bool is_local, is_function;
};

struct reading {
	struct strings *texts;
	struct symbol *symbols;
	size_t count, capacity;
	struct keyset keys; /* of local symbols name and file, and name and 0 of all together ... */
	uint32_t *counts;   /* ... and how many there are */
	size_t count_capacity;
};

static int add_symbol(struct reading *reading, const GElf_Sym *elf_symbol, struct symbol symbol)
{
	unsigned char type = GELF_ST_TYPE(elf_symbol->st_info);

	symbol.start = elf_symbol->st_value;
	symbol.size = elf_symbol->st_size;
	symbol.is_local = GELF_ST_BIND(elf_symbol->st_info) == STB_LOCAL;
	symbol.is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
	if (!symbol.start || elf_symbol->st_shndx == SHN_UNDEF || !*symbol.name ||
	    (!symbol.is_local && !symbol.is_function))
		return 0;
	if (ARRAY_RESERVE(reading->symbols, reading->capacity, reading->count + 1) ||
	    strings_add(reading->texts, symbol.name, strlen(symbol.name), &symbol.name_id) ||
	    strings_add(reading->texts, symbol.file, strlen(symbol.file), &symbol.file_id))
		return -ENOMEM;
	reading->symbols[reading->count++] = symbol;
	return 0;
}

/* A symbol of the type FILE is the file of those behind it.  "ld-temp.o" is none: some linkers put
 * it where they optimised all files as one, and some do not. */
static int read_symbols(struct reading *reading, Elf *elf, Elf_Data *table, size_t strings)
{
	const char *file = "";
	GElf_Sym symbol;

	for (int i = 1; gelf_getsym(table, i, &symbol); i++) {
		const char *name = elf_strptr(elf, strings, symbol.st_name);
		bool is_file = GELF_ST_TYPE(symbol.st_info) == STT_FILE;

		if (is_file && name && strcmp(name, "ld-temp.o") != 0)
			file = name;
		if (!is_file && name &&
		    add_symbol(reading, &symbol,
			       (struct symbol){.index = (size_t)i, .name = name, .file = file}))
			return -ENOMEM;
	}
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	ARRAY_COMPARE(a->start, b->start);
	return (a->index > b->index) - (a->index < b->index);
}

/* *RET_COUNT is where the symbols of that name and file are counted. */
static int find_count(struct reading *reading, uint32_t name_id, uint32_t file_id,
		      uint32_t **ret_count)
{
	uint32_t key;

	if (keyset_add(&reading->keys, &(struct key){{name_id, file_id}}, &key) < 0 ||
	    ARRAY_RESERVE(reading->counts, reading->count_capacity, reading->keys.count))
		return -ENOMEM;
	*ret_count = &reading->counts[key];
	return 0;
}

static int count_names(struct reading *reading)
{
	for (size_t i = 0; i < reading->count; i++) {
		uint32_t *count;

		if (!reading->symbols[i].is_local)
			continue;
		if (find_count(reading, reading->symbols[i].name_id, 0, &count))
			return -ENOMEM;
		++*count;
	}
	return 0;
}

/* Of the symbols by address, SYMBOL comes next. */
static int name_function(struct reading *reading, const struct symbol *symbol,
			 struct linked_function *ret_function)
{
	uint32_t *count;

	*ret_function = (struct linked_function){
		.start = symbol->start,
		.end = symbol->start + symbol->size,
		.name = symbol->name,
	};
	if (!symbol->is_local)
		return 0;
	if (find_count(reading, symbol->name_id, symbol->file_id, &count))
		return -ENOMEM;
	if (symbol->file_id) {
		ret_function->file = symbol->file;
		++*count;
	} else if (*count > 1) {
		ret_function->name = NULL;
	}
	ret_function->number = *count;
	return 0;
}

/* NEW, which comes next by address, is a function, another name of the last one, or an entry within
 * that. */
static void add_function(struct linked *linked, const struct linked_function *new)
{
	struct linked_function *last = linked->count ? &linked->functions[linked->count - 1] : NULL;
	uint64_t end = new->end;

	if (new->end <= new->start || (last && new->start > last->start &&new->start < last->end))
		return;
	if (!last || new->start != last->start) {
		linked->functions[linked->count++] = *new;
		return;
	}
	if (end < last->end)
		end = last->end;
	if (new->name && (!last->name || (last->number && !new->number)))
		*last = *new;
	last->end = end;
}

static int make_functions(struct linked *linked, struct reading *reading)
{
	int ret = count_names(reading);

	ARRAY_SORT(reading->symbols, reading->count, compare);
	linked->functions = calloc(reading->count + 1, sizeof(*linked->functions));
	if (!linked->functions)
		return -ENOMEM;
	for (size_t i = 0; ret >= 0 && i < reading->count; i++) {
		struct linked_function new;

		if (!reading->symbols[i].is_function)
			continue;
		ret = name_function(reading, &reading->symbols[i], &new);
		if (ret >= 0)
			add_function(linked, &new);
	}
	return ret;
}

static int read_table(struct linked *linked)
{
	struct reading reading = {.texts = strings_new()};
	GElf_Shdr header;
	Elf_Scn *section = section_find(linked->elf, ".symtab", &header);
	Elf_Data *table = section ? elf_getdata(section, NULL) : NULL;
	int ret = reading.texts ? 0 : -ENOMEM;

	if (ret >= 0 && table)
		ret = read_symbols(&reading, linked->elf, table, header.sh_link);
	if (ret >= 0)
		ret = make_functions(linked, &reading);
	strings_free(reading.texts);
	free(reading.symbols);
	free(reading.counts);
	keyset_done(&reading.keys);
	return ret;
}

int linked_open(const char *path, struct linked *ret_linked)
{
	struct linked linked = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
	int ret;

	if (linked.fd < 0)
		return -errno;
	(void)elf_version(EV_CURRENT);
	linked.elf = elf_begin(linked.fd, ELF_C_READ, NULL);
	ret = linked.elf && elf_kind(linked.elf) == ELF_K_ELF ? read_table(&linked) : -ENOEXEC;
	if (ret >= 0)
		*ret_linked = linked;
	else
		linked_close(&linked);
	return ret;
}

void linked_close(struct linked *linked)
{
	free(linked->functions);
	if (linked->elf)
		(void)elf_end(linked->elf);
	(void)close(linked->fd);
	*linked = (struct linked){.fd = -1};
}

const struct linked_function *linked_find(const struct linked *linked, uint64_t address)
{
	size_t next = ARRAY_FIRST_NOT(i, linked->count, linked->functions[i].start <= address);

	return next && address < linked->functions[next - 1].end ? &linked->functions[next - 1]
								 : NULL;
}
