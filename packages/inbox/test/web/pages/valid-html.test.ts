import t from 'tap'
import { createVisitor, type Visitor } from '@hull/test-helpers/inbox-visitor.ts'
import { findMistakes } from '@hull/test-helpers/valid-html.ts'
import { findInboxScreens, INBOX_ENTRANCES, INBOX_MISSING } from '../../helpers/screen-list.ts'
import { openScreens } from '../../helpers/screens.ts'

async function check(visitor: Visitor, path: string) {
  const { headers, body } = await visitor.get(path, { accept: 'text/html' })
  // A redirect has no document.
  if (headers.location !== undefined) return
  t.match(headers['content-type'], 'text/html', path)
  t.same(await findMistakes(body), [], path)
}

t.test('the HTML of every page is valid', async (t) => {
  const { app, admin, logs } = await openScreens(t)
  const visitor = createVisitor(app)
  for (const path of INBOX_ENTRANCES) await check(visitor, path)
  for (const path of [...(await findInboxScreens(admin)), ...INBOX_MISSING]) await check(admin, path)
  logs.takeErrors()
})

t.test('the HTML of every page is valid while the inbox is empty', async (t) => {
  const { admin } = await openScreens(t, { isEmpty: true })
  for (const path of ['', '/issues', '/traces', '/vitals', '/releases', '/doctor', '/settings']) {
    await check(admin, `/inbox${path}`)
  }
})
