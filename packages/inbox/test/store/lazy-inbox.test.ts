import t from 'tap'
import { createLazyInbox } from '../../src/store/lazy-inbox.ts'

t.test('the upload of an envelope can be aborted when the inbox cannot be opened', async (t) => {
  const { sink } = createLazyInbox(async () => Promise.reject(new Error('the disk is gone')))
  const writer = sink.begin('https://key@inbox.example/1')
  const written = (async () => writer.write(Buffer.from('{}')))()
  writer.abort()
  await t.rejects(written, { message: 'the disk is gone' })
})

t.test('an inbox that could not be opened is opened with the next use', async (t) => {
  let opens = 0
  const inbox = createLazyInbox(async () => {
    opens++
    throw new Error(`failure ${opens}`)
  })
  await t.rejects(inbox.queries.listProjects(), { message: 'failure 1' })
  await t.rejects(inbox.queries.listProjects(), { message: 'failure 2' })
  await inbox.close()
})
