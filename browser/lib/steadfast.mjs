// `steadfast serve` as a process of its own, on a store and a port of its own.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = resolve(process.env.STEADFAST ?? 'target/debug/steadfast');
/** A program that keeps its sessions in a store. */
const RECORD = join(dirname(PROGRAM), 'examples/record');
const PATIENCE = 30_000;

/** Three attempts that come soon, a policy that waits for an hour, and one with guards. */
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

/** Makes a token as a person does, and adds its entry to a tokens file. */
export function newToken(name, role, file) {
  const made = spawnSync(PROGRAM, ['token', 'new', '--name', name, '--role', role, '--into', file]);
  if (made.status !== 0) throw new Error(made.stderr.toString());
  return made.stdout.toString().trim();
}

export class Steadfast {
  #process;
  #folder;
  #said = '';

  /** Where it answers. */
  url;

  /** Starts a server with these policies and flags. */
  static async serve({ policies = POLICIES, flags = [] } = {}) {
    const server = new Steadfast();
    server.#folder = await mkdtemp(join(tmpdir(), 'steadfast-browser-'));
    await server.write('steadfast.yaml', policies);
    const usual = ['serve', '--listen', '127.0.0.1:0', '--allow-target', '127.0.0.1'];
    server.#process = spawn(PROGRAM, [...usual, ...flags], {
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

  /** Asks the API; what is not content is an error. */
  async ask(path, { method = 'GET', body, token } = {}) {
    const headers = { accept: 'application/json' };
    if (token) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await fetch(`${this.url}/api/v1${path}`, { method, headers, body: text });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    const type = answer.headers.get('content-type') ?? '';
    return type.includes('json') ? answer.json() : undefined;
  }

  /** Has a program keep its sessions in the store. */
  record() {
    const made = spawnSync(RECORD, ['sqlite:steadfast.db'], { cwd: this.#folder });
    if (made.status !== 0) throw new Error(`${made.error ?? made.stderr}`);
  }

  /** Takes a task, and answers with it. */
  submit(task, options = {}) {
    return this.ask('/tasks', { method: 'POST', body: task, ...options });
  }

  /** Asks for a task until it is so. */
  until(id, is) {
    return this.asked(`/tasks/${id}`, is);
  }

  /** Asks until the answer is so. */
  async asked(path, is) {
    const deadline = Date.now() + PATIENCE;
    for (;;) {
      const answer = await this.ask(path);
      if (is(answer)) return answer;
      if (Date.now() > deadline) throw new Error(`${path} stays as ${JSON.stringify(answer)}`);
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
    return new Promise((found, reject) => {
      const late = setTimeout(() => reject(new Error(`no address in: ${this.#said}`)), PATIENCE);
      const hear = (line) => {
        this.#said += `${line}\n`;
        const address = line.match(/https?:\/\/[\d.]+:\d+/);
        if (!address) return;
        clearTimeout(late);
        found(address[0]);
      };
      createInterface({ input: this.#process.stdout }).on('line', hear);
      createInterface({ input: this.#process.stderr }).on('line', hear);
      this.#process.once('exit', (code) => {
        clearTimeout(late);
        reject(new Error(`it ended with ${code}: ${this.#said}`));
      });
    });
  }
}
