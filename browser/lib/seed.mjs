// Demo data: tasks in every status, a breaker, a budget and a session.

/** Seeds the store and returns a task that waits for its second attempt. */
export async function seed(server, service) {
  const http = (path, fields = {}) => ({ kind: 'http', payload: { url: `${service.url}${path}` }, policy: 'quick', ...fields });
  const batch = [];
  for (let number = 1; number <= 24; number += 1) {
    batch.push(http(`/orders/${number}`, { queue: number % 3 ? 'billing' : 'mail', correlation_id: `order-${number}` }));
    batch.push({ kind: 'resize-image', payload: { picture: number }, queue: 'media' });
    batch.push(http('/later', { queue: 'mail', run_at: `${number}h` }));
  }
  await server.api('/tasks/batch', { method: 'POST', body: batch });
  service.at('/gone', { status: 404, body: 'no such order' });
  const failed = await server.submit(http('/gone', { queue: 'billing' }));
  await server.waitForTask(failed.id, ({ status }) => status === 'failed');
  service.at('/busy', { status: 503, body: 'busy' });
  await server.submit(http('/busy', { policy: 'guarded', queue: 'billing' }));
  await server.waitFor('/breakers', (breakers) => breakers.some(({ instances }) => instances.some(({ state }) => state === 'open')));
  server.record();
  const waiting = await server.submit(
    http('/busy', { policy: 'slow', idempotency_key: 'invoice-4711', correlation_id: 'order-4711' }),
  );
  return server.waitForTask(waiting.id, ({ attempts }) => attempts === 1);
}

/** A workflow of four HTTP nodes; the last depends on the two before it. */
export function signUp(service) {
  const retry = { enabled: true, strategy: 'fixed_delay', maxAttempts: 1, delaySeconds: 1 };
  const step = (nodeId, dependsOn = []) => ({
    nodeId, dependsOn, type: 'http', config: { url: `${service.url}/${nodeId}`, retry },
  });
  return {
    name: 'sign-up',
    nodes: [step('create'), step('profile', ['create']), step('billing', ['create']), step('welcome', ['profile', 'billing'])],
  };
}

/** Registers and starts a workflow, and returns the execution. */
export async function start(server, workflow, trigger = {}) {
  const { id } = await server.api('/workflows', { method: 'POST', body: workflow });
  return server.api(`/workflows/${id}/executions`, { method: 'POST', body: { trigger } });
}
