// Launches the system's Chromium and records errors of pages.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export async function launch() {
  const executablePath = process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path));
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** A page that records requests to other hosts, console errors and script errors. */
export async function openPage(browser, server, options = {}) {
  const context = await browser.newContext({ baseURL: server.url, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const errors = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) {
      errors.push(`request to another host: ${request.url()}`);
    }
  });
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => errors.push(`script: ${error.message}`));
  return { page, errors, context };
}
