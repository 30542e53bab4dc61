// Pausing and resuming queues (D10, H2).

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { launch, openPage } from '../lib/browser.mjs';
import { Service } from '../lib/service.mjs';
import { Steadfast } from '../lib/steadfast.mjs';

describe('queues', () => {
  let browser, server, service;

  before(async () => {
    [browser, server, service] = await Promise.all([launch(), Steadfast.serve(), Service.start()]);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await service?.stop();
  });

  test('a queue is paused after a confirmation and resumed', async () => {
    const task = { kind: 'http', payload: { url: service.url }, queue: 'mail' };
    const { id } = await server.submit(task);
    await server.waitForTask(id, ({ status }) => status === 'completed');
    const { page, errors } = await openPage(browser, server);
    await page.goto('/queues');
    const row = page.getByRole('row').filter({ hasText: 'mail' });
    await row.getByRole('button', { name: /pause/i }).click();
    await page.getByRole('dialog').getByRole('button', { name: /pause/i }).click();
    await row.getByRole('button', { name: /resume/i }).waitFor();
    await page.getByRole('status').getByText('Queue paused').waitFor();
    const waiting = await server.submit(task);
    assert.equal((await server.api(`/tasks/${waiting.id}`)).status, 'pending');
    await row.getByRole('button', { name: /resume/i }).click();
    await server.waitForTask(waiting.id, ({ status }) => status === 'completed');
    assert.deepEqual(errors, []);
  });
});
