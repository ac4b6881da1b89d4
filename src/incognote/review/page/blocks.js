/**
 * A long text as blocks of some lines, with stretches of it marked. The browser lays out only blocks
 * that are near the window, and a change draws again only the blocks that it touches.
 *
 * The text of all blocks together is exactly the text that was given: offsets count its UTF-16 units.
 * Words of a note become text nodes and nothing else, whatever they look like.
 */

const LINES = 8;
const LONGEST = 4000;

/**
 * @typedef {{start: number, end: number, kind: string, label?: string, description?: string,
 *   data: Record<string, string | number>}} Stretch
 *   `kind` is of classes; of those that overlap the later one is on top.
 * @typedef {{text: string, signature: string, element: HTMLElement}} Block
 */

export class Blocks {
  /** @param {HTMLElement} container */
  constructor(container) {
    this.container = container;
    this.text = "";
    /** @type {Block[]} */
    this.blocks = [];
    /** @type {number[]} */
    this.starts = [];
    this.drawn = 0;
  }

  /** @param {string} text @param {Stretch[]} stretches sorted by their start */
  show(text, stretches) {
    const pieces = text === this.text && this.blocks.length ? this.blocks.map((b) => b.text) : split(text);
    const wanted = assign(pieces, stretches);
    const old = this.blocks;
    const same = (/** @type {Block} */ a, /** @type {any} */ b) =>
      a.text === b.text && a.signature === b.signature;
    let head = 0;
    while (head < old.length && head < wanted.length && same(old[head], wanted[head])) head++;
    let tail = 0;
    while (
      tail < old.length - head &&
      tail < wanted.length - head &&
      same(old[old.length - 1 - tail], wanted[wanted.length - 1 - tail])
    ) {
      tail++;
    }
    const middle = wanted.slice(head, wanted.length - tail);
    const replaced = old.slice(head, old.length - tail);
    const fresh = middle.map((piece, number) => {
      const before = replaced[number];
      if (before && same(before, piece)) return before;
      this.drawn++;
      const element = before?.element ?? document.createElement("div");
      element.className = "block";
      element.replaceChildren(...draw(piece));
      return { text: piece.text, signature: piece.signature, element };
    });
    const end = tail ? old[old.length - tail].element : null;
    for (const { element } of fresh) if (!element.isConnected) this.container.insertBefore(element, end);
    for (const { element } of replaced.slice(fresh.length)) element.remove();
    this.blocks = [...old.slice(0, head), ...fresh, ...old.slice(old.length - tail)];
    this.text = text;
    this.starts = [];
    let start = 0;
    for (const block of this.blocks) {
      this.starts.push(start);
      start += block.text.length;
    }
  }

  /** Forget the text. */
  clear() {
    this.container.replaceChildren();
    Object.assign(this, { blocks: [], starts: [], text: "" });
  }

  /**
   * Where in the document an offset is.
   * @param {number} offset @returns {{node: Node, offset: number}}
   */
  place(offset) {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    const block = this.blocks[low];
    if (!block) return { node: this.container, offset: 0 };
    let rest = offset - this.starts[low];
    const walker = document.createTreeWalker(block.element, NodeFilter.SHOW_TEXT);
    let last = null;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const length = /** @type {Text} */ (node).data.length;
      if (rest < length) return { node, offset: rest };
      rest -= length;
      last = /** @type {Text} */ (node);
    }
    return last ? { node: last, offset: last.data.length } : { node: block.element, offset: 0 };
  }

  /**
   * The offset of a place in the document; null outside of the text.
   * @param {Node | null} node @param {number} offset @returns {number | null}
   */
  offset(node, offset) {
    if (!node || !this.container.contains(node)) return null;
    if (node === this.container) return this.starts[offset] ?? this.text.length;
    const element = (node instanceof Element ? node : node.parentElement)?.closest(".block");
    const number = this.blocks.findIndex((block) => block.element === element);
    if (number < 0) return null;
    const before = document.createRange();
    before.setStart(this.blocks[number].element, 0);
    before.setEnd(node, offset);
    return this.starts[number] + before.toString().length;
  }

  /** @param {number} start @param {number} end @returns {Range} */
  range(start, end) {
    const range = document.createRange();
    const [from, to] = [this.place(start), this.place(end)];
    range.setStart(from.node, from.offset);
    range.setEnd(to.node, to.offset);
    return range;
  }

  /** @param {string} name @param {string | number} value @returns {HTMLElement[]} */
  all(name, value) {
    return [...this.container.querySelectorAll(`[data-${name}~="${value}"]`)].map(
      (each) => /** @type {HTMLElement} */ (each),
    );
  }
}

/** @param {string} text @returns {string[]} pieces of some lines, each with its line breaks */
export function split(text) {
  const pieces = [];
  let start = 0;
  let lines = 0;
  let at = 0;
  while (at < text.length) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found + 1;
    if (end - at > LONGEST) {
      if (at > start) pieces.push(text.slice(start, at));
      for (start = at; end - start > LONGEST; ) {
        const cut = gap(text, start);
        pieces.push(text.slice(start, cut));
        start = cut;
      }
      lines = 0;
    }
    at = end;
    if (++lines === LINES) {
      if (at > start) pieces.push(text.slice(start, at));
      start = at;
      lines = 0;
    }
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}

/** @param {string} text @param {number} start a place to cut a long line: after a space if there is one */
function gap(text, start) {
  const space = text.lastIndexOf(" ", start + LONGEST);
  if (space > start) return space + 1;
  const place = start + LONGEST;
  return /[\uDC00-\uDFFF]/.test(text[place]) ? place - 1 : place;
}

/** @param {string[]} pieces @param {Stretch[]} stretches */
function assign(pieces, stretches) {
  const assigned = [];
  let start = 0;
  let first = 0;
  for (const text of pieces) {
    const end = start + text.length;
    const own = [];
    while (first < stretches.length && stretches[first].end <= start) first++;
    for (let n = first; n < stretches.length && stretches[n].start < end; n++) {
      const stretch = stretches[n];
      if (stretch.end <= start) continue;
      const from = Math.max(0, stretch.start - start);
      const to = Math.min(text.length, stretch.end - start);
      own.push({ ...stretch, from, to, begins: stretch.start >= start, ends: stretch.end <= end });
    }
    const signature = own
      .map((s) => [s.from, s.to, s.kind, s.label, s.description, JSON.stringify(s.data)].join("\u001f"))
      .join("\u001e");
    assigned.push({ text, signature, own });
    start = end;
  }
  return assigned;
}

/** @param {ReturnType<typeof assign>[number]} piece @returns {Node[]} */
function draw({ text, own }) {
  const cuts = [...new Set([0, text.length, ...own.flatMap((s) => [s.from, s.to])])].sort((a, b) => a - b);
  const nodes = [];
  for (let n = 0; n + 1 < cuts.length; n++) {
    const [from, to] = [cuts[n], cuts[n + 1]];
    const words = document.createTextNode(text.slice(from, to));
    const above = own.filter((s) => s.from <= from && to <= s.to);
    nodes.push(above.length ? wrap(words, above, from, to) : words);
  }
  return nodes;
}

/** @param {Text} words @param {ReturnType<typeof assign>[number]["own"]} above @param {number} from @param {number} to */
function wrap(words, above, from, to) {
  const top = above[above.length - 1];
  const element = document.createElement("mark");
  const begins = top.begins && top.from === from;
  const ends = top.ends && top.to === to;
  element.className = [top.kind, begins && "begins", ends && "ends"].filter(Boolean).join(" ");
  for (const stretch of above) {
    for (const [name, value] of Object.entries(stretch.data)) {
      element.dataset[name] = [element.dataset[name], value].filter((each) => each !== undefined).join(" ");
    }
  }
  const label = above.filter((s) => s.label && s.ends && s.to === to).map((s) => s.label);
  if (label.length) element.dataset.label = label.join(" · ");
  if (top.description) element.setAttribute("aria-description", top.description);
  element.append(words);
  return element;
}
