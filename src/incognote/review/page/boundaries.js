/**
 * Where the characters, words and lines of a text begin and end. A character is what a reader takes
 * for one: an emoji of several parts, or a letter with its accents, is never cut. Only the line around
 * a place is looked at, so that it takes no longer in a long note.
 */

const CHARACTERS = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });
const FAR = 600;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LETTER = /\p{L}/u;

/** @typedef {"character" | "word"} Unit */

/**
 * The stretch around a place in which boundaries are found: its line with the breaks beside it.
 * @param {string} text @param {number} at
 */
function surroundings(text, at) {
  let start = lineStart(text, at);
  if (start === at && at > 0) start = lineStart(text, at - 1);
  if (at - start > FAR) start = text.lastIndexOf(" ", at - FAR) > start ? text.lastIndexOf(" ", at - FAR) : start;
  let end = lineEnd(text, at) + 1;
  if (end <= at + 1) end = lineEnd(text, at + 1) + 1;
  if (end - at > FAR) {
    const space = text.indexOf(" ", at + FAR);
    if (space >= 0 && space < end) end = space;
  }
  return { start, end: Math.min(end, text.length) };
}

/** @param {string} text @param {number} at @param {Intl.Segmenter} segmenter */
function segments(text, at, segmenter) {
  const { start, end } = surroundings(text, at);
  return Array.from(segmenter.segment(text.slice(start, end)), (each) => ({
    start: start + each.index,
    end: start + each.index + each.segment.length,
    isWord: Boolean(each.isWordLike),
    text: each.segment,
  }));
}

/** @param {string} text @param {number} at @param {1 | -1} way @returns {number} */
export function nextCharacter(text, at, way) {
  const found = segments(text, at, CHARACTERS);
  if (way > 0) return found.find((each) => each.end > at)?.end ?? text.length;
  return found.findLast((each) => each.start < at)?.start ?? 0;
}

/**
 * The end of the next word, or the start of the one before; across lines if need be.
 * @param {string} text @param {number} at @param {1 | -1} way @returns {number}
 */
export function nextWord(text, at, way) {
  let place = at;
  while (way > 0 ? place < text.length : place > 0) {
    const words = segments(text, place, WORDS).filter((each) => each.isWord);
    const word =
      way > 0 ? words.find((each) => each.end > place) : words.findLast((each) => each.start < place);
    if (word) return way > 0 ? word.end : word.start;
    const { start, end } = surroundings(text, place);
    const beyond = way > 0 ? end : start;
    if (beyond === place) break;
    place = beyond;
  }
  return way > 0 ? text.length : 0;
}

/** @param {string} text @param {number} at @returns {{start: number, end: number} | null} */
export function wordAt(text, at) {
  const words = segments(text, at, WORDS).filter((each) => each.isWord);
  return words.find((each) => each.start <= at && at <= each.end) ?? null;
}

/** @param {string} text @param {number} at */
export function lineStart(text, at) {
  return at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** @param {string} text @param {number} at */
export function lineEnd(text, at) {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Whether the line there is read from right to left, by its first letter, as it is shown.
 * @param {string} text @param {number} at */
export function isRightToLeft(text, at) {
  const line = text.slice(lineStart(text, at), Math.min(lineEnd(text, at), at + FAR));
  const first = LETTER.exec(line);
  return first !== null && RIGHT_TO_LEFT.test(first[0]);
}

/** @param {string} text @param {number} start @param {number} end without white space at its ends */
export function trimmed(text, start, end) {
  const words = text.slice(start, end);
  const kept = words.trim();
  const begin = start + words.indexOf(kept);
  return { start: begin, end: begin + kept.length };
}

/**
 * A stretch with one of its ends moved; null if that leaves nothing, or is not in the text.
 * @param {string} text @param {{start: number, end: number}} stretch
 * @param {"start" | "end"} side @param {1 | -1} way @param {Unit} unit
 * @returns {{start: number, end: number} | null}
 */
export function moved(text, stretch, side, way, unit) {
  const at = stretch[side];
  let place;
  if (unit === "character") place = nextCharacter(text, at, way);
  else if ((side === "end") === (way > 0)) place = nextWord(text, at, way);
  else place = inward(text, stretch, side);
  if (place === null) return null;
  const next = { ...stretch, [side]: place };
  const fits = 0 <= next.start && next.start < next.end && next.end <= text.length;
  return fits && place !== at && text.slice(next.start, next.end).trim() ? next : null;
}

/**
 * One word less: the end of the word before the last, or the start of the one after the first.
 * @param {string} text @param {{start: number, end: number}} stretch @param {"start" | "end"} side
 */
function inward(text, stretch, side) {
  const found = Array.from(WORDS.segment(text.slice(stretch.start, stretch.end)))
    .filter((each) => each.isWordLike)
    .map((each) => ({ start: stretch.start + each.index, end: stretch.start + each.index + each.segment.length }));
  if (side === "end") return found.findLast((each) => each.end < stretch.end)?.end ?? null;
  return found.find((each) => each.start > stretch.start)?.start ?? null;
}
