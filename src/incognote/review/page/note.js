/**
 * The note: its marks, which one is current, the caret, and what is selected.
 *
 * The caret moves by offsets, not by what the browser thinks of the page, so that a selection with the
 * keyboard is exact in any script.
 */

import { Blocks } from "./blocks.js";
import { isRightToLeft, lineEnd, lineStart, nextCharacter, nextWord } from "./boundaries.js";
import { differences, isDifference, isShown, openDoubts, percent, strength } from "./marks.js";

/**
 * @typedef {import("./api.js").Mark} Mark
 * @typedef {import("./api.js").Doubtful} Doubtful
 * @typedef {{mark: Mark} | {doubt: Doubtful}} Current
 */

export class Note {
  /**
   * @param {HTMLElement} element
   * @param {(type: string) => string} categoryOf
   * @param {{current: () => void, selected: () => void, scrolled: (offset: number, y: number) => void,
   *   hovered: (ids: number[]) => void}} listener
   */
  constructor(element, categoryOf, listener) {
    this.element = element;
    this.categoryOf = categoryOf;
    this.listener = listener;
    this.blocks = new Blocks(element);
    /** @type {import("./api.js").WholeView | null} */
    this.view = null;
    /** @type {Mark[]} sorted by place */
    this.marks = [];
    /** @type {Doubtful[]} */
    this.doubts = [];
    /** @type {Current | null} */
    this.current = null;
    this.caret = 0;
    this.anchor = 0;
    this.scrolling = 0;
    this.line = document.createElement("div");
    this.line.className = "caret";
    this.line.hidden = true;
    element.addEventListener("click", (event) => this.clicked(event));
    element.addEventListener("pointerover", (event) => this.listener.hovered(idsAt(event.target)));
    element.addEventListener("pointerleave", () => this.listener.hovered([]));
    element.addEventListener("blur", () => (this.line.hidden = true));
    element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    document.addEventListener("selectionchange", () => this.selectionChanged());
  }

  /** @param {import("./api.js").WholeView} view */
  open(view) {
    this.blocks.clear();
    this.view = view;
    this.current = null;
    this.caret = this.anchor = 0;
    this.element.scrollTop = 0;
    this.show(view.marks);
    this.element.append(this.line);
    this.line.hidden = true;
  }

  /** No note is open. */
  close() {
    this.blocks.clear();
    Object.assign(this, { view: null, marks: [], doubts: [], current: null });
    this.listener.current();
  }

  /** @param {Mark[]} marks as they are now */
  show(marks) {
    if (!this.view) return;
    this.marks = [...marks].sort((a, b) => a.start - b.start || a.end - b.end || a.id - b.id);
    this.doubts = openDoubts(this.view.doubtful, marks);
    const stretches = [
      ...this.doubts.map((doubt) => this.doubtful(doubt)),
      ...this.marks.filter((mark) => !isShown(mark)).map((mark) => this.stretch(mark)),
      ...this.marks.filter(isShown).map((mark) => this.stretch(mark)),
    ];
    const rank = new Map(stretches.map((stretch, number) => [stretch, number]));
    stretches.sort((a, b) => a.start - b.start || (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
    const selected = this.selection();
    this.blocks.show(this.view.text, stretches);
    if (this.current) {
      const id = "mark" in this.current ? this.current.mark.id : null;
      const mark = this.marks.find((each) => each.id === id);
      const doubt = "doubt" in this.current && this.doubts.includes(this.current.doubt) ? this.current : null;
      this.current = mark ? { mark } : doubt;
    }
    this.emphasise();
    if (selected) this.select(this.anchor, this.caret);
    this.listener.current();
  }

  /** @param {Mark} mark */
  stretch(mark) {
    const agreed = this.view?.adjudication && !isDifference(mark) && mark.source === "reader";
    return {
      start: mark.start,
      end: mark.end,
      kind: `${this.categoryOf(mark.type)} s${strength(mark.score)} ${mark.status}${agreed ? " agreed" : ""}`,
      label: { proposed: "", accepted: "✓ ", rejected: "✕ " }[mark.status] + mark.type.toLowerCase(),
      description: this.described(mark),
      data: { mark: mark.id },
    };
  }

  /** @param {Doubtful} doubt */
  doubtful(doubt) {
    const description = `not marked, perhaps ${doubt.type}, ${percent(doubt.score)}`;
    return { start: doubt.start, end: doubt.end, kind: "doubtful", description, data: { doubt: doubt.start } };
  }

  /** @param {Mark} mark a mark in words */
  described(mark) {
    const source = isDifference(mark) ? `, marked by the ${mark.source}` : "";
    const score = mark.status === "proposed" && !source ? `, ${percent(mark.score)}` : "";
    return `${mark.type}, ${mark.status}${score}${source}`;
  }

  /** @param {Current | null} current @param {boolean} [scroll] */
  choose(current, scroll = true) {
    this.current = current;
    if (current) {
      this.caret = this.anchor = this.placeOf(current).start;
      this.line.hidden = true;
      window.getSelection()?.removeAllRanges();
    }
    this.emphasise();
    if (current && scroll) this.reveal(this.placeOf(current));
    this.listener.current();
  }

  /** @param {Current} current @returns {{start: number, end: number}} */
  placeOf(current) {
    return "mark" in current ? current.mark : current.doubt;
  }

  /** Where the next of something is looked for from. */
  get from() {
    return this.current ? this.placeOf(this.current) : { start: this.caret, end: this.caret };
  }

  /** @param {{start: number, end: number}} place scroll to it, unless it is well in view */
  reveal(place) {
    const element = this.elementAt(place.start);
    const [own, pane] = [element.getBoundingClientRect(), this.element.getBoundingClientRect()];
    const margin = Math.min(96, pane.height / 4);
    if (own.top < pane.top + margin || own.bottom > pane.bottom - margin) {
      element.scrollIntoView({ block: "center", behavior: "instant" });
    }
  }

  /** @param {number} offset @returns {Element} */
  elementAt(offset) {
    const { node } = this.blocks.place(offset);
    return (node instanceof Element ? node : node.parentElement) ?? this.element;
  }

  /** The output follows: what stands a third from the top here is to stand there too. */
  scrolled() {
    if (this.scrolling) return;
    this.scrolling = requestAnimationFrame(() => {
      this.scrolling = 0;
      const pane = this.element.getBoundingClientRect();
      const y = this.current ? this.rectangle(this.placeOf(this.current).start).top : -1;
      if (this.current && pane.top <= y && y <= pane.bottom) {
        this.listener.scrolled(this.placeOf(this.current).start, y);
        return;
      }
      const height = Math.min(pane.top + pane.height / 3, pane.bottom - 1);
      const found = pointed(pane.left + 40, height);
      const offset = found && this.blocks.offset(found.node, found.offset);
      if (offset !== null) this.listener.scrolled(offset, this.rectangle(offset).top);
    });
  }

  emphasise() {
    for (const old of this.element.querySelectorAll("mark.current")) old.classList.remove("current");
    if (!this.current) return;
    const elements =
      "mark" in this.current
        ? this.blocks.all("mark", this.current.mark.id)
        : this.blocks.all("doubt", this.current.doubt.start);
    for (const element of elements) element.classList.add("current");
  }

  /** @param {number[]} ids marks whose place in the output is looked at */
  link(ids) {
    for (const old of this.element.querySelectorAll("mark.linked")) old.classList.remove("linked");
    for (const id of ids) for (const element of this.blocks.all("mark", id)) element.classList.add("linked");
  }

  /** The places that J and K go to. */
  get stops() {
    return this.view?.adjudication ? differences(this.marks).flatMap((place) => place.marks) : this.marks;
  }

  // The caret and the selection.

  /** @returns {{start: number, end: number} | null} */
  selection() {
    if (this.anchor === this.caret) return null;
    return { start: Math.min(this.anchor, this.caret), end: Math.max(this.anchor, this.caret) };
  }

  /** @param {number} anchor @param {number} caret */
  select(anchor, caret) {
    [this.anchor, this.caret] = [anchor, caret];
    const [from, to] = [this.blocks.place(anchor), this.blocks.place(caret)];
    window.getSelection()?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
    this.drawCaret();
  }

  selectionChanged() {
    const selection = window.getSelection();
    if (!selection || !selection.rangeCount || !this.view) return;
    const anchor = this.blocks.offset(selection.anchorNode, selection.anchorOffset);
    const caret = this.blocks.offset(selection.focusNode, selection.focusOffset);
    if (anchor === null || caret === null) return;
    if (anchor !== this.anchor || caret !== this.caret) this.line.hidden = true;
    [this.anchor, this.caret] = [anchor, caret];
    if (anchor !== caret && this.current) {
      this.current = null;
      this.emphasise();
    }
    this.listener.selected();
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    this.selectionChanged();
    if (this.selection()) return;
    const element = event.target instanceof Element ? event.target.closest("mark") : null;
    const id = element?.dataset.mark?.split(" ").at(-1);
    const mark = this.marks.find((each) => String(each.id) === id);
    const doubt = this.doubts.find((each) => String(each.start) === element?.dataset.doubt);
    const place = this.caret;
    this.choose(mark ? { mark } : doubt ? { doubt } : null, false);
    if (!this.current) this.select(place, place);
  }

  /**
   * Move the caret as the arrow keys say; with Shift, select.
   * @param {KeyboardEvent} event @returns {boolean} whether the key was one of them
   */
  arrow(event) {
    if (!this.view) return false;
    const to = this.destination(event);
    if (to === null) return false;
    const anchor = event.shiftKey ? this.anchor : to;
    if (this.current) {
      this.current = null;
      this.emphasise();
    }
    this.select(anchor, to);
    this.reveal({ start: to, end: to });
    this.drawCaret();
    this.listener.selected();
    return true;
  }

  /** @param {KeyboardEvent} event @returns {number | null} */
  destination({ key, ctrlKey, altKey, metaKey }) {
    const text = this.view?.text ?? "";
    const by = ctrlKey || altKey ? nextWord : nextCharacter;
    const right = isRightToLeft(text, this.caret) ? -1 : 1;
    switch (key) {
      case "ArrowRight":
        return by(text, this.caret, right);
      case "ArrowLeft":
        return by(text, this.caret, right === 1 ? -1 : 1);
      case "ArrowDown":
      case "ArrowUp":
        return metaKey || ctrlKey || altKey ? null : this.lineBeside(key === "ArrowDown" ? 1 : -1);
      case "Home":
        return ctrlKey ? 0 : lineStart(text, this.caret);
      case "End":
        return ctrlKey ? text.length : lineEnd(text, this.caret);
      default:
        return null;
    }
  }

  /** @param {1 | -1} way @returns {number} the place above or below the caret */
  lineBeside(way) {
    const text = this.view?.text ?? "";
    const here = this.rectangle(this.caret);
    const y = way > 0 ? here.bottom + here.height * 0.6 : here.top - here.height * 0.6;
    this.line.hidden = true;
    const found = pointed(here.left, y);
    const offset = found && this.blocks.offset(found.node, found.offset);
    if (offset !== null && offset !== this.caret && (way > 0) === offset > this.caret) return offset;
    const edge = way > 0 ? lineEnd(text, this.caret) + 1 : lineStart(text, this.caret) - 1;
    return Math.max(0, Math.min(text.length, edge));
  }

  /** @param {number} offset @returns {DOMRect} of the caret there */
  rectangle(offset) {
    const rectangle = this.blocks.range(offset, offset).getClientRects()[0];
    if (rectangle?.height) return rectangle;
    const text = this.view?.text ?? "";
    const after = this.blocks.range(offset, Math.min(offset + 1, text.length)).getClientRects()[0];
    if (after) return new DOMRect(after.left, after.top, 0, after.height);
    return this.elementAt(offset).getBoundingClientRect();
  }

  drawCaret() {
    this.line.hidden = this.anchor !== this.caret || document.activeElement !== this.element;
    if (this.line.hidden) return;
    const [own, pane] = [this.rectangle(this.caret), this.element.getBoundingClientRect()];
    this.line.style.left = `${own.left - pane.left + this.element.scrollLeft}px`;
    this.line.style.top = `${own.top - pane.top + this.element.scrollTop}px`;
    this.line.style.height = `${own.height}px`;
  }
}

/** @param {EventTarget | null} target @returns {number[]} the marks that are there */
export function idsAt(target) {
  const marks = target instanceof Element ? target.closest("mark")?.dataset.mark : undefined;
  return marks ? marks.split(" ").map(Number) : [];
}

/** @param {number} x @param {number} y @returns {{node: Node, offset: number} | null} */
function pointed(x, y) {
  if (document.caretPositionFromPoint) {
    const found = document.caretPositionFromPoint(x, y);
    return found && { node: found.offsetNode, offset: found.offset };
  }
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}
