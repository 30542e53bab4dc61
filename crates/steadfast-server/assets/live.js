// Keeps a page as it would be if it were opened now.
//
// One stream says that something changed; the same page is asked for again, without its frame,
// and put in place of the old one. The dot says how it is: connecting, live, or lost since when.

import { morph } from "./morph.js";

const SILENCE = 25_000; // the server is heard every ten seconds
const HIDDEN_FOR = 60_000; // who looks elsewhere for so long is not told
const LEAST_PAUSE = 1_000;

const dot = document.getElementById("live");
let stream = null;
let silence = 0;
let hiding = 0;
let lostAt = null;
let isAsking = false;
let isStale = false;
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

function isLive() {
  lostAt = null;
  say("live", "live");
}

function reconnect() {
  stream?.close();
  connect();
}

function connect() {
  stream = new EventSource("/live");
  heard();
  stream.addEventListener("here", () => {
    isLive();
    refresh();
  });
  stream.addEventListener("alive", heard);
  stream.addEventListener("changed", () => {
    heard();
    isLive();
    refresh();
  });
  stream.addEventListener("away", () => {
    heard();
    lost("store away");
  });
  stream.onerror = () => {
    lost("lost");
    // A browser gives up for good on an answer that is no stream: it is asked anew here.
    if (stream.readyState === EventSource.CLOSED) setTimeout(reconnect, 3000);
  };
}

function disconnect() {
  stream?.close();
  stream = null;
  clearTimeout(silence);
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
  if (main.querySelector("[data-still]")) return;
  const asked = location.href;
  const answer = await fetch(asked, { headers: { "X-Steadfast-Inside": "1" } });
  if (answer.redirected || location.href !== asked) {
    if (answer.redirected) location.reload();
    return;
  }
  if (answer.status >= 500) {
    lost("store away");
    return;
  }
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
  if (!fresh) return;
  morph(main, fresh);
  document.title = `${fresh.dataset.title} · Steadfast`;
  document.dispatchEvent(new Event("changed"));
}

export function live() {
  dot.hidden = false;
  say("connecting", "connecting");
  connect();
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(disconnect, HIDDEN_FOR);
    else if (!stream) connect();
  });
  // A page that is kept for going back must hold no connection.
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", (event) => {
    if (event.persisted && !stream) connect();
  });
}
