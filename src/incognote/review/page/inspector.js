/** The strip under the note: the current mark, what is known of it, and what can be done with it. */

import { percent } from "./marks.js";
import { byId, make } from "./say.js";

/**
 * @typedef {import("./note.js").Note} Note
 */

const BUTTONS = [
  ["next", "Next mark", "J"],
  ["next-doubt", "Next doubtful place", "D"],
  ["bulk", "Accept many", "B"],
  ["accept", "Accept", "A"],
  ["reject", "Reject", "X"],
  ["retype", "Type", "T"],
  ["add", "Mark", "M"],
  ["everywhere", "All", "O", "Mark all occurrences of these words"],
  ["person", "Person", "P", "Mark this person everywhere"],
];
const ENDS = [
  ["start-out", "Start one word earlier", "⇤", "Q"],
  ["start-in", "Start one word later", "↦", "W"],
  ["end-in", "End one word earlier", "↤", "E"],
  ["end-out", "End one word later", "⇥", "R"],
];

/** What has no confidence of its own. @type {Record<string, string>} */
const SOURCES = {
  reader: "marked by a reader",
  gold: "marked in the file",
  "first reader": "first reader",
  "second reader": "second reader",
};

export class Inspector {
  /** @param {(type: string) => string} categoryOf */
  constructor(categoryOf) {
    this.categoryOf = categoryOf;
    this.chip = make("span", { class: "chip" });
    this.words = make("bdi", { class: "words" });
    this.facts = make("span", { class: "facts" });
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
    const button = (/** @type {string} */ id, /** @type {string} */ name, /** @type {string} */ key, /** @type {string} */ sign = "") => {
      const words = sign ? make("span", { "aria-hidden": "true" }, sign) : name;
      const element = make("button", { type: "button", "data-command": id }, words, make("kbd", { "aria-hidden": "true" }, key));
      if (sign) {
        element.setAttribute("aria-label", name);
        element.title = name;
      }
      this.buttons.set(id, /** @type {HTMLButtonElement} */ (element));
      return element;
    };
    byId("inspector").replaceChildren(
      make("p", {}, this.chip, this.words, this.facts),
      make(
        "div",
        { class: "tools" },
        ...BUTTONS.map(([id, name, key, title]) => {
          const element = button(id, name, key);
          if (title) element.title = title;
          return element;
        }),
        make("span", { class: "ends", role: "group", "aria-label": "Ends of the mark" }, ...ENDS.map(([id, name, sign, key]) => button(id, name, key, sign))),
      ),
    );
  }

  /** @param {Note} note */
  show(note) {
    const text = note.view?.text ?? "";
    const { current } = note;
    const selection = note.selection();
    let shown = new Set();
    if (current && "mark" in current) {
      const { mark } = current;
      const at = note.stops.indexOf(mark) + 1;
      this.say(mark.type, text.slice(mark.start, mark.end), `${at ? `${at} of ${note.stops.length} · ` : ""}${facts(mark)}`);
      shown = new Set(["accept", "reject", "retype", "everywhere", "person", ...ENDS.map(([id]) => id)]);
    } else if (current) {
      const { doubt } = current;
      this.say(doubt.type, text.slice(doubt.start, doubt.end), `not marked · perhaps, ${percent(doubt.score)}`);
      shown = new Set(["accept", "reject", "retype"]);
    } else if (selection) {
      this.say("", text.slice(selection.start, selection.end), "selected");
      shown = new Set(["add", "everywhere"]);
    } else {
      this.say("", "", note.view ? empty(note) : "");
      shown = new Set(note.view ? ["next", "next-doubt", "bulk"] : []);
    }
    const open = note.view?.state === "open";
    for (const [id, button] of this.buttons) {
      button.hidden = !shown.has(id);
      button.disabled = !open && !id.startsWith("next");
    }
    this.name("accept", current && "doubt" in current ? "Mark it" : "Accept");
    this.name("reject", current && "doubt" in current ? "Leave it" : "Reject");
  }

  /** @param {string} type @param {string} words @param {string} facts */
  say(type, words, facts) {
    this.chip.textContent = type;
    this.chip.className = type ? `chip ${this.categoryOf(type)}` : "chip none";
    this.words.textContent = words.slice(0, 200);
    this.facts.textContent = facts;
  }

  /** @param {string} id @param {string} words */
  name(id, words) {
    const text = this.buttons.get(id)?.firstChild;
    if (text && text.textContent !== words) text.textContent = words;
  }
}

/** @param {Note} note */
function empty(note) {
  const left = note.marks.filter((mark) => mark.status === "proposed").length;
  const doubts = note.doubts.length;
  const parts = [
    left ? `${left} ${left === 1 ? "mark is" : "marks are"} undecided` : "All marks are decided",
    doubts ? `${doubts} doubtful ${doubts === 1 ? "place" : "places"}` : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

/** @param {import("./api.js").Mark} mark */
function facts(mark) {
  const by = mark.source.replace(/\..*/, "");
  const source = SOURCES[by] ?? `by ${by}`;
  const score = by in SOURCES ? "" : ` · ${percent(mark.score)}`;
  return `${mark.status}${score} · ${source}`;
}
