// Policies, as a person reads and tries them (H2, F4).

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { open, watched } from '../lib/browser.mjs';
import { POLICIES, Steadfast } from '../lib/steadfast.mjs';

describe('policies', () => {
  let browser, server, page, wrongs;

  before(async () => {
    [browser, server] = await Promise.all([open(), Steadfast.serve()]);
    ({ page, wrongs } = await watched(browser, server));
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  test('each value says where it comes from', async () => {
    await page.goto('/policies');
    await page.getByRole('link', { name: 'quick' }).first().click();
    await page.waitForURL('**/policies/quick');
    await page.getByText(/steadfast\.yaml:\d+/).first().waitFor();
    assert.deepEqual(wrongs, []);
  });

  test('a change of the file is on the page within seconds', async () => {
    await page.goto('/policies/quick');
    await page.getByText('Three attempts, half a second apart').first().waitFor();
    const changed = POLICIES.replace('max_attempts: 3', 'max_attempts: 7');
    await server.write('steadfast.yaml', changed.replace('Three attempts', 'Seven attempts'));
    await page.getByText('Seven attempts, half a second apart').first().waitFor();
  });

  test('a what-if changes the figures while a slider moves', async () => {
    await page.goto('/policies/quick');
    const figures = page.locator('#what-if');
    const before = await figures.innerText();
    await page.getByLabel('Attempts, by steps').press('End');
    await page.waitForFunction(
      (before) => document.querySelector('#what-if').innerText !== before,
      before,
    );
    assert.notEqual(await page.getByLabel('Attempts', { exact: true }).inputValue(), '7');
    assert.deepEqual(wrongs, []);
  });

  test('a what-if moves along with the file, but for what somebody moved', async () => {
    await page.goto('/policies/quick');
    const attempts = page.getByLabel('Attempts', { exact: true });
    const delay = page.getByLabel('Base delay', { exact: true });
    await delay.fill('3s');
    await page.waitForURL('**/policies/quick?base_delay=3s');
    await server.write('steadfast.yaml', POLICIES.replace('max_attempts: 3', 'max_attempts: 5'));
    await page.waitForFunction(() => document.getElementById('max_attempts').value === '5');
    assert.equal(await page.getByLabel('Attempts, by steps').getAttribute('aria-valuetext'), '5');
    assert.equal(await delay.inputValue(), '3s');
    // What is as it is now is still not said, and what was moved still is.
    await attempts.fill('9');
    await page.waitForURL('**/policies/quick?max_attempts=9&base_delay=3s');
    await attempts.fill('5');
    await page.waitForURL('**/policies/quick?base_delay=3s');
    assert.deepEqual(wrongs, []);
  });
});
