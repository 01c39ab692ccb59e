// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/code.h"
#include "symbol/disasm.h"

#include <inttypes.h>
#include <stdio.h>

/* instructions FILE <RANGES: what profil takes the code of FILE for.
 *
 * Each line of standard input is "START END" in hexadecimal.  For each instruction in a range there
 * is a line "ADDRESS SIZE FLOW TARGET SLOW TEXT", with "-" for no target; before all others is "no:
 * WHY" where they cannot be read. */

static const char *const flows[] = {
	[FLOW_NEXT] = "next", [FLOW_BRANCH] = "branch", [FLOW_JUMP] = "jump",
	[FLOW_CALL] = "call", [FLOW_END] = "end",
};

static int print(void *context, const struct instruction *instruction)
{
	printf("%" PRIx64 " %u %s ", instruction->address, instruction->size,
	       flows[instruction->flow]);
	if (instruction->has_target)
		printf("%" PRIx64, instruction->target);
	else
		printf("-");
	printf(" %d %s\n", instruction->slow, instruction->text);
	return 0;
}

static int print_ranges(struct code *code)
{
	int machine = code_machine(code), r = 0;
	const char *why = disasm_why_not(machine);
	uint64_t start, end;

	if (why)
		printf("no: %s\n", why);
	while (!why && !r && scanf("%" SCNx64 " %" SCNx64, &start, &end) == 2) {
		const uint8_t *bytes = code_bytes(code, start, end - start);

		r = bytes ? disasm_run(machine, bytes, end - start, start, print, NULL) : -1;
	}
	return r;
}

int main(int argc, char **argv)
{
	struct code *code;
	int r = argc == 2 ? code_open(argv[1], &code) : -1;

	if (!r) {
		r = print_ranges(code);
		code_close(code);
	}
	return r ? 1 : 0;
}
