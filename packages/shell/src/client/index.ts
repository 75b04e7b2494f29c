/* oxlint-disable typescript/triple-slash-reference -- these files declare modules that do not exist, and are no modules themselves */
/// <reference path="./hull-modules.d.ts" />
/// <reference path="./fastify-react/modules.d.ts" preserve="true" />
/** Exports of `@hull/shell/client`, for pages, layouts, components and `client/browser.ts`. */
export type { ActionCtx, ContextModule, Ctx, EnterCtx, MetaCtx, Params } from './context-contract.ts'
export type { CachePolicy, LayoutProps, PageProps, SitemapEntry } from './page-contract.ts'
export type { ErrorDocumentProps, ErrorProps, FallbackProps, RefusalProps } from './fallback-contract.ts'
export type { Meta } from './meta-contract.ts'
export type {
  Done,
  DoneOptions,
  FormState,
  IncomingFile,
  Invalid,
  InvalidOptions,
  PostedValues,
  Upload,
  UploadPolicy
} from './form-contract.ts'
export type * from '@hull/common/href.ts'
export { forbidden, notFound, redirect, unauthorized } from '@hull/common/outcomes.ts'
export { markVisible, visibleError } from '@hull/common/visible-error.ts'
export type {
  BrowserShell,
  NavigationEnd,
  NavigationStart,
  ShellError,
  ShellListener
} from '@hull/common/browser-shell.ts'
export { withBasePath } from './base-path.ts'
export { useBlocker, type Blocker, type BlockerOptions } from './blocker.ts'
export { done } from './done.ts'
export { FetcherError, useFetcher, type Fetcher, type FetcherSubmitOptions } from './fetcher.tsx'
export { FallbackLink, useFallbackLink, type FallbackTarget } from './fallback-link.ts'
export { ErrorSummary, Field, type ErrorSummaryProps, type FieldProps } from './form.tsx'
export { useInLayout } from './in-layout.ts'
export { Form, Link, type FormProps, type LinkProps } from './link.tsx'
export { NavLink, type NavLinkProps } from './nav-link.tsx'
export { navigate, prefetch, refresh, type NavigateOptions } from './navigate.ts'
export { useNonce } from './nonce.ts'
export { useNavigation, type NavigationState } from './navigation-state.ts'
export { useRoute, type Route } from './route.ts'
export { checkForm, type FormCheck } from './form-fields.ts'
export { invalid } from './invalid.ts'
export { FormToken, once, type FormTokenProps } from './once.tsx'
export { withSchema, type FieldValues, type SchemaCtx, type Schemas } from './with-schema.ts'
export type { CheckLayout, CheckPage } from './check.ts'
