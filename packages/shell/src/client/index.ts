/* oxlint-disable typescript/triple-slash-reference -- these files declare modules that do not exist, and are no modules themselves */
/// <reference path="./hull-modules.d.ts" />
/// <reference path="./fastify-react/modules.d.ts" preserve="true" />
/** Exports of `@hull/shell/client`, for pages, layouts, components and `client/browser.ts`. */
export type { ActionCtx, ContextModule, Ctx, EnterCtx, MetaCtx, Params } from './contracts/context.ts'
export type { CachePolicy, LayoutProps, PageProps, SitemapEntry } from './contracts/page.ts'
export type { ErrorDocumentProps, ErrorProps, FallbackProps, RefusalProps } from './contracts/fallback.ts'
export type { Meta } from './contracts/meta.ts'
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
} from './contracts/form.ts'
export type * from '@hull/common/href.ts'
export { forbidden, notFound, redirect, unauthorized } from '@hull/common/outcomes.ts'
export { markVisible, visibleError } from '@hull/common/visible-error.ts'
export type {
  BrowserShell,
  NavigationEnd,
  NavigationStart,
  NoticeName,
  ShellError,
  ShellListener
} from '@hull/common/browser-shell.ts'
export { withBasePath } from './base-path.ts'
export { useBlocker, type Blocker, type BlockerOptions } from './navigation/blocker.ts'
export { done } from './forms/done.ts'
export { FetcherError, useFetcher, type Fetcher, type FetcherSubmitOptions } from './forms/fetcher.tsx'
export { FallbackLink, useFallbackLink, type FallbackTarget } from './fallbacks/fallback-link.ts'
export { ErrorSummary, Field, type ErrorSummaryProps, type FieldProps } from './forms/form.tsx'
export { useInLayout } from './view/in-layout.ts'
export { Form, Link, type FormProps, type LinkProps } from './navigation/link.tsx'
export { NavLink, type NavLinkProps } from './navigation/nav-link.tsx'
export { navigate, prefetch, refresh, type NavigateOptions } from './navigation/navigate.ts'
export { useNonce } from './view/nonce.ts'
export { useNavigation, type NavigationState } from './navigation/navigation-state.ts'
export { useRoute, type Route } from './view/route.ts'
export { checkForm, type FormCheck } from './forms/form-fields.ts'
export { invalid } from './forms/invalid.ts'
export { FormToken, once, type FormTokenProps } from './forms/once.tsx'
export { withSchema, type FieldValues, type SchemaCtx, type Schemas } from './forms/with-schema.ts'
export type { CheckLayout, CheckPage } from './contracts/check.ts'
