// The error browser. Everything it shows comes from the data in this page, and text reaches the
// page only as text (textContent), never as markup.
//
// The data is packed by browser.py: an index with one row for each error, and chunks of whole
// documents, all gzip in base64. A chunk is unpacked when one of its documents is first needed.
//
// What is shown is also in the address (see links.py for the grammar), so that it can be linked to:
//   #browse?system=A&type=LE&label=PER&gold_label=PER&system_label=LOC&document=d1&text=Ann&example=7
//   #browse?system=A&right_in=B
"use strict";

(() => {
  const app = document.getElementById("browser-app");
  if (!app) return;
  const part = (name) => document.getElementById(`browser-${name}`);
  const form = app.querySelector("form");
  const list = part("list");
  const view = part("document");

  const PAGE = 50; // examples in the list at a time
  const AROUND = 40; // characters of context in the list
  const WINDOW = 4000; // characters of a long text on each side of the example
  const LONGEST_PIECE = 24; // longer stretches of a mention may break into lines
  const MOST_LANES = 30; // rows of one side below a line of text
  const MOST_ROWS = 300; // rows of a table
  const COUNTED = 1; // an error is in the counts of types,
  const CONFUSED = 2; // in the matrix of labels,
  const ALSO = 4; // and has a further type
  const FILTERS = ["system", "type", "label", "gold_label", "system_label", "right_in", "document",
    "text"];

  let index; // columns of all errors, and the names that their codes stand for
  let chunkOf; // the chunk of each document
  let groupsOf; // the groups that each type is in
  let rows = []; // the errors that pass the filters, as rows of the index
  let current = -1; // the one that is shown, as a place in `rows`
  let request = 0; // the latest request; an older one that is still waiting stops
  let span = WINDOW; // how much of a long text is shown
  let tableOpen; // whether the table is, once somebody has opened or closed it

  // Small helpers ---------------------------------------------------------------------------------

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function name(text, className) {
    return element("bdi", className, text);
  }

  // Control characters, direction marks and half characters, each as one visible sign.
  function visible(text) {
    return text
      .replace(/[\u0000-\u0008\u000b-\u001f]/g, (sign) =>
        String.fromCharCode(0x2400 + sign.charCodeAt(0)))
      .replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, "\u2426")
      .replace(/[\ud800-\udfff]/gu, "\ufffd");
  }

  function shortened(text, longest = 200) {
    if (text.length <= longest) return text;
    const half = longest / 2;
    return `${text.slice(0, half)}…${text.slice(-half)}`;
  }

  // Where to cut a text near a place: between words, if there is a gap near enough.
  function cutBefore(text, place) {
    if (place <= 0) return 0;
    const gap = text.slice(place, place + 20).search(/\s/);
    return gap < 0 ? place : place + gap + 1;
  }

  function cutAfter(text, place) {
    if (place >= text.length) return text.length;
    const gap = text.slice(place, place + 20).search(/\s/);
    return gap < 0 ? place : place + gap;
  }

  function digits(number) {
    return number.toLocaleString("en");
  }

  function count(number, noun) {
    return `${digits(number)} ${noun}${number === 1 ? "" : "s"}`;
  }

  // Data ------------------------------------------------------------------------------------------

  async function unpack(script) {
    const bytes = Uint8Array.from(atob(script.textContent), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  const chunks = new Map();

  // Document `number` of the index, from its chunk; `chunkOf` and `first` say where it is.
  async function documentAt(number) {
    const chunk = chunkOf[number];
    if (!chunks.has(chunk)) chunks.set(chunk, unpack(part(`chunk-${chunk}`)));
    const found = (await chunks.get(chunk))[number - index.first[chunk]];
    if (!found.items) prepare(found);
    return found;
  }

  // Give a document one text, and its items their spans in it. Python counts characters, JavaScript
  // halves of some of them; and positions may be tokens, or in a text that is not known.
  function prepare(doc) {
    let start, end;
    if (doc.text !== undefined) {
      if (/[\ud800-\udfff]/.test(doc.text)) {
        const at = [];
        for (let i = 0; i < doc.text.length; i += doc.text.codePointAt(i) > 0xffff ? 2 : 1) at.push(i);
        at.push(doc.text.length);
        start = end = (place) => at[Math.min(place, at.length - 1)];
      } else {
        start = end = (place) => place;
      }
    } else {
      const tokens = doc.tokens || Array(Math.min(doc.length, 5000)).fill("_");
      const lines = new Set(doc.sentences);
      const starts = [];
      const ends = [];
      let text = "";
      tokens.forEach((token, i) => {
        if (i) text += lines.has(i) ? "\n" : " ";
        starts.push(text.length);
        text += token;
        ends.push(text.length);
      });
      doc.text = text;
      start = (place) => (place < starts.length ? starts[place] : text.length);
      end = (place) => (place ? ends[Math.min(place, ends.length) - 1] : 0) || 0;
    }
    doc.text = visible(doc.text);
    const spansOf = (places) => {
      const spans = [];
      for (let i = 0; i < places.length; i += 2) {
        const low = start(places[i]);
        const high = end(places[i + 1]);
        if (high > low) spans.push([low, high]);
      }
      return spans;
    };
    doc.items = doc.sides.map((items) => items.map(([label, places, texts, note]) => ({
      label: index.labels[label],
      spans: spansOf(places),
      texts: texts || [],
      note: note || "",
    })));
  }

  function wordsOf(doc, item) {
    if (item.texts.length) return item.texts.join(" or ");
    const words = item.spans.map(([low, high]) => doc.text.slice(low, high)).join(" … ");
    return shortened(words.replace(/\s+/g, " "));
  }

  function alsoOf(flags) {
    return index.also.filter((_, i) => flags & (ALSO << i)).map((type) => index.meaning[type] || type);
  }

  // What an error is about: its event, and the item of either side.
  function eventOf(doc, row) {
    const system = index.system[row];
    const [type, gold, answer, flags] = doc.events[system][index.event[row]];
    return {
      system,
      type,
      also: alsoOf(flags),
      gold: gold < 0 ? null : doc.items[0][gold],
      answer: answer < 0 ? null : doc.items[system + 1][answer],
    };
  }

  // From where to where the items of an event reach; 0 to 0 if they have no place.
  function extentOf({ gold, answer }) {
    let [low, high] = [Infinity, 0];
    for (const item of [gold, answer]) {
      if (!item) continue;
      for (const [start, end] of item.spans) [low, high] = [Math.min(low, start), Math.max(high, end)];
    }
    return high ? [low, high] : [0, 0];
  }

  // Filters ---------------------------------------------------------------------------------------

  const filter = {}; // by name; no entry: everything passes
  let searched = {}; // the words of the latest search, and which rows it found

  function typesOf(code) {
    const group = index.groups[code];
    return group ? group.map((each) => index.types.indexOf(each)) : [index.types.indexOf(code)];
  }

  // Each filter as a test of a row.
  function tests(chosen) {
    const made = {};
    const code = (names, value) => names.indexOf(value);
    const has = (column, wanted) => (row) => column[row] === wanted;
    if (chosen.system !== undefined) made.system = has(index.system, code(index.systems, chosen.system));
    const also = index.also.indexOf(chosen.type);
    if (also >= 0) {
      made.type = (row) => (index.flags[row] & (ALSO << also)) > 0;
    } else if (chosen.type !== undefined) {
      const types = new Set(typesOf(chosen.type));
      made.type = (row) => types.has(index.type[row]);
    }
    if (chosen.label !== undefined) {
      const wanted = code(index.labels, chosen.label);
      made.label = (row) => labelOf(row, also >= 0) === wanted;
    }
    for (const [key, column] of [["gold_label", index.gold], ["system_label", index.answer]]) {
      if (chosen[key] === undefined) continue;
      made[key] = has(column, chosen[key] === index.none ? -1 : code(index.labels, chosen[key]));
      if (chosen[key] !== index.none && !index.labels.includes(chosen[key])) made[key] = () => false;
    }
    if (chosen.right_in !== undefined) {
      const other = code(index.systems, chosen.right_in);
      made.right_in = (row) => index.right_in[row].includes(other);
    }
    if (chosen.document !== undefined) {
      const exact = index.documents.indexOf(chosen.document);
      const part = chosen.document.toLowerCase();
      made.document = exact >= 0
        ? has(index.document, exact)
        : (row) => index.documents[index.document[row]].toLowerCase().includes(part);
    }
    if (chosen.text !== undefined) made.text = (row) => searched.matches[row] > 0;
    // The matrix of labels counts a right string in the wrong slot once, other counts do so twice.
    const flag = chosen.gold_label === undefined && chosen.system_label === undefined ? COUNTED : CONFUSED;
    made.flag = (row) => (index.flags[row] & flag) > 0;
    return made;
  }

  // The label that an error counts under: gold's, or the system's if gold has nothing there. An
  // answer that is not in the text counts under the system's.
  function labelOf(row, ofSystem = false) {
    return index.gold[row] < 0 || ofSystem ? index.answer[row] : index.gold[row];
  }

  // The rows that pass all filters but one.
  function passing(chosen, without) {
    const every = Object.entries(tests(chosen)).filter(([key]) => key !== without).map(([, test]) => test);
    const found = [];
    for (let row = 0; row < index.type.length; row++) {
      if (every.every((test) => test(row))) found.push(row);
    }
    return found;
  }

  // How the examples in the list read, and what the search looks at.
  function snippet(doc, row) {
    const event = eventOf(doc, row);
    const says = [event.gold, event.answer].map((item) => (item ? wordsOf(doc, item) : ""));
    const [low, high] = extentOf(event);
    if (high === 0) return { event, says, before: "", words: "", after: "" };
    const from = cutBefore(doc.text, low - AROUND);
    const to = cutAfter(doc.text, high + AROUND);
    return {
      event,
      says,
      before: (from > 0 ? "…" : "") + doc.text.slice(from, low),
      words: shortened(doc.text.slice(low, high)),
      after: doc.text.slice(high, to) + (to < doc.text.length ? "…" : ""),
    };
  }

  // Which rows the search finds. All rows are looked at, so that other filters need not wait again.
  async function search(words, mine) {
    const wanted = words.toLowerCase();
    const matches = new Uint8Array(index.type.length);
    let number = -1;
    let doc;
    for (let row = 0; row < matches.length; row++) {
      if (index.document[row] !== number) {
        if (chunkOf[index.document[row]] !== chunkOf[number]) {
          part("count").textContent = `Searching … ${Math.floor((100 * row) / matches.length)} %`;
          await new Promise((resume) => setTimeout(resume)); // the page stays usable meanwhile
        }
        number = index.document[row];
        doc = await documentAt(number);
        if (mine !== request) return;
      }
      const { says, before, words: middle, after } = snippet(doc, row);
      const texts = [before + middle + after, ...says];
      if (texts.some((text) => text.toLowerCase().includes(wanted))) matches[row] = 1;
    }
    searched = { words, matches };
  }

  // The options of the lists, each with how many examples choosing it would show.
  function fillOptions() {
    const ungrounded = index.also.includes(filter.type);
    fillSelect("system", index.systems, (row) => [index.system[row]]);
    fillSelect("type", index.types, (row) => typesWith(row), [...index.also, ...Object.keys(index.groups)]);
    fillSelect("label", index.labels, (row) => [labelOf(row, ungrounded)]);
    fillSelect("gold_label", index.labels, (row) => [index.gold[row]], [index.none]);
    fillSelect("system_label", index.labels, (row) => [index.answer[row]], [index.none]);
    fillSelect("right_in", index.systems, (row) => index.right_in[row]);
    for (const key of ["document", "text"]) {
      if (document.activeElement !== form.elements[key]) form.elements[key].value = filter[key] || "";
    }
  }

  // The type of a row as a code; its further types and groups by name.
  function typesWith(row) {
    const also = index.also.filter((_, i) => index.flags[row] & (ALSO << i));
    return [index.type[row], ...also, ...groupsOf[index.type[row]]];
  }

  // `codes` gives what a row counts for: codes of names (-1 is none), or names of `more`.
  function fillSelect(key, names, codes, more = []) {
    const select = form.elements[key];
    const chosen = filter[key];
    const ofMatrix = key.endsWith("_label");
    // To choose a label of one side means to look at the matrix.
    const asked = ofMatrix && chosen === undefined ? { ...filter, [key]: index.none } : filter;
    const counts = new Map();
    for (const row of passing(asked, key)) {
      for (const code of codes(row)) {
        const each = code === -1 ? index.none : typeof code === "number" ? names[code] : code;
        counts.set(each, (counts.get(each) || 0) + 1);
      }
    }
    if (chosen !== undefined && !counts.has(chosen)) counts.set(chosen, 0);
    select.replaceChildren(new Option("all", ""));
    for (const each of new Set([...names, ...more, ...counts.keys()])) {
      if (!counts.has(each)) continue;
      const meaning = key === "type" ? index.meaning[each] : ofMatrix && each === index.none ? "nothing" : "";
      const text = `${each}${meaning ? ` ${meaning}` : ""} (${digits(counts.get(each))})`;
      select.add(new Option(text, `=${each}`, false, each === chosen));
    }
  }

  // The address -----------------------------------------------------------------------------------

  function fragment() {
    const parts = FILTERS.filter((key) => filter[key] !== undefined).map((key) => [key, filter[key]]);
    if (current >= 0) parts.push(["example", String(rows[current] + 1)]);
    return `#browse?${new URLSearchParams(parts)}`;
  }

  function isLink(hash) {
    return hash === "#browse" || hash.startsWith("#browse?");
  }

  async function openLink() {
    const wanted = new URLSearchParams(location.hash.slice("#browse?".length));
    for (const key of FILTERS) {
      delete filter[key];
      if (wanted.get(key)) filter[key] = wanted.get(key);
    }
    await update(Number(wanted.get("example")) - 1);
    part("app").scrollIntoView({ block: "start" });
  }

  // Show what passes the filters, and of that the row `wanted` or else the first.
  async function update(wanted = -1, keepAddress = false) {
    const mine = ++request;
    app.setAttribute("aria-busy", "true");
    if (filter.text !== undefined && filter.text !== searched.words) await search(filter.text, mine);
    if (mine !== request) return;
    rows = passing(filter);
    current = -1;
    fillOptions();
    part("count").textContent = count(rows.length, "example");
    if (rows.length) {
      await show(Math.max(0, rows.indexOf(wanted)), keepAddress);
    } else {
      list.replaceChildren();
      part("pages").hidden = true;
      if (!keepAddress) history.replaceState(null, "", fragment());
      await showWithoutExample(mine);
    }
    if (mine === request) app.setAttribute("aria-busy", "false");
  }

  // The list --------------------------------------------------------------------------------------

  async function show(place, keepAddress = false) {
    const mine = request;
    const page = Math.floor(place / PAGE);
    if (current < 0 || page !== Math.floor(current / PAGE)) {
      if (!(await fillList(page, mine))) return;
    }
    current = place;
    span = WINDOW;
    for (const button of list.querySelectorAll("button")) {
      const here = Number(button.dataset.place) === place;
      if (here) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      if (here) keepInSight(button);
    }
    if (!keepAddress) history.replaceState(null, "", fragment());
    await showDocument(mine);
  }

  // Scrolls the list only, not the page.
  function keepInSight(button) {
    const box = list.getBoundingClientRect();
    const own = button.getBoundingClientRect();
    if (own.top < box.top) list.scrollTop -= box.top - own.top;
    if (own.bottom > box.bottom) list.scrollTop += own.bottom - box.bottom;
  }

  async function fillList(page, mine) {
    const here = rows.slice(page * PAGE, (page + 1) * PAGE);
    const entries = [];
    for (const [i, row] of here.entries()) {
      const doc = await documentAt(index.document[row]);
      if (mine !== request) return false;
      entries.push(listEntry(doc, row, page * PAGE + i));
    }
    if (list.contains(document.activeElement)) list.focus({ preventScroll: true });
    list.replaceChildren(...entries);
    list.start = page * PAGE + 1;
    list.scrollTop = 0;
    const last = Math.ceil(rows.length / PAGE) - 1;
    part("pages").hidden = last === 0;
    part("page").textContent = `Page ${digits(page + 1)} of ${digits(last + 1)}`;
    part("back").disabled = page === 0;
    part("forward").disabled = page === last;
    return true;
  }

  function badge(type) {
    const made = element("span", "badge", index.types[type]);
    made.title = index.meaning[index.types[type]] || "";
    return made;
  }

  function listEntry(doc, row, place) {
    const { event, says, before, words, after } = snippet(doc, row);
    const button = element("button", "example");
    button.type = "button";
    button.dataset.place = place;
    const head = element("span", "head");
    head.append(badge(event.type), " ", labelsOf(event));
    if (event.also.length) head.append(", ", event.also.join(", "));
    const where = element("span", "where");
    if (index.systems.length > 1) where.append(name(index.systems[event.system]), ", ");
    where.append("document ", name(doc.name));
    head.append(where);
    const text = element("span", "snippet");
    text.dir = "auto";
    if (words) text.append(before, element("mark", "", words), after);
    if (!words || index.slots) {
      const line = element("span", "says");
      line.append(name(says[0] || "nothing"), " → ", name(says[1] || "nothing"));
      text.prepend(line);
    }
    button.append(head, text);
    const entry = element("li");
    entry.append(button);
    return entry;
  }

  function labelsOf({ gold, answer }) {
    const made = element("span", "labels");
    if (gold) made.append(name(gold.label));
    if (gold && answer && gold.label !== answer.label) made.append(" → ");
    if (answer && (!gold || gold.label !== answer.label)) made.append(name(answer.label));
    return made;
  }

  // One document ----------------------------------------------------------------------------------

  async function showDocument(mine) {
    const row = rows[current];
    const doc = await documentAt(index.document[row]);
    if (mine !== request || row !== rows[current]) return;
    const event = eventOf(doc, row);
    const head = element("h3");
    const meaning = index.meaning[index.types[event.type]] || "";
    head.append(badge(event.type), ` ${meaning} in document `, name(doc.name));
    const facts = element("p", "facts", `Example ${digits(current + 1)} of ${digits(rows.length)}, `);
    facts.append(name(index.systems[event.system]), ": ", labelsOf(event));
    if (event.also.length) facts.append(`, ${event.also.join(", ")}`);
    view.replaceChildren(head, facts, drawn(doc, event));
    const target = view.querySelector(".strip.here");
    view.scrollTop = 0;
    if (target) {
      const below = target.getBoundingClientRect().top - view.getBoundingClientRect().top;
      view.scrollTop = below - view.clientHeight / 3;
    }
  }

  // A document that is asked for is shown even if nothing in it passes.
  async function showWithoutExample(mine) {
    view.replaceChildren(element("p", "empty", "No example passes all filters."));
    const number = index.documents.indexOf(filter.document);
    if (number < 0) return;
    const doc = await documentAt(number);
    if (mine !== request) return;
    const system = Math.max(0, index.systems.indexOf(filter.system));
    view.append(drawn(doc, { system, gold: null, answer: null }));
  }

  function drawn(doc, event) {
    const everyone = part("everyone").checked;
    const systems = index.systems.map((_, i) => i).filter((i) => everyone || i === event.system);
    const made = element("div", "document");
    made.append(textOf(doc, event, systems), tableOf(doc, event, systems));
    return made;
  }

  // Which items are wrong: for the system of the example those of gold, and those of each system.
  function wrongItems(doc, system) {
    const wrong = new Map();
    doc.events.forEach((events, i) => {
      for (const [type, gold, answer, flags] of events) {
        if (!(flags & COUNTED)) continue;
        if (gold >= 0 && i === system) wrong.set(doc.items[0][gold], type);
        if (answer >= 0) wrong.set(doc.items[i + 1][answer], type);
      }
    });
    return wrong;
  }

  function textOf(doc, event, systems) {
    const made = element("div", "text");
    const [low, high] = extentOf(event);
    const from = cutBefore(doc.text, low - span);
    const to = cutAfter(doc.text, Math.min(high, low + span) + span);
    const wrong = wrongItems(doc, event.system);
    const here = new Set([event.gold, event.answer]);
    const lanes = [{ name: "gold", kind: "gold", items: doc.items[0] }];
    for (const i of systems) lanes.push({ name: index.systems[i], kind: "system", items: doc.items[i + 1] });
    const marks = [];
    lanes.forEach((lane, number) => {
      for (const item of lane.items) {
        const inside = item.spans
          .map(([start, end]) => [Math.max(start, from), Math.min(end, to)])
          .filter(([start, end]) => end > start);
        if (!inside.length) continue;
        marks.push({
          lane: number, item, spans: inside, start: inside[0][0], end: inside[inside.length - 1][1],
          type: wrong.get(item), here: here.has(item),
        });
      }
    });
    marks.sort((a, b) => a.start - b.start || b.end - a.end || a.lane - b.lane);
    if (from > 0) made.append(moreButton("Show more text before"));
    let place = from;
    let first = 0;
    while (place < to) {
      // A line ends at a line break that no mention crosses.
      let last = first;
      let stop = place;
      let reach = place;
      do {
        const next = doc.text.indexOf("\n", Math.max(stop, reach - 1));
        stop = next < 0 || next >= to ? to : next + 1;
        for (; last < marks.length && marks[last].start < stop; last++) {
          reach = Math.max(reach, marks[last].end);
        }
      } while (reach > stop);
      made.append(lineOf(doc.text, place, stop, marks.slice(first, last), lanes));
      place = stop;
      first = last;
    }
    if (to < doc.text.length) made.append(moreButton("Show more text after"));
    return made;
  }

  function moreButton(text) {
    const button = element("button", "more", text);
    button.type = "button";
    button.addEventListener("click", () => {
      span *= 4;
      showDocument(request);
    });
    return button;
  }

  // A line of text, and below each word its marks: every mark has a row of its lane to itself from
  // its first to its last character, so that marks never lie over one another.
  function lineOf(text, from, to, marks, lanes) {
    const line = element("p", "line");
    line.dir = "auto";
    const end = text[to - 1] === "\n" ? to - 1 : to;
    if (!marks.length) {
      line.textContent = text.slice(from, end);
      return line;
    }
    const laneRows = lanes.map(() => []);
    for (const mark of marks) {
      const ends = laneRows[mark.lane];
      let row = ends.findIndex((last) => last <= mark.start);
      if (row < 0) row = ends.length;
      mark.row = row;
      if (row < MOST_LANES) ends[row] = mark.end;
    }
    const firstRow = [];
    let total = 2;
    for (const ends of laneRows) {
      firstRow.push(total);
      total += Math.max(1, ends.length);
    }
    line.classList.add("marked");
    line.append(laneNames(lanes, firstRow));
    const drawn = marks.filter((mark) => mark.row < MOST_LANES);
    const cuts = new Set([from, end]);
    for (const mark of drawn) for (const [start, stop] of mark.spans) cuts.add(start).add(stop);
    const places = [...cuts].sort((a, b) => a - b);
    const open = [];
    let next = 0;
    for (let i = 0; i + 1 < places.length; i++) {
      const [low, high] = [places[i], places[i + 1]];
      for (; next < drawn.length && drawn[next].start <= low; next++) open.push(drawn[next]);
      for (let k = open.length - 1; k >= 0; k--) if (open[k].end <= low) open.splice(k, 1);
      if (!open.length) {
        line.append(text.slice(low, high));
        continue;
      }
      for (const [start, stop] of pieces(text, low, high)) {
        line.append(pieceOf(text.slice(start, stop), start, stop, open, firstRow, lanes));
      }
    }
    const more = marks.length - drawn.length;
    if (more) line.append(element("small", "", ` ${count(more, "mark")} more, see the table`));
    return line;
  }

  // A stretch in parts between which a line may break.
  function pieces(text, low, high) {
    const found = [];
    let start = low;
    for (let place = low; place < high; place++) {
      const gap = /\s/.test(text[place]) && place + 1 < high && !/\s/.test(text[place + 1]);
      const long = place - start >= LONGEST_PIECE && !/[\udc00-\udfff]/.test(text[place + 1] || "");
      if (gap || long) {
        found.push([start, place + 1]);
        start = place + 1;
      }
    }
    if (start < high) found.push([start, high]);
    return found;
  }

  function laneNames(lanes, firstRow) {
    const made = element("span", "piece names");
    made.append(element("span", "word", "\u00a0"));
    made.setAttribute("aria-hidden", "true");
    lanes.forEach((lane, i) => {
      const each = name(shortened(lane.name, 40), `lane ${lane.kind}`);
      each.style.gridRow = firstRow[i];
      made.append(each);
    });
    return made;
  }

  // A label below a word. Of a long one the last part must do; the title has all of it.
  function tagOf(label) {
    return label.length > 14 ? shortened(label.split(".").pop() || label, 14) : label;
  }

  function pieceOf(words, start, stop, open, firstRow, lanes) {
    const piece = element("span", "piece");
    piece.append(element("span", "word", words.replace(/\n/g, "↵")));
    let widest = 0;
    for (const mark of open) {
      const inside = mark.spans.some(([low, high]) => low <= start && stop <= high);
      const strip = element("span", `strip ${lanes[mark.lane].kind}`);
      strip.classList.toggle("gap", !inside);
      strip.classList.toggle("wrong", mark.type !== undefined);
      strip.classList.toggle("here", mark.here);
      strip.classList.toggle("first", mark.start === start);
      strip.classList.toggle("last", mark.end === stop);
      strip.style.gridRow = firstRow[mark.lane] + mark.row;
      if (mark.start === start) {
        const label = tagOf(mark.item.label) + (mark.type === undefined ? "" : ` ${index.types[mark.type]}`);
        strip.append(name(label, "tag"));
        // The label of a short mention makes room for itself; that of a long one runs on below it.
        if (label.length * 0.85 + 0.5 > mark.spans[0][1] - start) widest = Math.max(widest, label.length);
      }
      const note = mark.item.note ? `, ${mark.item.note}` : "";
      strip.title = `${lanes[mark.lane].name}: ${shortened(mark.item.label)}${note}`;
      piece.append(strip);
    }
    if (widest) piece.style.minWidth = `${(widest * 0.42 + 0.5).toFixed(1)}em`;
    return piece;
  }

  // What gold has, row by row, and what each system has in its place. Extra answers come last.
  function tableOf(doc, event, systems) {
    const made = element("details", "table");
    made.open = tableOpen === undefined ? index.slots || doc.relations !== undefined : tableOpen;
    const title = element("summary", "", `${index.slots ? "Slots" : "Mentions"} of this document`);
    title.addEventListener("click", () => (tableOpen = !made.open));
    made.append(title);
    const lines = [];
    const answers = systems.map((system) => {
      const byGold = new Map();
      for (const each of doc.events[system]) {
        const [type, gold, , flags] = each;
        if (type !== index.right && !(flags & COUNTED)) continue; // what only the matrix counts
        if (gold >= 0) byGold.set(gold, [...(byGold.get(gold) || []), each]);
        else lines.push({ gold: null, cells: systems.map((own) => (own === system ? [each] : [])) });
      }
      return byGold;
    });
    const extra = lines.splice(0);
    doc.items[0].forEach((gold, i) => lines.push({ gold, cells: answers.map((each) => each.get(i) || []) }));
    lines.push(...extra);
    const isAnswer = (k) => ([, , answer]) =>
      answer >= 0 && doc.items[systems[k] + 1][answer] === event.answer;
    const isHere = ({ gold, cells }) =>
      (gold && gold === event.gold) || cells.some((cell, k) => cell.some(isAnswer(k)));
    const place = Math.max(0, lines.findIndex(isHere));
    const from = Math.max(0, Math.min(place - MOST_ROWS / 2, lines.length - MOST_ROWS));
    const table = element("table");
    const head = table.createTHead().insertRow();
    for (const title of [index.slots ? "slot" : "label", "gold", ...systems.map((i) => index.systems[i])]) {
      const cell = element("th");
      cell.scope = "col";
      cell.append(name(title));
      head.append(cell);
    }
    const rowsOfTable = table.createTBody();
    for (const line of lines.slice(from, from + MOST_ROWS)) {
      const row = rowsOfTable.insertRow();
      row.classList.toggle("here", isHere(line));
      const first = line.gold || firstAnswer(doc, line, systems);
      const label = element("th");
      label.scope = "row";
      label.append(name(first.label));
      row.append(label);
      row.insertCell().append(...(line.gold ? itemWords(doc, line.gold) : ["–"]));
      line.cells.forEach((cell, k) => {
        const made = row.insertCell();
        for (const each of cell) made.append(...answerWords(doc, each, systems[k], first));
        if (!cell.length) made.append("–");
        made.classList.toggle("wrong", cell.some(([type]) => type !== index.right));
      });
    }
    const scroll = element("div", "scroll");
    scroll.tabIndex = 0;
    scroll.append(table);
    made.append(scroll);
    if (lines.length > MOST_ROWS) {
      const words = `${MOST_ROWS} of ${count(lines.length, "row")}, those around the example.`;
      made.append(element("p", "facts", words));
    }
    relationsOf(doc, systems).forEach((each) => made.append(each));
    return made;
  }

  function firstAnswer(doc, line, systems) {
    const k = line.cells.findIndex((cell) => cell.length);
    return doc.items[systems[k] + 1][line.cells[k][0][2]];
  }

  function itemWords(doc, item) {
    const parts = [name(wordsOf(doc, item) || "?")];
    if (item.note) parts.push(" ", element("small", "", item.note));
    return parts;
  }

  function answerWords(doc, [type, , answer, flags], system, first) {
    const parts = type === index.right ? [] : [badge(type), " "];
    if (answer < 0) return parts;
    const item = doc.items[system + 1][answer];
    parts.push(...itemWords(doc, item));
    if (item.label !== first.label) parts.push(" ", name(item.label, "other"));
    for (const type of alsoOf(flags)) parts.push(" ", element("small", "", type));
    return [...parts, " "];
  }

  function relationsOf(doc, systems) {
    if (!doc.relations) return [];
    const made = [];
    ["gold", ...systems.map((i) => index.systems[i])].forEach((side, k) => {
      const own = doc.relations[k ? systems[k - 1] + 1 : 0] || [];
      if (!own.length) return;
      const heading = element("h4");
      heading.append("Relations of ", name(side));
      const table = element("table");
      for (const [label, members] of own.slice(0, MOST_ROWS)) {
        const row = table.insertRow();
        row.insertCell().append(name(label));
        for (const [role, words] of members) row.insertCell().append(name(role, "other"), " ", name(words));
      }
      made.push(heading, table);
    });
    return made;
  }

  // Controls --------------------------------------------------------------------------------------

  function readForm() {
    for (const key of FILTERS) {
      const value = form.elements[key].value;
      delete filter[key];
      if (value) filter[key] = form.elements[key].tagName === "SELECT" ? value.slice(1) : value;
    }
    update();
  }

  // One step after the other, even if keys are pressed faster than documents are unpacked.
  let steps = Promise.resolve();

  function step(by) {
    steps = steps.then(async () => {
      const place = current + by;
      if (place < 0 || place >= rows.length) return;
      await show(place);
      const button = list.querySelector("[aria-current]");
      if (button && list.contains(document.activeElement)) button.focus({ preventScroll: true });
      part("count").textContent = `${count(rows.length, "example")}, number ${digits(place + 1)}`;
    });
  }

  async function copyLink() {
    const link = location.href.split("#")[0] + fragment();
    const field = part("link");
    let text = "Link copied";
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      text = "Copy this link:";
      field.hidden = false;
      field.value = link;
      field.select();
    }
    part("copied").textContent = text;
  }

  function isOnScreen() {
    const box = app.getBoundingClientRect();
    return app.contains(document.activeElement) || (box.top < innerHeight && box.bottom > 0);
  }

  function onKey(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.altKey || event.ctrlKey || event.metaKey || !isOnScreen()) return;
    if (event.key === "Escape" && app.contains(event.target)) {
      if (event.target === form.elements.text && event.target.value) {
        event.target.value = "";
        readForm();
      } else {
        const button = list.querySelector("[aria-current]");
        if (button) button.focus();
      }
    } else if (typing) {
      if (event.key !== "Enter" || event.target.form !== form) return;
      readForm();
    } else if (event.key === "/") {
      form.elements.text.focus();
    } else if (event.key === "j" || (event.key === "ArrowDown" && list.contains(event.target))) {
      step(1);
    } else if (event.key === "k" || (event.key === "ArrowUp" && list.contains(event.target))) {
      step(-1);
    } else if (event.key === "Enter" && list.contains(event.target)) {
      show(Number(event.target.dataset.place)).then(() => view.focus());
    } else {
      return;
    }
    event.preventDefault();
  }

  function listen() {
    let timer;
    form.addEventListener("change", (event) => {
      if (event.target.tagName === "SELECT") readForm();
    });
    form.addEventListener("input", (event) => {
      if (event.target.tagName === "SELECT") return;
      clearTimeout(timer);
      timer = setTimeout(readForm, 200);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => {
      for (const key of FILTERS) delete filter[key];
      form.elements.document.value = form.elements.text.value = "";
      update();
    }));
    list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) show(Number(button.dataset.place));
    });
    part("everyone").addEventListener("change", () => current >= 0 && showDocument(request));
    part("previous").addEventListener("click", () => step(-1));
    part("next").addEventListener("click", () => step(1));
    part("back").addEventListener("click", () => show((Math.floor(current / PAGE) - 1) * PAGE));
    part("forward").addEventListener("click", () => show((Math.floor(current / PAGE) + 1) * PAGE));
    part("copy").addEventListener("click", copyLink);
    document.addEventListener("keydown", onKey);
    window.addEventListener("hashchange", () => isLink(location.hash) && openLink());
  }

  async function start() {
    if (typeof DecompressionStream === "undefined") {
      part("problem").hidden = false;
      return;
    }
    index = await unpack(part("index"));
    chunkOf = new Uint32Array(index.documents.length);
    index.first.forEach((first, chunk) => chunkOf.fill(chunk, first));
    const groups = Object.keys(index.groups);
    groupsOf = index.types.map((type) => groups.filter((group) => index.groups[group].includes(type)));
    part("everyone").checked = index.systems.length <= 3;
    part("everyone").closest("label").hidden = index.systems.length === 1;
    // Only systems that are shown side by side are compared.
    form.elements.right_in.closest("label").hidden = !index.right_in.some((each) => each.length);
    app.hidden = false;
    listen();
    if (isLink(location.hash)) await openLink();
    else await update(-1, true);
  }

  start();
})();
