// @fastify/react 1.2 ships no types; these are the parts that are used here.
declare module '@fastify/react' {
  export const clientModule: string
  export function prepareServer(server: unknown): void
  /** Awaits what a client module exports as promises: `routes`, `context`, `create`. */
  export function prepareClient<Client>(entries: { ssr: Client }, scope?: unknown): Promise<Client>
  export function createErrorHandler(...args: unknown[]): unknown
  export function createRoute(...args: unknown[]): Promise<void>
  export function createRenderFunction(...args: unknown[]): Promise<unknown>
  export function createHtmlFunction(...args: unknown[]): Promise<unknown>
}

declare module '@fastify/react/server' {
  /** A page as @fastify/react knows it: its file, its address, and its exports. */
  export interface ReactRoute {
    id: string
    path: string
    configure?: (scope: unknown) => unknown
    [name: string]: unknown
  }
  export function createRoutes(
    modules: { default: Record<string, unknown> } | Promise<{ default: Record<string, unknown> }>
  ): Promise<ReactRoute[]>
}

declare module '@fastify/react/plugin' {
  import type { Plugin } from 'vite'
  export default function viteFastifyReact(options?: { ts?: boolean }): Plugin[]
}

declare module '@fastify/react/client' {
  // An import at the top would make this file a module, which can declare none that does not exist.
  /* oxlint-disable typescript/consistent-type-imports, typescript/no-explicit-any */
  type Ctx = import('../contract.ts').Ctx

  /** What {@link useRouteContext} gives. */
  export interface RouteContext<Data = any, State = any> {
    /** What the page's `getData` and `onEnter` returned. */
    data: Data
    /** What `client/context.ts` made: in the browser a valtio proxy, to be changed. */
    state: State
    /** The same to be read while rendering: a change renders again. */
    snapshot: State
    /** Title and tags of the page. */
    head: import('../contract.ts').Meta
    params: Record<string, string | string[]>
    pathname: string
    /** Name of the layout around the page. */
    layout: string | undefined
    clientOnly: boolean
    serverOnly: boolean
    streaming: boolean
    /** Whether the page came as a document. */
    firstRender: boolean
    /** On the server only. */
    server?: Ctx['server']
    /** On the server only. */
    req?: Ctx['req']
    /** On the server only. */
    reply?: Ctx['reply']
    /** What else `client/context.ts` exports. */
    [name: string]: any
  }
  export function useRouteContext<Data = any, State = any>(): RouteContext<Data, State>
  export const isServer: boolean
}

declare module '$app/core.jsx' {
  export { isServer, useRouteContext } from '@fastify/react/client'
  /** An address for a route of the page's `configure`; the build names it by its page where it has no name. */
  export function createServerAction(name?: string): string
}

declare module '$app/core.tsx' {
  export * from '$app/core.jsx'
}
