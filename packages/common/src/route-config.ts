/*
 * Flags of routes that monitoring, the shell and the inbox all read. Types only.
 */
declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route receives envelopes. It is never shed, and is not traced or reported itself. */
    isTunnel?: boolean
    /** Errors of the route are answered with problem details, whatever the client accepts. */
    isApi?: boolean
    /** Requests for the route are not traced. */
    untraced?: boolean
    /** Errors of the route are logged, but not reported. */
    unreported?: boolean
  }
}

export {}
