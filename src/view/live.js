// SPDX-License-Identifier: BSD-2-Clause
// What makes the page of profil serve move: while a program is measured, an event says that there are
// more samples, and each section is replaced by what it is now.  What the reader has typed, sorted,
// enlarged and unfolded stays.
"use strict";

(() => {
	const status = document.getElementById("moves");
	let isBusy = false, isLate = false;

	// Where a fold is, in words that do not change as samples come.
	function place(fold) {
		const words = fold.querySelector("summary").cloneNode(true);
		const around = fold.parentElement.closest("details");

		for (const count of words.querySelectorAll("small, .about"))
			count.remove();
		return (around ? place(around) : "") + "\n" + words.textContent.replace(/[\d,]+/g, "");
	}

	// A section's tools stay what they are, for somebody may be typing there.
	function replace(section, now) {
		const tools = section.querySelector(":scope > .tools");
		const open = new Map(Array.from(section.querySelectorAll("details"),
			fold => [place(fold), fold.open]));
		let isBefore = Boolean(tools);

		for (const fold of now.querySelectorAll("details"))
			fold.open = open.get(place(fold)) ?? fold.open;
		for (const child of Array.from(section.children))
			if (child !== tools)
				child.remove();
		for (const child of Array.from(now.children))
			if (tools && child.matches(".tools"))
				isBefore = false;
			else if (isBefore)
				tools.before(child);
			else
				section.append(child);
	}

	async function show() {
		const answer = await fetch("?newest=1", {cache: "no-store"});
		const page = new DOMParser().parseFromString(await answer.text(), "text/html");
		const main = document.querySelector("main");

		if (!answer.ok)
			throw new Error(page.body.textContent);
		document.querySelector(".facts").replaceWith(page.querySelector(".facts"));
		for (const now of page.querySelectorAll("main > section")) {
			const section = document.getElementById(now.id);

			if (section && Boolean(section.querySelector(":scope > .tools")) ===
			    Boolean(now.querySelector(":scope > .tools")))
				replace(section, now);
			else if (section)
				section.replaceWith(now);
			else
				main.append(now);
		}
		dispatchEvent(new Event("replaced"));
	}

	async function refresh() {
		isLate = isBusy;
		if (isBusy)
			return;
		isBusy = true;
		try {
			await show();
		} catch (error) {
			status.textContent = error.message;
		}
		isBusy = false;
		if (isLate)
			refresh();
	}

	const events = new EventSource("/events");

	events.onmessage = event => {
		status.textContent = event.data;
		if (event.data === "ended")
			events.close();
		refresh();
	};
	events.onerror = () => status.textContent = "the server does not answer";
})();
