/* oxlint-disable typescript/triple-slash-reference -- these files declare modules that do not exist, and are no modules themselves */
/// <reference path="./hull-modules.d.ts" />
/// <reference path="./fastify-react/modules.d.ts" />
/** Exports of `@hull/shell/client`, for pages, layouts, components and `client/browser.ts`. */
export type {
  ActionCtx,
  CachePolicy,
  ContextModule,
  Ctx,
  EnterCtx,
  ErrorDocumentProps,
  ErrorProps,
  FallbackProps,
  FormState,
  Invalid,
  InvalidOptions,
  LayoutProps,
  Meta,
  MetaCtx,
  PageProps,
  Params,
  RefusalProps
} from './contract.ts'
export { forbidden, notFound, redirect, unauthorized } from '@hull/common/outcomes.ts'
export { markVisible, visibleError } from '@hull/common/visible-error.ts'
export type {
  BrowserShell,
  NavigationEnd,
  NavigationStart,
  ShellError,
  ShellListener
} from '@hull/common/browser-shell.ts'
export { FallbackLink, useFallbackLink, type FallbackTarget } from './fallback-link.ts'
export { ErrorSummary, Field, type ErrorSummaryProps, type FieldProps } from './form.tsx'
export { useInLayout } from './in-layout.ts'
export { Form, Link, type FormProps, type LinkProps } from './link.tsx'
export { navigate, prefetch, refresh, type NavigateOptions } from './navigate.ts'
export { useNonce } from './nonce.ts'
export { useNavigation, type NavigationState } from './navigation-state.ts'
export { useRoute, type Route } from './route.ts'
export { invalid } from './invalid.ts'
export type { CheckLayout, CheckPage } from './check.ts'
