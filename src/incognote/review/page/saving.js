/**
 * Changes on their way to the server: one after the other, each on the version that the one before
 * left. What could not be sent stays here and is tried again; nothing is dropped without a word.
 */

import { act, changeReading, Refusal, Unreachable } from "./api.js";

const PAUSES = [500, 1000, 2000, 4000];

/**
 * @typedef {import("./api.js").View} View
 * @typedef {{note: number, wish?: import("./api.js").Wish, change?: import("./api.js").ReadingChange,
 *   before?: Map<number, string>, report: (changed: import("./api.js").Mark[]) => string,
 *   tries: number}} Change
 *   `report` says what was done, given the marks that are other than `before`.
 * @typedef {object} Listener
 * @property {(change: Change, view: View) => void} saved
 * @property {(change: Change, sentence: string, dropped: number) => void} refused
 *   The note has to be read again; so many changes after it were dropped too.
 * @property {() => void} signedOut
 * @property {(lost: boolean) => void} network
 */

export class Saving {
  /** @param {Listener} listener */
  constructor(listener) {
    this.listener = listener;
    /** @type {Change[]} */
    this.changes = [];
    /** @type {Map<number, number>} */
    this.versions = new Map();
    this.running = false;
    this.lost = false;
    /** @type {(() => void)[]} */
    this.waiting = [];
    this.wake = () => {};
  }

  /** @param {number} note @param {number} version as it was read */
  began(note, version) {
    this.versions.set(note, version);
  }

  /** @param {Omit<Change, "tries">} change */
  add(change) {
    this.changes.push({ ...change, tries: 0 });
    if (!this.running) this.run();
  }

  /** @param {number} note @returns {Change[]} those that the server has not answered yet */
  pending(note) {
    return this.changes.filter((change) => change.note === note);
  }

  /** When nothing is under way any more. */
  async settled() {
    if (this.changes.length) await new Promise((done) => this.waiting.push(done));
  }

  /** Try again at once. */
  retry() {
    if (this.running) this.wake();
    else if (this.changes.length) this.run();
  }

  async run() {
    this.running = true;
    while (this.changes.length) {
      const change = this.changes[0];
      try {
        const view = await this.send(change);
        this.versions.set(change.note, view.version);
        this.changes.shift();
        this.heard(false);
        this.listener.saved(change, view);
      } catch (error) {
        if (error instanceof Unreachable) {
          this.heard(true);
          await this.pause(change.tries++);
        } else if (error instanceof Refusal && error.status === 401) {
          this.running = false;
          this.listener.signedOut();
          return;
        } else {
          this.drop(change, error);
        }
      }
    }
    this.running = false;
    for (const done of this.waiting.splice(0)) done();
  }

  /** @param {Change} change @returns {Promise<View>} */
  send(change) {
    const version = this.versions.get(change.note) ?? 0;
    return change.wish
      ? act(change.note, version, change.wish)
      : changeReading(change.note, version, change.change ?? {});
  }

  /** @param {Change} change @param {unknown} error */
  drop(change, error) {
    const before = this.changes.length;
    this.changes = this.changes.filter((each) => each.note !== change.note);
    const dropped = before - this.changes.length - 1;
    this.heard(false);
    let sentence = error instanceof Refusal ? error.message : "something went wrong in the page";
    if (error instanceof Refusal && error.status === 409 && change.tries) {
      sentence = "the connection was lost in between: see whether your last change is there";
    }
    this.listener.refused(change, sentence, dropped);
  }

  /** @param {boolean} lost */
  heard(lost) {
    if (lost === this.lost) return;
    this.lost = lost;
    this.listener.network(lost);
  }

  /** @param {number} tries */
  pause(tries) {
    const length = PAUSES[Math.min(tries, PAUSES.length - 1)];
    return new Promise((done) => {
      const timer = setTimeout(done, length);
      this.wake = () => (clearTimeout(timer), done(undefined));
    });
  }
}
