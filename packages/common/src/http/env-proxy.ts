import type * as Undici from 'undici'

/**
 * The environment, with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, if requests to other services go through a proxy.
 * `NODE_USE_ENV_PROXY=1` decides it, as it does for `fetch` and libraries.
 */
export function readProxyEnv(): NodeJS.ProcessEnv | undefined {
  // oxlint-disable-next-line node/no-process-env -- Node itself reads it there
  const { env } = process
  return env['NODE_USE_ENV_PROXY'] === '1' ? env : undefined
}

export interface AgentOptions {
  /** Milliseconds until a connection must be open, to the proxy if there is one. */
  connectTimeout: number
  /** Milliseconds until the headers of a response. @default 300_000 */
  headersTimeout?: number
  /** Milliseconds between two parts of a body. @default 300_000 */
  bodyTimeout?: number
  /** Connections to each origin. @default no limit */
  connections?: number
}

/** Opens a pool of connections to other services, through the proxy of the environment if there is one. */
export function openAgent(undici: typeof Undici, options: AgentOptions): Undici.Dispatcher {
  const connect = { timeout: options.connectTimeout }
  return readProxyEnv()
    ? new undici.EnvHttpProxyAgent({ ...options, connect })
    : new undici.Agent({ ...options, connect })
}
