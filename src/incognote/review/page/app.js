/** Where the page begins: signing in, colours, and which button and key does what. */

import * as api from "./api.js";
import { CARET_KEYS, commands } from "./commands.js";
import { openEntry, openHelp, wireDialogs } from "./dialogs.js";
import { Keys } from "./keys.js";
import { Review } from "./review.js";
import { byId, say } from "./say.js";
import { showProgress, showStatistics } from "./statistics.js";

const THEME = "incognote-theme";
const REFRESH = 60_000;

/** @returns {boolean} */
function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @param {string | null} theme */
function setTheme(theme) {
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", String(isDark()));
}

function toggleTheme() {
  const theme = isDark() ? "light" : "dark";
  localStorage.setItem(THEME, theme);
  setTheme(theme);
}

/** @param {string} secret @returns {Promise<string>} what is wrong, if something is */
async function enter(secret) {
  try {
    await api.enter(secret);
    await api.session();
    return "";
  } catch (error) {
    if (error instanceof api.Refusal || error instanceof api.Unreachable) return error.message;
    throw error;
  }
}

/** Come in with the secret of the address, which is taken away from it; or ask for one. */
async function signIn() {
  const secret = location.hash.slice(1);
  if (secret && !document.getElementById(secret)) {
    history.replaceState(null, "", location.pathname + location.search);
    const wrong = await enter(secret);
    if (!wrong) return api.session();
    byId("entry-wrong").textContent = wrong;
  } else {
    try {
      return await api.session();
    } catch (error) {
      if (!(error instanceof api.Refusal)) byId("entry-wrong").textContent = String(error.message);
    }
  }
  await openEntry(enter);
  return api.session();
}

/** The session ended while somebody worked: what is on the page stays. @returns {Promise<void>} */
let entering = null;
function signInAgain() {
  byId("entry-words").textContent = "The session is over. Open it again with your link: nothing on the page is lost.";
  entering ??= openEntry(enter).finally(() => (entering = null));
  return entering;
}

async function start() {
  setTheme(localStorage.getItem(THEME));
  wireDialogs();
  const session = await signIn();
  byId("project").textContent = session.project.name;
  document.title = `${session.project.name} – review – incognote`;
  byId("who").textContent = `${session.reviewer.name} · ${session.reviewer.role}`;
  const review = new Review(session, signInAgain);
  const categories = [...new Set(session.types.map((each) => each.category))];
  const list = commands(review, {
    help: () => openHelp([...list.filter((each) => each.group && each.keys.length), ...CARET_KEYS], categories),
    theme: toggleTheme,
    statistics: () =>
      review.reading(async () => {
        const found = await api.statistics();
        showProgress(found);
        showStatistics(found);
        /** @type {HTMLDialogElement} */ (byId("statistics")).showModal();
      }),
    leave: async () => {
      await review.saving.settled();
      await review.reading(api.leave);
      location.reload();
    },
  });
  const keys = new Keys(list, (event) => review.note.arrow(event));
  byId("letters").addEventListener("change", (event) => {
    keys.letters = /** @type {HTMLInputElement} */ (event.target).checked;
  });
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-command]") : null;
    list.find((each) => each.id === button?.getAttribute("data-command"))?.run();
  });
  window.addEventListener("beforeunload", (event) => {
    if (review.saving.changes.length) event.preventDefault();
  });
  setInterval(() => document.visibilityState === "visible" && review.refresh(), REFRESH);
  await review.start();
}

start().catch((error) => {
  say(`Something went wrong in the page: reload it. (${error.message})`, "wrong");
  throw error;
});
