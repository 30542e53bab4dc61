// The system's Chromium, and what a page must never do.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export async function open() {
  const executablePath = process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place));
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** A page that remembers what it must never do: ask another host, break its own rules, fail. */
export async function watched(browser, server, options = {}) {
  const context = await browser.newContext({ baseURL: server.url, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const wrongs = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) {
      wrongs.push(`asked another host: ${request.url()}`);
    }
  });
  page.on('console', (message) => {
    if (message.type() === 'error') wrongs.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrongs.push(`script: ${error.message}`));
  return { page, wrongs, context };
}
