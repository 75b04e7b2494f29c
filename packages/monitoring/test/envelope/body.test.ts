import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { findDecoder, readPieces } from '../../src/envelope/body.ts'

t.test('a body whose client has left before it is read is refused, whatever its encoding', async (t) => {
  for (const coding of [undefined, 'gzip', 'deflate', 'br', 'zstd']) {
    const body = new PassThrough()
    body.destroy()
    await once(body, 'close')
    await t.rejects(
      readPieces(body, findDecoder(coding), () => undefined),
      { code: 'APP_CLIENT_GONE' },
      coding ?? 'identity'
    )
  }
})
