export const PASSWORD = 'correct horse battery staple'

/** Signs in to an inbox whose password is {@link PASSWORD}. @returns the session cookie */
export async function signIn(origin: string): Promise<string> {
  const response = await fetch(`${origin}/inbox/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ name: 'Ada', password: PASSWORD }),
    headers: { origin },
    redirect: 'manual'
  })
  if (response.status !== 303) throw new Error(`Signing in to the inbox failed with status ${response.status}`)
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

/** Creates an API token with the scope `read`. @param cookie returned by {@link signIn} */
export async function createApiToken(origin: string, cookie: string): Promise<string> {
  const url = `${origin}/inbox/settings/tokens`
  const body = new URLSearchParams({ intent: 'create', name: 'Bench', scope: 'read' })
  const created = await fetch(url, { method: 'POST', body, headers: { origin, cookie }, redirect: 'manual' })
  const others = created.headers.getSetCookie().map((text) => text.split(';')[0])
  const page = await fetch(url, { headers: { cookie: [cookie, ...others].join('; '), accept: 'text/html' } })
  const [token] = /hull_[\w-]{43}/.exec(await page.text()) ?? []
  if (token === undefined) throw new Error('The page of API tokens shows no token')
  return token
}
