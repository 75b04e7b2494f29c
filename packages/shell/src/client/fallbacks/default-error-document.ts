import { escapeHtml } from '../../routing/escape-html.ts'
import type { ErrorDocumentProps } from '../contracts/fallback.ts'
import { digestLine, errorSentence } from './default-error-text.ts'

/** Renders the error page without React, if the application has no `client/fallbacks/error-document.ts`. */
export function errorDocument({ host, digest, stylesheets = [], home = '/', lang = 'en' }: ErrorDocumentProps): string {
  return `<!doctype html>
<html lang="${escapeHtml(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Application error</title>
${stylesheets.map((href) => `<link rel="stylesheet" href="${escapeHtml(href)}">\n`).join('')}</head>
<body>
<main>
<section class="fallback">
<h1>${escapeHtml(errorSentence(host))}</h1>
${digest ? `<p class="digest">${escapeHtml(digestLine(digest))}</p>\n` : ''}<p><a href="">Try again</a> <a href="${escapeHtml(home)}">Go to the home page</a></p>
</section>
</main>
</body>
</html>
`
}
