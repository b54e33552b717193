import { Agent } from "node:https";
import { connect, type Socket } from "node:net";

/**
 * An HTTPS agent whose connections are plain TCP to a port on this machine: a client that insists on `https://api.x.com`
 * speaks to the simulator with its own paths, host and signatures, and nobody needs a certificate.
 */
export function loopbackAgent(port: number): Agent {
  const agent = new Agent({ keepAlive: true });
  return Object.assign(agent, { createConnection: (): Socket => connect({ host: "127.0.0.1", port }) });
}
