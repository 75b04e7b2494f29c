import { HtmlValidate, StaticConfigLoader } from 'html-validate'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openScreens } from '../../../inbox/test/helpers/screens.ts'
import { createVisitor, INBOX_PASSWORD, signIn, type Visitor } from '@hull/test-helpers/inbox-visitor.ts'
import {
  findInboxScreens,
  INBOX_ENTRANCES,
  INBOX_MISSING,
  LAB_ADDRESSES
} from '../../../inbox/test/helpers/screen-list.ts'

const validator = new HtmlValidate(
  new StaticConfigLoader({
    extends: ['html-validate:standard', 'html-validate:document'],
    // scripts and styles come from this server
    rules: { 'require-sri': ['error', { target: 'crossorigin' }] }
  })
)

/** Violations of the HTML standard in a document, with their positions. */
async function findMistakes(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, selector }) => `${ruleId}: ${message} (line ${line}, ${selector})`)
  )
}

async function check(visitor: Visitor, path: string) {
  const { headers, body } = await visitor.get(path, { accept: 'text/html' })
  // a redirect has no document
  if (headers.location !== undefined) return
  t.match(headers['content-type'], 'text/html', path)
  t.same(await findMistakes(body), [], path)
}

t.test('the HTML of every page is valid', async (t) => {
  const { app, admin, logs } = await openScreens(t)
  const visitor = createVisitor(app)
  for (const path of ['/', '/nowhere', ...LAB_ADDRESSES, ...INBOX_ENTRANCES]) await check(visitor, path)
  for (const path of [...(await findInboxScreens(admin)), ...INBOX_MISSING]) await check(admin, path)
  logs.takeErrors()
})

t.test('the HTML of every page is valid while the inbox is empty', async (t) => {
  const { app } = await createTestApp(t, { env: { DATA_DIR: createFolder(t), INBOX_PASSWORD } })
  const admin = await signIn(app)
  for (const path of ['', '/issues', '/traces', '/vitals', '/releases', '/doctor', '/settings']) {
    await check(admin, `/inbox${path}`)
  }
})

t.test('a mistake is found', async (t) => {
  const html =
    '<!doctype html><html lang="en"><head><title>x</title></head><body><span><div>x</div></span></body></html>'
  t.match((await findMistakes(html)).join('\n'), 'element-permitted-content')
})
