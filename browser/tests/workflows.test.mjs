// Starting, watching and controlling workflows (H2, W2).

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { launch, openPage } from '../lib/browser.mjs';
import { signUp, start } from '../lib/seed.mjs';
import { Service } from '../lib/service.mjs';
import { Steadfast } from '../lib/steadfast.mjs';

describe('workflows', () => {
  let browser, server, service, page, errors, context;

  before(async () => {
    [browser, server] = await Promise.all([launch(), Steadfast.serve()]);
  });

  beforeEach(async () => {
    await service?.stop();
    await context?.close();
    service = await Service.start();
    ({ page, errors, context } = await openPage(browser, server));
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await service?.stop();
  });

  test('an empty store shows how to register a workflow', async () => {
    await page.goto('/workflows');
    await page.getByText('No workflows yet').waitFor();
    await page.getByRole('link', { name: 'Executions' }).click();
    await page.getByText('No executions yet').waitFor();
    assert.deepEqual(errors, []);
  });

  test('an execution is started with the form and completes', async () => {
    await server.api('/workflows', { method: 'POST', body: signUp(service) });
    await page.goto('/workflows');
    await page.getByRole('link', { name: 'sign-up' }).first().click();
    await page.getByLabel('Trigger').fill('{"user": ');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.locator('#trigger-problem').waitFor();
    assert.equal(await page.getByLabel('Trigger').inputValue(), '{"user": ', 'the input is kept');
    await page.getByLabel('Trigger').fill('{"user": "ada"}');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL('**/executions/*');
    let loads = 0;
    page.on('framenavigated', () => (loads += 1));
    await page.locator('#next', { hasText: 'Completed' }).waitFor();
    assert.equal(loads, 0, 'the page is not reloaded');
    const id = page.url().split('/').pop();
    const { trigger } = await server.api(`/executions/${id}`);
    assert.deepEqual(trigger, { user: 'ada' });
    await page.getByRole('link', { name: /^sign-up, definition/ }).click();
    await page.getByRole('link', { name: id }).waitFor();
    // The browser logs the 400 response.
    assert.deepEqual(errors.filter((error) => !error.includes('400')), []);
  });

  test('a failed execution is retried and shows its chain', async () => {
    service.at('/welcome', { status: 404, body: 'not yet' });
    const { id } = await start(server, signUp(service));
    await page.goto(`/executions/${id}`);
    await page.getByText('node welcome failed').first().waitFor();
    service.at('/welcome', { status: 200, body: 'hello' });
    const before = service.calls;
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('button', { name: 'Retry execution' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.locator('#next', { hasText: 'Completed' }).waitFor();
    assert.equal(service.calls - before, 4, 'all nodes run again');
    const chain = page.locator('section', { has: page.getByRole('heading', { name: 'Execution chain' }) });
    assert.equal(await chain.locator('tbody tr').count(), 2);
    await chain.getByRole('link', { name: id }).click();
    await page.locator('#next', { hasText: 'Failed' }).waitFor();
    assert.deepEqual(errors, []);
  });

  test('a resumed execution runs only the failed node', async () => {
    service.at('/welcome', { status: 404, body: 'not yet' });
    const { id } = await start(server, signUp(service));
    await page.goto(`/executions/${id}`);
    let loads = 0;
    await page.getByText('node welcome failed').first().waitFor();
    service.at('/welcome', { status: 200, body: 'hello' });
    const before = service.calls;
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.waitForURL(`**/executions/${id}`);
    page.on('framenavigated', () => (loads += 1));
    await page.locator('#next', { hasText: 'Completed' }).waitFor();
    assert.equal(service.calls - before, 1, 'only the failed node runs');
    assert.equal(loads, 0, 'the page is not reloaded');
    assert.equal(await page.locator('.graph g.completed').count(), 4);
    assert.deepEqual(errors, []);
  });

  test('an execution is cancelled after a confirmation', async () => {
    service.at('/create', { status: 503, body: 'busy' });
    const workflow = signUp(service);
    workflow.nodes[0].config.retry.delaySeconds = 3600;
    const { id } = await start(server, workflow);
    await page.goto(`/executions/${id}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel execution' }).click();
    await page.locator('#next', { hasText: 'Cancelled' }).waitFor();
    await page.goto('/executions?status=cancelled');
    await page.getByRole('link', { name: id }).waitFor();
    assert.deepEqual(errors, []);
  });
});
