// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/pprof_private.h"

#include <endian.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The comments, with the keys of profile/facts.c, and the sum of profile/check.c: see there. */

static void comment(struct pprof *pprof, const char *key, const char *value)
{
	const char *parts[] = {key, ": ", value};

	pprof->comment_count++;
	if (!pprof->is_counting)
		pprof_text(pprof, parts, sizeof(parts) / sizeof(*parts));
}

static void clear(struct text *text)
{
	text->length = 0;
	text->start[0] = '\0';
}

/* What is 0 or "" is left out. */
static void text_fact(struct pprof *pprof, const char *key, const char *value)
{
	if (*value)
		comment(pprof, key, value);
}

static void number_fact(struct pprof *pprof, const char *key, uint64_t number)
{
	clear(&pprof->value);
	text_add_number(&pprof->value, number);
	if (number)
		comment(pprof, key, pprof->value.start);
}

/* The words of /proc/self/cmdline, which end in NUL each, with blanks between them. */
static void read_command(struct pprof *pprof)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char *text = pprof->command;
	ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof(pprof->command) - 1);

	if (fd >= 0)
		(void)close(fd);
	if (length < 0)
		length = 0;
	text[length] = '\0';
	for (ssize_t i = 0; i + 1 < length; i++)
		if (!text[i])
			text[i] = ' ';
}

static void system_fact(struct pprof *pprof)
{
	struct text *value = &pprof->value;
	struct utsname name;

	clear(value);
	if (!uname(&name)) {
		text_add(value, name.sysname);
		text_add(value, " ");
		text_add(value, name.release);
		text_add(value, " ");
		text_add(value, name.machine);
	}
	text_fact(pprof, "profil.system", value->start);
}

/* "#profil.mapping.3.class" */
static const char *numbered(struct pprof *pprof, const char *prefix, size_t index, const char *name)
{
	clear(&pprof->key);
	text_add(&pprof->key, prefix);
	text_add_number(&pprof->key, index + 1);
	text_add(&pprof->key, name);
	return pprof->key.start;
}

static void identity_fact(struct pprof *pprof, size_t index, const struct object *object)
{
	const uint64_t numbers[] = {object->device, object->inode, /* generation= */ 0,
				    (uint64_t)object->mtime_ns};

	clear(&pprof->value);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		text_add(&pprof->value, i ? " " : "");
		text_add_number(&pprof->value, numbers[i]);
	}
	comment(pprof, numbered(pprof, "#profil.mapping.", index, ".file"), pprof->value.start);
}

static void mapping_facts(struct pprof *pprof, size_t index)
{
	const struct object *object = pprof->places.objects[index];
	const char *class = "unresolved";

	if (object)
		class = object->is_program ? "program" : "libraries";
	comment(pprof, numbered(pprof, "#profil.mapping.", index, ".class"), class);
	if (object && object->inode)
		identity_fact(pprof, index, object);
}

static void add_words(uint32_t *sum, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t word = htole64(words[i]);

		*sum = gzip_sum(*sum, &word, sizeof(word));
	}
}

static uint32_t check_sum(const struct places *places)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < places->object_count; i++) {
		struct pprof_extent extent = pprof_extent(places->objects[i]);

		add_words(&sum, (uint64_t[]){extent.start, extent.limit, extent.offset}, 3);
	}
	for (size_t i = 0; i < places->count; i++) {
		const struct place *place = &places->places[i];

		add_words(&sum, (uint64_t[]){place->object, place->address}, 2);
	}
	for (size_t i = 0; i < places->count; i++)
		if (places->places[i].ticks)
			add_words(&sum, (uint64_t[]){i, places->places[i].ticks}, 2);
	for (size_t i = 0; i < places->call_count; i++) {
		const struct places_call *call = &places->calls[i];

		add_words(&sum, (uint64_t[]){call->caller, call->callee, call->count}, 3);
	}
	return sum;
}

static void check_fact(struct pprof *pprof)
{
	uint32_t sum = pprof->is_counting ? 0 : check_sum(&pprof->places);
	char digits[9] = "";

	for (int i = 0; i < 8; i++)
		digits[i] = "0123456789abcdef"[sum >> (28 - 4 * i) & 15];
	comment(pprof, "#profil.check", digits);
}

static void all_facts(struct pprof *pprof)
{
	const struct pprof_facts *facts = pprof->facts;

	text_fact(pprof, "profil.producer", "libprofil-gmon " PROFIL_VERSION);
	if (pprof->is_counting)
		read_command(pprof);
	text_fact(pprof, "profil.command", pprof->command);
	text_fact(pprof, "profil.engine", facts->engine);
	text_fact(pprof, "profil.event", "cpu-clock");
	text_fact(pprof, "profil.clock", "task");
	system_fact(pprof);
	number_fact(pprof, "profil.samples", pprof->places.ticks);
	number_fact(pprof, "profil.cpu_ns", facts->account.cpu_ns);
	number_fact(pprof, "profil.cell_size", OBJECT_GRANULE);
	number_fact(pprof, "profil.partial", facts->is_partial);
}

void pprof_comments(struct pprof *pprof)
{
	const struct places *places = &pprof->places;

	pprof->comment_count = 0;
	all_facts(pprof);
	for (size_t i = 0; i < places->object_count; i++)
		mapping_facts(pprof, i);
	for (size_t i = 0; i < places->count; i++)
		if (!places->objects[places->places[i].object])
			comment(pprof, numbered(pprof, "#profil.location.", i, ".kind"),
				"unresolved");
	check_fact(pprof);
}
