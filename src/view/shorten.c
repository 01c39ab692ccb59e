// SPDX-License-Identifier: BSD-2-Clause
#include "view/shorten.h"

#include "base/array.h"
#include "view/function_name.h"
#include "view/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct shown {
	bool params, templates; /* else "(…)", "<…>" */
	bool paths;		/* of Rust: "<a::T as b::Trait>", else "<T as Trait>" */
};

/* What was made of a name. */
struct made {
	char *text;	     /* heap */
	size_t size, *parts; /* where those of the name begin; heap */
	size_t params;	     /* where those begin */
	const char *ellipsis;
};

static const char *part_text(const struct function_name *name, size_t part)
{
	const char *text = name->text + name->parts[part];

	return text + (part ? name_separator(name, text) : 0);
}

/* "{lambda(int)#1}", "{{closure}}", "func1": a name that says nothing without the one before. */
static bool is_closure(const struct function_name *name, size_t part)
{
	const char *text = part_text(name, part);

	if (!name->dotted)
		return *text == '{' || name_begins(text, "'lambda") || name_begins(text, "$_");
	if (name_begins(text, "func"))
		text += 4;
	return isdigit((unsigned char)*text);
}

/* The part at which the function's own name begins. */
static size_t own_part(const struct function_name *name)
{
	size_t own = name->part_count - 1;

	if (own && name_begins(part_text(name, own), "operator()") && is_closure(name, own - 1))
		own--;
	while (own && is_closure(name, own))
		own--;
	return own;
}

static void put(struct made *made, const char *text, size_t size)
{
	memcpy(made->text + made->size, text, size);
	made->size += size;
}

/* The brackets at AT in short, if they are to be; returns how long they are, else 0. */
static size_t put_group(const struct function_name *name, size_t at, struct shown shown,
			struct made *made)
{
	const char *text = name->text + at;
	bool stays =
		*text == '(' ? shown.params : shown.templates || (*text == '[' && !name->dotted);
	size_t size;

	if (!strchr("(<[", *text) || stays || !name_is_arguments(name, at))
		return 0;
	size = name_group(text);
	if (size <= 2)
		return 0;
	put(made, text, 1);
	put(made, made->ellipsis, strlen(made->ellipsis));
	put(made, text + size - 1, 1);
	return size;
}

/* "a::b::c" at AT in brackets: how much of it is before the "c". */
static size_t path_size(const char *text, size_t at)
{
	size_t end = at, last = at;

	if (at && name_is_word(text[at - 1]))
		return 0;
	while (name_is_word(text[end])) {
		last = end;
		while (name_is_word(text[end]))
			end++;
		if (name_begins(text + end, "::"))
			end += 2;
	}
	return last - at;
}

/* What is next of NAME, AT, which is put into MADE; returns how long it is. */
static size_t make_next(struct function_name *name, size_t at, size_t depth, struct shown shown,
			struct made *made)
{
	size_t size = name_operator(name->text, at);

	if (size) {
		name->operated = at + size;
	} else {
		size = put_group(name, at, shown, made);
		if (!size && depth && !shown.paths)
			size = path_size(name->text, at);
		if (size)
			return size;
		size = name_begins(name->text + at, "->") ? 2 : 1;
	}
	put(made, name->text + at, size);
	return size;
}

/* NAME without its return type and suffix, as it is SHOWN. */
static void make(struct function_name *name, struct shown shown, struct made *made)
{
	size_t part = 0, depth = 0, size;

	made->size = 0;
	name->operated = 0;
	for (size_t at = name->begin; at < name->end; at += size) {
		if (part < name->part_count && at == name->parts[part])
			made->parts[part++] = made->size;
		if (at == name->params)
			made->params = made->size;
		size = make_next(name, at, depth, shown, made);
		if (size == 1 && name->text[at] == '<')
			depth++;
		else if (size == 1 && name->text[at] == '>' && depth)
			depth--;
	}
	if (name->params == name->end)
		made->params = made->size;
	made->text[made->size] = '\0';
}

static char *join(const char *head, const char *middle, const char *tail)
{
	char *text;

	return asprintf(&text, "%s%s%s", head, middle, tail) < 0 ? NULL : text;
}

/* "own<…>" becomes "own", and "operator<< <…>" "operator<<". */
static void drop_templates(const struct made *made, char *own)
{
	size_t size = strlen(own), tail = strlen(made->ellipsis) + 2;

	if (size <= tail || own[size - tail] != '<' || own[size - 1] != '>')
		return;
	own[size - tail] = '\0';
	if (own[size - tail - 1] == ' ')
		own[size - tail - 1] = '\0';
}

/* "…::inner::own(…)", as much of it as fits, then "own" alone. */
static char *drop_outer(const struct function_name *name, struct made *made, const char *suffix,
			size_t width, bool utf8)
{
	size_t has = text_width(made->text, utf8), behind = text_width(suffix, utf8);
	size_t own = own_part(name), from = 0;
	char *start;

	for (size_t part = 1; part <= own; part++) {
		for (; from < made->parts[part]; from += text_character(made->text + from, utf8))
			has--;
		if (1 + has + behind <= width)
			return join(made->ellipsis, made->text + from, suffix);
	}
	if (own && 1 + has <= width)
		return join(made->ellipsis, made->text + from, "");
	made->text[made->params] = '\0';
	start = made->text + made->parts[own];
	if (own && 1 + text_width(start, utf8) <= width)
		return join(made->ellipsis, start, "");
	start += part_text(name, own) - (name->text + name->parts[own]);
	drop_templates(made, start);
	return text_cut(start, width, utf8);
}

/* The fullest form that fits. */
static char *choose(struct function_name *name, struct made *made, size_t width, bool utf8)
{
	static const struct shown forms[] = {{true, true, true},
					     {false, true, true},
					     {false, false, true},
					     {false, false, false}};
	const char *suffix = name->text + name->end;

	for (size_t i = 0; i < ARRAY_LENGTH(forms); i++) {
		make(name, forms[i], made);
		if (text_width(made->text, utf8) + text_width(suffix, utf8) <= width)
			return join(made->text, suffix, "");
		suffix = name->text + name->end + name_qualifiers(name->text + name->end);
	}
	return drop_outer(name, made, suffix, width, utf8);
}

char *shorten_function(const char *text, size_t width, bool utf8)
{
	struct function_name name;
	struct made made = {.ellipsis = text_marks(utf8)->ellipsis};
	char *result = NULL;
	int ret;

	if (text_width(text, utf8) <= width)
		return strdup(text);
	ret = name_parse(text, &name);
	if (ret == -EINVAL) {
		result = text_cut(text, width, utf8);
	} else if (ret >= 0) {
		/* "(x)" becomes "(…)", at most twice as long. */
		made.text = malloc(2 * strlen(text) + 1);
		made.parts = calloc(name.part_count, sizeof(*made.parts));
		if (made.text && made.parts)
			result = choose(&name, &made, width, utf8);
	}
	free(made.text);
	free(made.parts);
	free(name.parts);
	return result;
}
