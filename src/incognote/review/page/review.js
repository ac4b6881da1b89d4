/** The review as one reader does it: which note is open, and what becomes of its marks. */

import * as api from "./api.js";
import { Decisions } from "./decisions.js";
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
    this.decisions = new Decisions(this);
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
        this.decisions.decide(accept);
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

  // Changing marks (decisions.js says which).

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
