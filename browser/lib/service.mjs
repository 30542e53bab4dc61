// An HTTP service on loopback with configurable responses, for tasks to call.

import { createServer } from 'node:http';
import { once } from 'node:events';

const DEFAULT_RESPONSE = { status: 200, body: 'ok' };

export class Service {
  #server;
  #queue = [];
  #byPath = new Map();

  /** The number of calls. */
  calls = 0;

  static async start() {
    const service = new Service();
    service.#server = createServer((request, response) => {
      service.calls += 1;
      const reply = service.#byPath.get(request.url) ?? service.#queue.shift() ?? DEFAULT_RESPONSE;
      const { status, body = '', headers = {} } = reply;
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

  /** Queues responses for the next calls. */
  next(...responses) {
    this.#queue.push(...responses);
  }

  /** Sets the response of a path. */
  at(path, response) {
    this.#byPath.set(path, response);
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
