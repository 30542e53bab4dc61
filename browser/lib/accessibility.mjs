// Accessibility and layout checks, for all screen sizes.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const SIZES = {
  desktop: { width: 1440, height: 900 },
  tablet: { width: 1024, height: 768 },
  phone: { width: 390, height: 844 },
};

/** Elements beyond the screen edge, overflowing cells, and truncated links. */
function findOverflow() {
  const describe = (elements) => elements.map((element) => element.outerHTML.slice(0, 200));
  const all = [...document.querySelectorAll('main :is(h1, h2, p, dt, dd, td, a, button, input)')];
  const visible = all.filter((element) => element.checkVisibility() && !element.closest('.scroll, .tabs, .visually-hidden, pre'));
  const beyond = visible.filter((element) => element.getBoundingClientRect().right > innerWidth);
  const cells = [...document.querySelectorAll('main td')].filter((cell) => getComputedStyle(cell).overflowX === 'visible');
  const crowded = cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1);
  const hidden = [...document.querySelectorAll('main td a')].filter((link) => {
    return link.getBoundingClientRect().right > link.closest('td').getBoundingClientRect().right + 1;
  });
  return describe([...beyond, ...crowded, ...hidden]);
}

/** Asserts that the page has no serious accessibility violation and fits the screen. */
export async function assertAccessible(page, path) {
  await page.goto(path);
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run());
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes[0].html]), [], `${path} has accessibility violations`);
  assert.deepEqual(await page.evaluate(findOverflow), [], `${path} overflows`);
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(excess <= 0, `${path} is ${excess} pixels too wide`);
}
