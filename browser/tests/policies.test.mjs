// The pages of policies and the what-if simulation (H2, F4).

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { launch, openPage } from '../lib/browser.mjs';
import { POLICIES, Steadfast } from '../lib/steadfast.mjs';

describe('policies', () => {
  let browser, server, page, errors;

  before(async () => {
    [browser, server] = await Promise.all([launch(), Steadfast.serve()]);
    ({ page, errors } = await openPage(browser, server));
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  test('each setting shows its source', async () => {
    await page.goto('/policies');
    await page.getByRole('link', { name: 'quick' }).first().click();
    await page.waitForURL('**/policies/quick');
    await page.getByText(/steadfast\.yaml:\d+/).first().waitFor();
    assert.deepEqual(errors, []);
  });

  test('a change of the file appears within seconds', async () => {
    await page.goto('/policies/quick');
    await page.getByText('Three attempts, half a second apart').first().waitFor();
    const changed = POLICIES.replace('max_attempts: 3', 'max_attempts: 7');
    await server.write('steadfast.yaml', changed.replace('Three attempts', 'Seven attempts'));
    await page.getByText('Seven attempts, half a second apart').first().waitFor();
  });

  test('a moved slider updates the simulation', async () => {
    await page.goto('/policies/quick');
    const simulation = page.locator('#what-if');
    const before = await simulation.innerText();
    await page.getByLabel('Max attempts slider').press('End');
    await page.waitForFunction(
      (before) => document.querySelector('#what-if').innerText !== before,
      before,
    );
    assert.notEqual(await page.getByLabel('Max attempts', { exact: true }).inputValue(), '7');
    assert.deepEqual(errors, []);
  });

  test('unedited fields follow a change of the file', async () => {
    await page.goto('/policies/quick');
    const attempts = page.getByLabel('Max attempts', { exact: true });
    const delay = page.getByLabel('Base delay', { exact: true });
    await delay.fill('3s');
    await page.waitForURL('**/policies/quick?base_delay=3s');
    await server.write('steadfast.yaml', POLICIES.replace('max_attempts: 3', 'max_attempts: 5'));
    await page.waitForFunction(() => document.getElementById('max_attempts').value === '5');
    assert.equal(await page.getByLabel('Max attempts slider').getAttribute('aria-valuetext'), '5');
    assert.equal(await delay.inputValue(), '3s');
    // Only changed values are in the URL.
    await attempts.fill('9');
    await page.waitForURL('**/policies/quick?max_attempts=9&base_delay=3s');
    await attempts.fill('5');
    await page.waitForURL('**/policies/quick?base_delay=3s');
    assert.deepEqual(errors, []);
  });
});
