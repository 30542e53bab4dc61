// The measured side of the package steadfast-bench-drive, for peers that run on Node:
// says READY, waits for a line, does it, says DONE with its figures, stays until its
// input ends.
import readline from "node:readline";
import pg from "pg";

export const database = process.env.DATABASE_URL;

const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const words = process.argv.slice(2);
const settings = Object.fromEntries(
  words.filter((word) => word.includes("=")).map((word) => word.split("=", 2)),
);
const [action, ...numbers] = words.filter((word) => !word.includes("="));

let handled = 0;
let goal = Infinity;
let reached;

// What every handler calls.
export function count(tasks) {
  handled += tasks;
  if (handled >= goal) reached();
}

// `peer` has the functions of the Rust trait `Peer`, and `finished` as a query.
export async function run(peer) {
  if (action === "setup") await peer.setup();
  else if (action === "submit-single") await submitSingle(peer, ...numbers.map(Number));
  else if (action === "submit-bulk") await submitBulk(peer, ...numbers.map(Number));
  else if (action === "drain") await drain(peer, ...numbers.map(Number));
  else throw new Error(`unknown action «${action}»: expected setup, submit-single, submit-bulk, drain`);
  process.exit(0);
}

async function submitSingle(peer, tasks) {
  await peer.open?.();
  const began = await ready();
  for (let task = 0; task < tasks; task++) await peer.submit(task);
  await done(seconds(began));
}

async function submitBulk(peer, tasks, batch) {
  await peer.open?.();
  const began = await ready();
  for (let from = 0; from < tasks; from += batch) {
    const length = Math.min(batch, tasks - from);
    await peer.submitMany(Array.from({ length }, (_, more) => from + more));
  }
  await done(seconds(began));
}

async function drain(peer, tasks) {
  await peer.open?.();
  const client = new pg.Client(database);
  await client.connect();
  const began = await ready();
  const all = new Promise((resolve) => {
    [goal, reached] = [tasks, resolve];
  });
  await peer.work(settings);
  await all;
  const handlers = seconds(began);
  while (!(await client.query(peer.finished)).rows[0].finished) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await done(handlers, seconds(began));
}

async function ready() {
  console.log("READY");
  if ((await lines.next()).done) throw new Error("not let go: the input ended");
  return process.hrtime.bigint();
}

async function done(...figures) {
  console.log(["DONE", ...figures.map((figure) => figure.toFixed(6))].join(" "));
  while (!(await lines.next()).done);
}

function seconds(began) {
  return Number(process.hrtime.bigint() - began) / 1e9;
}
