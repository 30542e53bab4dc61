// Runs `steadfast serve` as a process with its own store and port.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = resolve(process.env.STEADFAST ?? 'target/debug/steadfast');
/** A program that records its sessions in a store. */
const RECORD_EXAMPLE = join(dirname(PROGRAM), 'examples/record');
const TIMEOUT_MS = 30_000;

/** A policy with short delays, one with long delays, and one with a breaker and a budget. */
export const POLICIES = `version: 1.1.0
policies:
  quick:
    description: Three attempts, half a second apart
    max_attempts: 3
    backoff_type: fixed
    base_delay: 0.5
  slow:
    description: An hour between attempts
    max_attempts: 5
    backoff_type: fixed
    base_delay: 3600
    max_delay: 3600
  guarded:
    description: Stops when the service is down
    max_attempts: 5
    backoff_type: fixed
    base_delay: 3600
    max_delay: 3600
    enable_circuit_breaker: true
    circuit_breaker_threshold: 1
    circuit_breaker_timeout: 3600
    budget: {retries_per_second: 5}
`;

/** Creates a token with the CLI and adds its entry to a tokens file. */
export function newToken(name, role, file) {
  const result = spawnSync(PROGRAM, ['token', 'new', '--name', name, '--role', role, '--into', file]);
  if (result.status !== 0) throw new Error(result.stderr.toString());
  return result.stdout.toString().trim();
}

export class Steadfast {
  #process;
  #folder;
  #output = '';

  /** The base URL. */
  url;

  /** Starts a server with these policies and flags. */
  static async serve({ policies = POLICIES, flags = [] } = {}) {
    const server = new Steadfast();
    server.#folder = await mkdtemp(join(tmpdir(), 'steadfast-browser-'));
    await server.write('steadfast.yaml', policies);
    const base = ['serve', '--listen', '127.0.0.1:0', '--allow-target', '127.0.0.1'];
    server.#process = spawn(PROGRAM, [...base, ...flags], {
      cwd: server.#folder,
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    server.url = await server.#address();
    return server;
  }

  /** Writes a file beside the store. */
  write(name, text) {
    return writeFile(join(this.#folder, name), text);
  }

  /** Calls the API and throws on an error response. */
  async api(path, { method = 'GET', body, token } = {}) {
    const headers = { accept: 'application/json' };
    if (token) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(`${this.url}/api/v1${path}`, { method, headers, body: text });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    const type = response.headers.get('content-type') ?? '';
    return type.includes('json') ? response.json() : undefined;
  }

  /** Runs a program that records its sessions in the store. */
  record() {
    const result = spawnSync(RECORD_EXAMPLE, ['sqlite:steadfast.db'], { cwd: this.#folder });
    if (result.status !== 0) throw new Error(`${result.error ?? result.stderr}`);
  }

  /** Submits a task and returns it. */
  submit(task, options = {}) {
    return this.api('/tasks', { method: 'POST', body: task, ...options });
  }

  /** Polls a task until the predicate holds. */
  waitForTask(id, predicate) {
    return this.waitFor(`/tasks/${id}`, predicate);
  }

  /** Polls an API path until the predicate holds. */
  async waitFor(path, predicate) {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const value = await this.api(path);
      if (predicate(value)) return value;
      if (Date.now() > deadline) throw new Error(`${path} did not change from ${JSON.stringify(value)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop() {
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGTERM');
      await once(this.#process, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  #address() {
    return new Promise((resolveAddress, reject) => {
      const timer = setTimeout(() => reject(new Error(`no address in the output: ${this.#output}`)), TIMEOUT_MS);
      const onLine = (line) => {
        this.#output += `${line}\n`;
        const address = line.match(/https?:\/\/[\d.]+:\d+/);
        if (!address) return;
        clearTimeout(timer);
        resolveAddress(address[0]);
      };
      createInterface({ input: this.#process.stdout }).on('line', onLine);
      createInterface({ input: this.#process.stderr }).on('line', onLine);
      this.#process.once('exit', (code) => {
        clearTimeout(timer);
        reject(new Error(`the server exited with ${code}: ${this.#output}`));
      });
    });
  }
}
