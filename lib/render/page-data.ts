import { PassThrough, type Readable } from 'node:stream'
import { CODEC_HEADER, type Codec, type LateValue, type PagePayload } from '../common/payload.ts'
import type { Deadline } from './deadline.ts'
import { followLate } from './late-values.ts'
import { encodePayload } from './payload.ts'

export interface PageDataOptions {
  /** All of its data is a plain tree. */
  plain: boolean
  deadline: Deadline
  /** Reports an error and gives its digest. */
  report: (error: unknown) => string
}

/** A payload as the page-data address sends it: a line for itself and one for each of its late values. */
export interface PageData<Body = string> {
  body: Body
  codec: Codec
}

/**
 * Encodes a payload, waiting for its late values.
 * @throws PayloadUnserialisable, PayloadTooLarge
 */
export async function encodePageData(
  payload: PagePayload,
  { plain, deadline, report }: PageDataOptions
): Promise<PageData> {
  const { codec, text, late } = encodePayload(payload, plain)
  const lines = [text]
  if (late.length > 0)
    await followLate(late, { deadline, report, onValue: (value) => lines.push(JSON.stringify(value)) })
  return { body: lines.join('\n'), codec }
}

/**
 * Encodes a payload that goes out at once, its late values after it as they settle. Ends the deadline with the stream.
 * @throws PayloadUnserialisable, PayloadTooLarge
 */
export function streamPageData(payload: PagePayload, { plain, deadline, report }: PageDataOptions): PageData<Readable> {
  const { codec, text, late } = encodePayload(payload, plain)
  const body = new PassThrough()
  const write = (line: string) => body.writable && body.write(line + '\n')
  write(text)
  void followLate(late, {
    deadline,
    report,
    onValue: (value: LateValue) => write(JSON.stringify(value))
  }).then(() => {
    deadline.end()
    body.end()
  })
  return { body, codec }
}

/** The headers that say how a payload is written. */
export const dataHeaders = (codec: Codec) => ({
  'content-type': 'application/json; charset=utf-8',
  [CODEC_HEADER]: codec
})
