// Live updates: reloads the content of the page whenever the server reports a change.
//
// One event stream reports changes; the page is then requested again without its layout and morphed
// into place. The indicator shows the state: connecting, live, disconnected since when, paused while a
// row is in use, or in the background.
//
// A browser has about six connections per server, shared by all tabs, so only a visible tab holds one.

import { morph } from "./morph.js";
import { isPaused, onPauseChange } from "./pause.js";

const SILENCE_TIMEOUT = 25_000; // the server sends a heartbeat every ten seconds
const BACKGROUND_DELAY = 5_000; // a short look at another tab keeps the connection
const MIN_INTERVAL = 1_000;
const RECONNECT_DELAY = 3_000;

const indicator = document.getElementById("live");
let stream = null;
let silenceTimer = 0;
let backgroundTimer = 0;
let reconnectTimer = 0;
let lostAt = null;
let isStoreDown = false; // as reported by the server
let isLoading = false;
let isScheduled = false;
let isOutdated = false; // something changed that is not shown
let nextLoadAt = 0;

function setState(state, label) {
  if (indicator.dataset.state === state && state !== "lost") return;
  indicator.dataset.state = state;
  indicator.querySelector(".label").textContent = label;
}

function lost(reason) {
  lostAt ??= new Date();
  const since = lostAt.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  setState("lost", `${reason} since ${since}`);
}

function restartSilenceTimer() {
  clearTimeout(silenceTimer);
  silenceTimer = setTimeout(() => {
    lost("disconnected");
    reconnect();
  }, SILENCE_TIMEOUT);
}

// The content is current if the stream that reports the next change is open.
function setCurrent() {
  if (isStoreDown || stream?.readyState !== EventSource.OPEN) return;
  lostAt = null;
  if (isPaused()) setState("paused", "paused");
  else setState("live", "live");
}

function reconnect() {
  disconnect();
  connect();
}

function connect() {
  if (document.hidden) return setState("background", "paused");
  if (indicator.dataset.state !== "lost") setState("connecting", "connecting");
  stream = new EventSource("/live");
  restartSilenceTimer();
  stream.addEventListener("connected", changed);
  stream.addEventListener("changed", changed);
  stream.addEventListener("heartbeat", () => {
    restartSilenceTimer();
    if (lostAt && !isStoreDown) refresh();
  });
  stream.addEventListener("unreachable", () => {
    restartSilenceTimer();
    isStoreDown = true;
    lost("store unreachable");
  });
  stream.onerror = ({ target }) => {
    if (target.readyState !== EventSource.CLOSED) return lost("disconnected");
    // A browser does not retry after a response that is not an event stream. After a logout the
    // refresh leads to the login page; otherwise reconnect here.
    if (!lostAt) lost("disconnected");
    refresh();
    reconnectTimer = setTimeout(reconnect, RECONNECT_DELAY);
  };
}

function changed() {
  restartSilenceTimer();
  isStoreDown = false;
  refresh();
}

function disconnect() {
  stream?.close();
  stream = null;
  clearTimeout(silenceTimer);
  clearTimeout(reconnectTimer);
}

function enterBackground() {
  disconnect();
  setState("background", "paused");
}

async function refresh() {
  if (isLoading || performance.now() < nextLoadAt) {
    if (!isScheduled) setTimeout(scheduledRefresh, Math.max(MIN_INTERVAL, nextLoadAt - performance.now()));
    isScheduled = true;
    return;
  }
  isLoading = true;
  const startedAt = performance.now();
  try {
    await reload();
  } catch {
    lost("disconnected");
  }
  // Requests to a slow server are less frequent.
  nextLoadAt = performance.now() + Math.max(MIN_INTERVAL, 4 * (performance.now() - startedAt));
  isLoading = false;
}

function scheduledRefresh() {
  isScheduled = false;
  refresh();
}

async function reload() {
  const main = document.getElementById("main");
  // Paused content is not replaced; it is requested only to see whether the session is still valid.
  const isFrozen = () => isPaused() || main.querySelector("[data-no-refresh]") !== null;
  isOutdated = true;
  if (isFrozen() && !lostAt) return setCurrent();
  const url = location.href;
  const response = await fetch(url, { headers: { "X-Steadfast-Partial": "1" } });
  if (response.redirected) return isFrozen() ? lost("logged out") : location.reload();
  if (response.status >= 500) return lost("store unreachable");
  const text = await response.text();
  if (location.href === url && !isFrozen()) show(main, text);
  setCurrent();
}

function show(main, text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("main");
  if (!fresh) return;
  isOutdated = false;
  morph(main, fresh);
  document.title = `${fresh.dataset.title} · Steadfast`;
  document.dispatchEvent(new Event("changed"));
}

export function live() {
  indicator.hidden = false;
  connect();
  onPauseChange((paused) => {
    if (!paused && isOutdated) refresh();
    else if (!lostAt) setCurrent();
  });
  document.addEventListener("visibilitychange", () => {
    clearTimeout(backgroundTimer);
    if (document.hidden) backgroundTimer = setTimeout(enterBackground, BACKGROUND_DELAY);
    else if (!stream) connect();
  });
  // A page in the back/forward cache must not hold a connection.
  addEventListener("pagehide", enterBackground);
  addEventListener("pageshow", (event) => {
    if (event.persisted && !stream) connect();
  });
}
