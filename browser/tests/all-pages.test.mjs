// What holds on every page: it can be used by everybody, on any screen, and keeps to itself (H2).

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { open, watched } from '../lib/browser.mjs';
import { SIZES, isForEverybody } from '../lib/everybody.mjs';
import { fill, signUp, start } from '../lib/filled.mjs';
import { Service } from '../lib/service.mjs';
import { Steadfast } from '../lib/steadfast.mjs';

describe('every page', () => {
  let browser, server, service, paths, blank;

  before(async () => {
    [browser, server, service, blank] = await Promise.all([open(), Steadfast.serve(), Service.start(), Steadfast.serve()]);
    const task = await fill(server, service);
    const execution = await start(server, signUp(service));
    paths = ['/', '/tasks', '/tasks/new', `/tasks/${task.id}`, '/tasks/requeue?status=failed', '/workflows',
      `/workflows/${execution.workflow_id}`, '/executions', `/executions/${execution.id}`, '/queues',
      '/policies', '/policies/quick', '/breakers', '/events', '/sessions', '/audit', '/nothing-here'];
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await service?.stop();
    await blank?.stop();
  });

  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ['light', 'dark']) {
      test(`at a ${size}, ${colorScheme}`, async () => {
        // What looks into the page must be let in; the page itself is tried without it elsewhere.
        const { page, wrongs, context } = await watched(browser, server, { viewport, colorScheme, bypassCSP: true });
        for (const path of paths) await isForEverybody(page, path);
        assert.deepEqual(wrongs.filter((wrong) => !wrong.includes('404')), []);
        await context.close();
      });
    }
  }

  for (const [size, viewport] of Object.entries(SIZES)) {
    test(`at a ${size}, when there is nothing yet`, async () => {
      const { page, wrongs, context } = await watched(browser, blank, { viewport, bypassCSP: true });
      for (const path of paths.filter((path) => !/[0-9a-f-]{36}/.test(path))) await isForEverybody(page, path);
      assert.deepEqual(wrongs.filter((wrong) => !wrong.includes('404')), []);
      await context.close();
    });
  }

  test('keeps its own rules', async () => {
    const { page, wrongs, context } = await watched(browser, server);
    for (const path of paths) {
      const answer = await page.goto(path);
      assert.match(answer.headers()['content-security-policy'] ?? '', /default-src 'none'/, path);
      await page.locator('#live[data-state="live"]').waitFor();
    }
    assert.deepEqual(wrongs.filter((wrong) => !wrong.includes('404')), []);
    await context.close();
  });

  test('has something to show', async () => {
    const { page, context } = await watched(browser, server);
    for (const [path, shown] of [['/breakers', '#of-guarded'], ['/breakers', '[id^="budget-guarded"]'], ['/sessions', '.sessions details']]) {
      await page.goto(path);
      await page.locator(shown).first().waitFor();
    }
    await context.close();
  });

  test('is gone about with the keyboard alone', async () => {
    const { page, wrongs, context } = await watched(browser, server);
    // All at once, for a list may get a row in between.
    const walk = (keys) => {
      const rows = [...document.querySelectorAll('main [data-row]')].map(({ id }) => id);
      const places = keys.map((key) => {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        return rows.indexOf(document.activeElement.closest('main [data-row]')?.id);
      });
      return { last: rows.length - 1, places };
    };
    for (const path of ['/tasks', '/executions', '/queues', '/policies', '/breakers', '/events', '/sessions', '/audit']) {
      await page.goto(path);
      await page.locator('#live[data-state="live"]').waitFor();
      const { last, places } = await page.evaluate(walk, ['j', 'j', 'k']);
      assert.deepEqual(places, [0, Math.min(1, last), 0], path);
    }
    assert.deepEqual(wrongs, []);
    await context.close();
  });

  test('works without a script', async () => {
    const { page, context } = await watched(browser, server, { javaScriptEnabled: false });
    for (const path of paths) {
      await page.goto(path);
      await page.locator('main h1').first().waitFor();
    }
    await context.close();
  });
});
