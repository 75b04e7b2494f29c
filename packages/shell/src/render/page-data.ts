import { PassThrough, type Readable } from 'node:stream'
import { CODEC_HEADER, type Codec, type PagePayload } from '../routing/payload.ts'
import { DeferredValues, type DeferredOptions } from './deferred-values.ts'
import { encodePayload } from './payload.ts'

export interface PageDataOptions extends DeferredOptions {
  /** True if all of the payload's data is a plain tree. */
  plain: boolean
}

/** A payload in the format of the page-data address: one line for the payload and one for each late value. */
export interface PageData<Body = string> {
  body: Body
  codec: Codec
}

/**
 * Encodes a payload after its late values have settled.
 * @throws PayloadUnserialisable, PayloadTooLarge
 */
export async function encodePageData(payload: PagePayload, options: PageDataOptions): Promise<PageData> {
  const deferred = new DeferredValues(options)
  const { codec, text } = encodePayload(payload, options.plain, deferred)
  const lines = [text]
  if (deferred.size > 0) await deferred.follow((value) => lines.push(JSON.stringify(value)))
  return { body: lines.join('\n'), codec }
}

/**
 * Sends a payload at once, then its late values as they settle. Ends the deadline with the stream.
 * @throws PayloadUnserialisable, PayloadTooLarge
 */
export function streamPageData(payload: PagePayload, options: PageDataOptions): PageData<Readable> {
  const deferred = new DeferredValues(options)
  const { codec, text } = encodePayload(payload, options.plain, deferred)
  const body = new PassThrough()
  const write = (line: string) => body.writable && body.write(line + '\n')
  write(text)
  void deferred
    .follow((value) => write(JSON.stringify(value)))
    .then(() => {
      options.deadline.stop()
      body.end()
    })
  return { body, codec: deferred.size > 0 ? 'stream' : codec }
}

/** Headers that name the payload's codec. */
export const dataHeaders = (codec: Codec) => ({
  'content-type': 'application/json; charset=utf-8',
  [CODEC_HEADER]: codec
})
