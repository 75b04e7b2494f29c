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
