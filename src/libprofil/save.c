// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/save.h"

#include "libprofil/export.h"
#include "libprofil/session.h"

#include <dlfcn.h>
#include <errno.h>

/* Beside this library first, as its run path says; it stays loaded. */
static save_write *load(void)
{
	void *object = dlopen(SAVE_OBJECT, RTLD_NOW | RTLD_LOCAL);

	return object ? (save_write *)dlsym(object, SAVE_SYMBOL) : NULL;
}

EXPORT int profil_save(struct profil_measurement *measurement, const char *path)
{
	struct save_job job = {};
	save_write *write_profile = load();
	int ret = write_profile ? 0 : -EOPNOTSUPP;

	if (!ret) {
		counting_lock();
		ret = counting_account(&measurement->counting, &job.account);
		job.table = measurement->table;
		job.engine = session_engine(measurement);
		job.period_ns = measurement->period_ns;
		job.began_ns = measurement->began_ns;
		job.duration_ns = session_duration(measurement);
		job.is_on = measurement->counting.inside;
		counting_unlock();
	}
	if (!ret)
		ret = write_profile(&job, path);
	return with_errno(ret);
}
