// SPDX-License-Identifier: BSD-2-Clause
// What a flame graph does beyond being a picture, on the page of profil html and in a file of its own.
// Click a box, or Enter: zoom to it; Escape: back. Arrow keys walk. "/" searches: what matches lights
// up, and its samples are summed.
"use strict";

(() => {
	const own = document.documentElement.localName === "svg" ? document.documentElement : null;
	// Of each view of each graph of the page, what is enlarged; and what ends with a graph.
	const enlarged = new Map(), ends = new Map();

	function begin(svg, isAgain) {
		const NS = "http://www.w3.org/2000/svg";
		const LETTER = 7.7, PAD = 3;
		const id = own ? "" : svg.closest("section").id;
		const get = name => document.getElementById(`${id}-${name}`);
		const view = `${id}\n${svg.dataset.view}`;
		const over = new AbortController(), {signal} = over;

		ends.get(id)?.abort();
		ends.set(id, over);

		// A box is a rectangle with a title, and behind it the text that fits into it, if any does.
		const boxes = Array.from(svg.querySelectorAll("rect"), rect => {
			const title = rect.querySelector("title");
			const next = rect.nextElementSibling;

			return title && {
				rect,
				words: title.textContent.split("\n"),
				text: next && next.localName === "text" ? next : null,
				x: Number(rect.getAttribute("x")),
				y: Number(rect.getAttribute("y")),
				width: Number(rect.getAttribute("width")),
				fill: rect.getAttribute("fill"),
			};
		}).filter(Boolean);
		const all = boxes[0];

		if (!all)
			return;

		const number = text => Number(text.replaceAll(",", ""));
		const amount = box => box.words.at(-1);
		// Its samples: of a comparison, those before and after; of times there are none.
		const counts = box => Array.from(amount(box).matchAll(/([\d,]+) samples?\b/g),
			found => number(found[1]));
		// Down from the whole, or negative: up.  Around a function (parts.js) there are both.
		const depth = box => Math.round((box.y - all.y) / 17);
		const steps = box => Math.abs(depth(box));
		// A hundredth of a pixel is what numbers are rounded to, and half of one stands between two boxes.
		const isIn = (box, around) => box.x >= around.x - 0.02 &&
			box.x + box.width <= around.x + around.width + 0.52;
		const isBelow = (box, around) => steps(box) > steps(around) &&
			depth(box) * depth(around) >= 0 && isIn(box, around);
		const byDepth = boxes.slice().sort((a, b) => steps(a) - steps(b) || a.x - b.x);
		const hasSides = boxes.some(box => depth(box) < 0) && boxes.some(box => depth(box) > 0);
		let current = all, zoomed = all, room = all.width, status = () => {};

		// 95 % interval of a share (Wilson).
		function interval(samples, total) {
			const z = 1.959964, share = samples / total, spread = z * z / total;
			const middle = (share + spread / 2) / (1 + spread);
			const half = z / (1 + spread) * Math.sqrt(share * (1 - share) / total + spread / total / 4);

			return [middle - half, middle + half].map(end => (100 * end).toFixed(1)).join(" – ");
		}

		// Repeated runs, of a comparison, differ by more than the interval of their sum says.
		function part(samples, total, least, when) {
			const share = (100 * samples / (total || 1)).toFixed(1);

			return `${when}${least}${samples.toLocaleString("en")} samples, ${share} %` +
				(when ? "" : ` (${interval(samples, total)} %)`);
		}

		function label(box, x, width) {
			const letters = Math.floor((width - 2 * PAD) / LETTER), name = box.words[0];

			if (letters < 3) {
				if (box.text)
					box.text.textContent = "";
				return;
			}
			if (!box.text) {
				box.text = document.createElementNS(NS, "text");
				box.text.setAttribute("y", box.y + 12);
				box.text.setAttribute("font-size", 12);
				box.text.setAttribute("fill", "#202020");
				box.rect.after(box.text);
			}
			box.text.setAttribute("x", x + PAD);
			box.text.textContent = name.length <= letters ? name : name.slice(0, letters - 1) + "…";
		}

		function show(box, x, width, fades) {
			const visible = width > 0;

			box.rect.style.display = visible ? "" : "none";
			box.rect.style.opacity = fades ? 0.55 : "";
			if (box.text)
				box.text.style.display = visible ? "" : "none";
			if (!visible)
				return;
			box.rect.setAttribute("x", x);
			box.rect.setAttribute("width", Math.max(width - (width > 2 ? 0.5 : 0), 0.1));
			label(box, x, width);
		}

		function zoom(to) {
			const scale = room / to.width;

			zoomed = to;
			enlarged.set(view, byDepth.filter(box => box === to || isBelow(to, box))
				.map(box => [box.words[0], depth(box)]));
			for (const box of boxes)
				if (box === to || isBelow(box, to))
					show(box, all.x + (box.x - to.x) * scale, box.width * scale, false);
				else if (isBelow(to, box))
					show(box, all.x, room, true);
				else
					show(box, 0, 0, false);
		}

		// What is added up in one box, or too narrow on it, has no names: there may be more.
		const isSum = box => box !== all && box.words.length === 2;
		const hides = box => isSum(box) || amount(box).endsWith(" too narrow");

		// A box within one that matches has its samples already.
		function search(pattern) {
			const within = [];
			const totals = hasSides ? [...counts(all), ...counts(all)] : counts(all);
			const samples = totals.map(() => 0);
			const sides = hasSides ? ["callers ", "what it called "] : ["before ", "after "];
			let expression = null, sum = 0, least = "";

			try {
				expression = pattern ? new RegExp(pattern, "i") : null;
			} catch {
				status("not a regular expression");
				return;
			}
			for (const box of byDepth) {
				const matches = expression && box !== all && !isSum(box) &&
					expression.test(box.words[0]);

				box.rect.setAttribute("fill", matches ? "#e13fe1" : box.fill);
				if (!(matches || hides(box)) || within.some(outer => isBelow(box, outer)))
					continue;
				if (!matches) {
					least = "at least ";
					continue;
				}
				within.push(box);
				sum += box.width;
				counts(box).forEach((count, side) => samples[side + (hasSides && depth(box) > 0)] += count);
			}
			if (!expression)
				status("");
			else if (totals.length)
				status("matches: " + totals.map((total, side) => part(samples[side], total, least,
					totals.length > 1 ? sides[side] : "")).join("; "));
			else
				status(`matches: ${least}${(100 * sum / all.width).toFixed(1)} %`);
		}

		function look(box) {
			current.rect.removeAttribute("stroke");
			current = box;
			box.rect.setAttribute("stroke", "#000");
			status(box.words.join(" · "));
		}

		// The widest box above or below, or the one beside it.
		function walk(key) {
			const step = {ArrowUp: -1, ArrowDown: 1}[key];
			const seen = boxes.filter(box => box.rect.style.display !== "none");
			const at = depth(current);
			const beside = seen.filter(box => depth(box) === at).sort((a, b) => a.x - b.x);
			let to;

			if (step)
				to = seen.filter(box => depth(box) === at + step && (isIn(box, current) || isIn(current, box)))
					.sort((a, b) => b.width - a.width)[0];
			else
				to = beside[beside.indexOf(current) + (key === "ArrowLeft" ? -1 : 1)];
			if (to)
				look(to);
		}

		function reset() {
			search("");
			zoom(all);
		}

		for (const box of boxes) {
			for (const part of [box.rect, box.text])
				if (part)
					part.style.cursor = "pointer";
			box.rect.addEventListener("click", () => zoom(box));
			box.rect.addEventListener("mouseenter", () => look(box));
			if (box.text)
				box.text.style.pointerEvents = "none";
		}

		const ask = () => search(prompt("Search, as a regular expression:", "") || "");

		function press(event) {
			if (event.key.startsWith("Arrow"))
				walk(event.key);
			else if (event.key === "Enter")
				zoom(current);
			else if (event.key === "Escape")
				own ? reset() : get("reset").click();
			else if (event.key === "b" && !own && get("around"))
				get("around").click();
			else if (own && (event.key === "/" || (event.key === "f" && event.ctrlKey)))
				ask();
			else
				return;
			event.preventDefault();
		}

		(own ? window : svg).addEventListener("keydown", press, {signal});
		if (own) {
			const write = (words, x, y, end, work) => {
				const text = document.createElementNS(NS, "text");

				for (const [name, value] of Object.entries({x, y, "font-size": 12, fill: "#444",
					"text-anchor": end ? "end" : "start"}))
					text.setAttribute(name, value);
				text.textContent = words;
				if (work) {
					text.style.cursor = "pointer";
					text.addEventListener("click", work);
				}
				return svg.appendChild(text);
			};
			const right = all.x + all.width;
			const line = write("", all.x, Number(svg.getAttribute("height")) - 26, false);

			write("Search", right - 50, 22, true, ask);
			write("Reset", right, 22, true, reset);
			status = words => line.textContent = words;
			return;
		}
		// As wide as the page has room for.
		const fit = () => {
			room = svg.parentNode.clientWidth || all.width;
			svg.setAttribute("width", room);
			svg.setAttribute("viewBox", `0 0 ${room} ${svg.getAttribute("height")}`);
			zoom(zoomed);
		};

		// The same functions below each other, as far as they are still there.
		for (const [name, level] of (enlarged.get(view) || []).slice(1)) {
			const next = byDepth.find(box => depth(box) === level && isIn(box, zoomed) && box.words[0] === name);

			if (!next)
				break;
			zoomed = next;
		}
		fit();
		addEventListener("resize", fit, {signal});
		for (const choice of document.querySelectorAll("[name=flame-of]"))
			choice.addEventListener("change", fit, {signal});
		svg.setAttribute("tabindex", 0);
		// Functions whose code is on the page have a link to it in the table.
		const links = new Map(Array.from(document.querySelectorAll("#rows .f a"), link =>
			[link.textContent + "\n" + link.closest("tr").querySelector(".o").textContent, link.hash]));

		status = words => {
			const hash = links.get(current.words.slice(0, 2).join("\n"));

			get("status").textContent = words;
			get("code").hidden = !hash;
			if (hash)
				get("code").href = hash;
			if (get("around")) {
				get("around").disabled = !current.rect.dataset.f;
				get("around").dataset.f = current.rect.dataset.f;
			}
		};
		// On the way to what can be done with it, the pointer passes others.
		svg.addEventListener("mouseleave", () => zoomed !== all && look(zoomed), {signal});
		get("search").addEventListener("input", event => search(event.target.value), {signal});
		get("reset").addEventListener("click", () => {
			get("search").value = "";
			reset();
		}, {signal});
		get("tools").hidden = false;
		if (isAgain)
			look(zoomed);
		if (get("search").value)
			search(get("search").value);
	}

	const beginAll = isAgain => (own ? [own] : document.querySelectorAll("svg.flame"))
		.forEach(svg => begin(svg, isAgain));

	// What is measured moves (live.js), or another part of it is drawn (parts.js): the boxes are new.
	addEventListener("replaced", () => beginAll(true));
	addEventListener("redrawn", () => begin(document.querySelector("#flame svg"), true));
	beginAll(false);
})();
