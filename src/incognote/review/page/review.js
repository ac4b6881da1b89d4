/** The review as one reader does it: which note is open, and what becomes of its marks. */

import * as api from "./api.js";
import { moved, trimmed, wordAt } from "./boundaries.js";
import { showDifferences } from "./differences.js";
import { BulkDialog, openMemo, TypeMenu } from "./dialogs.js";
import { Inspector } from "./inspector.js";
import { beyond, changed, fingerprints, foreseen } from "./marks.js";
import { Note } from "./note.js";
import { Output } from "./output.js";
import { Queue } from "./queue.js";
import { Saving } from "./saving.js";
import { banner, byId, counted, quoted, say } from "./say.js";
import { showProgress } from "./statistics.js";

/** @typedef {import("./api.js").Mark} Mark */

export class Review {
  /** @param {api.Session} session @param {() => Promise<void>} signIn */
  constructor(session, signIn) {
    this.signIn = signIn;
    const categories = new Map(session.types.map((each) => [each.type, each.category]));
    const categoryOf = (/** @type {string} */ type) => categories.get(type) ?? "ID";
    this.types = new TypeMenu(session.types);
    this.bulkDialog = new BulkDialog();
    this.inspector = new Inspector(categoryOf);
    this.queue = new Queue({ open: (note) => this.open(note), search: () => this.refresh() });
    this.queue.decides = session.reviewer.role !== "reviewer";
    this.note = new Note(byId("note"), categoryOf, {
      current: () => this.showCurrent(),
      selected: () => this.inspector.show(this.note),
      scrolled: (offset, y) => this.output.align(offset, y),
      hovered: (ids) => this.output.point(this.note.marks.find((mark) => ids.includes(mark.id)) ?? null, "linked"),
    });
    this.output = new Output(byId("output"), categoryOf, {
      hovered: (span) => this.note.link(span ? this.marksAt(span).map((mark) => mark.id) : []),
      chosen: (span) => {
        const [mark] = this.marksAt(span);
        if (mark) this.note.choose({ mark });
      },
    });
    this.saving = new Saving({
      saved: (change, view) => this.saved(change, view),
      refused: (change, sentence, dropped) => this.refused(change, sentence, dropped),
      signedOut: () => this.signIn().then(() => this.saving.retry()),
      network: (lost) => this.network(lost),
    });
    byId("output-kind").textContent = `as ${session.project.replacement}`;
  }

  // Which note is open.

  /** Begin: the queue, and the first note that waits. */
  async start() {
    await this.refresh();
    const next = this.queue.nextToDo;
    if (next !== null) await this.open(next);
    this.refreshStatistics();
  }

  /** Read the queue again. */
  async refresh() {
    await this.reading(async () => this.queue.show(await api.queue(this.queue.words)));
  }

  async refreshStatistics() {
    await this.reading(async () => showProgress(await api.statistics()));
  }

  /** @param {() => Promise<void>} ask something that changes nothing: what goes wrong is said */
  async reading(ask) {
    try {
      await ask();
    } catch (error) {
      if (error instanceof api.Refusal && error.status === 401) {
        await this.signIn();
        await ask();
      } else if (error instanceof api.Refusal || error instanceof api.Unreachable) {
        say(sentenceOf(error.message), "wrong");
      } else {
        throw error;
      }
    }
  }

  /** @param {number} number @returns {Promise<void>} */
  async open(number) {
    this.wanted = number;
    await this.saving.settled();
    await this.reading(async () => {
      const view = await api.readNote(number);
      if (this.wanted !== number) return;
      this.saving.began(number, view.version);
      this.note.open(view);
      this.output.clear();
      this.output.show(view.output);
      this.queue.mark(number);
      this.showState();
      this.showSaved();
      byId("note").focus({ preventScroll: true });
      say(`Note ${number} is open: ${counted(view.marks.length, "mark")}, ${counted(this.note.doubts.length, "doubtful place")}.`);
    });
  }

  /** @param {1 | -1} way */
  openBeside(way) {
    const note = this.queue.beside(way);
    if (note === null) say(way > 0 ? "This is the last note of the list." : "This is the first note of the list.");
    else this.open(note);
  }

  // What is shown of it.

  showCurrent() {
    this.inspector.show(this.note);
    const { current } = this.note;
    this.output.point(current ? this.note.placeOf(current) : null, "current");
    this.note.scrolled();
    const mark = current && "mark" in current ? current.mark : null;
    showDifferences(this.note.view, this.note.marks, mark, {
      choose: (each) => this.note.choose({ mark: each }),
      decide: (each, accept) => {
        this.note.choose({ mark: each });
        this.decide(accept);
      },
    });
  }

  showState() {
    const { view } = this.note;
    if (!view) return;
    byId("note-title").textContent = `Note ${view.note}: ${view.id}`;
    const done = view.state === "done";
    byId("note-state").textContent = done ? "finished" : view.adjudication ? "to decide" : "";
    byId("finish").textContent = done ? "Next note" : "Finish";
    byId("flag").setAttribute("aria-pressed", String(view.flagged));
    byId("flag").textContent = view.flagged ? "⚑ Flagged" : "Flag";
    byId("memo-line").textContent = view.memo;
    byId("memo-line").hidden = !view.memo;
    for (const what of /** @type {const} */ (["undo", "redo"])) {
      const button = document.querySelector(`[data-command=${what}]`);
      if (button instanceof HTMLButtonElement) button.disabled = done || !view[what];
    }
    byId("reading").classList.toggle("done", done);
  }

  // Moving.

  /** @param {1 | -1} way */
  step(way) {
    const { note } = this;
    const current = note.current && "mark" in note.current ? note.current.mark : null;
    const stops = note.stops;
    const mark = beyond(stops, note.from, way, stops.includes(current) ? current : null);
    if (!mark) {
      say(stops.length ? (way > 0 ? "There is no mark after this." : "There is no mark before this.") : "The note has no mark.");
      return;
    }
    this.arrive(mark);
  }

  /** @param {Mark} mark */
  arrive(mark) {
    this.note.choose({ mark });
    say(`${quoted(this.words(mark))}: ${this.note.described(mark)}.`);
  }

  /** @param {1 | -1} way @param {boolean} [quietly] */
  stepDoubt(way, quietly = false) {
    const { note } = this;
    const current = note.current && "doubt" in note.current ? note.current.doubt : null;
    const doubt = beyond(note.doubts, note.from, way, current);
    if (!doubt) {
      if (!quietly) say("There is no other doubtful place there.");
      return;
    }
    note.choose({ doubt });
    say(`${quoted(this.words(doubt))}: not marked, perhaps ${doubt.type}.`);
  }

  // Changing marks.

  /** @param {boolean} accept */
  decide(accept) {
    const { current } = this.note;
    if (!this.changeable()) return;
    if (!current) {
      this.nextUndecided();
    } else if ("doubt" in current) {
      const { doubt } = current;
      if (accept) this.wish({ do: "add", start: doubt.start, end: doubt.end, type: doubt.type }, () => `Marked ${quoted(this.words(doubt))} as ${doubt.type}.`);
      else this.stepDoubt(1);
    } else {
      const { mark } = current;
      const status = accept ? "accepted" : "rejected";
      const words = `${accept ? "Accepted" : "Rejected"}: ${quoted(this.words(mark))}, ${mark.type}.`;
      if (mark.status !== status) this.wish({ do: accept ? "accept" : "reject", mark: mark.id }, () => words);
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
    say(`${before} Next: ${quoted(this.words(mark))}, ${note.described(mark)}.`.trim());
  }

  chooseType() {
    const { current } = this.note;
    if (!this.changeable()) return;
    if (!current || "doubt" in current) {
      this.add();
      return;
    }
    const { mark } = current;
    this.types.open("Change the type", this.words(mark), mark.type, (type) => {
      if (type === mark.type && mark.status === "accepted") return;
      this.wish({ do: "retype", mark: mark.id, type }, () => `${quoted(this.words(mark))} is ${type} now.`);
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
    const type = current && "doubt" in current ? current.doubt.type : this.types.recent[0] ?? null;
    this.types.open("Mark as", this.words(place), type, (chosen) =>
      this.wish({ do: "add", ...place, type: chosen }, () => `Marked ${quoted(this.words(place))} as ${chosen}.`),
    );
  }

  /** @returns {{start: number, end: number} | null} what is selected, doubtful, or the word at the caret */
  stretch() {
    const { note } = this;
    const text = note.view?.text ?? "";
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
    const { current } = this.note;
    const report = (/** @type {Mark[]} */ marks) => `All occurrences: ${counted(marks.length, "mark")} changed or added.`;
    if (current && "mark" in current) {
      this.wish({ do: "everywhere", mark: current.mark.id }, report);
      return;
    }
    const place = this.stretch();
    if (!place) return this.add();
    const type = current && "doubt" in current ? current.doubt.type : null;
    this.types.open("Mark all occurrences as", this.words(place), type, (chosen) =>
      this.wish({ do: "everywhere", ...place, type: chosen }, report),
    );
  }

  person() {
    const { current } = this.note;
    if (!this.changeable()) return;
    if (!current || "doubt" in current) {
      say("Choose a mark first.");
      return;
    }
    this.wish({ do: "person", mark: current.mark.id }, (marks) => `This person everywhere: ${counted(marks.length, "mark")} changed or added here.`);
  }

  acceptMany() {
    if (!this.changeable()) return;
    const { current } = this.note;
    const type = current && "mark" in current ? current.mark.type : null;
    this.bulkDialog.open(this.note.marks, type, (chosen, least) =>
      this.wish({ do: "bulk", least, ...(chosen ? { type: chosen } : {}) }, (marks) => `Accepted ${counted(marks.length, "mark")}.`),
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
    else this.wish({ do: "resize", mark: mark.id, ...place }, () => `The mark is ${quoted(this.words(place))} now.`);
  }

  /** @param {"undo" | "redo"} what */
  again(what) {
    if (this.changeable()) this.wish({ do: what }, () => (what === "undo" ? "Undone." : "Done again."));
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

  /** @param {{start: number, end: number}} place */
  words({ start, end }) {
    return this.note.view?.text.slice(start, end) ?? "";
  }

  /** @param {api.OutputSpan} span */
  marksAt(span) {
    return this.note.marks.filter((mark) => mark.start < span.to && span.from < mark.end);
  }

  /** @param {api.Wish} wish @param {(changed: Mark[]) => string} report */
  wish(wish, report) {
    const { view, marks } = this.note;
    if (!view) return;
    this.saving.add({ note: view.note, wish, before: fingerprints(marks), report });
    const foreseeable = foreseen(marks, wish);
    if (foreseeable !== marks) this.note.show(foreseeable);
    this.showSaved();
  }

  // The note as a whole.

  /** @param {api.ReadingChange} change @param {string} sentence */
  change(change, sentence) {
    const { view } = this.note;
    if (!view) return;
    this.saving.add({ note: view.note, change, report: () => sentence });
    this.showSaved();
  }

  finish() {
    const { view } = this.note;
    if (!view) return;
    if (view.state === "done") this.openNext();
    else this.change({ state: "done" }, "The note is finished.");
  }

  openNext() {
    const next = this.queue.nextToDo;
    if (next === null) say("No other note waits for you.");
    else this.open(next);
  }

  reopen() {
    if (this.note.view?.state === "done") this.change({ state: "open" }, "The note is open again.");
    else say("The note is open.");
  }

  flag() {
    const flagged = !this.note.view?.flagged;
    this.change({ flagged }, flagged ? "Flagged for a second look." : "No longer flagged.");
  }

  memo() {
    const { view } = this.note;
    if (!view) return;
    openMemo(view.memo, (memo) => {
      view.memo = memo;
      this.change({ memo }, "The memo is kept.");
      this.showState();
    });
  }

  // What the server answers.

  /** @param {import("./saving.js").Change} change @param {api.View} answer */
  async saved(change, answer) {
    this.showSaved();
    const { view } = this.note;
    if (view?.note === change.note) {
      Object.assign(view, answer);
      const pending = this.saving.pending(change.note);
      const marks = pending.reduce((now, each) => foreseen(now, each.wish), answer.marks);
      const touched = change.before ? changed(change.before, answer.marks) : [];
      this.output.show(answer.output);
      this.note.show(marks);
      this.follow(change, touched);
      this.showState();
    }
    if (!change.change) return;
    if (change.change.state) {
      await this.refresh();
      this.refreshStatistics();
      if (change.change.state === "done" && this.note.view?.note === change.note) this.openNext();
    } else if (change.change.flagged !== undefined) {
      this.refresh();
    }
  }

  /** @param {import("./saving.js").Change} change @param {Mark[]} touched go to what changed, and say it */
  follow(change, touched) {
    if (change.wish?.do === "accept" || change.wish?.do === "reject") return;
    say(change.report(touched));
    const { wish } = change;
    if (!wish || wish.do === "bulk") return;
    const id = wish.mark ?? null;
    const mark = this.note.marks.find((each) => each.id === id) ?? touched[0];
    const now = this.note.marks.find((each) => each.id === mark?.id);
    if (now) this.note.choose({ mark: now });
    else this.showCurrent();
  }

  /** @param {import("./saving.js").Change} change @param {string} sentence @param {number} dropped */
  async refused(change, sentence, dropped) {
    const others = dropped ? ` ${counted(dropped, "later change")} of it ${dropped === 1 ? "was" : "were"} not made.` : "";
    if (this.note.view?.note === change.note) {
      const { caret } = this.note;
      await this.reading(async () => {
        const view = await api.readNote(change.note);
        const top = this.note.element.scrollTop;
        this.saving.began(change.note, view.version);
        this.note.open(view);
        this.note.caret = this.note.anchor = Math.min(caret, view.text.length);
        this.note.element.scrollTop = top;
        this.output.show(view.output);
        this.showState();
      });
    }
    say(`${sentenceOf(sentence)} The note was loaded again.${others}`, "wrong");
    this.showSaved();
  }

  /** @param {boolean} lost */
  network(lost) {
    if (lost) banner("The server does not answer. Your changes are kept here and sent as soon as it does; leave this page open.", "Try now", () => this.saving.retry());
    else banner("");
    this.showSaved();
  }

  showSaved() {
    const count = this.saving.changes.length;
    byId("saved").textContent = count ? `${counted(count, "change")} to be saved` : "Everything is saved";
    byId("saved").classList.toggle("waiting", count > 0);
  }
}

/** @param {string} words */
function sentenceOf(words) {
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
