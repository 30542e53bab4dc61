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

  test('a store without workflows says how to begin', async () => {
    await page.goto('/workflows');
    await page.getByText('No workflows yet').waitFor();
    await page.getByRole('link', { name: 'Executions' }).click();
    await page.getByText('No executions yet').waitFor();
    assert.deepEqual(wrongs, []);
  });

  test('one is started by hand and watched to its end', async () => {
    await server.ask('/workflows', { method: 'POST', body: signUp(service) });
    await page.goto('/workflows');
    await page.getByRole('link', { name: 'sign-up' }).first().click();
    await page.getByLabel('Trigger').fill('{"user": ');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.locator('#trigger-problem').waitFor();
    assert.equal(await page.getByLabel('Trigger').inputValue(), '{"user": ', 'what was typed stays');
    await page.getByLabel('Trigger').fill('{"user": "ada"}');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL('**/executions/*');
    let loads = 0;
    page.on('framenavigated', () => (loads += 1));
    await page.locator('#next', { hasText: 'Done' }).waitFor();
    assert.equal(loads, 0, 'the page was never loaded again');
    const id = page.url().split('/').pop();
    const { trigger } = await server.ask(`/executions/${id}`);
    assert.deepEqual(trigger, { user: 'ada' });
    await page.getByRole('link', { name: /^sign-up, version/ }).click();
    await page.getByRole('link', { name: id }).waitFor();
    // A browser tells of an answer that is an error.
    assert.deepEqual(wrongs.filter((wrong) => !wrong.includes('400')), []);
  });

  test('a failed one is started again, and its chain is shown', async () => {
    service.at('/welcome', { status: 404, body: 'not yet' });
    const { id } = await start(server, signUp(service));
    await page.goto(`/executions/${id}`);
    await page.getByText('node welcome failed').first().waitFor();
    service.at('/welcome', { status: 200, body: 'hello' });
    const before = service.calls;
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByRole('button', { name: 'Start another' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.locator('#next', { hasText: 'Done' }).waitFor();
    assert.equal(service.calls - before, 4, 'all of its steps are called');
    const chain = page.locator('section', { has: page.getByRole('heading', { name: 'Its chain' }) });
    assert.equal(await chain.locator('tbody tr').count(), 2);
    await chain.getByRole('link', { name: id }).click();
    await page.locator('#next', { hasText: 'Failed' }).waitFor();
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
