/** Where two readers differ: the places to decide, and who marked what. */

import { differences } from "./marks.js";
import { byId, make } from "./say.js";

const AROUND = 32;

/**
 * @typedef {import("./api.js").Mark} Mark
 * @typedef {import("./api.js").WholeView} WholeView
 */

/**
 * @param {WholeView | null} view @param {Mark[]} marks as they are now @param {Mark | null} current
 * @param {{choose: (mark: Mark) => void, decide: (mark: Mark, accept: boolean) => void}} listener
 */
export function showDifferences(view, marks, current, listener) {
  const element = byId("differences");
  element.hidden = !view?.adjudication;
  if (!view || element.hidden) {
    element.replaceChildren();
    return;
  }
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.id : "";
  const places = differences(marks);
  const left = places.filter((place) => place.marks.some((mark) => mark.status === "proposed"));
  const words = left.length
    ? `${left.length} of ${places.length} places where the readers differ are to be decided.`
    : "All places where the readers differed are decided.";
  element.replaceChildren(
    make("h3", {}, "Differences"),
    make("p", {}, words),
    make("ol", {}, ...left.map((place) => one(view.text, place, current, listener))),
  );
  if (focused) document.getElementById(focused)?.focus();
}

/**
 * @param {string} text @param {{start: number, end: number, marks: Mark[]}} place
 * @param {Mark | null} current @param {Parameters<typeof showDifferences>[3]} listener
 */
function one(text, place, current, listener) {
  const item = make("li", {});
  if (current && place.marks.some((mark) => mark.id === current.id)) item.className = "current";
  const before = text.slice(Math.max(0, place.start - AROUND), place.start);
  const after = text.slice(place.end, place.end + AROUND);
  item.append(
    make("p", { class: "context", dir: "auto" }, before, make("b", {}, text.slice(place.start, place.end)), after),
  );
  const undecided = place.marks.filter((mark) => mark.status === "proposed");
  for (const mark of undecided) {
    const words = text.slice(mark.start, mark.end);
    const isWhole = mark.start === place.start && mark.end === place.end;
    const go = make("button", { type: "button", class: "go", id: `go-${mark.id}` }, ...(isWhole ? [] : [make("bdi", {}, words), " · "]), mark.type);
    go.addEventListener("click", () => listener.choose(mark));
    const yes = make("button", { type: "button", id: `yes-${mark.id}`, "aria-label": `Accept ${mark.type} of the ${mark.source}` }, "Accept");
    yes.addEventListener("click", () => listener.decide(mark, true));
    const no = make("button", { type: "button", id: `no-${mark.id}`, "aria-label": `Reject ${mark.type} of the ${mark.source}` }, "Reject");
    no.addEventListener("click", () => listener.decide(mark, false));
    item.append(make("div", { class: "who" }, make("span", { class: "reader" }, mark.source), go, yes, no));
  }
  for (const reader of ["first reader", "second reader"]) {
    if (!place.marks.some((mark) => mark.source === reader)) {
      item.append(make("div", { class: "who" }, make("span", { class: "reader" }, reader), make("span", {}, "marked nothing here")));
    }
  }
  return item;
}
