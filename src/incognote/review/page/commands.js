/** Everything that a reader can do, with its keys: the list that the help shows and the buttons use. */

/**
 * @param {import("./review.js").Review} review
 * @param {{help: () => void, theme: () => void, leave: () => void, statistics: () => void}} page
 * @returns {import("./keys.js").Command[]}
 */
export function commands(review, page) {
  const { decisions } = review;
  /** @type {import("./keys.js").Command[]} */
  const list = [];
  /** @param {string} name of none: the help leaves it out @returns {(id: string, name: string, keys: string[], run: () => void) => void} */
  const group = (name) => (id, words, keys, run) => list.push({ id, group: name, name: words, keys, run });
  const focus = (/** @type {string} */ id) => () => document.getElementById(id)?.focus();

  const move = group("Move");
  move("next", "Next mark", ["J"], () => review.step(1));
  move("previous", "Previous mark", ["K"], () => review.step(-1));
  move("next-doubt", "Next doubtful place", ["D"], () => review.stepDoubt(1));
  move("previous-doubt", "Previous doubtful place", ["Shift+D"], () => review.stepDoubt(-1));
  move("next-note", "Next note of the list", ["Shift+J"], () => review.openBeside(1));
  move("previous-note", "Previous note of the list", ["Shift+K"], () => review.openBeside(-1));
  move("search", "Search the notes", ["/"], focus("search"));
  move("to-queue", "To the list of notes", ["1"], focus("notes"));
  move("to-note", "To the note", ["2"], focus("note"));
  move("to-output", "To the output", ["3"], focus("output"));

  const decide = group("Decide");
  decide("accept", "Accept, and go to the next undecided mark", ["A"], () => decisions.decide(true));
  decide("reject", "Reject, and go to the next undecided mark", ["X", "Delete"], () => decisions.decide(false));
  decide("retype", "Change the type", ["T"], () => decisions.chooseType());
  decide("everywhere", "Mark all occurrences of these words", ["O"], () => decisions.everywhere());
  decide("person", "Mark this person everywhere, also in the patient's other notes", ["P"], () => decisions.person());
  decide("bulk", "Accept many, by type and confidence", ["B"], () => decisions.acceptMany());
  decide("undo", "Undo", ["U", "Ctrl+Z"], () => decisions.again("undo"));
  decide("redo", "Redo", ["Shift+U", "Ctrl+Y", "Ctrl+Shift+Z"], () => decisions.again("redo"));

  const mark = group("Mark");
  const silent = group("");
  mark("add", "Mark what is selected, or the word at the caret", ["M"], () => decisions.add());
  mark("start-out", "Start one word earlier; with Shift, one character", ["Q"], () => decisions.resize("start", -1, "word"));
  mark("start-in", "Start one word later; with Shift, one character", ["W"], () => decisions.resize("start", 1, "word"));
  mark("end-in", "End one word earlier; with Shift, one character", ["E"], () => decisions.resize("end", -1, "word"));
  mark("end-out", "End one word later; with Shift, one character", ["R"], () => decisions.resize("end", 1, "word"));
  silent("start-out-1", "", ["Shift+Q"], () => decisions.resize("start", -1, "character"));
  silent("start-in-1", "", ["Shift+W"], () => decisions.resize("start", 1, "character"));
  silent("end-in-1", "", ["Shift+E"], () => decisions.resize("end", -1, "character"));
  silent("end-out-1", "", ["Shift+R"], () => decisions.resize("end", 1, "character"));
  mark("unselect", "Choose nothing", ["Escape"], () => decisions.unselect());

  const note = group("Note");
  note("finish", "Finish, and go to the next note", ["Ctrl+Enter"], () => review.finish());
  note("reopen", "Open a finished note again", ["Shift+O"], () => review.reopen());
  note("flag", "Flag for a second look", ["F"], () => review.flag());
  note("memo", "Memo", ["N"], () => review.memo());

  const other = group("Page");
  other("statistics", "Statistics", ["S"], page.statistics);
  other("help", "This list", ["?"], page.help);
  other("theme", "Light or dark", [], page.theme);
  other("leave", "Leave the review", [], page.leave);
  return list;
}

/** Keys that the note itself has while it has the focus, for the help. */
export const CARET_KEYS = [
  { group: "Caret", name: "Move the caret", keys: ["Arrow keys"] },
  { group: "Caret", name: "Move by words", keys: ["Ctrl+Arrow keys"] },
  { group: "Caret", name: "To the start or end of the line", keys: ["Home", "End"] },
  { group: "Caret", name: "Select", keys: ["Shift with these"] },
];
