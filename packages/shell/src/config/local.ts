/** Whether only this machine is served: HOST is loopback, and BASE_URL unset or loopback. */
export const isLocal = (host: string, baseUrl?: string): boolean =>
  isLoopback(host) && (baseUrl === undefined || isLoopback(new URL(baseUrl).hostname))

const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host === '::1' ||
  /^127(\.\d{1,3}){3}$/.test(host)
