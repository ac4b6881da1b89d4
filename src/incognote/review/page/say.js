/** What the page tells its reader: what just happened, and what is wrong for longer. */

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no ${id}`);
  return element;
}

/**
 * An element with its words; words are only ever text.
 * @param {string} tag @param {Record<string, string>} [attributes] @param {(Node | string)[]} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** @param {string} sentence @param {"" | "wrong"} [kind] */
export function say(sentence, kind = "") {
  const status = byId("status");
  status.className = kind;
  // A sentence that is said twice is two sentences to a screen reader only if they differ.
  status.textContent = status.textContent === sentence ? `${sentence}\u00a0` : sentence;
}

/** @param {string} text @param {number} [longest] words of a note for a sentence */
export function quoted(text, longest = 40) {
  const line = text.replace(/\s+/g, " ");
  return `“${line.length > longest ? `${line.slice(0, longest).trimEnd()}…` : line}”`;
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** @param {string} sentence none takes the banner away @param {string} [button] @param {() => void} [pressed] */
export function banner(sentence, button = "", pressed = () => {}) {
  const [element, words] = [byId("banner"), byId("banner-words")];
  const control = /** @type {HTMLButtonElement} */ (byId("banner-button"));
  words.textContent = sentence;
  control.textContent = button;
  control.hidden = !button;
  control.onclick = pressed;
  element.hidden = !sentence;
}
