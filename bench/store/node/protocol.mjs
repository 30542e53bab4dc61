// The protocol of the package steadfast-bench-drive, for peers that run on Node.js: prints READY,
// waits for a line, runs the action, prints DONE with the results, and waits until standard input
// closes.
import readline from "node:readline";
import pg from "pg";

export const database = process.env.DATABASE_URL;

const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const args = process.argv.slice(2);
const settings = Object.fromEntries(
  args.filter((arg) => arg.includes("=")).map((arg) => arg.split("=", 2)),
);
const [action, ...numbers] = args.filter((arg) => !arg.includes("="));

let handled = 0;
let target = Infinity;
let onTargetReached;

// Counts handled tasks. Every handler calls this.
export function count(tasks) {
  handled += tasks;
  if (handled >= target) onTargetReached();
}

// Performs the action of the command line. `peer` has the functions of the Rust trait `Peer`, except
// that `finished` is a query.
export async function run(peer) {
  if (action === "setup") await peer.setup();
  else if (action === "submit-single") await submitSingle(peer, ...numbers.map(Number));
  else if (action === "submit-bulk") await submitBulk(peer, ...numbers.map(Number));
  else if (action === "drain") await drain(peer, ...numbers.map(Number));
  else throw new Error(`unknown action "${action}": expected setup, submit-single, submit-bulk or drain`);
  process.exit(0);
}

async function submitSingle(peer, tasks) {
  await peer.open?.();
  const start = await ready();
  for (let task = 0; task < tasks; task++) await peer.submit(task);
  await done(secondsSince(start));
}

async function submitBulk(peer, tasks, batch) {
  await peer.open?.();
  const start = await ready();
  for (let from = 0; from < tasks; from += batch) {
    const length = Math.min(batch, tasks - from);
    await peer.submitMany(Array.from({ length }, (_, offset) => from + offset));
  }
  await done(secondsSince(start));
}

async function drain(peer, tasks) {
  await peer.open?.();
  const client = new pg.Client(database);
  await client.connect();
  const start = await ready();
  const all = new Promise((resolve) => {
    [target, onTargetReached] = [tasks, resolve];
  });
  await peer.work(settings);
  await all;
  const handlers = secondsSince(start);
  while (!(await client.query(peer.finished)).rows[0].finished) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await done(handlers, secondsSince(start));
}

async function ready() {
  console.log("READY");
  if ((await lines.next()).done) throw new Error("standard input closed before the start signal");
  return process.hrtime.bigint();
}

async function done(...results) {
  console.log(["DONE", ...results.map((result) => result.toFixed(6))].join(" "));
  while (!(await lines.next()).done);
}

function secondsSince(start) {
  return Number(process.hrtime.bigint() - start) / 1e9;
}
