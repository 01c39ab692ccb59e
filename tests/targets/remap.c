/* SPDX-License-Identifier: BSD-2-Clause */
/* remap THREE ONE [TURNS]: two copies of one library take turns at the very same address, 3:1, 300
 * times in a second: whoever remembers what lay at an address charges the wrong file.  MAP_FIXED
 * replaces a mapping by one of the same size, so the number of mappings never moves.  The truth is
 * told by path. */

#include "truth.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct copy {
	int fd;
	size_t size;
};

static struct copy open_copy(const char *path)
{
	struct stat status;
	struct copy copy = {.fd = open(path, O_RDONLY | O_CLOEXEC)};

	if (copy.fd < 0 || fstat(copy.fd, &status) < 0)
		truth_fail(path);
	copy.size = (size_t)status.st_size;
	return copy;
}

/* Where spin_three lies in the library's text, which a linker puts at the same offset in the file
 * and in memory; call_copy() makes sure of it. */
static size_t find_offset(const char *path, unsigned char *ret_code, size_t size)
{
	Dl_info info;
	void *library = dlopen(path, RTLD_NOW);
	void *function = library ? dlsym(library, "spin_three") : NULL;

	if (!function || !dladdr(function, &info))
		truth_fail(path);
	memcpy(ret_code, function, size);
	return (size_t)((char *)function - (char *)info.dli_fbase);
}

static void map_copy(void *address, const struct copy *copy)
{
	if (mmap(address, copy->size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, copy->fd,
		 0) == MAP_FAILED)
		truth_fail("mmap");
}

int main(int argc, char **argv)
{
	unsigned char code[8];

	if (argc < 3)
		return 1;

	struct truth three = {argv[1]}, one = {argv[2]};
	struct copy copy_three = open_copy(argv[1]), copy_one = open_copy(argv[2]);
	int turns = argc > 3 ? atoi(argv[3]) : 300;
	size_t offset = find_offset(argv[1], code, sizeof(code));
	char *place = mmap(NULL, copy_three.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	truth_begin();
	for (int turn = 0; turn < turns; turn++) {
		double unit = TRUTH_SECONDS / turns / 4 * truth_jitter();

		map_copy(place, &copy_three);
		if (memcmp(place + offset, code, sizeof(code)) != 0)
			return 1;
		truth_spin(&three, (spin *)(place + offset), 3 * unit);
		map_copy(place, &copy_one);
		truth_spin(&one, (spin *)(place + offset), unit);
	}
	truth_print(&three);
	truth_print(&one);
	return 0;
}
