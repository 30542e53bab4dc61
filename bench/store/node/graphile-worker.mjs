// The program of the peer graphile-worker.
import pg from "pg";
import { count, database, run } from "./protocol.mjs";

// Read when graphile-worker is loaded; it would otherwise log a line per task.
process.env.NO_LOG_SUCCESS = "1";
const { makeWorkerUtils, run: runWorker, runMigrations } = await import("graphile-worker");

const TASK = "noop";
// The settings of graphile-worker's own benchmark.
const TUNED = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 500, refetchDelay: { durationMs: 10 } },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

let client;
let utils;

await run({
  setup: () => runMigrations({ connectionString: database }),
  open: async () => {
    utils = await makeWorkerUtils({ connectionString: database });
    client = new pg.Client(database);
    await client.connect();
  },
  submit: (id) => utils.addJob(TASK, { id }),
  // The statement of graphile-worker's own benchmark.
  submitMany: (ids) =>
    client.query(
      `SELECT 1 FROM graphile_worker.add_jobs(array(
         SELECT json_populate_recordset(null::graphile_worker.job_spec, $1::json)))`,
      [JSON.stringify(ids.map((id) => ({ identifier: TASK, payload: { id } })))],
    ),
  work: ({ tuned }) =>
    runWorker({
      preset: { worker: { connectionString: database, ...(tuned ? TUNED : {}) } },
      noHandleSignals: true,
      taskList: { [TASK]: () => count(1) },
    }),
  finished: `
    SELECT NOT EXISTS (
      SELECT FROM graphile_worker._private_jobs WHERE run_at <= now()
    ) AS finished`,
});
