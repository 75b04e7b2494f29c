/*
 * Flags of routes that monitoring, the shell and the inbox all read. Types only.
 */
declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route takes what monitoring sends: it has no session, is not shed, and is never traced or reported itself. */
    isTunnel?: boolean
    /** No span is kept of requests for the route: there are many, and each is like the other. */
    untraced?: boolean
    /** Errors of the route are logged, and not sent to monitoring. */
    unreported?: boolean
  }
}

export {}
