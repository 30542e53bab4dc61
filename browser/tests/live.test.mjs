// Live updates and their indicator (H2).

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { launch, openPage } from '../lib/browser.mjs';
import { Steadfast } from '../lib/steadfast.mjs';

/** More than the maximum number of connections of a browser to one server. */
const TABS = 8;

describe('live updates', () => {
  let browser, server;

  before(async () => {
    [browser, server] = await Promise.all([launch(), Steadfast.serve()]);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const hasState = (page, state) => page.locator(`#live[data-state="${state}"]`).waitFor();

  /** Simulates a hidden or a visible tab: a headless browser never hides tabs. */
  const setHidden = (page, isHidden) =>
    page.evaluate((isHidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);

  test('hidden tabs hold no connection', async () => {
    const { page, errors, context } = await openPage(browser, server);
    for (let tab = 0; tab < TABS; tab += 1) {
      const hidden = await context.newPage();
      await hidden.addInitScript(() => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
      });
      await hidden.goto('/tasks');
      await hasState(hidden, 'background');
    }
    await page.goto('/');
    await hasState(page, 'live');
    assert.deepEqual(errors, []);
    await context.close();
  });

  test('a page disconnects when hidden and reconnects when shown', async () => {
    const { page, context } = await openPage(browser, server);
    await page.goto('/tasks');
    await hasState(page, 'live');
    await setHidden(page, true);
    await hasState(page, 'background');
    const { id } = await server.submit({ kind: 'other', payload: {}, run_at: '2h' });
    await setHidden(page, false);
    await hasState(page, 'live');
    await page.locator(`#row-${id}`).waitFor();
    await context.close();
  });

  test('a list pauses while a row is hovered or focused', async () => {
    await server.submit({ kind: 'other', payload: {}, run_at: '2h' });
    const { page, context } = await openPage(browser, server);
    await page.goto('/tasks');
    await hasState(page, 'live');
    const ways = {
      pointer: [() => page.locator('[data-row]').first().hover(), () => page.mouse.move(5, 5)],
      keyboard: [() => page.keyboard.press('j'), () => page.evaluate(() => document.activeElement.blur())],
    };
    for (const [way, [enter, leave]] of Object.entries(ways)) {
      await enter();
      await hasState(page, 'paused');
      const { id } = await server.submit({ kind: 'other', payload: {}, run_at: '2h' });
      // Changes are reported every second; wait to see that none is shown.
      await page.waitForTimeout(2_500);
      assert.equal(await page.locator(`#row-${id}`).count(), 0, way);
      await leave();
      await page.locator(`#row-${id}`).waitFor();
      await hasState(page, 'live');
    }
    await context.close();
  });

  test('the events page is paused and resumed with its button', async () => {
    const { page, context } = await openPage(browser, server);
    await page.goto('/events');
    await hasState(page, 'live');
    await page.getByRole('button', { name: 'Pause' }).click();
    await hasState(page, 'paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await hasState(page, 'live');
    await context.close();
  });

  test('the indicator recovers after a failed request', async () => {
    const { page, context } = await openPage(browser, server);
    // The test sends the events itself, so that no other event arrives meanwhile.
    await page.addInitScript(() => {
      window.EventSource = class extends EventTarget {
        static OPEN = 1;
        readyState = 1;
        constructor() {
          super();
          window.send = (name) => this.dispatchEvent(new Event(name));
          setTimeout(() => window.send('connected'));
        }
        close() {}
      };
    });
    const send = (name) => page.evaluate((name) => window.send(name), name);
    await page.goto('/queues');
    await hasState(page, 'live');
    await page.route('**/queues', (route) => route.fulfill({ status: 503 }));
    await send('changed');
    await hasState(page, 'lost');
    await page.unroute('**/queues');
    await send('heartbeat');
    await hasState(page, 'live');
    await send('unreachable');
    await hasState(page, 'lost');
    await send('changed');
    await hasState(page, 'live');
    await context.close();
  });

  test('the indicator shows a lost connection', async () => {
    const stopped = await Steadfast.serve();
    const { page, context } = await openPage(browser, stopped);
    await page.goto('/');
    await hasState(page, 'live');
    await stopped.stop();
    await hasState(page, 'lost');
    await context.close();
  });

  test('a form keeps its input when the connection is lost', async () => {
    const stopped = await Steadfast.serve();
    const { page, context } = await openPage(browser, stopped);
    await page.goto('/tasks/new');
    await hasState(page, 'live');
    await page.getByLabel('URL').fill('http://a.example/');
    await stopped.stop();
    await hasState(page, 'lost');
    assert.equal(await page.getByLabel('URL').inputValue(), 'http://a.example/');
    await context.close();
  });
});
