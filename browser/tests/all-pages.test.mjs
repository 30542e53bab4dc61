// Checks that apply to all pages: accessibility, layout, content security policy, keyboard (H2).

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { launch, openPage } from '../lib/browser.mjs';
import { SIZES, assertAccessible } from '../lib/accessibility.mjs';
import { seed, signUp, start } from '../lib/seed.mjs';
import { Service } from '../lib/service.mjs';
import { Steadfast } from '../lib/steadfast.mjs';

describe('all pages', () => {
  let browser, server, service, paths, emptyServer;

  before(async () => {
    [browser, server, service, emptyServer] = await Promise.all([launch(), Steadfast.serve(), Service.start(), Steadfast.serve()]);
    const task = await seed(server, service);
    const execution = await start(server, signUp(service));
    paths = ['/', '/tasks', '/tasks/new', `/tasks/${task.id}`, '/tasks/requeue?status=failed', '/workflows',
      `/workflows/${execution.workflow_id}`, '/executions', `/executions/${execution.id}`, '/queues',
      '/policies', '/policies/quick', '/breakers', '/events', '/sessions', '/audit', '/nothing-here'];
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await service?.stop();
    await emptyServer?.stop();
  });

  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ['light', 'dark']) {
      test(`are accessible on a ${size} in ${colorScheme} mode`, async () => {
        // axe can be injected only without the content security policy, which another test checks.
        const { page, errors, context } = await openPage(browser, server, { viewport, colorScheme, bypassCSP: true });
        for (const path of paths) await assertAccessible(page, path);
        assert.deepEqual(errors.filter((error) => !error.includes('404')), []);
        await context.close();
      });
    }
  }

  for (const [size, viewport] of Object.entries(SIZES)) {
    test(`are accessible on a ${size} with an empty store`, async () => {
      const { page, errors, context } = await openPage(browser, emptyServer, { viewport, bypassCSP: true });
      for (const path of paths.filter((path) => !/[0-9a-f-]{36}/.test(path))) await assertAccessible(page, path);
      assert.deepEqual(errors.filter((error) => !error.includes('404')), []);
      await context.close();
    });
  }

  test('comply with the content security policy', async () => {
    const { page, errors, context } = await openPage(browser, server);
    for (const path of paths) {
      const response = await page.goto(path);
      assert.match(response.headers()['content-security-policy'] ?? '', /default-src 'none'/, path);
      await page.locator('#live[data-state="live"]').waitFor();
    }
    assert.deepEqual(errors.filter((error) => !error.includes('404')), []);
    await context.close();
  });

  test('show breakers, budgets and sessions', async () => {
    const { page, context } = await openPage(browser, server);
    for (const [path, selector] of [['/breakers', '#of-guarded'], ['/breakers', '[id^="budget-guarded"]'], ['/sessions', '.sessions details']]) {
      await page.goto(path);
      await page.locator(selector).first().waitFor();
    }
    await context.close();
  });

  test('can be navigated with the keyboard', async () => {
    const { page, errors, context } = await openPage(browser, server);
    // In one evaluation, because the list may get a new row between two.
    const walk = (keys) => {
      const rows = [...document.querySelectorAll('main [data-row]')].map(({ id }) => id);
      const positions = keys.map((key) => {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        return rows.indexOf(document.activeElement.closest('main [data-row]')?.id);
      });
      return { last: rows.length - 1, positions };
    };
    for (const path of ['/tasks', '/executions', '/queues', '/policies', '/breakers', '/events', '/sessions', '/audit']) {
      await page.goto(path);
      await page.locator('#live[data-state="live"]').waitFor();
      const { last, positions } = await page.evaluate(walk, ['j', 'j', 'k']);
      assert.deepEqual(positions, [0, Math.min(1, last), 0], path);
    }
    assert.deepEqual(errors, []);
    await context.close();
  });

  test('work without scripts', async () => {
    const { page, context } = await openPage(browser, server, { javaScriptEnabled: false });
    for (const path of paths) {
      await page.goto(path);
      await page.locator('main h1').first().waitFor();
    }
    await context.close();
  });
});
