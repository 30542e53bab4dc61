// A service that tasks call: real HTTP on loopback, which answers as it is told to.

import { createServer } from 'node:http';
import { once } from 'node:events';

const USUAL = { status: 200, body: 'ok' };

export class Service {
  #server;
  #answers = [];
  #places = new Map();

  /** How often it was called. */
  calls = 0;

  static async start() {
    const service = new Service();
    service.#server = createServer((request, response) => {
      service.calls += 1;
      const answer = service.#places.get(request.url) ?? service.#answers.shift() ?? USUAL;
      const { status, body = '', headers = {} } = answer;
      request.resume();
      response.writeHead(status, headers).end(body);
    });
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    return service;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** The next answers, one after the other. */
  next(...answers) {
    this.#answers.push(...answers);
  }

  /** The answer of one path, always. */
  at(path, answer) {
    this.#places.set(path, answer);
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
