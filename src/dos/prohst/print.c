/* SPDX-License-Identifier: BSD-2-Clause */
#include "dos/prohst/print.h"

#define DIGITS_MAX 24

static void put(const struct print *print, int byte)
{
	(*print->output.put)(print->output.context, byte);
}

void print_open(struct print *print, const struct prohst_output *output, int unix_text)
{
	print->output = *output;
	print->unix_text = unix_text;
}

void print_end(const struct print *print)
{
	if (!print->unix_text)
		put(print, 0x1a);
}

void print_text(const struct print *print, const char *text)
{
	for (; *text; text++)
		put(print, *text);
}

void print_bytes(const struct print *print, const char *bytes, unsigned count)
{
	for (; count; count--)
		put(print, *bytes++ & 0xff);
}

void print_repeated(const struct print *print, int byte, unsigned count)
{
	for (; count; count--)
		put(print, byte);
}

void print_line(const struct print *print, const char *text)
{
	print_text(print, text);
	print_text(print, print->unix_text ? "\n" : "\r\n");
}

/* DIGITS has COUNT characters, the last one first. */
static void put_field(const struct print *print, const char *digits, unsigned count, unsigned width,
		      int fill)
{
	for (; width > count; width--)
		put(print, fill);
	while (count)
		put(print, digits[--count]);
}

void print_decimal(const struct print *print, unsigned value, unsigned width)
{
	char digits[DIGITS_MAX];
	unsigned count = 0;

	do {
		digits[count++] = (char)('0' + (int)(value % 10));
		value /= 10;
	} while (value);
	put_field(print, digits, count, width, ' ');
}

void print_hex(const struct print *print, unsigned value, unsigned width)
{
	char digits[DIGITS_MAX];
	unsigned count = 0;

	do {
		digits[count++] = "0123456789ABCDEF"[value & 15];
		value >>= 4;
	} while (value);
	put_field(print, digits, count, width, '0');
}

/* Take the last digit from LEFT: in 16 bits where it has no more, which is much faster on an 8086.
 */
static unsigned take_digit(struct wide *left)
{
	struct wide ten, digit;
	unsigned word;

	if (wide_bits(left) > 16) {
		wide_set(&ten, 10);
		wide_divide(left, &ten, &digit);
		return wide_word(&digit);
	}
	word = wide_word(left);
	wide_set(left, word / 10);
	return word % 10;
}

void print_tenths(const struct print *print, const struct wide *tenths, unsigned width)
{
	char digits[DIGITS_MAX];
	struct wide left;
	unsigned count = 0;

	left = *tenths;
	do {
		digits[count++] = (char)('0' + (int)take_digit(&left));
		if (count == 1)
			digits[count++] = '.';
	} while (wide_bits(&left) || count < 3);
	put_field(print, digits, count, width, ' ');
}
