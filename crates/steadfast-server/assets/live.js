// Keeps a page as it would be if it were opened now.
//
// One stream says that something changed; the same page is asked for again, without its frame,
// and put in place of the old one. The dot says how it is: connecting, live, lost since when, held
// while somebody is at a row of it, or paused while nobody looks.
//
// A browser has some six connections for a server, and all of its tabs share them. So only a tab
// that is looked at holds one.

import { isHeld, whenHeld } from "./hold.js";
import { morph } from "./morph.js";

const SILENCE = 25_000; // the server is heard every ten seconds
const HIDDEN_FOR = 5_000; // who only glances elsewhere is told all the while
const LEAST_PAUSE = 1_000;
const BEFORE_RETRY = 3_000;

const dot = document.getElementById("live");
let stream = null;
let silence = 0;
let hiding = 0;
let retrying = 0;
let lostAt = null;
let isAway = false; // the server has said so of its store
let isAsking = false;
let isStale = false;
let isBehind = false; // something changed that is not shown
let restUntil = 0;

function say(state, words) {
  if (dot.dataset.state === state && state !== "lost") return;
  dot.dataset.state = state;
  dot.querySelector(".words").textContent = words;
}

function lost(why) {
  lostAt ??= new Date();
  const since = lostAt.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  say("lost", `${why} since ${since}`);
}

function heard() {
  clearTimeout(silence);
  silence = setTimeout(() => {
    lost("lost");
    reconnect();
  }, SILENCE);
}

// What is shown is how it is, if whoever would tell of the next change is there.
function isGood() {
  if (isAway || stream?.readyState !== EventSource.OPEN) return;
  lostAt = null;
  if (isHeld()) say("held", "held");
  else say("live", "live");
}

function reconnect() {
  disconnect();
  connect();
}

function connect() {
  if (document.hidden) return say("paused", "paused");
  if (dot.dataset.state !== "lost") say("connecting", "connecting");
  stream = new EventSource("/live");
  heard();
  stream.addEventListener("here", changed);
  stream.addEventListener("changed", changed);
  stream.addEventListener("alive", () => {
    heard();
    if (lostAt && !isAway) refresh();
  });
  stream.addEventListener("away", () => {
    heard();
    isAway = true;
    lost("store away");
  });
  stream.onerror = ({ target }) => {
    if (target.readyState !== EventSource.CLOSED) return lost("lost");
    // A browser gives up for good on an answer that is no stream. Whoever is logged out is led
    // to the login by the page itself; otherwise it is asked anew here.
    if (!lostAt) lost("lost");
    refresh();
    retrying = setTimeout(reconnect, BEFORE_RETRY);
  };
}

function changed() {
  heard();
  isAway = false;
  refresh();
}

function disconnect() {
  stream?.close();
  stream = null;
  clearTimeout(silence);
  clearTimeout(retrying);
}

function pause() {
  disconnect();
  say("paused", "paused");
}

async function refresh() {
  if (isAsking || performance.now() < restUntil) {
    if (!isStale) setTimeout(again, Math.max(LEAST_PAUSE, restUntil - performance.now()));
    isStale = true;
    return;
  }
  isAsking = true;
  const began = performance.now();
  try {
    await replace();
  } catch {
    lost("lost");
  }
  // A server that answers slowly is asked less often.
  restUntil = performance.now() + Math.max(LEAST_PAUSE, 4 * (performance.now() - began));
  isAsking = false;
}

function again() {
  isStale = false;
  refresh();
}

async function replace() {
  const main = document.getElementById("main");
  // What is read or filled in is left alone, and asked for only to see whether one still may.
  const isStill = () => isHeld() || main.querySelector("[data-still]") !== null;
  isBehind = true;
  if (isStill() && !lostAt) return isGood();
  const asked = location.href;
  const answer = await fetch(asked, { headers: { "X-Steadfast-Inside": "1" } });
  if (answer.redirected) return isStill() ? lost("logged out") : location.reload();
  if (answer.status >= 500) return lost("store away");
  const text = await answer.text();
  if (location.href === asked && !isStill()) show(main, text);
  isGood();
}

function show(main, text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("main");
  if (!fresh) return;
  isBehind = false;
  morph(main, fresh);
  document.title = `${fresh.dataset.title} · Steadfast`;
  document.dispatchEvent(new Event("changed"));
}

export function live() {
  dot.hidden = false;
  connect();
  whenHeld((held) => {
    if (!held && isBehind) refresh();
    else if (!lostAt) isGood();
  });
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(pause, HIDDEN_FOR);
    else if (!stream) connect();
  });
  // A page that is kept for going back must hold no connection.
  addEventListener("pagehide", pause);
  addEventListener("pageshow", (event) => {
    if (event.persisted && !stream) connect();
  });
}
