// The pictures of the page in the README, made anew from a store with some of everything.

import { mkdir } from 'node:fs/promises';

import { open, watched } from './lib/browser.mjs';
import { SIZES } from './lib/everybody.mjs';
import { fill } from './lib/filled.mjs';
import { Service } from './lib/service.mjs';
import { Steadfast } from './lib/steadfast.mjs';

const FOLDER = 'docs/pictures';
/** What is called as it is, and what has its size in its name. */
const NAMES = { desk: (name) => name, phone: (name) => `${name}-phone` };
/** A phone shows what one looks at on the way. */
const ON_A_PHONE = ['overview', 'task'];

const [browser, server, service] = await Promise.all([open(), Steadfast.serve(), Service.start()]);
try {
  const task = await fill(server, service);
  const pages = { overview: '/', task: `/tasks/${task.id}`, policy: '/policies/slow?backoff_type=exponential&base_delay=2s&jitter=full' };
  await mkdir(FOLDER, { recursive: true });
  for (const size of Object.keys(NAMES)) {
    const viewport = SIZES[size];
    const shown = Object.entries(pages).filter(([name]) => size === 'desk' || ON_A_PHONE.includes(name));
    for (const colorScheme of ['light', 'dark']) {
      const { page, context } = await watched(browser, server, { viewport, colorScheme });
      for (const [name, path] of shown) {
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
