import t from 'tap'
import { setNotices, toNotice } from '../../../src/client/navigation/notices.ts'

t.test('an application replaces texts of notices, and a function that throws replaces none', async (t) => {
  const reported: unknown[] = []
  t.intercept(globalThis, 'reportError' as never, { value: (error: unknown) => reported.push(error) })
  const own = toNotice('form-failed')
  setNotices((name) => (name === 'form-failed' ? 'Es ging nicht.' : undefined))
  t.equal(toNotice('form-failed'), 'Es ging nicht.')
  t.match(toNotice('sign-in'), /^Sign in/)
  setNotices(() => {
    throw new Error('no texts')
  })
  t.equal(toNotice('form-failed'), own)
  t.match(reported, [{ message: 'no texts' }])
})
