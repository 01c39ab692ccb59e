// SPDX-License-Identifier: BSD-2-Clause
/* What looks like the interpreter of Python VERSION, with a list of frames as the argument says:
 * what is right in it must be shown, what is not must leave the C functions as they are. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#ifndef VERSION
#define VERSION 0x030b02f0
#endif

#define EXPORT __attribute__((visibility("default"), used))

struct text { /* compact ASCII, as 3.11 has it */
	uint64_t references, *type, length, hash, state, wide;
	char characters[1000];
};

struct code {
	uint64_t references, *type, before[7];
	uint32_t line, gap;
	uint64_t between[4];
	struct text *file, *short_name, *name;
	uint64_t after[4];
};

struct frame {
	uint64_t function, globals, builtins, locals;
	struct code *code;
	uint64_t object;
	struct frame *previous;
	uint64_t instruction;
	int stacktop;
	uint8_t is_entry, owner;
	uint64_t locals_plus[4];
};

struct cframe {
	uint64_t tracing;
	struct frame *current;
	struct cframe *previous;
};

struct thread {
	uint64_t previous, next, interpreter, gap[4];
	struct cframe *cframe;
	uint64_t gaps[11], id;
	uint64_t rest[20];
};

struct interpreter {
	uint64_t next, gap;
	struct thread *threads;
};

EXPORT uint64_t PyCode_Type[51], PyUnicode_Type[51];
EXPORT const uint64_t Py_Version = VERSION;
EXPORT struct {
	uint64_t gap[5];
	struct interpreter *interpreters;
	uint64_t rest[100];
} _PyRuntime = {{1}, NULL, {0}};

static struct interpreter interpreter;
static struct thread thread;
static struct cframe root;
static struct frame frames[1500];
static struct code codes[2];
static struct text file, names[2];

static void set_text(struct text *text, const char *characters)
{
	*text = (struct text){.references = 1, .type = PyUnicode_Type, .hash = (uint64_t)-1};
	text->length = strlen(characters);
	text->state = 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7; /* a byte each, compact, ASCII, ready */
	strcpy(text->characters, characters);
}

/* Two functions, of which k_outer called k_inner. */
static void set_all(struct cframe *mark)
{
	set_text(&file, "/fake.py");
	set_text(&names[0], "k_inner");
	set_text(&names[1], "k_outer");
	for (int i = 0; i < 2; i++) {
		codes[i] = (struct code){.references = 1, .type = PyCode_Type, .line = 7 + i};
		codes[i].file = &file;
		codes[i].name = codes[i].short_name = &names[i];
		frames[i].code = &codes[i];
	}
	frames[0].previous = &frames[1];
	frames[1].is_entry = 1;
	*mark = (struct cframe){.current = &frames[0], .previous = &root};
	thread.id = (uint64_t)pthread_self();
	thread.cframe = mark;
	interpreter.threads = &thread;
}

/* The text of NAME at the very end of what is mapped. */
static struct text *at_the_end(const struct text *name)
{
	size_t size = 48 + name->length + 1, page = 4096;
	char *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || munmap(pages + page, page))
		return NULL;
	size = (size + 7) & ~(size_t)7;
	memcpy(pages + page - size, name, 48 + name->length + 1);
	return (struct text *)(pages + page - size);
}

static void damage(const char *how, struct cframe *mark)
{
	static uint64_t none[64];

	if (!strcmp(how, "endless"))
		frames[1] = (struct frame){.code = &codes[1], .previous = &frames[0]};
	else if (!strcmp(how, "itself"))
		frames[0].previous = &frames[0];
	else if (!strcmp(how, "ends"))
		frames[1] = (struct frame){.code = &codes[1]};
	else if (!strcmp(how, "no-code"))
		frames[1].code = (struct code *)none;
	else if (!strcmp(how, "gone-code"))
		frames[1].code = (struct code *)16;
	else if (!strcmp(how, "gone-frame"))
		frames[0].previous = (struct frame *)0x7fffffff0000;
	else if (!strcmp(how, "kernel"))
		frames[0].previous = (struct frame *)0xffffffff81000000;
	else if (!strcmp(how, "owner"))
		frames[1].owner = 9;
	else if (!strcmp(how, "caller"))
		frames[1].previous = &frames[5];
	else if (!strcmp(how, "elsewhere"))
		thread.cframe = memcpy(&frames[9], mark, sizeof(*mark));
	else if (!strcmp(how, "another"))
		thread.id++;
	else if (!strcmp(how, "no-text"))
		names[0].type = none;
	else if (!strcmp(how, "long"))
		memset(names[0].characters, 'k', names[0].length = 900);
	else if (!strcmp(how, "end"))
		codes[0].name = at_the_end(&names[0]);
	else if (!strcmp(how, "huge"))
		names[0].length = UINT64_MAX / 2;
}

static __attribute__((noinline)) void k_c_spin(void)
{
	struct timespec now;

	do {
		for (volatile int i = 0; i < 10000; i++)
			;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (!now.tv_sec && now.tv_nsec < 100000000);
}

static __attribute__((noinline)) void k_c_evaluate(const char *how)
{
	struct cframe mark;

	set_all(&mark);
	damage(how, &mark);
	/* Now it is to be found: before, a sample would see what is not damaged yet. */
	__atomic_store_n(&_PyRuntime.interpreters, &interpreter, __ATOMIC_RELEASE);
	k_c_spin();
	/* It is on the stack, and is read by nobody here. */
	__asm__ volatile("" : : "r"(&mark) : "memory");
}

int main(int argc, char **argv)
{
	k_c_evaluate(argc > 1 ? argv[1] : "");
	return 0;
}
