export const PASSWORD = 'correct horse battery staple'

/** Signs in to an inbox whose password is {@link PASSWORD}. @returns the cookie */
export async function signIn(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/inbox/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ name: 'Ada', password: PASSWORD }),
    headers: { origin },
    redirect: 'manual'
  })
  if (answer.status !== 303) throw new Error(`the inbox let nobody in: ${answer.status}`)
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

/** Creates a token of the API that can read. @param cookie of {@link signIn} */
export async function createApiToken(origin: string, cookie: string): Promise<string> {
  const url = `${origin}/inbox/settings/tokens`
  const body = new URLSearchParams({ intent: 'create', name: 'Bench', scope: 'read' })
  const created = await fetch(url, { method: 'POST', body, headers: { origin, cookie }, redirect: 'manual' })
  const others = created.headers.getSetCookie().map((text) => text.split(';')[0])
  const page = await fetch(url, { headers: { cookie: [cookie, ...others].join('; '), accept: 'text/html' } })
  const [token] = /hull_[\w-]{43}/.exec(await page.text()) ?? []
  if (token === undefined) throw new Error('the page shows no token')
  return token
}
