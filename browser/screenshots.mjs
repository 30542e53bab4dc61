// Takes the screenshots of the README from a store with demo data.

import { mkdir } from 'node:fs/promises';

import { launch, openPage } from './lib/browser.mjs';
import { SIZES } from './lib/accessibility.mjs';
import { seed } from './lib/seed.mjs';
import { Service } from './lib/service.mjs';
import { Steadfast } from './lib/steadfast.mjs';

const FOLDER = 'docs/pictures';
/** File names by screen size. */
const NAMES = { desktop: (name) => name, phone: (name) => `${name}-phone` };
/** The pages with a phone screenshot. */
const PHONE_PAGES = ['overview', 'task'];

const [browser, server, service] = await Promise.all([launch(), Steadfast.serve(), Service.start()]);
try {
  const task = await seed(server, service);
  const pages = { overview: '/', task: `/tasks/${task.id}`, policy: '/policies/slow?backoff_type=exponential&base_delay=2s&jitter=full' };
  await mkdir(FOLDER, { recursive: true });
  for (const size of Object.keys(NAMES)) {
    const viewport = SIZES[size];
    const selected = Object.entries(pages).filter(([name]) => size === 'desktop' || PHONE_PAGES.includes(name));
    for (const colorScheme of ['light', 'dark']) {
      const { page, context } = await openPage(browser, server, { viewport, colorScheme });
      for (const [name, path] of selected) {
        await page.goto(path);
        await page.locator('#live[data-state="live"]').waitFor();
        await page.screenshot({ path: `${FOLDER}/${NAMES[size](name)}-${colorScheme}.png` });
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await server.stop();
  await service.stop();
}
