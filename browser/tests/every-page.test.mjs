// What holds on every page: it can be used by everybody, on any screen, and keeps to itself (H2).

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';

import { open, watched } from '../lib/browser.mjs';
import { fill, signUp, start } from '../lib/filled.mjs';
import { Service } from '../lib/service.mjs';
import { Steadfast } from '../lib/steadfast.mjs';

const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

describe('every page', () => {
  let browser, server, service, paths, axe;

  before(async () => {
    [browser, server, service] = await Promise.all([open(), Steadfast.serve(), Service.start()]);
    axe = await readFile(AXE, 'utf8');
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
  });

  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ['light', 'dark']) {
      test(`at a ${size}, ${colorScheme}`, async () => {
        // What looks into the page must be let in; the page itself is tried without it elsewhere.
        const { page, wrongs, context } = await watched(browser, server, { viewport, colorScheme, bypassCSP: true });
        for (const path of paths) {
          await page.goto(path);
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => window.axe.run());
          const grave = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
          assert.deepEqual(grave.map(({ id, nodes }) => [id, nodes[0].html]), [], `${path} for everybody`);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          assert.ok(wide <= 0, `${path} is ${wide} pixels too wide`);
        }
        assert.deepEqual(wrongs.filter((wrong) => !wrong.includes('404')), []);
        await context.close();
      });
    }
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

  test('works without a script', async () => {
    const { page, context } = await watched(browser, server, { javaScriptEnabled: false });
    for (const path of paths) {
      await page.goto(path);
      await page.locator('main h1').first().waitFor();
    }
    await context.close();
  });
});
