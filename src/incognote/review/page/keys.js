/** From a key press to a command. */

const LETTER = /^\p{L}$/u;

/**
 * @typedef {{id: string, group: string, name: string, keys: string[], run: () => void}} Command
 */

/** @param {KeyboardEvent} event @returns {string} as the list of keys writes it, such as Shift+D */
export function keyName({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  const parts = [];
  if (ctrlKey || metaKey) parts.push("Ctrl");
  if (altKey) parts.push("Alt");
  if (shiftKey && (LETTER.test(key) || key.length > 1)) parts.push("Shift");
  parts.push(key.length === 1 ? key.toUpperCase() : key);
  return parts.join("+");
}

/** @param {EventTarget | null} target whether keys are its own */
function isTyping(target) {
  return target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select") !== null;
}

export class Keys {
  /** @param {Command[]} commands @param {(event: KeyboardEvent) => boolean} arrow for keys in the note */
  constructor(commands, arrow) {
    this.letters = true;
    this.commands = new Map(commands.flatMap((each) => each.keys.map((key) => [key, each])));
    document.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || event.isComposing) return;
      if (document.querySelector("dialog[open]")) return;
      if (isTyping(event.target)) {
        if (event.key === "Escape") document.getElementById("note")?.focus();
        return;
      }
      const name = keyName(event);
      const command = this.commands.get(name);
      const isSingle = [...event.key].length === 1 && !event.ctrlKey && !event.metaKey;
      if (command && (this.letters || !isSingle)) {
        event.preventDefault();
        command.run();
      } else if (event.target instanceof Element && event.target.id === "note" && arrow(event)) {
        event.preventDefault();
      }
    });
  }
}
