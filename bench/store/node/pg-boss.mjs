// The program of the peer pg-boss.
import { PgBoss } from "pg-boss";
import { count, database, run } from "./protocol.mjs";

const QUEUE = "noop";
const boss = new PgBoss({ connectionString: database });
boss.on("error", (error) => console.error("pg-boss:", error.message));
await boss.start();

await run({
  setup: () => boss.createQueue(QUEUE),
  submit: (id) => boss.send(QUEUE, { id }),
  submitMany: (ids) => boss.insert(QUEUE, ids.map((id) => ({ data: { id } }))),
  work: ({ batch }) => {
    const bursts = { batchSize: Number(batch), burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
    return boss.work(QUEUE, batch ? bursts : {}, async (jobs) => count(jobs.length));
  },
  finished: `
    SELECT NOT EXISTS (
      SELECT FROM pgboss.job
      WHERE name = '${QUEUE}' AND state < 'completed' AND start_after <= now()
    ) AS finished`,
});
