/** The windows over the page: the menu of types, accepting many marks, the memo, and the keys. */

import { bulk, percent } from "./marks.js";
import { byId, counted, make } from "./say.js";

/**
 * @typedef {import("./api.js").Mark} Mark
 * @typedef {{type: string, category: string}} Type
 */

/** @param {string} id @returns {HTMLDialogElement} */
function dialog(id) {
  return /** @type {HTMLDialogElement} */ (byId(id));
}

/** @param {string} id @returns {HTMLInputElement} */
function field(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

/** Buttons that close their window, and clicks beside it. */
export function wireDialogs() {
  for (const each of document.querySelectorAll("dialog")) {
    if (each.id === "entry") {
      each.addEventListener("cancel", (event) => event.preventDefault());
      continue;
    }
    each.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (event.target === each || button?.value === "cancel") each.close();
    });
  }
}

/** The menu of types, with those used last at the top. */
export class TypeMenu {
  /** @param {Type[]} types */
  constructor(types) {
    this.types = types;
    /** @type {string[]} */
    this.recent = [];
    /** @type {Type[]} */
    this.found = [];
    this.active = 0;
    this.chosen = (/** @type {string} */ _) => {};
    this.dialog = dialog("types");
    this.field = field("types-search");
    this.list = byId("types-list");
    this.field.addEventListener("input", () => this.search());
    this.field.addEventListener("keydown", (event) => this.pressed(event));
    this.list.addEventListener("click", (event) => {
      const row = event.target instanceof Element ? event.target.closest("li") : null;
      if (row?.dataset.type) this.pick(row.dataset.type);
    });
  }

  /** @param {string} title @param {string} words of the note @param {string | null} now @param {(type: string) => void} chosen */
  open(title, words, now, chosen) {
    this.chosen = chosen;
    this.now = now;
    byId("types-title").textContent = title;
    byId("types-words").textContent = words.length > 160 ? `${words.slice(0, 160)}…` : words;
    this.field.value = "";
    this.search();
    this.dialog.showModal();
    this.field.focus();
  }

  search() {
    const words = this.field.value.trim().toUpperCase();
    const rank = (/** @type {Type} */ each) => {
      if (!words) {
        const recent = this.recent.indexOf(each.type);
        return recent < 0 ? 10 : recent;
      }
      if (each.type.startsWith(words)) return 0;
      if (each.category.startsWith(words)) return 1;
      return each.type.includes(words) ? 2 : -1;
    };
    this.found = this.types
      .map((each) => ({ ...each, rank: rank(each) }))
      .filter((each) => each.rank >= 0)
      .sort((a, b) => a.rank - b.rank);
    const now = this.found.findIndex((each) => each.type === this.now);
    this.active = words || now < 0 ? 0 : now;
    this.list.replaceChildren(
      ...this.found.map(({ type, category }, number) => {
        const row = make(
          "li",
          { role: "option", id: `type-${number}`, "data-type": type },
          make("span", { class: `chip ${category}` }, type),
          make("span", { class: "small" }, type === this.now ? "as it is" : category === type ? "" : category.toLowerCase()),
        );
        return row;
      }),
    );
    this.activate(this.active);
  }

  /** @param {number} number */
  activate(number) {
    this.active = Math.max(0, Math.min(this.found.length - 1, number));
    [...this.list.children].forEach((row, n) => row.setAttribute("aria-selected", String(n === this.active)));
    const row = this.list.children[this.active];
    row?.scrollIntoView({ block: "nearest" });
    if (row) this.field.setAttribute("aria-activedescendant", row.id);
    else this.field.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (steps) this.activate(this.active + steps);
    else if (event.key === "Enter" && this.found[this.active]) this.pick(this.found[this.active].type);
    else return;
    event.preventDefault();
  }

  /** @param {string} type */
  pick(type) {
    this.recent = [type, ...this.recent.filter((each) => each !== type)].slice(0, 4);
    this.dialog.close();
    this.chosen(type);
  }
}

/** Accepting all marks of a type and a confidence. */
export class BulkDialog {
  constructor() {
    this.dialog = dialog("bulk");
    this.type = /** @type {HTMLSelectElement} */ (byId("bulk-type"));
    this.least = field("bulk-least");
    /** @type {Mark[]} */
    this.marks = [];
    this.accepted = (/** @type {string | null} */ _type, /** @type {number} */ _least) => {};
    this.type.addEventListener("change", () => this.count());
    this.least.addEventListener("input", () => this.count());
    const form = this.dialog.querySelector("form");
    this.type.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      form?.requestSubmit();
    });
    form?.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.count()) return;
      this.dialog.close();
      this.accepted(this.type.value || null, Number(this.least.value) / 100);
    });
  }

  /** @param {Mark[]} marks @param {string | null} type @param {(type: string | null, least: number) => void} accepted */
  open(marks, type, accepted) {
    this.marks = marks;
    this.accepted = accepted;
    const proposed = bulk(marks, null, 0);
    const types = [...new Set(proposed.map((mark) => mark.type))].sort();
    this.type.replaceChildren(
      new Option(`All types (${proposed.length})`, ""),
      ...types.map((each) => new Option(`${each} (${bulk(marks, each, 0).length})`, each)),
    );
    this.type.value = type && types.includes(type) ? type : "";
    this.count();
    this.dialog.showModal();
    this.type.focus();
  }

  /** @returns {number} how many marks it would accept */
  count() {
    const least = Number(this.least.value) / 100;
    const count = bulk(this.marks, this.type.value || null, least).length;
    byId("bulk-value").textContent = percent(least);
    byId("bulk-count").textContent = count
      ? `${counted(count, "undecided mark")} will be accepted.`
      : "No undecided mark is so confident.";
    /** @type {HTMLButtonElement} */ (byId("bulk-accept")).disabled = !count;
    return count;
  }
}

/** @param {string} words @param {(words: string) => void} kept */
export function openMemo(words, kept) {
  const [window, area] = [dialog("memo"), /** @type {HTMLTextAreaElement} */ (byId("memo-words"))];
  const form = /** @type {HTMLFormElement} */ (window.querySelector("form"));
  area.value = words;
  form.onsubmit = (event) => {
    event.preventDefault();
    window.close();
    if (area.value !== words) kept(area.value);
  };
  area.onkeydown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  };
  window.showModal();
  area.focus();
}

/**
 * @param {{group: string, name: string, keys: string[]}[]} commands
 * @param {string[]} categories
 */
export function openHelp(commands, categories) {
  const groups = Map.groupBy ? Map.groupBy(commands, (each) => each.group) : grouped(commands);
  byId("keys").replaceChildren(
    ...[...groups].map(([group, own]) =>
      make(
        "section",
        {},
        make("h3", {}, group),
        make("dl", {}, ...own.map((each) => make("div", {}, make("dt", {}, ...caps(each.keys)), make("dd", {}, each.name)))),
      ),
    ),
  );
  const row = (/** @type {string} */ kind, /** @type {string} */ label, /** @type {string} */ words) => {
    const mark = make("mark", { class: `${kind} begins ends` }, "words");
    if (label) mark.dataset.label = label;
    return make("li", {}, mark, ` ${words}`);
  };
  byId("legend").replaceChildren(
    make("h3", {}, "What the marks look like"),
    make(
      "ul",
      { class: "text" },
      row("NAME s3 proposed", "patient", "found, not decided; the paler, the less sure"),
      row("NAME s0 proposed", "patient", "found, with little confidence"),
      row("NAME s3 accepted", "✓ patient", "accepted"),
      row("NAME s3 rejected", "✕ patient", "rejected: it stays in the output"),
      row("doubtful", "", "not marked, but doubtful"),
    ),
    make("p", { class: "chips" }, ...categories.map((each) => make("span", { class: `chip ${each}` }, each.toLowerCase()))),
  );
  dialog("help").showModal();
}

/** @param {string[]} keys */
function caps(keys) {
  return keys.flatMap((key, number) => [...(number ? [" or "] : []), make("kbd", {}, key)]);
}

/** @template {{group: string}} T @param {T[]} all @returns {Map<string, T[]>} */
function grouped(all) {
  const groups = new Map();
  for (const each of all) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  return groups;
}

/** @param {(secret: string) => Promise<string>} enter gives what is wrong, if something is @returns {Promise<void>} once inside */
export function openEntry(enter) {
  const [window, input] = [dialog("entry"), field("entry-secret")];
  const form = /** @type {HTMLFormElement} */ (window.querySelector("form"));
  if (!window.open) window.showModal();
  input.value = "";
  input.focus();
  return new Promise((inside) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      const wrong = await enter(input.value.trim().split("#").at(-1) ?? "");
      byId("entry-wrong").textContent = wrong;
      if (wrong) return;
      input.value = "";
      window.close();
      inside();
    };
  });
}
