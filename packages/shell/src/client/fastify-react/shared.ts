/** What every page of this document shares, from the first one on; see enter.ts. In the browser only. */
export const shared: {
  /** What `client/context.ts` exports beside its function and its state. */
  names: Record<string, unknown>
  /** A valtio proxy. */
  state?: object
  /** Valtio's hook for it. */
  useSnapshot?: (state: object) => object
} = { names: {} }
