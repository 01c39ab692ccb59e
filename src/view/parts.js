// SPDX-License-Identifier: BSD-2-Clause
// What the flame graph of the page is of: all samples, or those of a process, thread, CPU or control group; and
// around a function, what called it above and what it called below, wherever it was called (a butterfly).
// It draws the boxes that flame.js moves, out of the call trees in the page.
"use strict";

(() => {
	const ROW = 17, WIDTH = 1200, NARROW = 1, FEW = 30;
	const NS = "http://www.w3.org/2000/svg";
	let names, trees, over = new AbortController();
	// What is shown: a tree by its name, and the function that it is around.
	let shown = "", around = null;

	const get = id => document.getElementById(id);
	const keyOf = tree => `${tree.way}\n${tree.name}`;

	// A node has its function f (what is added up has none, but is so many functions), its samples n, its
	// caller up and what it called, kids.  "hidden" is what functions have in nodes that are not here.
	function plant(tree) {
		const root = {f: null, n: tree.total, kids: []}, nodes = [], way = [root], hidden = new Map();

		for (let i = 0; i < tree.nodes.length; i += 3) {
			const [depth, f, n] = tree.nodes.slice(i, i + 3), up = way[depth];
			const node = f < 0 ? {f: null, more: -f, n, up, kids: []} : {f, n, up, kids: []};

			way[depth + 1] = node;
			up.kids.push(node);
			nodes.push(node);
		}
		for (let i = 0; i < tree.hidden.length; i += 2)
			hidden.set(tree.hidden[i], tree.hidden[i + 1]);
		return {root, nodes, hidden};
	}

	function isWithin(node, f) {
		for (let up = node.up; up; up = up.up)
			if (up.f === f)
				return true;
		return false;
	}

	// Samples in nodes of each function as one node, most first; what is added up is the last.
	function group(list, next) {
		const groups = new Map();

		for (const [node, n] of list) {
			const one = groups.get(node.f) || {f: node.f, n: 0, more: 0, list: []};

			one.n += n;
			one.more += node.more || 0;
			one.list.push([node, n]);
			groups.set(node.f, one);
		}
		const sorted = Array.from(groups.values()).sort((a, b) => (a.f === null) - (b.f === null) || b.n - a.n);

		for (const one of sorted)
			Object.defineProperty(one, "kids", {get: () => group(one.list.flatMap(next), next)});
		return sorted;
	}

	const callees = ([node]) => node.kids.map(kid => [kid, kid.n]);
	const callers = ([node, n]) => node.up && node.up.up ? [[node.up, n]] : [];

	const count = node => node.kids.reduce((sum, kid) => sum + (kid.more || 1 + count(kid)), 0);
	const many = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;

	// As the other graphs have it, with the 95 % interval (Wilson) where there are enough.
	function say(n, total) {
		const share = n / total, spread = 1.959964 ** 2 / total;
		const middle = (share + spread / 2) / (1 + spread);
		const half = 1.959964 / (1 + spread) * Math.sqrt(share * (1 - share) / total + spread / total / 4);
		const ends = [Math.max(middle - half, 0), Math.min(middle + half, 1)];

		return many(n, "sample") + (total < FEW ? "" : `, ${share && share < 0.0005 ? "<0.1" : (100 * share).toFixed(1)} % (` +
			`${ends.map(end => (100 * end).toFixed(1)).join(" – ")} %)`);
	}

	// The boxes of LIST and of what is on each, from X on, each a STEP up or down; narrow ones are one.
	function place(list, x, depth, step, scale, boxes) {
		for (let i = 0; i < list.length; i++) {
			const node = list[i], isNarrow = node.n * scale < NARROW;

			if (node.f === null || (isNarrow && i + 1 < list.length)) {
				const rest = list.slice(i), sum = rest.reduce((all, one) => all + one.n, 0);
				const more = rest.reduce((all, one) => all + (one.more || 1), 0);

				boxes.push({x, depth, n: sum, width: sum * scale, words: [many(more, "more function")]});
				return;
			}
			const [name, object, fill] = names[node.f], below = isNarrow ? count(node) : 0;

			boxes.push({x, depth, n: node.n, width: node.n * scale, f: node.f, fill, words: [name, object],
				note: below ? `; ${many(below, "more function")} too narrow` : ""});
			if (!isNarrow)
				place(node.kids, x, depth + step, step, scale, boxes);
			x += node.n * scale;
		}
	}

	function boxesOf(tree) {
		const {root, nodes, hidden} = plant(tree);

		if (around === null) {
			const boxes = [{x: 0, depth: 0, n: root.n, width: WIDTH, words: [tree.name]}];

			place(root.kids, 0, 1, 1, WIDTH / root.n, boxes);
			return boxes;
		}
		const own = nodes.filter(node => node.f === around && !isWithin(node, around)).map(node => [node, node.n]);
		const rest = hidden.get(around) || 0;
		const n = own.reduce((sum, one) => sum + one[1], rest), scale = WIDTH / n;
		const [name, object, fill] = names[around];
		const boxes = [{x: 0, depth: 0, n, width: WIDTH, f: around, fill, words: [name, object]}];

		for (const [step, next] of [[-1, callers], [1, callees]]) {
			place(group(own.flatMap(next), next), 0, step, step, scale, boxes);
			if (rest)
				boxes.push({x: WIDTH - rest * scale, depth: step, n: rest, width: rest * scale,
					words: ["where it is too narrow to be told apart"]});
		}
		return boxes;
	}

	function draw() {
		const tree = trees.find(one => keyOf(one) === shown) || trees[0];
		const svg = document.querySelector("#flame svg");

		if (around !== null && !tree.nodes.some((f, i) => i % 3 === 1 && f === around))
			around = null;
		shown = keyOf(tree);

		const boxes = boxesOf(tree), depths = boxes.map(box => box.depth);
		const top = depths.reduce((a, b) => Math.min(a, b)), end = depths.reduce((a, b) => Math.max(a, b));

		svg.replaceChildren(...boxes.map(box => {
			const rect = document.createElementNS(NS, "rect");
			const title = document.createElementNS(NS, "title");
			const entries = {x: box.x, y: (box.depth - top) * ROW, width: Math.max(box.width - (box.width > 2 ? 0.5 : 0), 0.1),
				height: ROW - 1, fill: box.fill || "#dedede"};

			for (const [name, value] of Object.entries(entries))
				rect.setAttribute(name, value);
			if (box.f !== undefined)
				rect.dataset.f = box.f;
			title.textContent = [...box.words, say(box.n, tree.total) + (box.note || "")].join("\n");
			rect.append(title);
			return rect;
		}));
		svg.setAttribute("height", (end - top + 1) * ROW);
		svg.dataset.view = shown + (around === null ? "" : `\n${names[around].join("\n")}`);
	}

	// A choice of what there is, the same one as before if it is still there.
	function fill(select) {
		const groups = new Map([["", select]]);

		select.replaceChildren();
		for (const tree of trees) {
			const option = new Option(`${tree.name}: ${many(tree.total, "sample")}`, keyOf(tree));

			if (!groups.has(tree.way)) {
				groups.set(tree.way, document.createElement("optgroup"));
				groups.get(tree.way).label = tree.way;
				select.append(groups.get(tree.way));
			}
			groups.get(tree.way).append(option);
		}
		select.value = shown;
		get("flame-of-part").hidden = trees.length === 1;
	}

	function redraw() {
		draw();
		dispatchEvent(new Event("redrawn"));
	}

	function begin() {
		const data = get("flame-parts"), {signal} = over;
		const was = around === null ? "" : names[around].join("\n");

		if (!data)
			return;
		({names, trees} = JSON.parse(data.textContent));
		around = was ? names.findIndex(name => name.join("\n") === was) : null;
		if (around < 0)
			around = null;
		draw();
		fill(get("flame-part"));
		get("flame-part").addEventListener("change", event => {
			shown = event.target.value;
			redraw();
		}, {signal});
		get("flame-around").addEventListener("click", event => {
			around = Number(event.target.dataset.f);
			redraw();
			document.querySelector("#flame svg").focus({preventScroll: true});
		}, {signal});
		get("flame-reset").addEventListener("click", () => {
			if (around === null)
				return;
			around = null;
			redraw();
		}, {signal});
	}

	// What is measured moves (live.js).
	addEventListener("replaced", () => {
		over.abort();
		over = new AbortController();
		begin();
	});
	begin();
})();
