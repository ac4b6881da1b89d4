/** What the sample says so far: estimates with their intervals, in words that a board can check. */

import { byId, counted, make } from "./say.js";

/**
 * @typedef {{value: number | null, low: number | null, high: number | null}} Estimate
 * @typedef {{notes: number, sample: number, read: number, identifiers: number, missed: number,
 *   removed: number, recall: Estimate, leaked_notes: Estimate, risk: number,
 *   risk_at_most: number | null, notes_lacking: number | null, complete: boolean,
 *   confidence: number}} Statistics
 */

/** @param {number} share @returns {string} with the digits that say something */
export function share(share) {
  const percent = share * 100;
  const digits = percent === 0 || percent === 100 ? 0 : percent > 99.9 || percent < 0.1 ? 2 : 1;
  return `${percent.toFixed(digits).replace(/\.0+$/, "")}\u00a0%`;
}

/** @param {Statistics} found the line at the top of the page */
export function showProgress(found) {
  const progress = /** @type {HTMLProgressElement} */ (byId("sample-progress"));
  progress.max = Math.max(1, found.sample);
  progress.value = found.read;
  byId("sample-words").textContent = `${found.read} of ${found.sample} of the sample read`;
  byId("sample").hidden = false;
}

/** @param {Statistics} found */
export function showStatistics(found) {
  byId("figures").replaceChildren(
    progress(found),
    estimate(
      "Identifiers that detection finds",
      found.recall,
      found,
      `${counted(found.missed, "identifier")} of ${found.identifiers.toLocaleString("en")} ${found.missed === 1 ? "was" : "were"} missed; ${counted(found.removed, "mark")} had no reason.`,
    ),
    estimate(
      "Notes in which it misses something",
      found.leaked_notes,
      found,
      "Without people reading them, so many notes would leave with at least one identifier.",
    ),
    guarantee(found),
  );
}

/** @param {Statistics} found */
function progress(found) {
  const words = found.complete
    ? `All ${found.sample} notes of the sample are read.`
    : `${found.read} of the ${found.sample} notes of the sample are read. Those with the most expected misses come first, so what stands here is worse than it will be.`;
  const bar = /** @type {HTMLProgressElement} */ (make("progress", { "aria-label": "Progress of the sample" }));
  bar.max = Math.max(1, found.sample);
  bar.value = found.read;
  return make(
    "section",
    {},
    make("h3", {}, "Sample"),
    bar,
    make("p", {}, words),
    make("p", { class: "small" }, `Drawn at random from ${counted(found.notes, "note")}.`),
  );
}

/** @param {string} title @param {Estimate} value @param {Statistics} found @param {string} words */
function estimate(title, value, found, words) {
  const section = make("section", {}, make("h3", {}, title));
  if (value.value === null || value.low === null || value.high === null) {
    section.append(make("p", {}, "Nothing is read to the end yet."));
    return section;
  }
  const interval = `${share(value.low)} to ${share(value.high)}`;
  section.append(
    make(
      "p",
      { class: "figure" },
      make("strong", {}, share(value.value)),
      make("span", {}, `${interval}, with ${share(found.confidence)} confidence`),
    ),
    scale(value.value, value.low, value.high),
    make("p", { class: "small" }, words),
  );
  return section;
}

/** @param {number} value @param {number} low @param {number} high */
function scale(value, low, high) {
  const range = make("span", { class: "range" });
  range.style.insetInlineStart = `${low * 100}%`;
  range.style.inlineSize = `${(high - low) * 100}%`;
  const point = make("span", { class: "point" });
  point.style.insetInlineStart = `${value * 100}%`;
  return make("div", { class: "scale", "aria-hidden": "true" }, range, point);
}

/** @param {Statistics} found */
function guarantee(found) {
  const goal = `that on average at most ${share(found.risk)} of a note's identifiers leak`;
  const sure = share(found.confidence);
  let words = `With ${sure} confidence the sample shows ${goal}.`;
  if (found.notes_lacking === null) {
    words = `No number of further notes can show ${goal}: too much was missed.`;
  } else if (found.notes_lacking > 0) {
    words = `${counted(found.notes_lacking, "more note")} without a miss would show, with ${sure} confidence, ${goal}.`;
  }
  const section = make("section", {}, make("h3", {}, "Guarantee"));
  if (found.notes_lacking) {
    section.append(
      make(
        "p",
        { class: "figure" },
        make("strong", {}, found.notes_lacking.toLocaleString("en")),
        make("span", {}, `more ${found.notes_lacking === 1 ? "note" : "notes"} without a miss`),
      ),
    );
  }
  section.append(make("p", {}, words));
  if (found.risk_at_most !== null) {
    section.append(make("p", { class: "small" }, `Shown so far: at most ${share(found.risk_at_most)}.`));
  }
  return section;
}
