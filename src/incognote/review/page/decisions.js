/** What a reader decides of the marks, put as wishes to the server. */

import { moved, trimmed, wordAt } from "./boundaries.js";
import { counted, quoted, say } from "./say.js";

/** @typedef {import("./api.js").Mark} Mark */

export class Decisions {
  /** @param {import("./review.js").Review} review */
  constructor(review) {
    this.review = review;
  }

  get note() {
    return this.review.note;
  }

  /** @param {boolean} accept */
  decide(accept) {
    const { current } = this.note;
    if (!this.changeable()) return;
    if (!current) {
      this.nextUndecided();
    } else if ("doubt" in current) {
      const { doubt } = current;
      if (accept) this.review.wish({ do: "add", start: doubt.start, end: doubt.end, type: doubt.type }, () => `Marked ${quoted(this.review.words(doubt))} as ${doubt.type}.`);
      else this.review.stepDoubt(1);
    } else {
      const { mark } = current;
      const status = accept ? "accepted" : "rejected";
      const words = `${accept ? "Accepted" : "Rejected"}: ${quoted(this.review.words(mark))}, ${mark.type}.`;
      if (mark.status !== status) this.review.wish({ do: accept ? "accept" : "reject", mark: mark.id }, () => words);
      this.nextUndecided(words);
    }
  }

  /** @param {string} [before] said first */
  nextUndecided(before = "") {
    const { note } = this;
    const left = note.stops.filter((mark) => mark.status === "proposed");
    const at = note.from.start;
    const mark = left.find((each) => each.start >= at) ?? left[0];
    if (!mark) {
      say(`${before} All marks are decided: Ctrl and Enter finish the note.`.trim());
      return;
    }
    note.choose({ mark });
    say(`${before} Next: ${quoted(this.review.words(mark))}, ${note.described(mark)}.`.trim());
  }

  chooseType() {
    const { current } = this.note;
    if (!this.changeable()) return;
    if (!current || "doubt" in current) {
      this.add();
      return;
    }
    const { mark } = current;
    this.review.types.open("Change the type", this.review.words(mark), mark.type, (type) => {
      if (type === mark.type && mark.status === "accepted") return;
      this.review.wish({ do: "retype", mark: mark.id, type }, () => `${quoted(this.review.words(mark))} is ${type} now.`);
    });
  }

  add() {
    if (!this.changeable()) return;
    const place = this.stretch();
    if (!place) {
      say("Select something first: with the mouse, or with Shift and the arrow keys.");
      return;
    }
    const { current } = this.note;
    const type = current && "doubt" in current ? current.doubt.type : this.review.types.recent[0] ?? null;
    this.review.types.open("Mark as", this.review.words(place), type, (chosen) =>
      this.review.wish({ do: "add", ...place, type: chosen }, () => `Marked ${quoted(this.review.words(place))} as ${chosen}.`),
    );
  }

  /** @returns {{start: number, end: number} | null} what is selected, doubtful, or the word at the caret */
  stretch() {
    const { note } = this;
    const text = note.view?.text ?? "";
    note.selectionChanged();
    const selection = note.selection();
    if (selection) {
      const place = trimmed(text, selection.start, selection.end);
      return place.start < place.end ? place : null;
    }
    if (note.current) return "doubt" in note.current ? { start: note.current.doubt.start, end: note.current.doubt.end } : null;
    return wordAt(text, note.caret);
  }

  everywhere() {
    if (!this.changeable()) return;
    this.note.selectionChanged();
    const { current } = this.note;
    const report = (/** @type {Mark[]} */ marks) => `All occurrences: ${counted(marks.length, "mark")} changed or added.`;
    if (current && "mark" in current) {
      this.review.wish({ do: "everywhere", mark: current.mark.id }, report);
      return;
    }
    const place = this.stretch();
    if (!place) return this.add();
    const type = current && "doubt" in current ? current.doubt.type : null;
    this.review.types.open("Mark all occurrences as", this.review.words(place), type, (chosen) =>
      this.review.wish({ do: "everywhere", ...place, type: chosen }, report),
    );
  }

  person() {
    const { current } = this.note;
    if (!this.changeable()) return;
    if (!current || "doubt" in current) {
      say("Choose a mark first.");
      return;
    }
    this.review.wish({ do: "person", mark: current.mark.id }, (marks) => `This person everywhere: ${counted(marks.length, "mark")} changed or added here.`);
  }

  acceptMany() {
    if (!this.changeable()) return;
    const { current } = this.note;
    const type = current && "mark" in current ? current.mark.type : null;
    this.review.bulkDialog.open(this.note.marks, type, (chosen, least) =>
      this.review.wish({ do: "bulk", least, ...(chosen ? { type: chosen } : {}) }, (marks) => `Accepted ${counted(marks.length, "mark")}.`),
    );
  }

  /** @param {"start" | "end"} side @param {1 | -1} way @param {import("./boundaries.js").Unit} unit */
  resize(side, way, unit) {
    const { current } = this.note;
    if (!this.changeable()) return;
    if (!current || "doubt" in current) {
      say("Choose a mark first.");
      return;
    }
    const { mark } = current;
    const place = moved(this.note.view?.text ?? "", { start: mark.start, end: mark.end }, side, way, unit);
    if (!place) say("The mark cannot become smaller or larger there.");
    else this.review.wish({ do: "resize", mark: mark.id, ...place }, () => `The mark is ${quoted(this.review.words(place))} now.`);
  }

  /** @param {"undo" | "redo"} what */
  again(what) {
    if (this.changeable()) this.review.wish({ do: what }, () => (what === "undo" ? "Undone." : "Done again."));
  }

  unselect() {
    window.getSelection()?.removeAllRanges();
    this.note.anchor = this.note.caret;
    this.note.choose(null);
  }

  /** @returns {boolean} whether the marks may change; says why not */
  changeable() {
    const { view } = this.note;
    if (view?.state === "done") say("The note is finished: Shift and O open it again.", "wrong");
    return view?.state === "open";
  }
}
