// Tasks, as a person submits, watches and steers them (H2).

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { open, watched } from '../lib/browser.mjs';
import { Service } from '../lib/service.mjs';
import { Steadfast } from '../lib/steadfast.mjs';

describe('tasks', () => {
  let browser, server, service, page, wrongs, context;

  before(async () => {
    [browser, server, service] = await Promise.all([open(), Steadfast.serve(), Service.start()]);
  });

  beforeEach(async () => {
    await context?.close();
    ({ page, wrongs, context } = await watched(browser, server));
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await service?.stop();
  });

  const waiting = () =>
    server.submit({ kind: 'http', payload: { url: service.url }, policy: 'slow', run_at: '2h' });

  test('a store without tasks says how to begin', async () => {
    await page.goto('/');
    await page.getByText('/api/v1/tasks').first().waitFor();
    assert.deepEqual(wrongs, []);
  });

  test('a task is submitted by a form, and is seen to retry without a reload', async () => {
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
    assert.equal(loads, 0, 'the page was never loaded again');
    assert.equal(service.calls, 3);
    assert.deepEqual(wrongs, []);
  });

  test('a form that is sent twice makes one task', async () => {
    await page.goto('/tasks/new');
    await page.getByLabel('URL').fill(`${service.url}/once`);
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST'),
      page.getByRole('button', { name: 'Submit' }).click(),
    ]);
    await page.waitForURL(/\/tasks\/[0-9a-f-]{36}$/);
    const again = await page.evaluate(async (body) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return (await fetch('/tasks/new', { method: 'POST', headers, body })).url;
    }, sent.postData());
    assert.equal(again, page.url());
  });

  test('what is wrong is said at its field, and what was typed is kept', async () => {
    await page.goto('/tasks/new');
    await page.getByLabel('URL').fill(`${service.url}/x`);
    await page.getByLabel('Not before').fill('soon');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('is no time').first().waitFor();
    assert.equal(await page.getByLabel('URL').inputValue(), `${service.url}/x`);
    assert.equal(await page.getByLabel('Not before').inputValue(), 'soon');
  });

  test('a task is cancelled after a question, and goes on when that is undone', async () => {
    const { id } = await waiting();
    await page.goto(`/tasks/${id}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
    assert.equal((await server.ask(`/tasks/${id}`)).status, 'scheduled');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the task' }).click();
    await page.getByText('Called off').first().waitFor();
    assert.equal((await server.ask(`/tasks/${id}`)).status, 'cancelled');
    await page.getByRole('button', { name: 'Undo' }).click();
    const task = await server.until(id, (task) => task.status !== 'cancelled');
    assert.equal(task.status, 'scheduled', 'it waits as it did before');
    assert.deepEqual(wrongs, []);
  });

  test('a waiting task is run now', async () => {
    const { id } = await waiting();
    await page.goto(`/tasks/${id}`);
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('completed').first().waitFor();
    assert.equal((await server.ask(`/tasks/${id}`)).status, 'completed');
  });

  test('a failed task is requeued from the start', async () => {
    service.next({ status: 404 });
    const { id } = await server.submit({ kind: 'http', payload: { url: service.url }, policy: 'quick' });
    await server.until(id, (task) => task.status === 'failed');
    await page.goto(`/tasks/${id}`);
    await page.getByRole('button', { name: 'Retry from the start' }).click();
    await page.getByText('completed').first().waitFor();
  });

  test('what is shown is copied', async () => {
    const { id } = await waiting();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`/tasks/${id}`);
    await page.getByRole('button', { name: 'Copy the payload' }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.deepEqual(JSON.parse(copied), { url: service.url });
    await page.getByRole('button', { name: 'Copy the id' }).click();
    await page.waitForFunction(async (id) => (await navigator.clipboard.readText()) === id, id);
    assert.deepEqual(wrongs, []);
  });

  test('any id, key or text is found from the search box, which / focuses', async () => {
    const task = await server.submit({
      kind: 'http',
      payload: { url: service.url, body: 'a needle' },
      idempotency_key: 'invoice-4711',
      run_at: '2h',
    });
    for (const wanted of [task.id, 'invoice-4711']) {
      await page.goto('/');
      await page.keyboard.press('/');
      await page.keyboard.type(wanted);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/tasks/${task.id}`);
    }
    await page.goto('/');
    await page.getByLabel('Find a task').fill('needle');
    await page.keyboard.press('Enter');
    await page.getByText(task.id.slice(-8)).first().waitFor();
    assert.deepEqual(wrongs, []);
  });

  test('the list is filtered, and a row is opened by keys alone', async () => {
    await waiting();
    await page.goto('/tasks?status=scheduled');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/tasks\/[0-9a-f-]{36}$/);
  });
});
