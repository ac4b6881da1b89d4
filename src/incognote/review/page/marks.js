/** What follows from the marks of a note: their order, which is next, how strong, what may change. */

/**
 * @typedef {import("./api.js").Mark} Mark
 * @typedef {import("./api.js").Doubtful} Doubtful
 * @typedef {import("./api.js").Wish} Wish
 */

const STRENGTHS = [0.6, 0.85, 0.97];
const FORESEEN = ["accept", "reject", "retype", "resize"];
const READERS = ["first reader", "second reader"];

/** @param {Mark} mark whether it will be replaced */
export function isShown(mark) {
  return mark.status === "proposed" || mark.status === "accepted";
}

/** @param {number} score @returns {number} 0 (weak) to 3 (strong) */
export function strength(score) {
  return STRENGTHS.filter((least) => score >= least).length;
}

/** @param {number} score a confidence as words; 1 only if it is */
export function percent(score) {
  return `${Math.floor(score * 100 + 1e-9)}\u00a0%`;
}

/** @param {{start: number, end: number}} a @param {{start: number, end: number}} b */
export function overlap(a, b) {
  return a.start < b.end && b.start < a.end;
}

/** @param {Mark} mark whether two readers differ about it */
export function isDifference(mark) {
  return READERS.includes(mark.source);
}

/**
 * Doubtful places that no mark covers.
 * @param {Doubtful[]} doubtful @param {Mark[]} marks
 */
export function openDoubts(doubtful, marks) {
  const shown = marks.filter(isShown).sort((a, b) => a.start - b.start);
  let first = 0;
  return [...doubtful]
    .sort((a, b) => a.start - b.start)
    .filter((doubt) => {
      while (first < shown.length && shown[first].end <= doubt.start) first++;
      return !(first < shown.length && overlap(shown[first], doubt));
    });
}

/**
 * The one after (or before) a place, else none.
 * @template {{start: number, end: number}} T
 * @param {T[]} places sorted @param {{start: number, end: number} | null} from @param {1 | -1} way
 * @param {T | null} current the one that is not to be found again
 * @returns {T | null}
 */
export function beyond(places, from, way, current = null) {
  const at = current ? places.indexOf(current) : -1;
  if (at >= 0) return places[at + way] ?? null;
  const start = from ? from.start : -1;
  if (way > 0) return places.find((place) => place.start >= start) ?? null;
  return places.findLast((place) => place.start < start) ?? null;
}

/**
 * The marks as they will be when the server has done it, as far as that is simple.
 * @param {Mark[]} marks @param {Wish | undefined} wish
 */
export function foreseen(marks, wish) {
  if (!wish || !FORESEEN.includes(wish.do)) return marks;
  const { start, end, type } = wish;
  const status = wish.do === "reject" ? "rejected" : "accepted";
  const values = JSON.parse(JSON.stringify({ status, start, end, type }));
  const after = marks.map((mark) => (mark.id === wish.mark ? { ...mark, ...values } : mark));
  const changed = after.find((mark) => mark.id === wish.mark);
  if (!changed || !isShown(changed)) return after;
  // Those that it meets give way.
  return after.filter((mark) => mark === changed || !isShown(mark) || !overlap(mark, changed));
}

/** @param {Mark[]} marks @returns {Map<number, string>} to tell later which ones changed */
export function fingerprints(marks) {
  return new Map(marks.map((m) => [m.id, `${m.start} ${m.end} ${m.type} ${m.status}`]));
}

/** @param {Map<number, string>} before @param {Mark[]} marks @returns {Mark[]} */
export function changed(before, marks) {
  const after = fingerprints(marks);
  return marks.filter((mark) => before.get(mark.id) !== after.get(mark.id));
}

/** @param {Mark[]} marks @param {string | null} type @param {number} least @returns {Mark[]} */
export function bulk(marks, type, least) {
  return marks.filter(
    (mark) =>
      mark.status === "proposed" && mark.score >= least && (type === null || mark.type === type),
  );
}

/**
 * Places where readers differ, each with the marks that meet there.
 * @param {Mark[]} marks @returns {{start: number, end: number, marks: Mark[]}[]}
 */
export function differences(marks) {
  const places = [];
  for (const mark of marks.filter(isDifference).sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = places.at(-1);
    if (last && overlap(last, mark)) {
      last.marks.push(mark);
      last.end = Math.max(last.end, mark.end);
    } else {
      places.push({ start: mark.start, end: mark.end, marks: [mark] });
    }
  }
  return places;
}
