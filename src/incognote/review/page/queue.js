/** The list of notes: which are listed, which is open, and which comes next. */

import { byId, counted, make } from "./say.js";

/** @typedef {import("./api.js").QueueEntry} QueueEntry */

const STAGES = { untouched: "not begun", begun: "begun", differs: "to decide", done: "done" };
const SIGNS = { untouched: "○", begun: "◐", differs: "≠", done: "●" };

/** @type {Record<string, {name: string, has: (entry: QueueEntry, decides: boolean) => boolean}>} */
const FILTERS = {
  open: { name: "To do", has: (entry, decides) => isToDo(entry, decides) },
  flagged: { name: "Flagged", has: (entry) => entry.flagged },
  differs: { name: "To decide", has: (entry) => entry.stage === "differs" },
  done: { name: "Done", has: (entry) => entry.stage === "done" || entry.own === "done" },
  all: { name: "All", has: () => true },
};

/** @param {QueueEntry} entry @param {boolean} decides whether this reader is an adjudicator */
function isToDo(entry, decides) {
  if (!entry.open || entry.stage === "done") return false;
  return entry.own !== "done" || (decides && entry.stage === "differs");
}

export class Queue {
  /** @param {{open: (note: number) => void, search: (words: string) => void}} listener */
  constructor(listener) {
    this.listener = listener;
    /** @type {QueueEntry[]} */
    this.entries = [];
    this.filter = "open";
    this.decides = false;
    /** @type {number | null} the note that is open */
    this.current = null;
    /** @type {number | null} the one that Enter would open */
    this.active = null;
    this.list = byId("notes");
    this.divider = make("li", { role: "presentation", class: "divider" }, "Beside the sample");
    this.field = /** @type {HTMLInputElement} */ (byId("search"));
    /** @type {Map<number, {signature: string, element: HTMLElement}>} */
    this.rows = new Map();
    this.list.addEventListener("click", (event) => {
      const row = event.target instanceof Element ? event.target.closest("[role=option]") : null;
      if (row instanceof HTMLElement && row.getAttribute("aria-disabled") !== "true") listener.open(Number(row.dataset.note));
    });
    this.list.addEventListener("keydown", (event) => this.pressed(event));
    this.list.addEventListener("focus", () => this.activate(this.active ?? this.current));
    this.field.addEventListener("input", () => this.searchSoon());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "ArrowDown") this.list.focus();
    });
    this.buttons = Object.entries(FILTERS).map(([id, { name }]) => {
      const button = make("button", { type: "button", "aria-pressed": "false" }, name, make("span"));
      button.addEventListener("click", () => this.choose(id));
      return { id, button };
    });
    byId("filters").append(...this.buttons.map(({ button }) => button));
  }

  searchSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.listener.search(this.words), 250);
  }

  get words() {
    return this.field.value.trim();
  }

  /** @param {string} filter */
  choose(filter) {
    this.filter = filter;
    this.draw();
  }

  /** @param {QueueEntry[]} entries */
  show(entries) {
    this.entries = entries;
    this.draw();
  }

  /** @param {number | null} note */
  mark(note) {
    this.current = this.active = note;
    this.draw();
    this.rowOf(note)?.scrollIntoView({ block: "nearest" });
  }

  /** @returns {QueueEntry[]} */
  get listed() {
    const { has } = FILTERS[this.filter];
    return this.entries.filter((entry) => has(entry, this.decides) || entry.note === this.current);
  }

  /** @returns {number | null} the next note that waits for this reader, around the end */
  get nextToDo() {
    const at = this.entries.findIndex((entry) => entry.note === this.current);
    const order = [...this.entries.slice(at + 1), ...this.entries.slice(0, Math.max(0, at))];
    return order.find((entry) => isToDo(entry, this.decides))?.note ?? null;
  }

  /** @param {1 | -1} way @returns {number | null} the note beside the one that is open */
  beside(way) {
    const listed = this.listed.filter((entry) => entry.open);
    const at = listed.findIndex((entry) => entry.note === this.current);
    return listed[at + way]?.note ?? null;
  }

  draw() {
    const decide = this.entries.some((entry) => entry.stage === "differs");
    for (const { id, button } of this.buttons) {
      button.setAttribute("aria-pressed", String(id === this.filter));
      const count = this.entries.filter((entry) => FILTERS[id].has(entry, this.decides)).length;
      const badge = button.querySelector("span");
      if (badge) badge.textContent = ` ${count}`;
      button.hidden = id === "differs" && !(decide || this.filter === id);
    }
    const listed = this.listed;
    const wanted = listed.map((entry) => this.row(entry));
    const rest = listed.findIndex((entry) => !entry.sampled);
    if (rest >= 0) wanted.splice(rest, 0, this.divider);
    if (wanted.length !== this.list.children.length || wanted.some((row, n) => row !== this.list.children[n])) {
      this.list.replaceChildren(...wanted);
    }
    const done = this.entries.filter((entry) => entry.stage === "done").length;
    byId("queue-count").textContent = this.entries.length ? `${done} of ${this.entries.length} done` : "";
    const none = byId("no-notes");
    none.hidden = listed.length > 0;
    none.textContent = this.words ? "No note has these words." : "Nothing is left here.";
    this.activate(this.active);
  }

  /** @param {QueueEntry} entry @returns {HTMLElement} */
  row(entry) {
    const signature = JSON.stringify([entry, entry.note === this.current]);
    const known = this.rows.get(entry.note);
    if (known?.signature === signature) return known.element;
    const open = entry.open ? "" : ", somebody else reads it";
    const facts = [`${entry.characters.toLocaleString("en")} chars`];
    if (entry.readers > 1) facts.push("2 readers");
    if (entry.by.length) facts.push(entry.by.join(", "));
    const misses = entry.expected_missed >= 0.05 ? `≈ ${entry.expected_missed.toFixed(1)} missed` : "";
    const element = make(
      "li",
      { role: "option", id: `note-${entry.note}`, "aria-selected": String(entry.note === this.current) },
      make("span", { class: `sign ${entry.stage}`, "aria-hidden": "true" }, SIGNS[entry.stage]),
      make("span", { class: "name" }, `Note ${entry.note}`, make("span", { class: "unseen" }, `, ${STAGES[entry.stage]}${open}. `)),
      make("span", { class: "missed", title: "Identifiers that detection is expected to have missed" }, misses),
      make("span", { class: "facts" }, facts.join(" · ")),
      make("span", { class: "badges" }, entry.flagged ? "⚑ flagged" : ""),
    );
    element.dataset.note = String(entry.note);
    if (!entry.open) element.setAttribute("aria-disabled", "true");
    this.rows.set(entry.note, { signature, element });
    return element;
  }

  /** @param {number | null} note @returns {HTMLElement | null} */
  rowOf(note) {
    return note === null ? null : document.getElementById(`note-${note}`);
  }

  /** @param {number | null} note */
  activate(note) {
    this.active = note;
    for (const old of this.list.querySelectorAll(".active")) old.classList.remove("active");
    const row = this.rowOf(note);
    row?.classList.add("active");
    if (row) this.list.setAttribute("aria-activedescendant", row.id);
    else this.list.removeAttribute("aria-activedescendant");
    this.list.setAttribute("aria-label", counted(this.listed.length, "note"));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const rows = [...this.list.querySelectorAll("[role=option]")];
    const at = rows.findIndex((row) => row.id === `note-${this.active}`);
    const to = { ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1), Home: 0, End: rows.length - 1 }[event.key];
    if (to !== undefined && rows[to]) {
      this.activate(Number(/** @type {HTMLElement} */ (rows[to]).dataset.note));
      rows[to].scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && !event.ctrlKey && this.active !== null) {
      this.listener.open(this.active);
    } else if (to === undefined) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
