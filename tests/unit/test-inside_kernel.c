// SPDX-License-Identifier: BSD-2-Clause
/* The kernel engine inside a process, over this very program. */
#include "../targets/truth.h"
#include "engine/clock.h"
#include "engine/inside/inside.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <cmocka.h>

#define PAGE 4096
#define HERTZ(rate) (1000000000u / (rate))

/* ------------------------------------------------------------------ what is measured */

/* Each has a kilobyte of text of its own. */
#define SPINS __attribute__((section(".text.spins"), aligned(1024)))
SPINS SPIN(static, spin_three);
SPINS SPIN(static, spin_one);
SPINS SPIN(static __attribute__((used)), spin_end);

static double spin_for(double seconds)
{
	struct truth truth = {};

	truth_spin(&truth, spin_one, seconds);
	return truth.seconds;
}

static void *spin_thread(void *seconds)
{
	spin_for(*(double *)seconds);
	return NULL;
}

/* Two threads at once. */
static void spin_two(double seconds)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, spin_thread, &seconds), 0);
	spin_for(seconds);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* ------------------------------------------------------------------ how */

struct run {
	struct region_table *table;
	struct inside *inside;
	struct inside_account account;
	uint64_t stolen;
};

static void *pages(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

/* A byte of text a cell. */
static struct region region_of(spin *function, uint32_t *cells)
{
	return (struct region){
		.offset = (uintptr_t)function,
		.cells = cells,
		.count = 1024,
		.granule = 1,
		.width = 4,
		.full = CELL_SATURATES,
	};
}

static struct region catch_all(void *cells, unsigned width, enum cell_full full)
{
	return (struct region){
		.cells = cells,
		.count = PAGE / width,
		.width = (uint8_t)width,
		.full = full,
		.catch_all = true,
	};
}

static void begin(struct run *run, const struct region *regions, size_t count, uint64_t period_ns,
		  bool this_thread)
{
	struct inside_options options = {.period_ns = period_ns, .this_thread = this_thread};
	struct error error = {};

	memset(run, 0, sizeof(*run));
	assert_int_equal(region_table_new(regions, count, &run->table), 0);
	options.table = run->table;
	if (inside_kernel.probe(&options, &error) ||
	    inside_kernel.start(&options, &run->inside, &error))
		fail_msg("%s", error.text);
	run->stolen = stolen_ns();
}

static void end(struct run *run)
{
	inside_kernel.stop(run->inside, &run->account);
	region_table_free(run->table);
	run->stolen = stolen_ns() - run->stolen;
	assert_int_equal(run->account.ticks, run->account.counted + run->account.nobodys +
						     run->account.saturated + run->account.lost);
	assert_int_equal(run->account.lost, 0);
}

/* Every run of length L holds floor(L / P) ticks or one more, at random: over N runs the deviation
 * is within 6 * sqrt(N) / 2 but for 2e-9 of the cases.  Ticks go on in stolen time; and an hour on
 * the clock of a virtual machine is not exactly one on the other, hence one in 200. */
static void assert_ticks(uint64_t ticks, double seconds, long runs, uint64_t period_ns,
			 uint64_t stolen)
{
	double due = seconds * 1e9 / (double)period_ns;
	double play = 3 * sqrt((double)runs + 1) + due / 200 + 2;
	double extra = ((double)stolen + (stolen ? 1e7 : 0)) / (double)period_ns;

	if ((double)ticks < due - play || (double)ticks > due + play + extra)
		fail_msg("%lu ticks, %.1f are due, play %.1f, stolen %.1f", (unsigned long)ticks,
			 due, play, extra);
}

static uint64_t sum(const uint32_t *cells, size_t count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += cells[i];
	return total;
}

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

/* ------------------------------------------------------------------ how many, and where */

static void split_is_exact(void **state)
{
	const uint64_t period = HERTZ(4999);
	uint32_t *cells = pages(2 * PAGE);
	struct region regions[] = {region_of(spin_three, cells), region_of(spin_one, cells + 1024)};
	struct truth three = {"three"}, one = {"one"};
	struct run run;

	begin(&run, regions, 2, period, false);
	for (int turn = 0; turn < 40; turn++) {
		truth_spin(&three, spin_three, 0.015 * truth_jitter());
		truth_spin(&one, spin_one, 0.005 * truth_jitter());
	}
	end(&run);
	assert_int_equal(run.account.counted, sum(cells, 2048));
	assert_ticks(sum(cells, 1024), three.seconds, three.runs, period, run.stolen);
	assert_ticks(sum(cells + 1024, 1024), one.seconds, one.runs, period, run.stolen);
	assert_ticks(run.account.ticks, (double)run.account.cpu_ns * 1e-9, three.runs + one.runs,
		     period, run.stolen);
	munmap(cells, 2 * PAGE);
}

/* Time in the kernel is charged to the call. */
static void system_time_is_charged_to_the_call(void **state)
{
	const size_t size = 1 << 20;
	const uint64_t period = HERTZ(2999);
	uint32_t *cells = pages(PAGE);
	char *buffer = pages(size);
	struct region region = region_of((spin *)(void *)syscall, cells);
	double start, seconds;
	struct run run;
	FILE *zero = fopen("/dev/zero", "re");

	assert_non_null(zero);
	begin(&run, &region, 1, period, true);
	start = truth_clock();
	while (truth_clock() < start + 0.2)
		assert_int_equal(syscall(SYS_read, fileno(zero), buffer, size), size);
	seconds = truth_clock() - start;
	end(&run);
	assert_true((double)run.account.counted > 0.9 * seconds * 1e9 / (double)period);
	assert_int_equal(run.account.counted, sum(cells, 1024));
	(void)fclose(zero);
	munmap(buffer, size);
	munmap(cells, PAGE);
}

static void *many_threads(void *unused)
{
	double seconds = 0.002;

	for (int i = 0; i < 100; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, spin_thread, &seconds))
			break;
		pthread_join(thread, NULL);
	}
	return NULL;
}

static void threads_come_and_go(void **state)
{
	const uint64_t period = HERTZ(997);
	uint64_t *cells = pages(PAGE);
	struct region region = catch_all(cells, 8, CELL_WRAPS);
	struct run run;

	begin(&run, &region, 1, period, false);
	many_threads(NULL);
	end(&run);
	assert_true(run.account.cpu_ns > 150000000);
	assert_ticks(run.account.ticks, (double)run.account.cpu_ns * 1e-9, 200, period, run.stolen);
	assert_int_equal(cells[0], run.account.counted);
	munmap(cells, PAGE);
}

static void one_thread_if_so_asked(void **state)
{
	const uint64_t period = HERTZ(4999);
	uint64_t *cells = pages(PAGE);
	struct region region = catch_all(cells, 8, CELL_SATURATES);
	struct truth truth = {};
	pthread_t other;
	double seconds = 0.2;
	struct run run;

	begin(&run, &region, 1, period, true);
	assert_int_equal(pthread_create(&other, NULL, spin_thread, &seconds), 0);
	truth_spin(&truth, spin_one, 0.1);
	assert_int_equal(pthread_join(other, NULL), 0);
	end(&run);
	assert_ticks(cells[0], (double)run.account.cpu_ns * 1e-9, truth.runs, period, run.stolen);
	assert_true((double)run.account.cpu_ns < 1.2e9 * truth.seconds);
	munmap(cells, PAGE);
}

static void ten_thousand_regions(void **state)
{
	enum { REGIONS = 10000, CELLS = 16 };
	static struct region regions[REGIONS];
	const size_t size = (REGIONS * CELLS * sizeof(uint16_t) + PAGE - 1) / PAGE * PAGE;
	const uint64_t period = HERTZ(4999);
	uint16_t *cells = pages(size);
	uint64_t before = 0, after = 0;
	struct truth truth = {};
	struct run run;

	for (size_t i = 0; i < REGIONS; i++)
		regions[i] = (struct region){
			.offset = (uintptr_t)spin_one - 5000 * CELLS + i * CELLS,
			.cells = cells + i * CELLS,
			.count = i == REGIONS - 1 ? size / 2 - i * CELLS : CELLS,
			.granule = 1,
			.width = 2,
			.full = CELL_SATURATES,
		};
	begin(&run, regions, REGIONS, period, true);
	truth_spin(&truth, spin_one, 0.2);
	end(&run);
	for (size_t i = 0; i < (size_t)5000 * CELLS; i++)
		before += cells[i];
	for (size_t i = (size_t)5000 * CELLS; i < (size_t)(5000 + 1024 / CELLS) * CELLS; i++)
		after += cells[i];
	assert_ticks(after, truth.seconds, truth.runs, period, run.stolen);
	assert_true(before + after <= run.account.counted);
	munmap(cells, size);
}

/* ------------------------------------------------------------------ the cell */

/* What one cell of each width holds after two threads have ticked in it at 20 kHz. */
static struct run hammer(void *cells, unsigned width, enum cell_full full)
{
	struct region region = catch_all(cells, width, full);
	struct run run;

	begin(&run, &region, 1, HERTZ(20000), false);
	spin_two(0.25);
	end(&run);
	assert_true(run.account.ticks > 0);
	return run;
}

static void cells_wrap(void **state)
{
	uint16_t *narrow = pages(PAGE);
	uint8_t *byte = (uint8_t *)narrow;
	struct run run;

	narrow[0] = 65000;
	narrow[1] = 7;
	run = hammer(narrow, 2, CELL_WRAPS);
	assert_true(run.account.counted > 536);
	assert_int_equal(run.account.counted, run.account.ticks);
	assert_int_equal(narrow[0], (uint16_t)(65000 + run.account.counted));
	assert_int_equal(narrow[1], 7);

	byte[0] = 255;
	run = hammer(byte, 1, CELL_WRAPS);
	assert_int_equal(byte[0], (uint8_t)(255 + run.account.counted));
	munmap(narrow, PAGE);
}

static void cells_saturate(void **state)
{
	uint64_t *cells = pages(PAGE);
	uint16_t *narrow = (uint16_t *)cells;
	struct run run;

	narrow[0] = 65000;
	run = hammer(narrow, 2, CELL_SATURATES);
	assert_int_equal(narrow[0], 65535);
	assert_int_equal(run.account.counted, 535);
	assert_int_equal(run.account.saturated, run.account.ticks - 535);
	assert_false(run.account.ended);

	((uint32_t *)cells)[0] = UINT32_MAX - 100;
	run = hammer(cells, 4, CELL_SATURATES);
	assert_int_equal(((uint32_t *)cells)[0], UINT32_MAX);
	assert_int_equal(run.account.counted, 100);

	cells[0] = UINT64_MAX - 100;
	run = hammer(cells, 8, CELL_SATURATES);
	assert_true(cells[0] == UINT64_MAX);
	assert_int_equal(run.account.counted, 100);
	munmap(cells, PAGE);
}

static void svr4_ends_at_32767(void **state)
{
	uint16_t *cells = pages(PAGE);
	struct run run;

	cells[0] = 32000;
	run = hammer(cells, 2, CELL_ENDS_ALL);
	assert_int_equal(cells[0], 32767);
	assert_int_equal(run.account.counted, 767);
	assert_true(run.account.ended);
	/* Each processor may have had one tick under way at the end. */
	assert_in_range(run.account.saturated, 1, sysconf(_SC_NPROCESSORS_CONF));
	munmap(cells, PAGE);
}

struct scribe {
	volatile uint16_t *cell;
	volatile bool stop;
	uint16_t steps;
};

static void *scribble(void *context)
{
	struct scribe *scribe = context;

	while (!scribe->stop) {
		*scribe->cell = *scribe->cell + 1;
		scribe->steps++;
	}
	return NULL;
}

/* The program writes to the other half of the word, with plain instructions. */
static void neighbours_do_not_disturb(void **state)
{
	uint16_t *cells = pages(PAGE);
	struct region region = catch_all(cells, 2, CELL_WRAPS);
	struct scribe scribe = {.cell = &cells[1]};
	pthread_t thread;
	struct run run;

	begin(&run, &region, 1, HERTZ(20000), false);
	assert_int_equal(pthread_create(&thread, NULL, scribble, &scribe), 0);
	spin_for(0.3);
	scribe.stop = true;
	assert_int_equal(pthread_join(thread, NULL), 0);
	end(&run);
	assert_int_equal(cells[0], (uint16_t)run.account.counted);
	assert_int_equal(cells[1], scribe.steps);
	munmap(cells, PAGE);
}

/* ------------------------------------------------------------------ the buffer */

static void counts_are_seen_while_they_move(void **state)
{
	uint32_t *cells = pages(PAGE);
	struct region region = region_of(spin_one, cells);
	struct inside_account account;
	uint64_t last = 0;
	struct run run;

	begin(&run, &region, 1, HERTZ(4999), true);
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
	begin(&run, &region, 1, HERTZ(4999), true);
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
		begin(&run, &region, 1, HERTZ(4999), true);
		spin_for(0.01);
		end(&run);
		assert_int_equal(*(uint32_t *)cells, run.account.counted);
		free(cells);
	}
}

static void an_unmapped_buffer_is_left_alone(void **state)
{
	uint32_t *cells = pages(3 * PAGE);
	struct region region = region_of(spin_one, cells);
	struct run run;

	region.count = 3 * 1024;
	begin(&run, &region, 1, HERTZ(4999), true);
	munmap(cells + 1024, PAGE);
	assert_ptr_equal(mmap(cells + 1024, PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 cells + 1024);
	cells[1024] = 0xabcdef;
	spin_for(0.02);
	end(&run);
	assert_true(run.account.ended);
	assert_int_equal(cells[1024], 0xabcdef);
	assert_int_equal(sum(cells, 1024), run.account.counted);
	assert_ordinary(cells);
	assert_ordinary(cells + 2048);
	munmap(cells, 3 * PAGE);
}

static void a_protected_buffer_stays_protected(void **state)
{
	uint32_t *cells = pages(PAGE);
	struct region region = region_of(spin_one, cells);
	char line[512];
	struct run run;

	begin(&run, &region, 1, HERTZ(4999), true);
	spin_for(0.02);
	mprotect(cells, PAGE, PROT_NONE);
	spin_for(0.02);
	end(&run);
	mapping_of(cells, line);
	assert_non_null(strstr(line, " ---p "));
	mprotect(cells, PAGE, PROT_READ);
	assert_int_equal(sum(cells, 1024), run.account.counted);
	munmap(cells, PAGE);
}

static void assert_refused(void *cells, size_t count, int code, const char *word)
{
	struct region region = {.cells = cells, .count = count, .granule = 1, .width = 2};
	struct inside_options options = {.period_ns = 1000000};
	struct region_table *table;
	struct error error = {};

	assert_int_equal(region_table_new(&region, 1, &table), 0);
	options.table = table;
	assert_int_equal(inside_kernel.probe(&options, &error), code);
	if (!strstr(error.text, word))
		fail_msg("'%s' does not say '%s'", error.text, word);
	region_table_free(table);
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

/* ------------------------------------------------------------------ several, and forks */

static void two_measurements_at_once(void **state)
{
	uint32_t *cells = pages(2 * PAGE);
	struct region first = region_of(spin_one, cells),
		      second = region_of(spin_one, cells + 1024);
	struct truth truth = {};
	struct run one, two;

	begin(&one, &first, 1, HERTZ(4999), true);
	begin(&two, &second, 1, HERTZ(997), true);
	assert_refused(cells, PAGE / 2, -EFAULT, "shared");
	truth_spin(&truth, spin_one, 0.2);
	end(&two);
	end(&one);
	assert_ticks(sum(cells, 1024), truth.seconds, truth.runs, HERTZ(4999), one.stolen);
	assert_ticks(sum(cells + 1024, 1024), truth.seconds, truth.runs, HERTZ(997), two.stolen);
	munmap(cells, 2 * PAGE);
}

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
	uint64_t before;
	struct run run;
	int status;
	pid_t pid;

	begin(&run, &region, 1, HERTZ(4999), false);
	spin_for(0.02);
	inside_kernel.fork_prepare(run.inside);
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

		begin(&run, &region, 1, HERTZ(10000), true);
		end(&run);
		if (i == 0) { /* libc has its buffers now */
			open_before = descriptors();
			mapped_before = mappings();
		}
	}
	assert_int_equal(descriptors(), open_before);
	assert_in_range(mappings(), 0, mapped_before);
	munmap(cells, PAGE);
}

/* ------------------------------------------------------------------ refusals */

static void lack_of_privilege_is_said(void **state)
{
	struct inside_options options = {.period_ns = 1000000};
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct region region = {.granule = 1, .width = 2};
		struct region_table *table;
		struct error error = {};

		if (region_table_new(&region, 1, &table) || setresuid(65534, 65534, 65534))
			_exit(1);
		options.table = table;
		if (inside_kernel.probe(&options, &error) != -EPERM)
			_exit(2);
		_exit(strstr(error.text, "CAP_BPF and CAP_PERFMON") ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int find_privilege(void **state)
{
	struct region region = {.granule = 1, .width = 2};
	struct inside_options options = {.period_ns = 1000000};
	struct region_table *table;
	struct error error = {};
	const char *ci = getenv("CI");
	int r;

	assert_int_equal(region_table_new(&region, 1, &table), 0);
	options.table = table;
	r = inside_kernel.probe(&options, &error);
	region_table_free(table);
	truth_begin();
	if (r && ci && !strcmp(ci, "true"))
		fail_msg("%s", error.text);
	if (r) {
		(void)printf("1..0 # SKIP %s\n", error.text);
		exit(0);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(split_is_exact),
		cmocka_unit_test(system_time_is_charged_to_the_call),
		cmocka_unit_test(threads_come_and_go),
		cmocka_unit_test(one_thread_if_so_asked),
		cmocka_unit_test(ten_thousand_regions),
		cmocka_unit_test(cells_wrap),
		cmocka_unit_test(cells_saturate),
		cmocka_unit_test(svr4_ends_at_32767),
		cmocka_unit_test(neighbours_do_not_disturb),
		cmocka_unit_test(counts_are_seen_while_they_move),
		cmocka_unit_test(the_buffer_is_the_programs_own_again),
		cmocka_unit_test(a_buffer_of_malloc_can_be_freed),
		cmocka_unit_test(an_unmapped_buffer_is_left_alone),
		cmocka_unit_test(a_protected_buffer_stays_protected),
		cmocka_unit_test(what_cannot_be_lent_is_refused),
		cmocka_unit_test(two_measurements_at_once),
		cmocka_unit_test(a_forked_childs_buffer_is_its_own),
		cmocka_unit_test(nothing_leaks),
		cmocka_unit_test(lack_of_privilege_is_said),
	};

	return cmocka_run_group_tests(tests, find_privilege, NULL);
}
