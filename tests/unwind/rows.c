// SPDX-License-Identifier: BSD-2-Clause
/* unwind-rows FILE: the rows of its table, one a line, as readelf --debug-dump=frames-interp names
 * them: the file's offset, CFA, bx, bp and return address. */
#include "unwind/compile.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void print_cfa(const struct unwind_rule *rule)
{
	static const char *const names[] = {"sp", "bp", "bx"};

	if (rule->flags & (UNWIND_DEREFERENCE | UNWIND_STUB))
		printf(" exp");
	else if (rule->cfa_register < UNWIND_OTHER)
		printf(" %s%+d", names[rule->cfa_register], rule->cfa_offset);
	else
		printf(" r%d%+d", rule->cfa_register - UNWIND_OTHER, rule->cfa_offset);
}

static void print_place(const struct unwind_place *place)
{
	switch (place->where) {
	case UNWIND_AT_CFA:
		printf(" c%+d", place->offset);
		break;
	case UNWIND_AT_SP:
	case UNWIND_AT_BP:
		printf(" exp");
		break;
	case UNWIND_IN_REGISTER:
		printf(" r%d", place->offset - UNWIND_OTHER);
		break;
	default:
		printf(" u");
	}
}

static void print_row(const struct unwind_table *table, const struct unwind_row *row)
{
	const struct unwind_rule *rule = &table->rules[row->rule];

	printf("%x", row->offset);
	if (row->rule < UNWIND_FIRST_RULE) {
		printf(row->rule == UNWIND_OUTERMOST ? " outermost\n" : " unknown\n");
		return;
	}
	print_cfa(rule);
	print_place(&rule->saved[UNWIND_SAVED_BX]);
	print_place(&rule->saved[UNWIND_SAVED_BP]);
	print_place(&rule->saved[UNWIND_RETURN]);
	printf("\n");
}

int main(int count, char **arguments)
{
	struct unwind_table table;
	struct stat status;
	void *image;
	int fd = count == 2 ? open(arguments[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || fstat(fd, &status))
		return 2;
	image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (image == MAP_FAILED || unwind_compile(image, (size_t)status.st_size, &table))
		return 2;
	for (size_t i = 0; i < table.row_count; i++)
		print_row(&table, &table.rows[i]);
	unwind_table_done(&table);
	return 0;
}
