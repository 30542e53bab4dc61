// Submitting, watching and controlling tasks (H2).

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { launch, openPage } from '../lib/browser.mjs';
import { Service } from '../lib/service.mjs';
import { Steadfast } from '../lib/steadfast.mjs';

describe('tasks', () => {
  let browser, server, service, page, errors, context;

  before(async () => {
    [browser, server, service] = await Promise.all([launch(), Steadfast.serve(), Service.start()]);
  });

  beforeEach(async () => {
    await context?.close();
    ({ page, errors, context } = await openPage(browser, server));
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await service?.stop();
  });

  const submitScheduled = () =>
    server.submit({ kind: 'http', payload: { url: service.url }, policy: 'slow', run_at: '2h' });

  test('an empty store shows how to submit a task', async () => {
    await page.goto('/');
    await page.getByText('/api/v1/tasks').first().waitFor();
    assert.deepEqual(errors, []);
  });

  test('a submitted task shows its retries without a reload', async () => {
    service.next({ status: 503 }, { status: 503 });
    await page.goto('/tasks/new');
    await page.getByLabel('URL').fill(service.url);
    await page.getByLabel('Policy', { exact: true }).selectOption('quick');
    let loads = 0;
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.waitForURL(/\/tasks\/[0-9a-f-]{36}$/);
    page.on('framenavigated', () => (loads += 1));
    await page.getByText('Attempt 2 failed').waitFor();
    await page.getByText('completed').first().waitFor();
    assert.equal(loads, 0, 'the page is not reloaded');
    assert.equal(service.calls, 3);
    assert.deepEqual(errors, []);
  });

  test('a form submitted twice creates one task', async () => {
    await page.goto('/tasks/new');
    await page.getByLabel('URL').fill(`${service.url}/once`);
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST'),
      page.getByRole('button', { name: 'Submit' }).click(),
    ]);
    await page.waitForURL(/\/tasks\/[0-9a-f-]{36}$/);
    const second = await page.evaluate(async (body) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return (await fetch('/tasks/new', { method: 'POST', headers, body })).url;
    }, sent.postData());
    assert.equal(second, page.url());
  });

  test('an invalid field shows its error and keeps the input', async () => {
    await page.goto('/tasks/new');
    await page.getByLabel('URL').fill(`${service.url}/x`);
    await page.getByLabel('Run at').fill('soon');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.locator('#run_at-problem').waitFor();
    assert.equal(await page.getByLabel('URL').inputValue(), `${service.url}/x`);
    assert.equal(await page.getByLabel('Run at').inputValue(), 'soon');
  });

  test('a task is cancelled after a confirmation, and restored by undo', async () => {
    const { id } = await submitScheduled();
    await page.goto(`/tasks/${id}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep task' }).click();
    assert.equal((await server.api(`/tasks/${id}`)).status, 'scheduled');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel task' }).click();
    await page.locator('#next', { hasText: 'Cancelled' }).waitFor();
    assert.equal((await server.api(`/tasks/${id}`)).status, 'cancelled');
    await page.getByRole('button', { name: 'Undo' }).click();
    const task = await server.waitForTask(id, (task) => task.status !== 'cancelled');
    assert.equal(task.status, 'scheduled', 'the task keeps its scheduled time');
    assert.deepEqual(errors, []);
  });

  test('a scheduled task is run now', async () => {
    const { id } = await submitScheduled();
    await page.goto(`/tasks/${id}`);
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('completed').first().waitFor();
    assert.equal((await server.api(`/tasks/${id}`)).status, 'completed');
  });

  test('a failed task is retried from the start', async () => {
    service.next({ status: 404 });
    const { id } = await server.submit({ kind: 'http', payload: { url: service.url }, policy: 'quick' });
    await server.waitForTask(id, (task) => task.status === 'failed');
    await page.goto(`/tasks/${id}`);
    await page.getByRole('button', { name: /^Requeue \(/ }).click();
    await page.getByText('completed').first().waitFor();
  });

  test('copy buttons copy the payload and the ID', async () => {
    const { id } = await submitScheduled();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`/tasks/${id}`);
    await page.getByRole('button', { name: 'Copy payload' }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.deepEqual(JSON.parse(copied), { url: service.url });
    await page.getByRole('button', { name: 'Copy ID' }).click();
    await page.waitForFunction(async (id) => (await navigator.clipboard.readText()) === id, id);
    assert.deepEqual(errors, []);
  });

  test('the search box finds tasks by ID, key and text', async () => {
    const task = await server.submit({
      kind: 'http',
      payload: { url: service.url, body: 'a needle' },
      idempotency_key: 'invoice-4711',
      run_at: '2h',
    });
    for (const text of [task.id, 'invoice-4711']) {
      await page.goto('/');
      await page.keyboard.press('/');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/tasks/${task.id}`);
    }
    await page.goto('/');
    await page.getByLabel('Search by ID').fill('needle');
    await page.keyboard.press('Enter');
    await page.getByText(task.id.slice(-8)).first().waitFor();
    assert.deepEqual(errors, []);
  });

  test('a row of the filtered list is opened with the keyboard', async () => {
    await submitScheduled();
    await page.goto('/tasks?status=scheduled');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/tasks\/[0-9a-f-]{36}$/);
  });
});
