// SPDX-License-Identifier: BSD-2-Clause
// What the page of profil html does beyond being read: a link opens what is folded; its table of
// functions is sorted by a title's button and filtered by words; "/" goes to the filter.
"use strict";

(() => {
	let over = new AbortController(), order = null;

	function begin() {
		const {signal} = over;

		// Browsers that do not open what a link leads to.
		function unfold() {
			const part = document.getElementById(location.hash.slice(1));
			const folded = part && part.closest("details:not([open])");

			if (!folded)
				return;
			folded.open = true;
			part.scrollIntoView();
		}

		addEventListener("hashchange", unfold, {signal});
		for (const link of document.querySelectorAll(".f a"))
			link.addEventListener("click", () => setTimeout(unfold));
		unfold();

		const table = document.getElementById("rows");

		if (!table)
			return;

		const body = table.tBodies[0];
		const rows = Array.from(body.rows, (row, place) => ({
			row,
			place,
			samples: Number(row.dataset.samples),
			total: Number(row.dataset.total),
			name: row.querySelector(".f code").textContent,
			object: row.querySelector(".o").textContent,
		}));
		const total = Number(document.getElementById("sum").dataset.samples);
		const words = document.getElementById("filter");
		const found = document.getElementById("found");
		const more = document.getElementById("more");
		const thousands = new Intl.NumberFormat("en");

		// What is looked at from most to least; the others are names.
		const isCount = key => key === "samples" || key === "total";

		// Where the key is the same, rows stand as they came: by samples, then by name.
		function sort(key, direction) {
			const sign = direction === "ascending" ? 1 : -1;
			const compare = isCount(key)
				? (a, b) => sign * (a[key] - b[key]) || a.place - b.place
				: (a, b) => sign * a[key].localeCompare(b[key], "en") || a.place - b.place;

			order = [key, direction];
			body.append(...rows.sort(compare).map(item => item.row));
			for (const title of table.tHead.querySelectorAll("[data-key]"))
				if (title.dataset.key === key)
					title.setAttribute("aria-sort", direction);
				else
					title.removeAttribute("aria-sort");
		}

		// A row is shown that has all words in its names.
		function filter() {
			const wanted = words.value.toLowerCase().split(/\s+/);
			let count = 0, samples = 0;

			// What is looked for may be among the folded rows.
			if (more && words.value.trim())
				more.open = true;
			for (const item of rows) {
				const text = `${item.name} ${item.object}`.toLowerCase();
				const shown = wanted.every(word => text.includes(word));

				item.row.hidden = !shown;
				count += shown;
				samples += shown ? item.samples : 0;
			}
			found.textContent = words.value.trim()
				? `${thousands.format(count)} of ${thousands.format(rows.length)} rows, ` +
				  `${thousands.format(samples)} samples, ${(100 * samples / total).toFixed(1)} %`
				: "";
		}

		for (const title of table.tHead.querySelectorAll("[data-key]")) {
			const button = document.createElement("button");
			const first = isCount(title.dataset.key) ? "descending" : "ascending";

			button.type = "button";
			button.append(...title.childNodes);
			title.append(button);
			button.addEventListener("click", () => {
				const now = title.getAttribute("aria-sort");
				const other = now === "ascending" ? "descending" : "ascending";

				sort(title.dataset.key, now ? other : first);
			});
		}
		words.closest(".tools").hidden = false;
		words.addEventListener("input", filter, {signal});
		words.addEventListener("keydown", event => {
			if (event.key !== "Escape")
				return;
			words.value = "";
			filter();
		}, {signal});
		addEventListener("keydown", event => {
			if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey ||
			    event.target === words)
				return;
			event.preventDefault();
			words.focus();
		}, {signal});
		// A browser that comes back to the page fills the box again.
		filter();
		if (order)
			sort(...order);
	}

	// What is measured moves (live.js): all that begin() has looked at is new.
	addEventListener("replaced", () => {
		over.abort();
		over = new AbortController();
		begin();
	});
	begin();
})();
