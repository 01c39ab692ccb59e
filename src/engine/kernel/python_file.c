// SPDX-License-Identifier: BSD-2-Clause
/* Which Python a file is, and where its structures have what.  Python 3.13 publishes that
 * (Include/internal/pycore_runtime.h, _Py_DebugOffsets); of the two before it is written down here,
 * as their own headers have it: it is the same from the first release of each to its last. */
#include "engine/kernel/python_file.h"

#include "base/path.h"

#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	RUNTIME,
	CODE_TYPE,
	TEXT_TYPE,
	VERSION,
	DEBUG_BUILD,
	SYMBOLS,
};

static const char *const names[SYMBOLS] = {
	[RUNTIME] = "_PyRuntime",
	[CODE_TYPE] = "PyCode_Type",
	[TEXT_TYPE] = "PyUnicode_Type",
	[VERSION] = "Py_Version",
	[DEBUG_BUILD] = "_Py_NegativeRefcount",
};

struct python_elf {
	Elf *elf;
	int fd;
	uint64_t addresses[SYMBOLS]; /* 0: there is none such */
};

/* ---- the offsets ---- */

/* The head of a text, and of any object, is the same in all of them. */
#define TEXT_TYPE_OFFSET 8
#define TEXT_LENGTH_OFFSET 16
#define TEXT_STATE_OFFSET 32

static const struct kernel_python python_3_11 = {
	.interpreters = 40,
	.interpreter_next = 0,
	.threads = 16,
	.thread_next = 8,
	.thread_id = 152,
	.thread_frame = 56,
	.has_cframe = 1,
	.cframe_frame = 8,
	.cframe_before = 16,
	.frame_code = 32,
	.frame_before = 48,
	.frame_is_entry = 68,
	.frame_owner = 69,
	.code_line = 72,
	.code_file = 112,
	.code_name = 128,
	.text_ascii = 48,
	.text_wide = 72,
};

static const struct kernel_python python_3_12 = {
	.interpreters = 40,
	.interpreter_next = 0,
	.threads = 72,
	.thread_next = 8,
	.thread_id = 136,
	.thread_frame = 56,
	.has_cframe = 1,
	.cframe_frame = 0,
	.cframe_before = 8,
	.frame_code = 0,
	.frame_before = 8,
	.frame_owner = 70,
	.code_line = 68,
	.code_file = 112,
	.code_name = 128,
	.text_ascii = 40,
	.text_wide = 56,
};

/* Python 3.13's own table, from its beginning on. */
struct published {
	char cookie[8];
	uint64_t version, free_threaded;
	struct {
		uint64_t size, finalizing, interpreters_head;
	} runtime;
	struct {
		uint64_t size, id, next, threads_head, gc, imports_modules, sysdict, builtins;
		uint64_t ceval_gil, gil_state, gil_state_enabled, gil_state_locked,
			gil_state_holder;
	} interpreter;
	struct {
		uint64_t size, prev, next, interp, current_frame, thread_id, native_thread_id,
			datastack_chunk, status;
	} thread;
	struct {
		uint64_t size, previous, executable, instr_ptr, localsplus, owner;
	} frame;
	struct {
		uint64_t size, filename, name, qualname, linetable, firstlineno, argcount,
			localsplusnames, localspluskinds, co_code_adaptive;
	} code;
	struct {
		uint64_t size, ob_type;
	} object;
	struct {
		uint64_t size, tp_name, tp_repr, tp_flags;
	} type;
	uint64_t tuple[3], list[3], dict[3], float_object[2], long_object[3], bytes[3];
	struct {
		uint64_t size, state, length, asciiobject_size;
	} text;
};

/* Whether a word at OFFSET lies within SIZE bytes that are read at once. */
static bool lies_in(uint64_t offset, uint64_t size)
{
	return !(offset & 7) && offset <= size - sizeof(uint64_t);
}

#define STRUCTURE_MOST (UINT64_C(16) << 20)

static bool is_sound(const struct published *from)
{
	return lies_in(from->runtime.interpreters_head, STRUCTURE_MOST) &&
	       lies_in(from->interpreter.next, STRUCTURE_MOST) &&
	       lies_in(from->interpreter.threads_head, STRUCTURE_MOST) &&
	       lies_in(from->thread.next, STRUCTURE_MOST) &&
	       lies_in(from->thread.current_frame, PYTHON_THREAD_SIZE) &&
	       lies_in(from->thread.thread_id, PYTHON_THREAD_SIZE) &&
	       lies_in(from->frame.previous, PYTHON_FRAME_SIZE) &&
	       lies_in(from->frame.executable, PYTHON_FRAME_SIZE) &&
	       from->frame.owner < PYTHON_FRAME_SIZE &&
	       lies_in(from->code.filename, PYTHON_CODE_SIZE) &&
	       lies_in(from->code.qualname, PYTHON_CODE_SIZE) &&
	       from->code.firstlineno <= PYTHON_CODE_SIZE - 4 && !(from->code.firstlineno & 3) &&
	       from->object.ob_type == TEXT_TYPE_OFFSET && from->text.state == TEXT_STATE_OFFSET &&
	       from->text.length == TEXT_LENGTH_OFFSET && from->text.asciiobject_size == 40;
}

static struct kernel_python take_published(const struct published *from)
{
	return (struct kernel_python){
		.interpreters = (uint32_t)from->runtime.interpreters_head,
		.interpreter_next = (uint32_t)from->interpreter.next,
		.threads = (uint32_t)from->interpreter.threads_head,
		.thread_next = (uint32_t)from->thread.next,
		.thread_id = (uint32_t)from->thread.thread_id,
		.thread_frame = (uint32_t)from->thread.current_frame,
		.frame_code = (uint32_t)from->frame.executable,
		.frame_before = (uint32_t)from->frame.previous,
		.frame_owner = (uint32_t)from->frame.owner,
		.code_line = (uint32_t)from->code.firstlineno,
		.code_file = (uint32_t)from->code.filename,
		.code_name = (uint32_t)from->code.qualname,
		.text_ascii = (uint32_t)from->text.asciiobject_size,
		/* How long it is in UTF-8, and that, come between. */
		.text_wide = (uint32_t)from->text.asciiobject_size + 16,
	};
}

/* ---- the file ---- */

/* SIZE bytes of the file that are at ADDRESS when it runs. */
static bool read_at(const struct python_elf *python, uint64_t address, void *ret, size_t size)
{
	size_t count;

	if (!address || elf_getphdrnum(python->elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(python->elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz ||
		    header.p_filesz - (address - header.p_vaddr) < size)
			continue;
		return pread(python->fd, ret, size,
			     (off_t)(header.p_offset + (address - header.p_vaddr))) ==
		       (ssize_t)size;
	}
	return false;
}

/* How far code lies behind its place in the file; false where pieces of it differ. */
static bool find_bias(Elf *elf, uint64_t *ret_bias)
{
	bool is_found = false;
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		uint64_t bias;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    !(header.p_flags & PF_X))
			continue;
		bias = header.p_vaddr - header.p_offset;
		if (is_found && bias != *ret_bias)
			return false;
		*ret_bias = bias;
		is_found = true;
	}
	return is_found;
}

/* The symbols that it exports.  Few files have the first: their names are looked through only. */
static bool find_symbols(struct python_elf *python)
{
	GElf_Shdr header;
	Elf_Data *texts, *symbols = NULL;
	GElf_Sym symbol;
	Elf_Scn *section;

	for (section = elf_nextscn(python->elf, NULL); section;
	     section = elf_nextscn(python->elf, section))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			break;
	texts = section ? elf_getdata(elf_getscn(python->elf, header.sh_link), NULL) : NULL;
	if (!texts || !texts->d_buf ||
	    !memmem(texts->d_buf, texts->d_size, names[RUNTIME], strlen(names[RUNTIME]) + 1))
		return false;
	symbols = elf_getdata(section, NULL);
	for (int i = 0; symbols && gelf_getsym(symbols, i, &symbol); i++) {
		const char *name = elf_strptr(python->elf, header.sh_link, symbol.st_name);

		for (size_t n = 0; name && n < SYMBOLS; n++)
			if (!strcmp(name, names[n]) && symbol.st_shndx != SHN_UNDEF)
				python->addresses[n] = symbol.st_value;
	}
	return python->addresses[RUNTIME];
}

/* ---- the version ---- */

static void say_not(struct python_file *file, const char *what)
{
	file->is_known = false;
	(void)snprintf(file->why_not, sizeof(file->why_not), "%s", what);
}

static void choose(const struct python_elf *python, uint64_t version, struct python_file *file)
{
	unsigned major = version >> 24 & 0xff, minor = version >> 16 & 0xff;
	struct published published;
	char text[sizeof(file->why_not)];

	(void)snprintf(text, sizeof(text), "Python %u.%u", major, minor);
	say_not(file, text);
	if (major != 3)
		return;
	file->is_known = minor >= 11 && minor <= 13;
	if (minor == 11)
		file->offsets = python_3_11;
	if (minor == 12)
		file->offsets = python_3_12;
	if (minor != 13)
		return;
	file->is_known = false;
	if (!read_at(python, python->addresses[RUNTIME], &published, sizeof(published)) ||
	    memcmp(published.cookie, "xdebugpy", sizeof(published.cookie)) != 0)
		return;
	if (published.free_threaded) {
		say_not(file, "Python 3.13 without a global lock");
		return;
	}
	file->is_known = is_sound(&published);
	file->offsets = take_published(&published);
}

/* Before 3.11 it does not say which it is, unless its name does: "libpython3.10.so.1.0". */
static void say_older(int fd, struct python_file *file)
{
	char link[64], path[PATH_MAX];
	const char *name;
	ssize_t length;

	say_not(file, "Python before 3.11");
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	name = strstr(path_base(path), "python3.");
	if (name)
		(void)snprintf(file->why_not, sizeof(file->why_not), "Python 3.%.*s",
			       (int)strspn(name + 8, "0123456789"), name + 8);
}

static void look(const struct python_elf *python, struct python_file *file)
{
	uint64_t version, bias = 0;
	GElf_Ehdr header;

	if (!gelf_getehdr(python->elf, &header) || header.e_machine != EM_X86_64 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64) {
		say_not(file, "Python for another machine");
		return;
	}
	if (!read_at(python, python->addresses[VERSION], &version, sizeof(version))) {
		say_older(python->fd, file);
		return;
	}
	choose(python, version, file);
	if (file->is_known && python->addresses[DEBUG_BUILD])
		say_not(file, "Python's debug build");
	if (!file->is_known)
		return;
	if (!find_bias(python->elf, &bias) || !python->addresses[CODE_TYPE] ||
	    !python->addresses[TEXT_TYPE]) {
		say_not(file, "Python of an unknown layout");
		return;
	}
	file->offsets.runtime = python->addresses[RUNTIME] - bias;
	file->offsets.code_type = python->addresses[CODE_TYPE] - bias;
	file->offsets.text_type = python->addresses[TEXT_TYPE] - bias;
}

bool python_file_read(int fd, struct python_file *ret_file)
{
	struct python_elf python = {.fd = fd};
	bool is_python;

	*ret_file = (struct python_file){0};
	(void)elf_version(EV_CURRENT);
	python.elf = elf_begin(fd, ELF_C_READ, NULL);
	is_python = python.elf && elf_kind(python.elf) == ELF_K_ELF && find_symbols(&python);
	if (is_python)
		look(&python, ret_file);
	elf_end(python.elf);
	return is_python;
}
