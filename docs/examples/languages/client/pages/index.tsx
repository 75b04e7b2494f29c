import Negotiator from 'negotiator'
import { redirect, type Ctx } from '@hull/shell/client'
import { LANGUAGES } from '../messages/index.ts'

/** Redirects to the language that the browser prefers. No other page reads this header. */
export function getData({ headers, setHeader }: Ctx) {
  setHeader('vary', 'accept-language')
  const language = new Negotiator({ headers }).language([...LANGUAGES]) ?? LANGUAGES[0]
  redirect(`/${language}/ropes`)
}

export default () => null
