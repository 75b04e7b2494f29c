import t from 'tap'
import { createLazyInbox } from '../../src/store/lazy-inbox.ts'

t.test('the upload of an envelope can be aborted when the inbox cannot be opened', async (t) => {
  const { sink } = createLazyInbox(async () => Promise.reject(new Error('the disk is gone')))
  const writer = sink.begin('https://key@inbox.example/1')
  const written = (async () => writer.write(Buffer.from('{}')))()
  writer.abort()
  await t.rejects(written, { message: 'the disk is gone' })
})
