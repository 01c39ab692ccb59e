// SPDX-License-Identifier: BSD-2-Clause
/* Statements of all kinds for the SQLite in this program, most of them read anew each time: sql
 * ROUNDS prints what they answer. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const statements[] = {
	"create table t(a integer primary key, b text, c int); create index i on t(b)",
	"with recursive n(x) as (select 1 union all select x + 1 from n where x < 20000)"
	" insert into t select x, printf('%d name %d', x * 7919 % 100003, x), x % 1000 from n",
	"select c, count(*), sum(a), max(b) from t group by c order by 3 desc limit 5",
	"select count(*) from t x join t y on x.b = y.b where y.c < 500 and x.b like '%9%'",
};

static int print(void *context, int count, char **values, char **names)
{
	(void)context, (void)names;
	for (int i = 0; i < count; i++)
		printf("%s|", values[i] ? values[i] : "");
	return puts("") < 0;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1000;
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db))
		return 1;
	for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++)
		if (sqlite3_exec(db, statements[i], print, NULL, NULL))
			return 1;
	for (int i = 0; i < rounds; i++) {
		char *text = sqlite3_mprintf("update t set c = c + %d where a = %d and b > '1';"
					     "select a, c from t where b between '%d' and '%d9' "
					     "and c in (select c from t where a < 9) limit 3",
					     i, i * 7 % 20000, i, i);

		if (!text || sqlite3_exec(db, text, print, NULL, NULL))
			return 1;
		sqlite3_free(text);
	}
	return sqlite3_exec(db, "select sum(c), count(*) from t", print, NULL, NULL);
}
