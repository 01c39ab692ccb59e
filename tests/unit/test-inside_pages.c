// SPDX-License-Identifier: BSD-2-Clause
/* The kernel engine inside a process: the program's pages, lent to the kernel and returned. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "inside.h"

/* The line of /proc/self/maps that holds ADDRESS. */
static void mapping_of(const void *address, char line[static 512])
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, stop;
	bool found = false;

	assert_non_null(maps);
	while (!found && fgets(line, 512, maps))
		found = sscanf(line, "%lx-%lx", &start, &stop) == 2 &&
			start <= (unsigned long)address && (unsigned long)address < stop;
	(void)fclose(maps);
	if (!found)
		*line = '\0';
}

static void assert_ordinary(const void *address)
{
	char line[512];

	mapping_of(address, line);
	assert_non_null(strstr(line, " rw-p 00000000 00:00 0"));
}

static size_t mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	size_t lines = 0;

	assert_non_null(maps);
	for (int c = fgetc(maps); c != EOF; c = fgetc(maps))
		lines += c == '\n';
	(void)fclose(maps);
	return lines;
}

static size_t descriptors(void)
{
	DIR *list = opendir("/proc/self/fd");
	size_t count = 0;

	assert_non_null(list);
	while (readdir(list))
		count++;
	closedir(list);
	return count;
}

/* ------------------------------------------------------------------ the buffer */

static void counts_are_seen_while_they_move(void **state)
{
	uint32_t *cells = pages(PAGE);
	struct region region = region_of(spin_one, cells);
	struct inside_account account;
	uint64_t last = 0;
	struct run run;

	begin(&run, &region, 1, period_near(4999), true);
	for (int i = 0; i < 10; i++) {
		spin_for(0.01);
		assert_true(sum(cells, 1024) > last);
		last = sum(cells, 1024);
		assert_int_equal(inside_kernel.account(run.inside, &account), 0);
		assert_true(account.counted >= last && account.cpu_ns > 0 && !account.ended);
	}
	end(&run);
	munmap(cells, PAGE);
}

static void the_buffer_is_the_programs_own_again(void **state)
{
	uint32_t *cells = pages(4 * PAGE);
	struct region region = region_of(spin_one, cells + 1024);
	char line[512];
	struct run run;

	for (uint32_t i = 0; i < 4096; i++)
		cells[i] = i;
	begin(&run, &region, 1, period_near(4999), true);
	mapping_of(cells + 1024, line);
	assert_non_null(strstr(line, "bpf-map"));
	assert_ordinary(cells);
	assert_ordinary(cells + 2048);
	spin_for(0.05);
	end(&run);
	for (size_t page = 0; page < 4; page++)
		assert_ordinary(cells + page * 1024);
	/* What was there is still there, and the ticks have been added. */
	assert_true(run.account.counted > 0);
	assert_int_equal(sum(cells, 4096) - run.account.counted, 4096 * 4095 / 2);
	cells[1024] = 1;
	assert_int_equal(munmap(cells, 4 * PAGE), 0);
}

static void a_buffer_of_malloc_can_be_freed(void **state)
{
	for (size_t size = PAGE; size <= 256 * PAGE; size *= 16) {
		struct region region;
		struct run run;
		void *cells = aligned_alloc(PAGE, size);

		assert_non_null(cells);
		memset(cells, 0, size);
		region = catch_all(cells, 4, CELL_SATURATES);
		region.count = size / 4;
		begin(&run, &region, 1, period_near(4999), true);
		spin_for(0.01);
		end(&run);
		assert_int_equal(*(uint32_t *)cells, run.account.counted);
		free(cells);
	}
}

static void what_cannot_be_lent_is_refused(void **state)
{
	char *plain = pages(3 * PAGE);
	char *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	FILE *file = tmpfile();
	char *backed;

	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), PAGE), 0);
	backed = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0);
	assert_refused(plain + 2, PAGE / 2, -EINVAL, "whole pages");
	assert_refused(plain, PAGE / 2 - 1, -EINVAL, "whole pages");
	assert_refused(shared, PAGE / 2, -EFAULT, "shared");
	assert_refused(backed, PAGE / 2, -EFAULT, "of a file");
	munmap(plain + PAGE, PAGE);
	assert_refused(plain, 2 * PAGE / 2, -EFAULT, "not mapped");
	assert_refused(plain, 3 * PAGE / 2, -EFAULT, "not mapped");
	mprotect(plain, PAGE, PROT_READ);
	assert_refused(plain, PAGE / 2, -EFAULT, "writable");
	(void)fclose(file);
	munmap(backed, PAGE);
	munmap(shared, PAGE);
	munmap(plain, 3 * PAGE);
}

/* ------------------------------------------------------------------ forks, and again and again */

/* What the child finds wrong. */
static int be_child(struct run *run, uint32_t *cells, size_t open_before)
{
	char line[512];
	uint64_t seen;

	inside_kernel.fork_child(run->inside);
	seen = sum(cells, 1024);
	if (!seen)
		return 1;
	spin_for(0.02);
	if (sum(cells, 1024) != seen) /* the parent ticks on, or the child */
		return 2;
	cells[1023] = 12345;
	mapping_of(cells, line);
	if (!strstr(line, " rw-p "))
		return 3;
	return descriptors() == open_before ? 0 : 4;
}

static void a_forked_childs_buffer_is_its_own(void **state)
{
	size_t open_before = descriptors();
	uint32_t *cells = pages(PAGE);
	struct region region = region_of(spin_one, cells);
	struct inside_account frozen;
	uint64_t before;
	struct run run;
	int status;
	pid_t pid;

	begin(&run, &region, 1, period_near(4999), false);
	spin_for(0.02);
	inside_kernel.fork_prepare(run.inside, &frozen);
	pid = fork();
	if (!pid)
		_exit(be_child(&run, cells, open_before));
	inside_kernel.fork_parent(run.inside);
	spin_for(0.03);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* The child has switched nothing off. */
	before = sum(cells, 1024);
	spin_for(0.02);
	assert_true(sum(cells, 1024) > before);
	end(&run);
	assert_int_equal(cells[1023], 0);
	assert_int_equal(sum(cells, 1024), run.account.counted);
	munmap(cells, PAGE);
}

static void nothing_leaks(void **state)
{
	uint32_t *cells = pages(PAGE);
	struct region region = region_of(spin_one, cells);
	size_t open_before = 0, mapped_before = 0;

	for (int i = 0; i < 200; i++) {
		struct run run;

		begin(&run, &region, 1, period_near(10000), true);
		end(&run);
		if (i == 0) { /* libc has its buffers now */
			open_before = descriptors();
			mapped_before = mappings();
		}
	}
	assert_int_equal(descriptors(), open_before);
	/* An allocator that watches (ASan's) takes some for what the hidden threads have freed; one
	 * that is left by each run would be 199. */
	assert_in_range(mappings(), 0, mapped_before + 10);
	munmap(cells, PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_seen_while_they_move),
		cmocka_unit_test(the_buffer_is_the_programs_own_again),
		cmocka_unit_test(a_buffer_of_malloc_can_be_freed),
		cmocka_unit_test(what_cannot_be_lent_is_refused),
		cmocka_unit_test(a_forked_childs_buffer_is_its_own),
		cmocka_unit_test(nothing_leaks),
	};

	return cmocka_run_group_tests(tests, find_privilege, NULL);
}
