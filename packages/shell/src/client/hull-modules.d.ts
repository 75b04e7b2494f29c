/** Every page and layout of the site, made by the build from the files in `pages/` and `layouts/`. */
declare module 'hull:pages' {
  // An import at the top would make this file a module, which can declare none that does not exist.
  /* oxlint-disable typescript/consistent-type-imports */
  type PageModule = import('./contract.ts').PageModule
  type LayoutModule = import('./contract.ts').LayoutModule

  /** By file, from the client root. */
  export const pages: Record<
    string,
    { load?: () => Promise<PageModule>; layouts: string[]; isStatic?: boolean; spelling?: string }
  >
  /** By name. */
  export const layouts: Record<string, () => Promise<LayoutModule>>
  /** What has to be done before a page is shown, where a page has an `onEnter` or the site a `client/context.ts`. */
  export const entering: (() => Promise<typeof import('./fastify-react/enter.ts')>) | undefined
}

/** The default export of `client/browser.ts`, if there is one: runs before the document is hydrated. */
declare module 'hull:browser' {
  /* oxlint-disable typescript/consistent-type-imports */
  const startBrowser: ((shell: import('./browser-shell.ts').BrowserShell) => void) | undefined
  export default startBrowser
}

/** The application's files in `client/fallbacks/`, each with a default in the shell. */
declare module 'hull:fallbacks' {
  /* oxlint-disable typescript/consistent-type-imports */
  type Component<Props> = import('react').ComponentType<Props>
  type FallbackProps = import('./contract.ts').FallbackProps

  export const ErrorFallback: Component<import('./contract.ts').ErrorProps>
  export const Refused: Component<import('./contract.ts').RefusalProps>
  export const Unauthorized: Component<FallbackProps>
  export const Forbidden: Component<FallbackProps>
  export const NotFound: Component<FallbackProps>
  export const errorDocument: (props: import('./contract.ts').ErrorDocumentProps) => string
  export const errorSentence: (host: string) => string
  export const digestLine: (digest: string) => string
}

/** The same for the server: the modules themselves. */
declare module 'hull:server-pages' {
  /* oxlint-disable typescript/consistent-type-imports */
  export const pages: Record<string, import('./contract.ts').PageModule>
  export const layouts: Record<string, import('./contract.ts').LayoutModule>
  export const files: Record<string, { source: string; file: string; prefix: string }>
}
