import { CHANGE_EVENT } from '@hull/common/constants.ts'

/**
 * Renders the error page for developers: the stack, with the source around each frame. youch is only a development
 * dependency, so it is loaded on first use.
 * @param nonce allows the page's own script and styles
 */
export async function renderDevError(error: unknown, nonce: string): Promise<string> {
  const { Youch } = await import('youch')
  const html = await new Youch().toHTML(error, { title: 'Development error', cspNonce: nonce })
  // The policy allows no inline handlers or style attributes. The replacements cannot match displayed source code,
  // whose quotes are escaped.
  return html
    .replace('onclick="copyErrorMessage(this)"', '')
    .replaceAll(' style="', ' data-style="')
    .replace(
      '</body>',
      `<script nonce="${nonce}">${SET_STYLES}${COPY_ON_CLICK}</script><script type="module" nonce="${nonce}">${RELOAD_ON_CHANGE}</script></body>`
    )
}

const SET_STYLES =
  'for (const element of document.querySelectorAll("[data-style]")) element.style.cssText = element.dataset.style;'

const COPY_ON_CLICK =
  "document.getElementById('copy-error-btn')?.addEventListener('click', ({ currentTarget }) => copyErrorMessage(currentTarget))"

/**
 * Vite's client also reloads the page after a restart of the server. The additional request detects corrections made
 * before the socket was open.
 */
const RELOAD_ON_CHANGE = `import { createHotContext } from '/@vite/client'
const hot = createHotContext('/error')
hot.on('${CHANGE_EVENT}', () => location.reload())
hot.on('vite:ws:connect', async () => {
  const { status } = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (status < 500) location.reload()
})`
