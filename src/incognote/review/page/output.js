/** What will be released of the note, beside it: each place linked with its mark. */

import { Blocks } from "./blocks.js";
import { overlap } from "./marks.js";

/** @typedef {import("./api.js").OutputSpan} OutputSpan */

export class Output {
  /**
   * @param {HTMLElement} element
   * @param {(type: string) => string} categoryOf
   * @param {{hovered: (span: OutputSpan | null) => void, chosen: (span: OutputSpan) => void}} listener
   */
  constructor(element, categoryOf, listener) {
    this.element = element;
    this.categoryOf = categoryOf;
    this.blocks = new Blocks(element);
    /** @type {OutputSpan[]} */
    this.spans = [];
    const spanAt = (/** @type {Event} */ event) => {
      const mark = event.target instanceof Element ? event.target.closest("mark") : null;
      return this.spans.find((span) => String(span.from) === mark?.dataset.from) ?? null;
    };
    element.addEventListener("pointerover", (event) => listener.hovered(spanAt(event)));
    element.addEventListener("pointerleave", () => listener.hovered(null));
    element.addEventListener("click", (event) => {
      const span = spanAt(event);
      if (span) listener.chosen(span);
    });
  }

  /** @param {import("./api.js").View["output"]} output */
  show(output) {
    this.spans = output.spans;
    const stretches = output.spans.map((span) => ({
      start: span.start,
      end: span.end,
      kind: this.categoryOf(span.type),
      description: span.type,
      data: { from: span.from },
    }));
    this.blocks.show(output.text, stretches.filter((each) => each.start < each.end));
  }

  clear() {
    this.blocks.clear();
    this.spans = [];
  }

  /**
   * Show which places stand for a stretch of the note.
   * @param {{start: number, end: number} | null} place @param {"linked" | "current"} as
   */
  point(place, as) {
    for (const old of this.element.querySelectorAll(`mark.${as}`)) old.classList.remove(as);
    if (!place) return;
    for (const span of this.spans) {
      if (!overlap({ start: span.from, end: span.to }, place)) continue;
      for (const element of this.blocks.all("from", span.from)) element.classList.add(as);
    }
  }

  /** @param {number} offset of the note @returns {number} where it is in the output */
  offsetOf(offset) {
    let shift = 0;
    for (const span of this.spans) {
      if (span.from > offset) break;
      if (offset < span.to) return span.start;
      shift = span.end - span.to;
    }
    return Math.max(0, Math.min(this.blocks.text.length, offset + shift));
  }

  /** Bring a place of the note to the height at which the note shows it. @param {number} offset @param {number} y */
  align(offset, y) {
    if (!this.blocks.text) return;
    const place = this.offsetOf(offset);
    const range = this.blocks.range(place, Math.min(place + 1, this.blocks.text.length));
    for (let round = 0; round < 2; round++) {
      const own = range.getBoundingClientRect();
      if (own.height && Math.abs(own.top - y) > 2) this.element.scrollTop += own.top - y;
    }
  }
}
