/**
 * The page a developer sees for an unexpected error: its stack, with the source around each frame. youch makes it; it is
 * no production dependency, so it is loaded when it is needed.
 * @param nonce allows the page's own script and styles
 */
export async function renderDevError(error: unknown, nonce: string): Promise<string> {
  const { Youch } = await import('youch')
  return new Youch().toHTML(error, { title: 'Development error', cspNonce: nonce })
}
