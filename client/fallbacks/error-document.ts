import type { ErrorDocumentProps } from '@hull/shell/client'
import { digestLine, ERROR_LEAD, errorSentence, QUOTE_LINE, sideLine } from './error-text.ts'

/** The error page as a complete document without React, for errors in the error page itself. */
export default function errorDocument({
  host,
  digest,
  message,
  side,
  stylesheets = [],
  home = '/',
  lang = 'en'
}: ErrorDocumentProps): string {
  return `<!doctype html>
<html lang="${escapeHtml(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Application error</title>
${stylesheets.map((href) => `<link rel="stylesheet" href="${escapeHtml(href)}">\n`).join('')}</head>
<body>
<div class="frame">
<div class="frame-edge"><header class="frame-bar"><a class="frame-name" href="${escapeHtml(home)}">Hull</a></header></div>
<main class="frame-main">
<section class="fallback">
<div class="fallback-error">
<p class="fallback-lead">${ERROR_LEAD}</p>
<h1>${escapeHtml(errorSentence(host))}</h1>
${digest ? `<p class="digest">${escapeHtml(digestLine(digest))}</p>\n` : ''}${side ? `<p class="quiet">${escapeHtml(sideLine(side, message))}</p>\n` : ''}${digest ? `<p class="quiet">${QUOTE_LINE}</p>\n` : ''}</div>
<p class="row"><a class="button button-main" href="">Try again</a> <a href="${escapeHtml(home)}">Go to the home page</a></p>
</section>
</main>
</div>
</body>
</html>
`
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!)
