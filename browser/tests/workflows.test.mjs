// Workflows, as a person watches and steers them (H2, W2).

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { open, watched } from '../lib/browser.mjs';
import { signUp, start } from '../lib/filled.mjs';
import { Service } from '../lib/service.mjs';
import { Steadfast } from '../lib/steadfast.mjs';

describe('workflows', () => {
  let browser, server, service, page, wrongs, context;

  before(async () => {
    [browser, server] = await Promise.all([open(), Steadfast.serve()]);
  });

  beforeEach(async () => {
    await service?.stop();
    await context?.close();
    service = await Service.start();
    ({ page, wrongs, context } = await watched(browser, server));
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await service?.stop();
  });

  test('a store without executions says how to begin', async () => {
    await page.goto('/executions');
    await page.getByText('No executions yet').waitFor();
    assert.deepEqual(wrongs, []);
  });

  test('a failed execution goes on, and what was done is not done again', async () => {
    service.at('/welcome', { status: 404, body: 'not yet' });
    const { id } = await start(server, signUp(service));
    await page.goto(`/executions/${id}`);
    let loads = 0;
    await page.getByText('node welcome failed').first().waitFor();
    service.at('/welcome', { status: 200, body: 'hello' });
    const before = service.calls;
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.waitForURL(`**/executions/${id}`);
    page.on('framenavigated', () => (loads += 1));
    await page.locator('#next', { hasText: 'Done' }).waitFor();
    assert.equal(service.calls - before, 1, 'only the step that had failed is called');
    assert.equal(loads, 0, 'the page was never loaded again');
    assert.equal(await page.locator('.graph g.completed').count(), 4);
    assert.deepEqual(wrongs, []);
  });

  test('an execution is called off, after it was asked', async () => {
    service.at('/create', { status: 503, body: 'busy' });
    const workflow = signUp(service);
    workflow.nodes[0].config.retry.delaySeconds = 3600;
    const { id } = await start(server, workflow);
    await page.goto(`/executions/${id}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel the execution' }).click();
    await page.locator('#next', { hasText: 'Called off' }).waitFor();
    await page.goto('/executions?status=cancelled');
    await page.getByRole('link', { name: id }).waitFor();
    assert.deepEqual(wrongs, []);
  });
});
