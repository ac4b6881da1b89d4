/**
 * The routes of the review, as functions. Offsets are in UTF-16 units here and there.
 *
 * @typedef {{id: number, start: number, end: number, type: string, score: number, source: string,
 *   status: "proposed" | "accepted" | "rejected"}} Mark
 * @typedef {{start: number, end: number, type: string, score: number}} Doubtful
 * @typedef {{start: number, end: number, type: string, from: number, to: number}} OutputSpan
 *   `from` and `to` are the place in the note that it stands for.
 * @typedef {{note: number, version: number, state: "open" | "done", flagged: boolean,
 *   adjudication: boolean, undo: boolean, redo: boolean, marks: Mark[],
 *   output: {text: string, spans: OutputSpan[]}}} View
 * @typedef {View & {id: string, place: string, text: string, memo: string,
 *   doubtful: Doubtful[]}} WholeView
 * @typedef {{do: string, mark?: number, start?: number, end?: number, type?: string,
 *   least?: number}} Wish
 * @typedef {{state?: "open" | "done", flagged?: boolean, memo?: string}} ReadingChange
 * @typedef {{note: number, characters: number, expected_missed: number, sampled: boolean,
 *   readers: number, stage: "untouched" | "begun" | "differs" | "done", own: "open" | "done" | null,
 *   flagged: boolean, open: boolean, by: string[]}} QueueEntry
 * @typedef {{reviewer: {name: string, role: string}, csrf: string,
 *   project: {name: string, replacement: string, confidence: number, risk: number},
 *   types: {type: string, category: string}[]}} Session
 */

const ROOT = new URL("../api/", import.meta.url);
const LONGEST_WAIT = 30_000;

let token = "";

/** The server did not do it, and says why. */
export class Refusal extends Error {
  /** @param {number} status @param {string} sentence */
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/** Nobody answered: whether it was done is not known. */
export class Unreachable extends Error {}

/**
 * @param {string} path
 * @param {object} [body] sent as a change; without one, it is only read
 */
async function ask(path, body) {
  const options = { credentials: "same-origin", signal: AbortSignal.timeout(LONGEST_WAIT) };
  if (body !== undefined) {
    Object.assign(options, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF": token },
      body: JSON.stringify(body),
    });
  }
  let answer, value;
  try {
    answer = await fetch(new URL(path, ROOT), options);
    value = answer.status === 204 ? null : await answer.json();
  } catch {
    if (answer && !answer.ok) throw new Refusal(answer.status, `the server answers ${answer.status}`);
    throw new Unreachable("the server does not answer");
  }
  if ([502, 503, 504].includes(answer.status)) throw new Unreachable("the server does not answer");
  if (!answer.ok) throw new Refusal(answer.status, value.detail || value.title);
  return value;
}

/** @param {string} secret of the link */
export function enter(secret) {
  return ask("enter", { secret });
}

export function leave() {
  return ask("leave", {});
}

/** @returns {Promise<Session>} */
export async function session() {
  const found = await ask("session");
  token = found.csrf;
  return found;
}

/** @param {string} search @returns {Promise<QueueEntry[]>} */
export async function queue(search) {
  return (await ask(`queue?${new URLSearchParams({ search })}`)).notes;
}

/** @param {number} note @returns {Promise<WholeView>} */
export function readNote(note) {
  return ask(`notes/${note}`);
}

/** @param {number} note @param {number} version @param {Wish} wish @returns {Promise<View>} */
export function act(note, version, wish) {
  return ask(`notes/${note}/actions`, { version, ...wish });
}

/** @param {number} note @param {number} version @param {ReadingChange} change @returns {Promise<View>} */
export function changeReading(note, version, change) {
  return ask(`notes/${note}/reading`, { version, ...change });
}

export function statistics() {
  return ask("statistics");
}
