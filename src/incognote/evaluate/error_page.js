"use strict";
// Filters live in the part of the address behind "#", so that every link and bookmark of a view
// works. What is typed as text stays out of it: a browser's history is no place for identifiers.
const CHUNK = 100;
const KIND = 0, GOLD = 1, FOUND = 2, DETECTORS = 3, LEAKS = 4, NOTE = 5, START = 6, END = 7, PIECES = 8;
const CLASSES = ["piece", "piece annotated", "piece marked", "piece annotated marked"];

const { kinds, types, detectors, notes, whole, errors } = JSON.parse(document.getElementById("data").textContent);
const form = document.getElementById("filters");
const list = document.getElementById("list");
const more = document.getElementById("more");
const searchable = [];
let shown = [];

function element(name, className, text) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function typesOf(error) {
  return error[GOLD] < 0 ? error[FOUND] : [error[GOLD], ...error[FOUND]];
}

function searchText(index) {
  if (searchable[index] === undefined) {
    const error = errors[index];
    const context = error[PIECES].map((piece) => piece[1]).join("");
    searchable[index] = (context + "\n" + notes[error[NOTE]]).toLowerCase();
  }
  return searchable[index];
}

function fillChoices() {
  const counts = { kind: new Map(), type: new Map(), detector: new Map() };
  const add = (map, key) => map.set(key, (map.get(key) || 0) + 1);
  for (const error of errors) {
    add(counts.kind, kinds[error[KIND]]);
    for (const type of new Set(typesOf(error))) add(counts.type, types[type]);
    for (const detector of error[DETECTORS]) add(counts.detector, detectors[detector]);
  }
  for (const [name, values] of [["kind", kinds], ["type", types], ["detector", detectors]]) {
    for (const value of values) {
      const count = counts[name].get(value);
      if (count) form.elements[name].add(new Option(`${value} (${count.toLocaleString("en")})`, value));
    }
  }
}

function readFilters() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  for (const name of ["kind", "type", "detector"]) {
    form.elements[name].value = wanted.get(name) || "";
    if (form.elements[name].selectedIndex < 0) form.elements[name].value = "";
  }
  if (wanted.has("text")) form.elements.text.value = wanted.get("text");
  form.elements.leaks.checked = wanted.get("leaks") === "1";
  return wanted;
}

function writeFilters() {
  const wanted = new URLSearchParams();
  for (const name of ["kind", "type", "detector"]) {
    if (form.elements[name].value) wanted.set(name, form.elements[name].value);
  }
  if (form.elements.leaks.checked) wanted.set("leaks", "1");
  if (location.hash.slice(1) === wanted.toString()) render();
  else location.replace("#" + wanted);
}

function matching(wanted) {
  const number = (names, key) => (wanted.get(key) ? names.indexOf(wanted.get(key)) : null);
  const kind = number(kinds, "kind"), type = number(types, "type");
  const gold = number(types, "gold"), found = number(types, "found");
  const detector = number(detectors, "detector");
  const leaks = wanted.get("leaks") === "1";
  const text = form.elements.text.value.trim().toLowerCase();
  const result = [];
  errors.forEach((error, index) => {
    if (kind !== null && error[KIND] !== kind) return;
    if (leaks && !error[LEAKS]) return;
    if (gold !== null && error[GOLD] !== gold) return;
    if (found !== null && !error[FOUND].includes(found)) return;
    if (type !== null && !typesOf(error).includes(type)) return;
    if (detector !== null && !error[DETECTORS].includes(detector)) return;
    if (text && !searchText(index).includes(text)) return;
    result.push(error);
  });
  return result;
}

function row(error) {
  const item = element("li", kinds[error[KIND]]);
  item.tabIndex = 0;
  const meta = element("div", "meta");
  meta.append(element("span", "kind", kinds[error[KIND]]));
  const names = element("span", "types");
  if (error[GOLD] >= 0) names.append(element("b", "gold", types[error[GOLD]]));
  if (error[FOUND].length) {
    names.append(error[GOLD] >= 0 ? " found as " : "");
    names.append(element("b", "found", [...new Set(error[FOUND])].map((type) => types[type]).join(", ")));
  }
  meta.append(names);
  if (error[LEAKS]) meta.append(element("span", "leak", "leaks"));
  if (error[DETECTORS].length) {
    meta.append(element("span", "by", error[DETECTORS].map((detector) => detectors[detector]).join(", ")));
  }
  meta.append(element("span", "note", `${notes[error[NOTE]]} · ${error[START]}–${error[END]}`));
  const context = element("p", "context");
  for (const [flags, text] of error[PIECES]) {
    context.append(flags ? element("span", CLASSES[flags], text) : text);
  }
  const open = element("button", "open-note", "whole note");
  open.type = "button";
  open.setAttribute("aria-expanded", "false");
  open.addEventListener("click", () => toggleNote(item, error));
  item.addEventListener("togglenote", () => toggleNote(item, error));
  meta.append(open);
  item.append(meta, context);
  return item;
}

// The note of an error with all that is annotated and found in it, the error's own place outlined.
function toggleNote(item, error) {
  const button = item.querySelector(".open-note");
  const there = item.querySelector(".whole");
  button.setAttribute("aria-expanded", String(!there));
  if (there) {
    there.remove();
    return;
  }
  const note = element("div", "whole");
  let place = 0;
  for (const [flags, text] of whole[error[NOTE]]) {
    const length = [...text].length;
    const piece = element("span", CLASSES[flags], text);
    if (place < error[END] && place + length > error[START] && flags) piece.classList.add("here");
    note.append(piece);
    place += length;
  }
  item.append(note);
  const here = note.querySelector(".here");
  if (here) note.scrollTop = here.offsetTop - note.offsetTop - 60;
}

function showMore() {
  const from = list.childElementCount;
  list.append(...shown.slice(from, from + CHUNK).map(row));
  more.hidden = list.childElementCount >= shown.length;
}

function render() {
  const wanted = readFilters();
  shown = matching(wanted);
  list.replaceChildren();
  const of = errors.length.toLocaleString("en");
  document.getElementById("count").textContent = `${shown.length.toLocaleString("en")} of ${of} errors`;
  const pair = [wanted.get("gold"), wanted.get("found")].filter(Boolean).join(" found as ");
  document.getElementById("pair").textContent = pair && `only ${pair}`;
  showMore();
}

function show() {
  render();
  if (location.hash.includes("=")) document.getElementById("errors").scrollIntoView();
}

function clearFilters() {
  form.elements.text.value = "";
  if (location.hash) location.replace("#");
  else render();
}

function step(by) {
  const rows = list.children;
  const at = Array.prototype.indexOf.call(rows, document.activeElement.closest("#list > li"));
  const next = at < 0 ? 0 : at + by;
  if (next >= rows.length) showMore();
  if (next >= 0 && rows[next]) rows[next].focus();
}

function openFocused() {
  const item = document.activeElement.closest("#list > li");
  if (item) item.dispatchEvent(new Event("togglenote"));
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input[type=search], select");
  if (event.key === "Escape") clearFilters();
  else if (typing) return;
  else if (event.key === "/") form.elements.text.focus();
  else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "n") openFocused();
  else return;
  event.preventDefault();
}

fillChoices();
form.addEventListener("input", (event) => (event.target.name === "text" ? render() : writeFilters()));
form.addEventListener("submit", (event) => event.preventDefault());
document.getElementById("clear").addEventListener("click", clearFilters);
document.addEventListener("keydown", onKey);
more.addEventListener("click", showMore);
new IntersectionObserver((entries) => {
  if (entries.some((entry) => entry.isIntersecting)) showMore();
}, { rootMargin: "800px" }).observe(more);
window.addEventListener("hashchange", show);
show();
