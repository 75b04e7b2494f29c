import { setTimeout as wait } from 'node:timers/promises'
import { notFound, redirect } from '@hull/shell'

export interface Review {
  by: string
  text: string
}

/** Possible results of a late part: it arrives, fails, redirects, or is not found. */
export type Turn = 'arrive' | 'fail' | 'redirect' | 'missing'

/** After 300 ms. */
export async function loadReviews(turn: Turn, signal: AbortSignal): Promise<Review[]> {
  await wait(300, undefined, { signal })
  if (turn === 'fail') throw new Error('The reviews could not be read: lab/stream was asked to fail')
  return [
    { by: 'Ines', text: 'Two seasons on a mooring and the pin still turns.' },
    { by: 'Tomasz', text: 'Smaller than it looks in the picture, and stronger.' },
    { by: 'Aroha', text: 'Came in an envelope. No complaints.' }
  ]
}

/** After 900 ms. */
export async function loadStock(turn: Turn, signal: AbortSignal): Promise<{ pieces: number; harbour: string }> {
  await wait(900, undefined, { signal })
  if (turn === 'redirect') redirect('/lab/items')
  if (turn === 'missing') notFound('This item went out of the catalogue while you were looking at it.')
  return { pieces: 14, harbour: 'the shed by the slipway' }
}
