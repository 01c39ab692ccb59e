// SPDX-License-Identifier: BSD-2-Clause
/* Steps a program through one instruction at a time, keeps its calls by watching them, and before
 * each instruction compares them with what a walk up the stack finds, frame by frame.
 *
 *   stepping [--allow N] PROGRAM [ARGUMENT...]
 *
 * Every path must be right or cut; at most N of a million (0 unless told) may be cut.  From where
 * an exception's target is written over what the frames saved (libgcc's uw_install_context_1) to
 * the jump to it nothing is compared: the stack is none then. */
#include "unwind/compile.h"
#include "unwind/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEPTH = 4096, FILES = 64, MAPPINGS = 512, STACK = 4096 };

struct call {
	uint64_t slot, ip; /* where the return address is, and what it is */
	bool is_interrupt; /* by a signal: IP is the instruction that was to be next */
};

struct file {
	char path[256];
	struct unwind_table table;
};

struct mapping {
	uint64_t start, end, offset;
	int file;
};

static struct {
	pid_t pid;
	struct call calls[DEPTH];
	size_t call_count;
	struct file files[FILES];
	int file_count;
	struct mapping mappings[MAPPINGS];
	int mapping_count;
	uint8_t stack[STACK]; /* from STACK_START on */
	uint64_t stack_start;
	size_t stack_size;
	uint64_t install_start, install_end; /* uw_install_context_1, offsets in the program */
	bool is_installing;
	uint64_t steps, whole, cut[UNWIND_END_COUNT], wrong;
} all;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static bool read_memory(uint64_t address, void *ret, size_t size)
{
	struct iovec to = {ret, size}, from = {(void *)(uintptr_t)address, size};

	return process_vm_readv(all.pid, &to, 1, &from, 1, 0) == (ssize_t)size;
}

static void compile(struct file *file, const struct mapping *mapping)
{
	size_t size = mapping->end - mapping->start;
	struct stat status;
	void *image;
	int fd;

	if (!strcmp(file->path, "[vdso]")) {
		image = malloc(size);
		if (read_memory(mapping->start, image, size))
			unwind_compile(image, size, &file->table);
		free(image);
		return;
	}
	fd = open(file->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status))
		return;
	size = (size_t)status.st_size;
	image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (image == MAP_FAILED)
		return;
	unwind_compile(image, size, &file->table);
	munmap(image, size);
}

static int file_of(const char *path, const struct mapping *mapping)
{
	for (int i = 0; i < all.file_count; i++)
		if (!strcmp(all.files[i].path, path))
			return i;
	if (all.file_count == FILES)
		die("too many files");
	snprintf(all.files[all.file_count].path, sizeof(all.files->path), "%s", path);
	compile(&all.files[all.file_count], mapping);
	return all.file_count++;
}

static void read_mappings(void)
{
	char name[64], line[512];
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", all.pid);
	maps = fopen(name, "re");
	if (!maps)
		die(name);
	all.mapping_count = 0;
	while (fgets(line, sizeof(line), maps) && all.mapping_count < MAPPINGS) {
		struct mapping mapping;
		char rights[8], path[256] = "";

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %255s",
			   &mapping.start, &mapping.end, rights, &mapping.offset, path) < 4 ||
		    rights[2] != 'x' || (path[0] != '/' && strcmp(path, "[vdso]") != 0))
			continue;
		mapping.file = file_of(path, &mapping);
		all.mappings[all.mapping_count++] = mapping;
	}
	fclose(maps);
}

static const struct mapping *find_mapping(uint64_t address)
{
	for (int i = 0; i < all.mapping_count; i++)
		if (address >= all.mappings[i].start && address < all.mappings[i].end)
			return &all.mappings[i];
	return NULL;
}

static int read_word(void *context, uint64_t address, uint32_t size, uint64_t *ret_word)
{
	(void)context;
	*ret_word = 0;
	if (address >= all.stack_start && address + size <= all.stack_start + all.stack_size) {
		memcpy(ret_word, all.stack + (address - all.stack_start), size);
		return 1;
	}
	return read_memory(address, ret_word, size);
}

/* Find libgcc's function in the program, which it is linked into. */
static void find_install(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_version(EV_CURRENT) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
	     section = elf_nextscn(elf, section)) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; gelf_getsym(elf_getdata(section, NULL), i, &symbol); i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

			if (name && !strcmp(name, "uw_install_context_1")) {
				all.install_start = symbol.st_value;
				all.install_end = symbol.st_value + symbol.st_size;
			}
		}
	}
	elf_end(elf);
	close(fd);
}

/* Whether an exception's target is being put in the place of the frames at IP. */
static bool is_installing(uint64_t ip)
{
	const struct mapping *mapping = find_mapping(ip);
	uint64_t offset = mapping ? ip - mapping->start + mapping->offset : 0;

	if (mapping && mapping->file == 0 && offset >= all.install_start &&
	    offset < all.install_end)
		all.is_installing = true;
	return all.is_installing;
}

static enum unwind_end step(struct unwind_frame *frame)
{
	uint64_t address = unwind_address(frame);
	const struct mapping *mapping = find_mapping(address);

	return mapping ? unwind_step_by(&all.files[mapping->file].table,
					address - mapping->start + mapping->offset, frame,
					read_word, NULL)
		       : UNWIND_NO_RULE;
}

static void complain(const char *what, uint64_t ip, size_t depth, uint64_t found)
{
	const struct mapping *mapping = find_mapping(ip);

	if (all.wrong++ > 10)
		return;
	printf("# wrong: %s: at %s+0x%" PRIx64 ", frame %zu of %zu: found 0x%" PRIx64 "\n", what,
	       mapping ? all.files[mapping->file].path : "?",
	       mapping ? ip - mapping->start + mapping->offset : ip, depth, all.call_count, found);
}

/* Whether FRAME is the one that CALL returns to; where the program has written another address
 * there since, as an exception on its way to where it is caught does, it returns to that. */
static bool is_caller(struct call *call, const struct unwind_frame *frame)
{
	if (call->is_interrupt != frame->is_exact)
		return false;
	if (call->ip != frame->ip && !call->is_interrupt)
		read_memory(call->slot, &call->ip, sizeof(call->ip));
	return call->ip == frame->ip;
}

/* Compare the walk from REGISTERS on with the calls that were seen. */
static void compare(const struct user_regs_struct *registers)
{
	const uint64_t by_number[16] = {
		registers->rax, registers->rdx, registers->rcx, registers->rbx,
		registers->rsi, registers->rdi, registers->rbp, registers->rsp,
		registers->r8,	registers->r9,	registers->r10, registers->r11,
		registers->r12, registers->r13, registers->r14, registers->r15};
	struct unwind_frame frame = {registers->rip, registers->rsp, registers->rbp, registers->rbx,
				     by_number,	     true,	     true,	     true};
	enum unwind_end end = UNWIND_GOES_ON;
	size_t left = all.call_count;

	all.steps++;
	while ((end = step(&frame)) == UNWIND_GOES_ON) {
		if (!left || !is_caller(&all.calls[left - 1], &frame)) {
			complain("another caller", registers->rip, all.call_count - left, frame.ip);
			return;
		}
		left--;
	}
	if (end == UNWIND_WHOLE && left)
		complain("ended early", registers->rip, all.call_count - left, frame.ip);
	else if (end == UNWIND_WHOLE)
		all.whole++;
	else if (all.cut[end]++ < 5)
		printf("# cut: %d at 0x%" PRIx64 " %s, frame %zu at 0x%" PRIx64 "\n", end,
		       (uint64_t)registers->rip,
		       find_mapping(registers->rip)
			       ? all.files[find_mapping(registers->rip)->file].path
			       : "?",
		       all.call_count - left, frame.ip);
}

static void push(uint64_t slot, uint64_t ip, bool is_interrupt)
{
	if (all.call_count == DEPTH)
		die("too deep");
	all.calls[all.call_count++] = (struct call){slot, ip, is_interrupt};
}

/* A call at BYTES: by address, by register or by memory, with what prefixes it can have. */
static bool is_call(const uint8_t *bytes)
{
	while (*bytes == 0x3e || *bytes == 0xf2 || *bytes == 0x66 || (*bytes & 0xf0) == 0x40)
		bytes++;
	return *bytes == 0xe8 || (*bytes == 0xff && ((bytes[1] >> 3) & 7) == 2);
}

/* What lies below the stack pointer was returned from, or jumped out of; but a signal on a stack of
 * its own ends when it says so. */
static void forget_returned(uint64_t sp)
{
	while (all.call_count) {
		const struct call *last = &all.calls[all.call_count - 1];

		if (last->is_interrupt || last->slot >= sp || sp - last->slot > (1 << 23))
			break;
		all.call_count--;
	}
}

static void end_signal(void)
{
	while (all.call_count && !all.calls[all.call_count - 1].is_interrupt)
		all.call_count--;
	if (all.call_count)
		all.call_count--;
}

/* What most frames need of the stack, in one reading. */
static void load_stack(uint64_t sp)
{
	all.stack_start = sp;
	all.stack_size = read_memory(sp, all.stack, STACK) ? STACK : 0;
}

static int resume(int signal)
{
	int status = 0;

	if (ptrace(PTRACE_SINGLESTEP, all.pid, 0, (void *)(intptr_t)signal) ||
	    waitpid(all.pid, &status, 0) != all.pid)
		die("stepping");
	return status;
}

/* One instruction, or the way into a signal's handler.  False when the program has ended. */
static bool go(struct user_regs_struct *registers, int *status, int *signal)
{
	const uint64_t ip = registers->rip, flags_of_sigreturn = 15;
	bool is_return_of_signal = false;
	uint8_t code[16] = {0};
	uint64_t word = 0;

	read_memory(ip, code, sizeof(code));
	if (code[0] == 0x0f && code[1] == 0x05)
		is_return_of_signal = registers->rax == flags_of_sigreturn;
	if (code[0] == 0xff && (code[1] >> 3 & 7) == 4) /* an indirect jump */
		all.is_installing = false;
	*status = resume(*signal);
	if (!WIFSTOPPED(*status))
		return false;
	if (ptrace(PTRACE_GETREGS, all.pid, 0, registers))
		die("registers");
	if (*signal) {
		push(registers->rsp, ip, true);
		read_memory(registers->rsp, &word, sizeof(word));
		push(registers->rsp, word, false);
	} else if (is_return_of_signal) {
		end_signal();
	} else if (is_call(code) && registers->rip != ip) {
		read_memory(registers->rsp, &word, sizeof(word));
		push(registers->rsp, word, false);
	}
	*signal = WSTOPSIG(*status) == SIGTRAP ? 0 : WSTOPSIG(*status);
	forget_returned(registers->rsp);
	return true;
}

static int follow(void)
{
	struct user_regs_struct registers;
	int status, signal = 0;

	if (waitpid(all.pid, &status, 0) != all.pid || !WIFSTOPPED(status))
		die("start");
	ptrace(PTRACE_SETOPTIONS, all.pid, 0, (void *)PTRACE_O_EXITKILL);
	if (ptrace(PTRACE_GETREGS, all.pid, 0, &registers))
		die("registers");
	do {
		if (!find_mapping(registers.rip))
			read_mappings();
		load_stack(registers.rsp);
		if (!signal && !is_installing(registers.rip))
			compare(&registers);
	} while (go(&registers, &status, &signal));
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		printf("# the program failed: status 0x%x\n", status);
		return 1;
	}
	return 0;
}

int main(int count, char **arguments)
{
	uint64_t allowed = 0, cut = 0;
	int first = 1, ret;

	if (count > 2 && !strcmp(arguments[1], "--allow")) {
		allowed = strtoull(arguments[2], NULL, 10);
		first = 3;
	}
	if (count <= first)
		return 2;
	find_install(arguments[first]);
	all.pid = fork();
	if (all.pid < 0)
		die("fork");
	if (!all.pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(arguments[first], arguments + first);
		die(arguments[first]);
	}
	ret = follow();
	for (int i = 0; i < UNWIND_END_COUNT; i++)
		cut += all.cut[i];
	printf("# %" PRIu64 " steps: %" PRIu64 " whole, %" PRIu64 " cut, %" PRIu64 " wrong\n",
	       all.steps, all.whole, cut, all.wrong);
	return ret || all.wrong || !all.whole || cut * 1000000 > allowed * all.steps;
}
