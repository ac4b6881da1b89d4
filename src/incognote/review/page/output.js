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
    if (as === "current") this.reveal(place);
  }

  /** @param {{start: number, end: number}} place of the note */
  reveal(place) {
    let shift = 0;
    for (const span of this.spans) {
      if (span.from > place.start) break;
      shift = span.start - span.from;
    }
    const offset = Math.max(0, Math.min(this.blocks.text.length, place.start + shift));
    const { node } = this.blocks.place(offset);
    const element = node instanceof Element ? node : node.parentElement;
    const pane = this.element.getBoundingClientRect();
    const own = element?.getBoundingClientRect();
    if (own && (own.top < pane.top + 24 || own.bottom > pane.bottom - 24)) {
      element?.scrollIntoView({ block: "center", behavior: "instant" });
    }
  }
}
