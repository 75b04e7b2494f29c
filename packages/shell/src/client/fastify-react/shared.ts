/** Values that all pages of this document share; see enter.ts. In the browser only. */
export const shared: {
  /** Named exports of `client/context.ts`, except its state. */
  names: Record<string, unknown>
  /** State as a valtio proxy. */
  state?: object
  /** Valtio's hook for the state. */
  useSnapshot?: (state: object) => object
} = { names: {} }
