/** All pages and layouts of the site. The build creates the module from the files in `pages/` and `layouts/`. */
declare module 'hull:pages' {
  // A top-level import would make this file a module, which cannot declare modules that do not exist.
  /* oxlint-disable typescript/consistent-type-imports */

  /** Pages by file, from the client root. */
  export const pages: Record<string, import('./modules.ts').KnownPage>
  /** Layouts by name. */
  export const layouts: Record<string, () => Promise<import('./contracts/page.ts').LayoutModule>>
  /**
   * Loader of the code that runs before a page is shown; undefined if no page has an `onEnter` and there is no
   * `client/context.ts`.
   */
  export const entering: (() => Promise<typeof import('./fastify-react/enter.ts')>) | undefined
  /** Loader of the code that shows loading views; undefined if no layout has one. */
  export const loadingViews: (() => Promise<typeof import('./navigation/loading-view.ts')>) | undefined
}

/** Default export of `client/browser.ts`, if the file exists. Runs before the document is hydrated. */
declare module 'hull:browser' {
  /* oxlint-disable typescript/consistent-type-imports */
  const startBrowser: ((shell: import('@hull/common/browser-shell.ts').BrowserShell) => void) | undefined
  export default startBrowser
}

/** The application's files in `client/fallbacks/`. The shell has a default for each. */
declare module 'hull:fallbacks' {
  /* oxlint-disable typescript/consistent-type-imports */
  type Component<Props> = import('react').ComponentType<Props>
  type FallbackProps = import('./contracts/fallback.ts').FallbackProps

  export const ErrorFallback: Component<import('./contracts/fallback.ts').ErrorProps>
  export const Refused: Component<import('./contracts/fallback.ts').RefusalProps>
  export const Unauthorized: Component<FallbackProps>
  export const Forbidden: Component<FallbackProps>
  export const NotFound: Component<FallbackProps>
  export const errorDocument: (props: import('./contracts/fallback.ts').ErrorDocumentProps) => string
  export const errorSentence: (host: string) => string
  export const digestLine: (digest: string) => string
}

/** The pages and layouts for the server. */
declare module 'hull:server-pages' {
  /* oxlint-disable typescript/consistent-type-imports */
  type ClientEntry = import('./entry/index.ts').ClientEntry

  export const pages: ClientEntry['pages']
  export const layouts: ClientEntry['layouts']
  export const files: ClientEntry['files']
}
