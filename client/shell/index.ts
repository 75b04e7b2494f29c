/** What pages, layouts and components import, as `#shell`. */
export type {
  ActionCtx,
  CachePolicy,
  Ctx,
  FallbackProps,
  ErrorProps,
  FormState,
  Invalid,
  LayoutProps,
  Meta,
  MetaCtx,
  PageProps,
  Params,
  RefusalProps
} from './contract.ts'
export { forbidden, notFound, redirect, unauthorized } from '../../lib/common/outcomes.ts'
export { invalid } from './invalid.ts'
