import t from 'tap'
import { isNoise } from '../../src/browser-sdk/noise.ts'

/* In an event of the SDK, the reported error is the last value; its causes come before it. */

const thrownBy = (filename: string, value = 'failed') => ({ value, stacktrace: { frames: [{ filename }] } })
const ofApplication = thrownBy('https://example.com/assets/page.js')
const ofExtension = thrownBy('chrome-extension://abc/content.js')

t.test('keeps an error of the application whose cause would be dropped', async (t) => {
  for (const cause of [ofExtension, thrownBy('https://example.com/assets/page.js', 'Script error.')])
    t.notOk(isNoise({ exception: { values: [cause, ofApplication] } }), cause.value)
})

t.test('drops an error of an extension whose cause is in the application', async (t) => {
  t.ok(isNoise({ exception: { values: [ofApplication, ofExtension] } }))
})

t.test('drops an error without information, whatever its cause', async (t) => {
  t.ok(isNoise({ exception: { values: [ofApplication, { value: 'Script error.' }] } }))
})
