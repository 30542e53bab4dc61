// Login and roles (K1).

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { launch, openPage } from '../lib/browser.mjs';
import { SIZES, assertAccessible } from '../lib/accessibility.mjs';
import { Steadfast, newToken } from '../lib/steadfast.mjs';

const ROLES = ['viewer', 'admin'];

describe('access', () => {
  const TOKENS = {};
  let browser, server, folder;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'steadfast-tokens-'));
    const file = join(folder, 'tokens.toml');
    for (const role of ROLES) TOKENS[role] = newToken(`${role}-1`, role, file);
    const flags = ['--tokens', file];
    [browser, server] = await Promise.all([launch(), Steadfast.serve({ flags })]);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const logIn = async (page, token) => {
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
  };

  test('the login page is accessible on every screen size', async () => {
    for (const viewport of Object.values(SIZES)) {
      for (const colorScheme of ['light', 'dark']) {
        const { page, errors, context } = await openPage(browser, server, { viewport, colorScheme, bypassCSP: true });
        await assertAccessible(page, '/login');
        assert.deepEqual(errors, []);
        await context.close();
      }
    }
  });

  test('pages require a login and return to the requested page', async () => {
    const { page, errors, context } = await openPage(browser, server);
    await page.goto('/tasks?status=failed');
    assert.match(page.url(), /\/login\?next=/);
    await logIn(page, TOKENS.admin);
    await page.waitForURL('**/tasks?status=failed');
    await page.getByText('admin-1').first().waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL('**/login**');
    await page.goto('/tasks');
    assert.match(page.url(), /\/login/);
    assert.deepEqual(errors, []);
    await context.close();
  });

  test('an invalid token is rejected with a message', async () => {
    const { page, errors, context } = await openPage(browser, server);
    await page.goto('/login');
    await logIn(page, `sf_${'x'.repeat(43)}`);
    await page.getByRole('alert').waitFor();
    assert.deepEqual(errors.filter((error) => !error.includes('401')), []);
    await context.close();
  });

  test('a viewer can read but not act', async () => {
    const { id } = await server.submit(
      { kind: 'other', payload: {}, run_at: '2h' },
      { token: TOKENS.admin },
    );
    const { page, errors, context } = await openPage(browser, server);
    await page.goto(`/tasks/${id}`);
    await logIn(page, TOKENS.viewer);
    await page.waitForURL(`**/tasks/${id}`);
    await page.getByText('Payload').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Cancel', exact: true }).count(), 0);
    await page.keyboard.press('n');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Overview').waitFor();
    assert.equal(await page.getByRole('dialog').getByText(/New task|Audit/).count(), 0);
    await page.keyboard.press('Escape');
    assert.match(page.url(), new RegExp(`/tasks/${id}$`), 'the n shortcut does nothing');
    const status = await page.evaluate(async (path) => {
      const response = await fetch(path, { method: 'POST' });
      return response.status;
    }, `/tasks/${id}/cancel`);
    assert.equal(status, 403);
    assert.deepEqual(errors.filter((error) => !error.includes('403')), []);
    const task = await server.api(`/tasks/${id}`, { token: TOKENS.admin });
    assert.equal(task.status, 'scheduled');
    await context.close();
  });

  test('a link from another site keeps the login', async () => {
    const { page, context } = await openPage(browser, server);
    await page.goto('/login');
    await logIn(page, TOKENS.viewer);
    await page.getByText('viewer-1').first().waitFor();
    const chat = await context.newPage();
    await chat.route('http://chat.localhost/', (route) => {
      const body = `<a href="${server.url}/tasks?status=failed">See what failed</a>`;
      return route.fulfill({ contentType: 'text/html', body });
    });
    await chat.goto('http://chat.localhost/');
    await chat.getByRole('link').click();
    await chat.getByText('viewer-1').first().waitFor();
    assert.equal(chat.url(), `${server.url}/tasks?status=failed`);
    await context.close();
  });

  test('a login to another instance on this host keeps the first login', async () => {
    const other = await Steadfast.serve({ flags: ['--tokens', join(folder, 'tokens.toml')] });
    const { page, context } = await openPage(browser, server);
    for (const { url } of [server, other]) {
      await page.goto(`${url}/login`);
      await logIn(page, TOKENS.viewer);
      await page.getByText('viewer-1').first().waitFor();
    }
    await page.goto('/tasks');
    assert.equal(page.url(), `${server.url}/tasks`);
    await context.close();
    await other.stop();
  });

  test('a logout in another tab leads to the login page', async () => {
    const { page, context } = await openPage(browser, server);
    await page.goto('/queues');
    await logIn(page, TOKENS.viewer);
    await page.locator('#live[data-state="live"]').waitFor();
    const otherTab = await context.newPage();
    await otherTab.goto('/tasks');
    await otherTab.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL('**/login?next=%2Fqueues');
    await context.close();
  });

  test('another site cannot submit forms with the login of the user', async () => {
    const { id } = await server.submit(
      { kind: 'other', payload: {}, run_at: '2h' },
      { token: TOKENS.admin },
    );
    const { page, context } = await openPage(browser, server);
    await page.goto('/login');
    await logIn(page, TOKENS.admin);
    await page.getByText('admin-1').first().waitFor();
    const attacker = await context.newPage();
    await attacker.route('**/*', (route) => {
      if (route.request().method() === 'POST') return route.continue();
      const body = `<form method="post" action="${server.url}/tasks/${id}/cancel"><button>Win</button></form>`;
      return route.fulfill({ contentType: 'text/html', body });
    });
    await attacker.goto('http://attacker.localhost/');
    await attacker.getByRole('button', { name: 'Win' }).click();
    await attacker.waitForLoadState();
    const task = await server.api(`/tasks/${id}`, { token: TOKENS.admin });
    assert.equal(task.status, 'scheduled');
    await context.close();
  });
});
