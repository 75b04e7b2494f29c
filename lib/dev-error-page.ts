/**
 * The page a developer sees for an unexpected error: its stack, with the source around each frame. youch makes it; it is
 * no production dependency, so it is loaded when it is needed.
 * @param nonce allows the page's own script and styles
 */
export async function renderDevError(error: unknown, nonce: string): Promise<string> {
  const { Youch } = await import('youch')
  const html = await new Youch().toHTML(error, { title: 'Development error', cspNonce: nonce })
  // The policy allows no handler in an attribute.
  return html
    .replace('onclick="copyErrorMessage(this)"', '')
    .replace('</body>', `<script nonce="${nonce}">${COPY_ON_CLICK}</script></body>`)
}

const COPY_ON_CLICK =
  "document.getElementById('copy-error-btn')?.addEventListener('click', ({ currentTarget }) => copyErrorMessage(currentTarget))"
