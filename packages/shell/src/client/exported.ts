import { withoutBasePath } from './base-path.ts'

/** Whether `npm run export` wrote the document: page data are files, and there is no server to ask. */
export let isExported = false

/** Called once, in a document that an export wrote, before its page is shown. */
export function startExported(): void {
  isExported = true
  const url = withoutSlash(new URL(location.href))
  if (url.href !== location.href) history.replaceState(history.state, '', url)
}

/** Returns the page's own address. A host that serves a folder's `index.html` adds a slash to it. */
export function withoutSlash(url: URL): URL {
  const path = withoutBasePath(url.pathname)
  if (path !== undefined && path !== '/' && path.endsWith('/')) url.pathname = url.pathname.slice(0, -1)
  return url
}
