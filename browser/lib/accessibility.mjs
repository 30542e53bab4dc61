// What a page has to be for everybody, on any screen.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const SIZES = {
  desk: { width: 1440, height: 900 },
  tablet: { width: 1024, height: 768 },
  phone: { width: 390, height: 844 },
};

/** What ends beyond the screen and does not scroll, and cells that do not hold what is in them or hide a name. */
function cut() {
  const shown = (elements) => elements.map((element) => element.outerHTML.slice(0, 200));
  const all = [...document.querySelectorAll('main :is(h1, h2, p, dt, dd, td, a, button, input)')];
  const seen = all.filter((element) => element.checkVisibility() && !element.closest('.scroll, .tabs, .unseen, pre'));
  const beyond = seen.filter((element) => element.getBoundingClientRect().right > innerWidth);
  const cells = [...document.querySelectorAll('main td')].filter((cell) => getComputedStyle(cell).overflowX === 'visible');
  const crowded = cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1);
  const hidden = [...document.querySelectorAll('main td a')].filter((link) => {
    return link.getBoundingClientRect().right > link.closest('td').getBoundingClientRect().right + 1;
  });
  return shown([...beyond, ...crowded, ...hidden]);
}

/** The page at this path can be used by everybody, and is no wider than the screen. */
export async function isForEverybody(page, path) {
  await page.goto(path);
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run());
  const grave = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  assert.deepEqual(grave.map(({ id, nodes }) => [id, nodes[0].html]), [], `${path} for everybody`);
  assert.deepEqual(await page.evaluate(cut), [], `${path} is cut off or crowded`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wide <= 0, `${path} is ${wide} pixels too wide`);
}
