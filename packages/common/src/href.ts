/**
 * Addresses of the application's pages: each key is a page's path as in its file name, such as `/items/[id]`. The build
 * adds them in `.hull/types/hrefs.ts`. An application adds addresses that are no pages in the same way:
 * `declare module '@hull/shell/client' { interface PagePaths { '/reports/[id].csv': true } }`.
 */
export interface PagePaths {}

/** Path with a string for each parameter: `'/items/[id]'` gives `` `/items/${string}` ``. */
type Filled<Path extends string> = Path extends `${infer Head}/[[...${string}]]`
  ? (Head extends '' ? '/' : Filled<Head>) | `${Filled<Head>}/${string}`
  : Path extends `${infer Head}[${string}]${infer Tail}`
    ? `${Head}${string}${Filled<Tail>}`
    : Path

type WithQuery<Path extends string> = Path | `${Path}?${string}` | `${Path}#${string}`

/** An address that is not a path of this application, or is relative to the shown page. */
type OtherHref = `${'https' | 'http'}://${string}` | `${'mailto' | 'tel'}:${string}` | `${'?' | '#'}${string}`

/**
 * Address of a page of the application, with or without query and hash, or of another origin. Any string without the
 * types that the build generates.
 */
export type Href = keyof PagePaths extends never ? string : WithQuery<Filled<keyof PagePaths & string>> | OtherHref
