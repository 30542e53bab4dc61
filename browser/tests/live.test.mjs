// Whether a page is live, and what its dot says of it (H2).

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { open, watched } from '../lib/browser.mjs';
import { Steadfast } from '../lib/steadfast.mjs';

/** More than a browser has connections for one server. */
const TABS = 8;

describe('live', () => {
  let browser, server;

  before(async () => {
    [browser, server] = await Promise.all([open(), Steadfast.serve()]);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const is = (page, state) => page.locator(`#live[data-state="${state}"]`).waitFor();

  /** Puts a page behind others or before them, as a browser says it: one without a head never does. */
  const put = (page, isHidden) =>
    page.evaluate((isHidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);

  test('tabs that nobody looks at take no connection from the one that is looked at', async () => {
    const { page, wrongs, context } = await watched(browser, server);
    for (let tab = 0; tab < TABS; tab += 1) {
      const behind = await context.newPage();
      await behind.addInitScript(() => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
      });
      await behind.goto('/tasks');
      await is(behind, 'paused');
    }
    await page.goto('/');
    await is(page, 'live');
    assert.deepEqual(wrongs, []);
    await context.close();
  });

  test('a page lets go when it is hidden, and is live again when it is seen', async () => {
    const { page, context } = await watched(browser, server);
    await page.goto('/tasks');
    await is(page, 'live');
    await put(page, true);
    await is(page, 'paused');
    const { id } = await server.submit({ kind: 'other', payload: {}, run_at: '2h' });
    await put(page, false);
    await is(page, 'live');
    await page.locator(`#row-${id}`).waitFor();
    await context.close();
  });

  test('a list holds still while somebody is at a row of it, and says so', async () => {
    await server.submit({ kind: 'other', payload: {}, run_at: '2h' });
    const { page, context } = await watched(browser, server);
    await page.goto('/tasks');
    await is(page, 'live');
    const leaves = {
      pointer: [() => page.locator('[data-row]').first().hover(), () => page.mouse.move(5, 5)],
      keyboard: [() => page.keyboard.press('j'), () => page.evaluate(() => document.activeElement.blur())],
    };
    for (const [by, [come, leave]] of Object.entries(leaves)) {
      await come();
      await is(page, 'held');
      const { id } = await server.submit({ kind: 'other', payload: {}, run_at: '2h' });
      // That nothing happens can only be waited for; pages are told every second.
      await page.waitForTimeout(2_500);
      assert.equal(await page.locator(`#row-${id}`).count(), 0, by);
      await leave();
      await page.locator(`#row-${id}`).waitFor();
      await is(page, 'live');
    }
    await context.close();
  });

  test('events that are paused are not said to be live', async () => {
    const { page, context } = await watched(browser, server);
    await page.goto('/events');
    await is(page, 'live');
    await page.getByRole('button', { name: 'Pause' }).click();
    await is(page, 'held');
    await page.getByRole('button', { name: 'Go on' }).click();
    await is(page, 'live');
    await context.close();
  });

  test('one answer that went wrong is forgotten when the next is good', async () => {
    const { page, context } = await watched(browser, server);
    // The test tells the page what a server does, so that nothing else changes meanwhile.
    await page.addInitScript(() => {
      window.EventSource = class extends EventTarget {
        static OPEN = 1;
        readyState = 1;
        constructor() {
          super();
          window.tell = (name) => this.dispatchEvent(new Event(name));
          setTimeout(() => window.tell('here'));
        }
        close() {}
      };
    });
    const tell = (name) => page.evaluate((name) => window.tell(name), name);
    await page.goto('/queues');
    await is(page, 'live');
    await page.route('**/queues', (route) => route.fulfill({ status: 503 }));
    await tell('changed');
    await is(page, 'lost');
    await page.unroute('**/queues');
    await tell('alive');
    await is(page, 'live');
    await tell('away');
    await is(page, 'lost');
    await tell('changed');
    await is(page, 'live');
    await context.close();
  });

  test('the dot says when the server is gone', async () => {
    const short = await Steadfast.serve();
    const { page, context } = await watched(browser, short);
    await page.goto('/');
    await is(page, 'live');
    await short.stop();
    await is(page, 'lost');
    await context.close();
  });

  test('a form that is being filled in is not thrown away when the server is lost', async () => {
    const short = await Steadfast.serve();
    const { page, context } = await watched(browser, short);
    await page.goto('/tasks/new');
    await is(page, 'live');
    await page.getByLabel('URL').fill('http://a.example/');
    await short.stop();
    await is(page, 'lost');
    assert.equal(await page.getByLabel('URL').inputValue(), 'http://a.example/');
    await context.close();
  });
});
