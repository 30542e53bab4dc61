// Keeps relative times and countdowns current, in the format of the server (parts/time.rs).

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;
const YEAR = 365 * DAY;

function two(seconds, large, name, small, restName) {
  const rest = Math.floor((seconds % large) / small);
  const whole = `${Math.floor(seconds / large)} ${name}`;
  return rest === 0 ? whole : `${whole} ${rest} ${restName}`;
}

function age(seconds) {
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < 10 * HOUR) return two(seconds, HOUR, "h", MINUTE, "min");
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} h`;
  if (seconds < 10 * DAY) return two(seconds, DAY, "d", HOUR, "h");
  if (seconds < 2 * MONTH) return `${Math.floor(seconds / DAY)} d`;
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / MONTH)} mo`;
  return `${Math.floor(seconds / YEAR)} y`;
}

// The time until a future moment, rounded to the nearest unit.
function until(seconds) {
  const whole = Math.round(seconds);
  const unit = whole < MINUTE ? 1 : whole < 10 * HOUR ? MINUTE : whole < 10 * DAY ? HOUR : DAY;
  return age(Math.floor((whole + Math.floor(unit / 2)) / unit) * unit);
}

function relative(seconds) {
  const whole = Math.trunc(seconds);
  if (whole === 0) return seconds > 0 ? "now" : "just now";
  return whole > 0 ? `in ${until(seconds)}` : `${age(-whole)} ago`;
}

function countdown(seconds) {
  if (seconds <= 0) return "now";
  const whole = Math.ceil(seconds);
  if (whole >= HOUR) return until(seconds);
  const rest = String(whole % MINUTE).padStart(2, "0");
  return `${Math.floor(whole / MINUTE)}:${rest}`;
}

// The offset of the server's clock, which all times use.
let clockOffset = 0;

function syncClock() {
  const now = document.getElementById("main")?.dataset.now;
  if (now) clockOffset = Date.parse(now) - Date.now();
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function show() {
  const now = Date.now() + clockOffset;
  for (const time of document.querySelectorAll("time[data-relative]")) {
    setText(time, relative((Date.parse(time.dateTime) - now) / 1000));
  }
  for (const time of document.querySelectorAll("time[data-age]")) {
    setText(time, age(Math.max(0, Math.trunc((now - Date.parse(time.dateTime)) / 1000))));
  }
  for (const time of document.querySelectorAll("time[data-countdown]")) {
    setText(time, countdown((Date.parse(time.dateTime) - now) / 1000));
  }
}

function localise() {
  for (const time of document.querySelectorAll("time[title$='UTC']")) {
    const local = new Date(time.dateTime);
    time.title = `${time.title}\n${local.toLocaleString(undefined, { timeZoneName: "short" })}`;
  }
}

export function tick() {
  syncClock();
  localise();
  show();
  setInterval(show, 1000);
  document.addEventListener("changed", () => {
    syncClock();
    localise();
    show();
  });
}
