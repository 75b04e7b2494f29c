/**
 * The application's origin: the one that is configured, else the one of the request, which the visitor chooses. A request
 * in HTTP/1.0 may have no host.
 */
export function originOf({ protocol, host }: { protocol: string; host: string }, baseUrl?: string): string {
  return baseUrl ?? `${protocol}://${host || 'localhost'}`
}
