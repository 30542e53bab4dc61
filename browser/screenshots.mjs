// The pictures of the page in the README, made anew from a store with some of everything.

import { mkdir } from 'node:fs/promises';

import { open, watched } from './lib/browser.mjs';
import { fill } from './lib/filled.mjs';
import { Service } from './lib/service.mjs';
import { Steadfast } from './lib/steadfast.mjs';

const FOLDER = 'docs/pictures';
const viewport = { width: 1280, height: 800 };

const [browser, server, service] = await Promise.all([open(), Steadfast.serve(), Service.start()]);
try {
  const task = await fill(server, service);
  const pages = { overview: '/', task: `/tasks/${task.id}`, policy: '/policies/slow?backoff_type=exponential&base_delay=2s&jitter=full' };
  await mkdir(FOLDER, { recursive: true });
  for (const colorScheme of ['light', 'dark']) {
    const { page, context } = await watched(browser, server, { viewport, colorScheme });
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(path);
      await page.locator('#live[data-state="live"]').waitFor();
      await page.screenshot({ path: `${FOLDER}/${name}-${colorScheme}.png` });
    }
    await context.close();
  }
} finally {
  await browser.close();
  await server.stop();
  await service.stop();
}
