import { escapeScript } from './payload.ts'

export interface BrowserTagsOptions {
  /**
   * Inline scripts without tags, which run first, before the stylesheets. They are the same in every document. The content
   * security policy allows them by their hashes, which the security plugin's `inlineScripts` option adds.
   * @default []
   */
  inlineScripts?: readonly string[]
  /** Values for browser code by element id, written as `<script type="application/json" id="…">`. @default {} */
  browserData?: Readonly<Record<string, unknown>>
}

/** Tags of every document with script, unless its route has `config.unreported`. */
export interface BrowserTags {
  /** First in the head: a script behind a stylesheet waits for it, and so does the page. */
  first: string
  data: string
}

export const renderBrowserTags = ({ inlineScripts = [], browserData = {} }: BrowserTagsOptions): BrowserTags => ({
  first: inlineScripts.map((script) => `<script>${script}</script>`).join(''),
  data: Object.entries(browserData)
    .map(([id, value]) => `<script type="application/json" id="${id}">${escapeScript(JSON.stringify(value))}</script>`)
    .join('')
})
