// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/pclntab.h"

/* Since Go 1.18, and since 1.20. */
enum { MAGIC_18 = 0xfffffff0, MAGIC_20 = 0xfffffff1 };

/* A function's record (runtime._func). */
enum {
	NAME_AT = 4,
	MOVES_AT = 16,
	FLAGS_AT = 37,
	RECORD_SIZE = 40,
};

enum {
	OUTERMOST = 1,	  /* has no caller */
	WRITES_STACK = 2, /* puts the stack pointer on another stack */
	IS_ASSEMBLED = 4,
};

/* What the runtime's own functions do that the table does not say. */
enum pclntab_role {
	ROLE_NONE,
	ROLE_SWITCHES, /* to the thread's own stack, and calls what it was given */
	ROLE_CALLS_C,  /* the same, for what C needs; or calls it where it is */
	ROLE_GROWS,    /* the goroutine's stack; the same, but it returns to where it was called */
	ROLE_PARKS,    /* leaves the goroutine's stack for good, and calls the scheduler */
	ROLE_HANDLES,  /* a signal, which has interrupted something: it is not the outermost */
	ROLE_RESUMES,  /* what was interrupted: the handler returns to it */
};

static const struct {
	const char *name;
	enum pclntab_role role;
} roles[] = {
	{"runtime.systemstack", ROLE_SWITCHES}, {"runtime.asmcgocall", ROLE_CALLS_C},
	{"runtime.morestack", ROLE_GROWS},	{"runtime.mcall", ROLE_PARKS},
	{"runtime.sigtramp", ROLE_HANDLES},	{"runtime.cgoSigtramp", ROLE_HANDLES},
	{"runtime.sigreturn", ROLE_RESUMES},	{"runtime.sigreturn__sigaction", ROLE_RESUMES},
};

/* How the kernel has left registers on the stack for sigreturn(2): struct ucontext's. */
enum { SIGNAL_BP = 120, SIGNAL_BX = 128, SIGNAL_SP = 160, SIGNAL_IP = 168 };

static struct bytes from(const struct pclntab *table, uint64_t at)
{
	const struct unwind_section *section = table->section;

	if (!section->data || at > section->size)
		return (struct bytes){.is_short = true};
	return (struct bytes){section->data + at, section->data + section->size, false};
}

bool pclntab_open(const struct unwind_section *section, struct pclntab *ret_table)
{
	struct pclntab table = {.section = section};
	struct bytes bytes = from(&table, 0);
	uint64_t magic = bytes_number(&bytes, 4), padding = bytes_number(&bytes, 2), word_size;

	table.step = (unsigned)bytes_number(&bytes, 1);
	word_size = bytes_number(&bytes, 1);
	table.count = bytes_number(&bytes, 8);
	(void)bytes_number(&bytes, 8); /* of files */
	table.text = bytes_number(&bytes, 8);
	table.names = bytes_number(&bytes, 8);
	(void)bytes_take(&bytes, 16); /* where compilation units and files are */
	table.moves = bytes_number(&bytes, 8);
	table.functions = bytes_number(&bytes, 8);
	if (bytes.is_short || (magic != MAGIC_18 && magic != MAGIC_20) || padding || !table.step ||
	    word_size != sizeof(uint64_t) || !table.text || table.functions > section->size ||
	    table.count > (section->size - table.functions) / 8)
		return false;
	*ret_table = table;
	return true;
}

const char *pclntab_name(const struct pclntab *table, const struct pclntab_function *function)
{
	struct bytes bytes = from(table, table->names);

	bytes_take(&bytes, function->name);
	return bytes_string(&bytes);
}

static enum pclntab_role role_of(const char *text)
{
	for (unsigned i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (!strcmp(roles[i].name, text))
			return roles[i].role;
	return ROLE_NONE;
}

bool pclntab_function(const struct pclntab *table, uint64_t index,
		      struct pclntab_function *ret_function)
{
	struct bytes entry = from(table, table->functions), record;
	uint64_t start, at, moves;

	bytes_take(&entry, 8 * index);
	start = bytes_number(&entry, 4);
	at = bytes_number(&entry, 4);
	*ret_function = (struct pclntab_function){.start = table->text + start,
						  .end = table->text + bytes_number(&entry, 4)};
	record = from(table, table->functions);
	bytes_take(&record, at);
	record = bytes_take(&record, RECORD_SIZE);
	bytes_take(&record, NAME_AT);
	ret_function->name = bytes_number(&record, 4);
	bytes_take(&record, MOVES_AT - NAME_AT - 4);
	moves = bytes_number(&record, 4);
	bytes_take(&record, FLAGS_AT - MOVES_AT - 4);
	ret_function->flags = (uint8_t)bytes_number(&record, 1);
	if (entry.is_short || record.is_short || table->text > UINT64_MAX - UINT32_MAX ||
	    ret_function->start >= ret_function->end)
		return false;
	ret_function->moves = from(table, table->moves);
	if (!moves)
		ret_function->moves.is_short = true; /* it has none */
	bytes_take(&ret_function->moves, moves);
	/* Only the runtime itself has such functions. */
	if (ret_function->flags & (OUTERMOST | WRITES_STACK | IS_ASSEMBLED))
		ret_function->role = (uint8_t)role_of(pclntab_name(table, ret_function));
	/* What returns to its first byte is looked for before it, as of all calls. */
	if (ret_function->role == ROLE_RESUMES)
		ret_function->start--;
	return true;
}

/* ---- the other stack ---- */

bool pclntab_switch(const struct pclntab *table, uint64_t *index,
		    struct pclntab_function *ret_function)
{
	while (*index < table->count)
		if (pclntab_function(table, (*index)++, ret_function) && ret_function->role &&
		    ret_function->role <= ROLE_PARKS)
			return true;
	return false;
}

/* Have CODE behind the next instruction that begins with OPCODE, up to a number of SIZE bytes. */
static int32_t number_behind(struct bytes *code, const char *opcode, unsigned size)
{
	size_t length = strlen(opcode);

	while (!code->is_short) {
		struct bytes next = *code;
		struct bytes found = bytes_take(&next, length);

		if (!found.is_short && !memcmp(found.at, opcode, length)) {
			uint64_t number = bytes_number(&next, size);

			*code = next;
			return size == 1 ? (int8_t)number : (int32_t)number;
		}
		bytes_take(code, 1);
	}
	return 0;
}

/* runtime.systemstack compares what it is called on with each of the thread's stacks. */
static void learn_places(struct bytes *code, struct unwind_rule *rule)
{
	struct bytes bytes = *code;
	int32_t thread = number_behind(&bytes, "\x64\x48\x8b\x04\x25", 4); /* mov %fs:N, %rax */
	int32_t machine, current;

	if (bytes.is_short) {
		bytes = *code;
		thread = number_behind(&bytes, "\x48\xc7\xc1", 4); /* mov $N, %rcx */
		(void)number_behind(&bytes, "\x64\x48\x8b", 1);	   /* mov %fs:(%rcx), %rax */
	}
	machine = number_behind(&bytes, "\x48\x8b\x58", 1); /* mov N(%rax), %rbx */
	current = number_behind(&bytes, "\x48\x3b\x83", 4); /* cmp N(%rbx), %rax */
	*code = bytes;
	if (current != (int16_t)current)
		code->is_short = true;
	*rule = (struct unwind_rule){
		.cfa_offset = thread,
		.flags = UNWIND_OTHER_STACK,
		/* None of it is at these places: they only have the numbers. */
		.saved = {{(int16_t)machine, UNWIND_AT_SP}, {(int16_t)current, UNWIND_SAME}},
	};
}

/* mov N(%rdx), %rsp; or by way of %rbx. */
static int32_t learn_switch(struct bytes *code)
{
	struct bytes bytes = *code;
	int32_t pointer = number_behind(&bytes, "\x48\x8b\x62", 1);

	if (bytes.is_short) {
		bytes = *code;
		pointer = number_behind(&bytes, "\x48\x8b\x5a", 1);
		(void)number_behind(&bytes, "\x48\x89\xdc", 0);
	}
	*code = bytes;
	return pointer;
}

void pclntab_learn(struct pclntab *table, const struct pclntab_function *function,
		   const uint8_t *code, size_t size)
{
	struct pclntab_switch *learnt = &table->switches[function->role - 1];
	struct bytes bytes = {code, code + size, false};
	struct unwind_rule rule;

	if (function->role == ROLE_SWITCHES) {
		learn_places(&bytes, &rule);
		rule.saved[2] = (struct unwind_place){(int16_t)learn_switch(&bytes), UNWIND_SAME};
	} else if (function->role == ROLE_CALLS_C) {
		(void)number_behind(&bytes, "\x48\x8b\x66", 1); /* mov N(%rsi), %rsp */
	} else if (function->role == ROLE_GROWS) {
		(void)number_behind(&bytes, "\x48\x8b\x63", 1); /* mov N(%rbx), %rsp */
	} else {
		(void)number_behind(&bytes, "\x49\x8b\x66", 1); /* mov N(%r14), %rsp */
	}
	if (bytes.is_short)
		return;
	learnt->leaves = (uint64_t)(bytes.at - code);
	learnt->returns = learnt->ends = size;
	if (function->role == ROLE_SWITCHES) {
		table->other = rule;
		(void)number_behind(&bytes, "\x48\x8b\x60", 1); /* mov N(%rax), %rsp */
		if (!bytes.is_short)
			learnt->returns = (uint64_t)(bytes.at - code);
	} else if (function->role == ROLE_CALLS_C) {
		(void)number_behind(&bytes, "\x48\x89\xf4", 0); /* mov %rsi, %rsp */
		learnt->returns = (uint64_t)(bytes.at - code);
		(void)number_behind(&bytes, "\xc3", 0); /* ret: without a switch comes next */
		learnt->ends = (uint64_t)(bytes.at - code);
	}
}

/* ---- rules ---- */

static struct unwind_rule rule_of(enum unwind_where where)
{
	return (struct unwind_rule){.saved[UNWIND_RETURN].where = where};
}

static struct unwind_rule rule_of_signal(void)
{
	return (struct unwind_rule){
		.cfa_register = UNWIND_SP,
		.cfa_offset = SIGNAL_SP,
		.flags = UNWIND_DEREFERENCE | UNWIND_SIGNAL,
		.saved = {[UNWIND_RETURN] = {SIGNAL_IP, UNWIND_AT_SP},
			  [UNWIND_SAVED_BP] = {SIGNAL_BP, UNWIND_AT_SP},
			  [UNWIND_SAVED_BX] = {SIGNAL_BX, UNWIND_AT_SP}},
	};
}

/* Where the stack pointer has moved down by MOVE.  The compiler's functions keep the caller's frame
 * pointer in their highest word, and rbx nowhere: they are not called by code that needs it.  Those
 * of the assembler have neither at a known place. */
static struct unwind_rule rule_of_move(const struct pclntab_function *function, int64_t move)
{
	bool is_assembled = function->flags & IS_ASSEMBLED;
	struct unwind_rule rule = {
		.cfa_register = UNWIND_SP,
		.cfa_offset = (int32_t)(move + (int64_t)sizeof(uint64_t)),
		.saved[UNWIND_RETURN] = {-(int)sizeof(uint64_t), UNWIND_AT_CFA},
	};

	if (move < 0 || move > INT32_MAX / 2 || move % (int)sizeof(uint64_t))
		return rule_of(UNWIND_SAME);
	if (move && is_assembled)
		rule.saved[UNWIND_SAVED_BP].where = UNWIND_LOST;
	if (move && is_assembled)
		rule.saved[UNWIND_SAVED_BX].where = UNWIND_LOST;
	if (move && !is_assembled)
		rule.saved[UNWIND_SAVED_BP] =
			(struct unwind_place){-2 * (int)sizeof(uint64_t), UNWIND_AT_CFA};
	return rule;
}

/* Numbers come by pairs: by how much the move grows, signed by the lowest bit, and how far it then
 * holds.  It begins with -1; a growth of 0 ends all but the first. */
static int rows_of_moves(const struct pclntab *table, const struct pclntab_function *function,
			 unwind_row_fn *take, void *context)
{
	struct bytes bytes = function->moves;
	uint64_t address = function->start;
	struct unwind_rule rule;
	int64_t move = -1;
	int ret = 0;

	while (!ret && address < function->end) {
		uint64_t growth = bytes_uleb128(&bytes) & UINT32_MAX, length;

		if (!growth && address != function->start)
			break;
		length = (bytes_uleb128(&bytes) & UINT32_MAX) * table->step;
		if (bytes.is_short || !length)
			break;
		move += growth & 1 ? -(int64_t)(growth >> 1) - 1 : (int64_t)(growth >> 1);
		rule = rule_of_move(function, move);
		ret = take(context, address, &rule);
		address += length;
	}
	rule = rule_of(UNWIND_SAME);
	return ret || address >= function->end ? ret : take(context, address, &rule);
}

/* On the goroutine's stack it has a frame of nothing but where it returns to.  From the thread's
 * own stack the way goes back to the other, which has been left at a call; where it is made larger,
 * it may be another one by now, to which nothing below its pointer was copied; and where it has
 * been parked, there is no way. */
static int rows_of_switch(const struct pclntab *table, const struct pclntab_function *function,
			  unwind_row_fn *take, void *context)
{
	const struct pclntab_switch *learnt = &table->switches[function->role - 1];
	struct unwind_rule plain = rule_of_move(function, 0), other = table->other;
	int ret;

	if (function->role == ROLE_PARKS)
		other = rule_of(UNWIND_LOST);
	else if (function->role != ROLE_GROWS)
		other.addend = sizeof(uint64_t);
	if (!learnt->leaves || !(other.flags | other.saved[UNWIND_RETURN].where)) {
		other = rule_of(UNWIND_SAME);
		return take(context, function->start, &other);
	}
	ret = take(context, function->start, &plain);
	if (!ret)
		ret = take(context, function->start + learnt->leaves, &other);
	if (!ret)
		ret = take(context, function->start + learnt->returns, &plain);
	other = rule_of(UNWIND_SAME);
	return ret || learnt->ends == function->end - function->start
		       ? ret
		       : take(context, function->start + learnt->ends, &other);
}

int pclntab_rows(const struct pclntab *table, const struct pclntab_function *function,
		 unwind_row_fn *take, void *context)
{
	struct unwind_rule rule = rule_of(UNWIND_SAME);

	if (function->role == ROLE_RESUMES)
		rule = rule_of_signal();
	else if (function->role && function->role <= ROLE_PARKS)
		return rows_of_switch(table, function, take, context);
	else if ((function->flags & OUTERMOST) && function->role != ROLE_HANDLES)
		rule = rule_of(UNWIND_LOST);
	else if (!(function->flags & WRITES_STACK))
		return rows_of_moves(table, function, take, context);
	return take(context, function->start, &rule);
}
