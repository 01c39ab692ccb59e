// SPDX-License-Identifier: BSD-2-Clause
#include "view/shorten.h"

#include "view/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STEPS_MAX 16

struct step {
	size_t width;
	const char *text;
};

static const struct {
	const char *name;
	struct step steps[STEPS_MAX];
} cases[] = {
	{"bool v8::internal::JsonParser<unsigned short>::ParseString(v8::Handle<int>, bool) const",
	 {{86,
	   "v8::internal::JsonParser<unsigned short>::ParseString(v8::Handle<int>, bool) const"},
	  {81, "v8::internal::JsonParser<unsigned short>::ParseString(…)"},
	  {80, "v8::internal::JsonParser<unsigned short>::ParseString(…)"},
	  {55, "v8::internal::JsonParser<…>::ParseString(…)"},
	  {54, "v8::internal::JsonParser<…>::ParseString(…)"},
	  {42, "…::internal::JsonParser<…>::ParseString(…)"},
	  {41, "…::JsonParser<…>::ParseString(…)"},
	  {31, "…::ParseString(…)"},
	  {30, "…::ParseString(…)"},
	  {16, "…::ParseString"},
	  {15, "…::ParseString"},
	  {13, "ParseString"},
	  {12, "ParseString"},
	  {10, "Parse…ring"},
	  {9, "Pars…ring"}}},
	{"void (anonymous namespace)::Thing<int, std::vector<long> >::run(std::function<void "
	 "(int)>)",
	 {{90, "void (anonymous namespace)::Thing<int, std::vector<long> >::run(std::function<void "
	       "(int)>)"},
	  {80, "(anonymous namespace)::Thing<int, std::vector<long> >::run(…)"},
	  {40, "(anonymous namespace)::Thing<…>::run(…)"},
	  {38, "…::Thing<…>::run(…)"},
	  {18, "…::run(…)"},
	  {8, "…::run"}}},
	{"std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
	 {{82, "std::operator<< <std::char_traits<char> >(std::ostream&, char const*)"},
	  {68, "std::operator<< <std::char_traits<char> >(…)"},
	  {43, "std::operator<< <…>(…)"},
	  {21, "…::operator<< <…>(…)"},
	  {19, "…::operator<< <…>"},
	  {10, "operator<<"}}},
	{"bool ns::operator<(ns::A const&, ns::A const&)",
	 {{45, "ns::operator<(ns::A const&, ns::A const&)"},
	  {40, "ns::operator<(…)"},
	  {15, "…::operator<(…)"},
	  {11, "operator<"}}},
	{"bool ns::operator< <ns::A>(ns::A const&)",
	 {{39, "ns::operator< <ns::A>(ns::A const&)"},
	  {24, "ns::operator< <ns::A>(…)"},
	  {22, "ns::operator< <…>(…)"}}},
	{"ns::A::operator()(int, long) const",
	 {{33, "ns::A::operator()(…)"},
	  {19, "…::A::operator()(…)"},
	  {18, "…::operator()(…)"},
	  {15, "…::operator()"},
	  {12, "operator()"}}},
	{"ns::A::operator->() const",
	 {{24, "ns::A::operator->()"},
	  {18, "…::A::operator->()"},
	  {15, "…::operator->()"},
	  {14, "…::operator->"}}},
	{"ns::A::operator std::vector<int>() const",
	 {{35, "ns::A::operator std::vector<int>()"}, {30, "…::operator std::vector<int>()"}}},
	{"ns::A::operator unsigned char()",
	 {{30, "…::A::operator unsigned char()"}, {28, "…::operator unsigned char()"}}},
	{"operator new[](unsigned long, std::align_val_t)",
	 {{46, "operator new[](…)"}, {15, "operator new[]"}}},
	{"auto ns::operator\"\" _km<long>(long double)",
	 {{41, "ns::operator\"\" _km<long>(long double)"},
	  {36, "ns::operator\"\" _km<long>(…)"},
	  {26, "…::operator\"\" _km<long>(…)"}}},
	{"main::{lambda(int, long)#1}::operator()(int, long) const",
	 {{55, "main::{lambda(…)#1}::operator()(…)"},
	  {33, "main::{lambda(…)#1}::operator()"},
	  {30, "main::{lambda(……1}::operator()"}}},
	{"ns::f()::'lambda'(int)::operator()(int) const",
	 {{44, "ns::f()::'lambda'(…)::operator()(…)"},
	  {35, "ns::f()::'lambda'(…)::operator()(…)"},
	  {33, "…::f()::'lambda'(…)::operator()"}}},
	{"foo::f(int, long) const::g(char)::h(std::string)+0x1f",
	 {{46, "foo::f(…) const::g(…)::h(…)+0x1f"},
	  {25, "…::g(…)::h(…)+0x1f"},
	  {17, "…::h(…)+0x1f"},
	  {11, "…::h(…)"}}},
	{"Foo::bar(int, int (*)(char)) (inlined)",
	 {{37, "Foo::bar(…) (inlined)"},
	  {20, "…::bar(…) (inlined)"},
	  {18, "…::bar(…)"},
	  {8, "…::bar"}}},
	{"std::enable_if<(4>2), void>::type foo::bar<(4>2)>(int) [clone .constprop.0]",
	 {{74, "foo::bar<(4>2)>(int) [clone .constprop.0]"},
	  {40, "foo::bar<(4>2)>(…) [clone .constprop.0]"},
	  {38, "foo::bar<…>(…) [clone .constprop.0]"},
	  {34, "…::bar<…>(…) [clone .constprop.0]"},
	  {32, "…::bar<…>(…)"},
	  {10, "…::bar<…>"}}},
	{"<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
	 {{52, "<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop"},
	  {50, "<Vec<…> as Drop>::drop"},
	  {21, "…::drop"},
	  {20, "…::drop"}}},
	{"<&mut a::IntoIter<u8> as core::iter::Iterator>::size_hint::{{closure}}",
	 {{69, "<&mut a::IntoIter<…> as core::iter::Iterator>::size_hint::{{closure}}"},
	  {60, "<&mut IntoIter<…> as Iterator>::size_hint::{{closure}}"},
	  {40, "…::size_hint::{{closure}}"}}},
	{"<<a::T as b::C>::D as c::E>::f",
	 {{29, "<<T as C>::D as E>::f"}, {20, "…::f"}, {10, "…::f"}}},
	{"core::ops::function::FnOnce::call_once<fn(u8) -> u8>{{vtable.shim}}",
	 {{65, "core::ops::function::FnOnce::call_once<…>{{vtable.shim}}"},
	  {37, "…::call_once<…>{{vtable.shim}}"}}},
	{"encoding/json.(*decodeState).object",
	 {{34, "…/json.(*decodeState).object"},
	  {27, "….(*decodeState).object"},
	  {21, "….object"},
	  {6, "object"}}},
	{"github.com/some/thing/pkg.(*Type[go.shape.int,go.shape.string]).Method.func1",
	 {{75, "github.com/some/thing/pkg.(*Type[…]).Method.func1"},
	  {39, "…/thing/pkg.(*Type[…]).Method.func1"},
	  {28, "….(*Type[…]).Method.func1"},
	  {24, "….Method.func1"},
	  {13, "Method.func1"}}},
	{"java.lang.Object jdk.internal.misc.Unsafe.getReferenceVolatile(java.lang.Object, long)",
	 {{85, "jdk.internal.misc.Unsafe.getReferenceVolatile(java.lang.Object, long)"},
	  {47, "….internal.misc.Unsafe.getReferenceVolatile(…)"},
	  {30, "….getReferenceVolatile(…)"},
	  {21, "getReferenceVolatile"}}},
	{"void java.lang.Object.<init>()",
	 {{29, "java.lang.Object.<init>()"}, {20, "….Object.<init>()"}, {9, "….<init>"}}},
	{"void f<int>(int)", {{12, "f<int>(int)"}, {7, "f<…>(…)"}, {6, "f"}, {1, "f"}}},
	{"операция::имя<тип>::функция(аргумент)",
	 {{36, "операция::имя<тип>::функция(…)"},
	  {28, "операция::имя<…>::функция(…)"},
	  {12, "…::функция"},
	  {7, "функция"}}},
	{"JS:*fib /srv/some/one/program.js:1:13", {{29, "JS:*fib /srv/s…rogram.js:1:13"}}},
	{"LazyCompile:~run (anonymous) /app/a.js:3",
	 {{39, "LazyCompile:~run (a…nymous) /app/a.js:3"}}},
	{"libsqlite3.so.0.8.6+0x123456", {{27, "libsqlite3.so….8.6+0x123456"}}},
	{"a_c_function_in_a_kernel.constprop.0 (inlined)",
	 {{30, "a_c_function_in…op.0 (inlined)"}}},
	{"int (*signal(int, void (*)(int)))(int)", {{30, "int (*signal(in…*)(int)))(int)"}}},
	{"[unresolved]: no mapping at the address", {{30, "[unresolved]: n…at the address"}}},
	{"a<b<c<d(((((((", {{9, "a<b<…(((("}}},
	{"f(((((", {{4, "f(…("}}},
	{"a::b)>]}::c", {{9, "…::c"}}},
	{"::", {{1, "…"}}},
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

static void expect_short(const char *name, size_t width, const char *expected)
{
	char *text = shorten_function(name, width, /* utf8= */ true);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void what_tells_least_goes_first(void **state)
{
	for (size_t i = 0; i < CASES; i++)
		for (size_t j = 0; j < STEPS_MAX && cases[i].steps[j].text; j++)
			expect_short(cases[i].name, cases[i].steps[j].width,
				     cases[i].steps[j].text);
}

static void what_fits_stays(void **state)
{
	for (size_t i = 0; i < CASES; i++)
		expect_short(cases[i].name, text_width(cases[i].name, /* utf8= */ true),
			     cases[i].name);
	expect_short("", 0, "");
}

static void nothing_is_wider_than_it_may_be(void **state)
{
	for (size_t i = 0; i < CASES; i++)
		for (size_t width = 0; width < 120; width++)
			for (int utf8 = 0; utf8 < 2; utf8++) {
				char *text = shorten_function(cases[i].name, width, utf8);

				assert_non_null(text);
				assert_true(text_width(text, utf8) <= width);
				free(text);
			}
}

static void without_utf8_it_says_so_in_ascii(void **state)
{
	char *text = shorten_function("void a::b<int>::c(int)", 14, /* utf8= */ false);

	assert_string_equal(text, "a::b<~>::c(~)");
	free(text);
}

/* Names have no bound: what is made of one takes time in proportion to it. */
static void long_names_take_no_time_to_speak_of(void **state)
{
	static const char *const pieces[] = {"a::",	 "<",		"(",
					     "f(int)::", "operator a<", "{lambda(int)#1}::",
					     "a.b/",	 "<a::",	"operator()::"};
	enum { PIECES = 50000 };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t size = strlen(pieces[i]);
		char *name = malloc(size * PIECES + 8), *text;

		assert_non_null(name);
		for (size_t j = 0; j < PIECES; j++)
			memcpy(name + j * size, pieces[i], size);
		strcpy(name + size * PIECES, "x(int)");
		text = shorten_function(name, 40, /* utf8= */ true);
		assert_non_null(text);
		assert_true(text_width(text, /* utf8= */ true) <= 40);
		free(text);
		free(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_tells_least_goes_first),
		cmocka_unit_test(what_fits_stays),
		cmocka_unit_test(nothing_is_wider_than_it_may_be),
		cmocka_unit_test(without_utf8_it_says_so_in_ascii),
		cmocka_unit_test(long_names_take_no_time_to_speak_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
