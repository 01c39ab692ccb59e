// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/switches.h"

#include "engine/clock.h"
#include "engine/perf/rings.h"

#include <stdio.h>
#include <string.h>

static void take_switch(struct lives *lives, const struct perf_event_header *record)
{
	struct perf_trailer trailer = perf_trailer_of(record);
	struct life *life = lives_find(lives, trailer.tid);
	enum life_state state = LIFE_RUNNING;

	if (!life) /* its birth was lost */
		life = lives_begin(lives, trailer.pid, trailer.tid, LIFE_UNKNOWN, trailer.time);
	if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
		state = record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? LIFE_PREEMPTED
									   : LIFE_AWAY;
	if (life)
		lives_move(lives, life, state, trailer.time);
}

static void take_birth(struct lives *lives, const struct task_record *record)
{
	struct life *before = lives_find(lives, record->tid), *parent, *child;

	if (before) /* its end was lost */
		lives_end(lives, before, perf_trailer_of(&record->header).time);
	child = lives_begin(lives, record->pid, record->tid, LIFE_NEW,
			    perf_trailer_of(&record->header).time);
	parent = lives_find(lives, record->parent_tid);
	if (!child)
		return;
	child->spent.times[LIFE_NEW] = 1;
	if (parent)
		memcpy(child->name, parent->name, sizeof(child->name));
}

static void take_end(struct lives *lives, const struct task_record *record)
{
	struct life *life = lives_find(lives, record->tid);

	if (life)
		lives_end(lives, life, perf_trailer_of(&record->header).time);
}

static void take_name(struct lives *lives, const struct comm_record *record)
{
	struct life *life;

	if (record->header.misc & PERF_RECORD_MISC_COMM_EXEC)
		lives_execute(lives, record->pid);
	life = lives_find(lives, record->tid);
	if (life)
		strncpy(life->name, record->name, sizeof(life->name) - 1);
}

void perf_switches_take(struct lives *lives, const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_SWITCH:
		take_switch(lives, record);
		break;
	case PERF_RECORD_FORK:
		take_birth(lives, (const struct task_record *)record);
		break;
	case PERF_RECORD_EXIT:
		take_end(lives, (const struct task_record *)record);
		break;
	case PERF_RECORD_COMM:
		take_name(lives, (const struct comm_record *)record);
		break;
	default:
		break;
	}
}

/* Its name, and what it does: 'R' where it could run. */
static char read_state(struct histogram_task *task)
{
	char path[64], line[128], *end = NULL, *start;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", task->pid, task->tid);
	file = fopen(path, "re");
	if (!file)
		return '\0';
	if (fgets(line, sizeof(line), file))
		end = strrchr(line, ')');
	fclose(file);
	start = end ? strchr(line, '(') : NULL;
	if (!start)
		return '\0';
	*end = '\0';
	(void)snprintf(task->name, sizeof(task->name), "%s", start + 1);
	return end[1] ? end[2] : '\0';
}

void perf_switches_adopt(struct lives *lives, struct histogram_task *task, bool is_new)
{
	uint64_t now = monotonic_ns();
	enum life_state state = read_state(task) == 'R' ? LIFE_RUNNING : LIFE_AWAY;
	struct life *life;

	if (!lives->is_on)
		return;
	life = lives_begin(lives, task->pid, task->tid, is_new ? LIFE_UNKNOWN : state, now);
	if (!life)
		return;
	life->seeded = !is_new;
	memcpy(life->name, task->name, sizeof(life->name));
}
