import { escapeScript } from './payload.ts'

export interface BrowserTagsOptions {
  /**
   * Inline scripts, without tags: they run first, before the stylesheets. The same for every document: the content
   * security policy allows them by their hashes, which the `inlineScripts` option of the security plugin adds. @default []
   */
  inlineScripts?: readonly string[]
  /** Values for browser code by element id, written as `<script type="application/json" id="…">`. @default {} */
  browserData?: Readonly<Record<string, unknown>>
}

/** Tags that every document with script carries, unless its route has `config.unreported`. */
export interface BrowserTags {
  /** First in the head: behind a stylesheet a script would wait for it, and the page with it. */
  first: string
  data: string
}

export const renderBrowserTags = ({ inlineScripts = [], browserData = {} }: BrowserTagsOptions): BrowserTags => ({
  first: inlineScripts.map((script) => `<script>${script}</script>`).join(''),
  data: Object.entries(browserData)
    .map(([id, value]) => `<script type="application/json" id="${id}">${escapeScript(JSON.stringify(value))}</script>`)
    .join('')
})
