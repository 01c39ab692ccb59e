// SPDX-License-Identifier: BSD-2-Clause
#include "view/function_name.h"

#include "base/array.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NESTED_MAX 64 /* brackets in brackets; what has more is no name to read */

bool name_begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

bool name_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* "operator std::vector<int>": up to its parameters. */
static size_t conversion_size(const char *text, size_t size)
{
	size_t depth = 0;

	for (; text[size]; size++) {
		if (text[size] == '<')
			depth++;
		else if (text[size] == '>' && depth)
			depth--;
		else if (!depth && strchr("(),", text[size]))
			break;
	}
	return size;
}

/* How long the operator's name is that TEXT begins with: "operator<=>", "operator new[]", "operator
 * bool"; 0 when it is none. */
static size_t operator_size(const char *text)
{
	static const char *const symbols[] = {
		"()", "[]", "->*", "<=>", "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "==", "!=",
		"&&", "||", "++",  "--",  "+=",	 "-=",	"*=", "/=", "%=", "^=", "&=", "|=", "<",
		">",  "+",  "-",   "*",	  "/",	 "%",	"^",  "&",  "|",  "~",	"!",  "=",  ",",
	};
	size_t size = strlen("operator");

	if (!name_begins(text, "operator") || name_is_word(text[size]))
		return 0;
	if (text[size] == ' ' && (name_is_word(text[size + 1]) || text[size + 1] == '('))
		return conversion_size(text, size + 1);
	if (name_begins(text + size, "\"\""))
		return conversion_size(text, size + 2);
	for (size_t i = 0; i < ARRAY_LENGTH(symbols); i++)
		if (name_begins(text + size, symbols[i])) {
			size += strlen(symbols[i]);
			/* "operator< <int>" */
			return size + name_begins(text + size, " <");
		}
	return 0;
}

size_t name_operator(const char *text, size_t at)
{
	return at && name_is_word(text[at - 1]) ? 0 : operator_size(text + at);
}

size_t name_group(const char *text)
{
	static const char opening[] = "(<[{", closing[] = ")>]}";
	char open[NESTED_MAX];
	size_t depth = 0, size;

	for (size_t at = 0; text[at]; at += size) {
		const char *found;

		size = name_operator(text, at);
		if (size)
			continue;
		size = name_begins(text + at, "->") ? 2 : 1;
		if (size == 2)
			continue;
		found = strchr(opening, text[at]);
		if (found) {
			if (depth == NESTED_MAX)
				return 0;
			open[depth++] = closing[found - opening];
			continue;
		}
		if (!strchr(closing, text[at]) || (text[at] == '>' && open[depth - 1] != '>'))
			continue;
		while (depth && open[depth - 1] == '>' && text[at] != '>')
			depth--;
		if (!depth || open[depth - 1] != text[at])
			return 0;
		if (!--depth)
			return at + 1;
	}
	return 0;
}

bool name_is_arguments(const struct function_name *name, size_t at)
{
	char before = at ? name->text[at - 1] : '\0';

	return before &&
	       (name_is_word(before) || strchr(">])}'\"", before) || at == name->operated);
}

size_t name_qualifiers(const char *text)
{
	static const char *const words[] = {" const", " volatile", " &&", " &", " noexcept"};
	size_t size = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
		if (name_begins(text + size, words[i]))
			size += strlen(words[i]);
	return size;
}

/* What may stand behind a name and is no part of it. */
static bool is_suffix(const char *text)
{
	static const char *const suffixes[] = {" [", " (inlined)", " (.", "+0x", "@", " and "};

	for (size_t i = 0; i < ARRAY_LENGTH(suffixes); i++)
		if (name_begins(text, suffixes[i]))
			return true;
	return !*text;
}

size_t name_separator(const struct function_name *name, const char *text)
{
	if (name->dotted)
		return *text == '/' || (*text == '.' && text >= name->text + name->path);
	return name_begins(text, "::") ? 2 : 0;
}

static int add_part(struct function_name *name, size_t at)
{
	if (ARRAY_RESERVE(name->parts, name->part_capacity, name->part_count + 1))
		return -ENOMEM;
	name->parts[name->part_count++] = at;
	return 0;
}

/* What stands before a blank is the return type.  Returns 0 or -ENOMEM. */
static int begin_at(struct function_name *name, size_t at)
{
	name->begin = at;
	name->part_count = 0;
	return add_part(name, at);
}

/* The brackets at *AT, which goes on behind them; the last parameters end the name.
 * Returns 0, or -EINVAL when they are not understood. */
static int take_group(struct function_name *name, size_t *at)
{
	const char *text = name->text;
	bool is_call = text[*at] == '(' && name_is_arguments(name, *at);
	size_t size = name_group(text + *at), start = *at, qualifiers;

	/* Of these, pointers to functions, a name is not to be had. */
	if (!size || (name_begins(text + start, "(") && start && text[start - 1] == ' ' &&
		      !name_begins(text + start, "(anonymous ")))
		return -EINVAL;
	*at += size;
	if (!is_call)
		return 0;
	qualifiers = name_qualifiers(text + *at);
	/* "f(int) const::{lambda()#1}" */
	if (name_separator(name, text + *at + qualifiers)) {
		*at += qualifiers;
		return 0;
	}
	name->params = start;
	name->end = *at;
	return is_suffix(text + *at + qualifiers) ? 0 : -EINVAL;
}

int name_parse(const char *text, struct function_name *name)
{
	const char *slash = memrchr(text, '/', strcspn(text, "([< "));
	size_t size, at;
	int ret;

	*name = (struct function_name){.text = text, .dotted = !strstr(text, "::")};
	name->path = slash ? (size_t)(slash - text) : 0;
	ret = begin_at(name, 0);

	for (at = 0; ret >= 0 && !name->end && !is_suffix(text + at); at += size) {
		size = name_operator(text, at);
		if (size) {
			name->operated = at + size;
			continue;
		}
		size = name_separator(name, text + at);
		if (size && at > name->begin) {
			ret = add_part(name, at);
		} else if (strchr("(<[{", text[at])) {
			size = 0;
			ret = take_group(name, &at);
		} else if (!size) {
			size = 1;
			if (text[at] == ' ')
				ret = begin_at(name, at + 1);
		}
	}
	if (ret < 0 || name->end)
		return ret;
	name->params = name->end = at;
	/* A return type has parameters; in other names with dots those are the compiler's. */
	if (name->begin || (name->dotted && !strstr(text, ".(") && !name->path))
		return -EINVAL;
	return 0;
}
