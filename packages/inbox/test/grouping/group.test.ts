import fc from 'fast-check'
import t from 'tap'
import { ALGORITHM, groupEvent } from '../../src/grouping/group.ts'
import type { EventDetail, ExceptionDetail, Frame } from '../../src/store/model.ts'
import { createEvent, createException, createFrame } from '../helpers/event.ts'

const withFrames = (...frames: Partial<Frame>[]) =>
  createEvent({ exceptions: [createException({ frames: frames.map(createFrame) })] })
const withError = (over: Partial<ExceptionDetail>) => createEvent({ exceptions: [createException(over)] })
const keyOf = (event: EventDetail) => groupEvent(event).key
const onServer = (event: EventDetail): EventDetail => ({ ...event, side: 'server', platform: 'node' })

t.test('a key has 64 hex digits and the version of its algorithm, and comes with its reason', async (t) => {
  const grouping = groupEvent(withFrames({ function: 'submit' }, { file: 'client/form.tsx', function: 'onSubmit' }))
  t.match(grouping.key, /^[0-9a-f]{64}$/)
  t.equal(grouping.algorithm, ALGORITHM)
  t.strictSame(grouping.why, {
    by: 'frames',
    parts: ['TypeError', 'submit in client/cart.tsx', 'onSubmit in client/form.tsx']
  })
})

t.test('a key does not change unless the version of the algorithm does', async (t) => {
  t.equal(ALGORITHM, 1)
  t.equal(keyOf(createEvent()), '12d560cbb9dd925451e22cac99d6997522e2dd2b446ec41f147aab7701ed66bd')
})

t.test('lines, columns, hashes and messages do not change the key, so that a deploy does not', async (t) => {
  const after = withError({
    value: 'basket is undefined',
    frames: [
      createFrame({ line: 99, column: 1, built: { file: 'https://shop.example/assets/cart-Zz91_-ab.js', line: 1 } })
    ]
  })
  t.equal(keyOf(after), keyOf(createEvent()))
})

t.test('the folder of a deploy is ignored in paths of a server', async (t) => {
  const at = (file: string) => keyOf(onServer(withFrames({ file, built: undefined })))
  t.equal(at('/srv/releases/20261120101500/lib/cart.ts'), at('/srv/releases/20261121093000/lib/cart.ts'))
  t.equal(at('/srv/shop/1.4.2/lib/cart.ts'), at('/srv/shop/1.5.0-beta.1/lib/cart.ts'))
  t.equal(at('/srv/3f2a1b9/lib/cart.ts'), at('/srv/c5c39c4/lib/cart.ts'))
  t.equal(at('file:///srv/app/lib/cart.ts'), at('/srv/app/lib/cart.ts'))
  t.equal(at('C:\\srv\\app\\lib\\cart.ts'), at('/srv/app/lib/cart.ts'))
  t.not(at('/srv/app/lib/cart.ts'), at('/srv/app/lib/basket.ts'))
})

t.test('type, function and file separate issues', async (t) => {
  const key = keyOf(createEvent())
  t.not(keyOf(withError({ type: 'RangeError' })), key)
  t.not(keyOf(withFrames({ function: 'cancel' })), key)
  t.not(keyOf(withFrames({ file: 'client/checkout.tsx' })), key)
})

t.test('only the three innermost in-app frames count', async (t) => {
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ function: name }))
  t.equal(keyOf(withFrames(a!, b!, c!, d!)), keyOf(withFrames(a!, b!, c!, e!)))
  t.not(keyOf(withFrames(a!, b!, c!)), keyOf(withFrames(a!, b!, d!)))
})

t.test('frames of libraries are skipped', async (t) => {
  const library = { file: 'node_modules/react-dom/index.js', function: 'commit', inApp: false, package: 'react-dom' }
  t.equal(keyOf(withFrames(library, {}, library, library)), keyOf(createEvent()))
})

t.test('recursive calls count once', async (t) => {
  const walk = { function: 'walk' }
  t.equal(keyOf(withFrames(walk, walk, walk, walk, {})), keyOf(withFrames(walk, {})))
})

t.test('ignores what an engine adds before or after a function name', async (t) => {
  const key = keyOf(createEvent())
  for (const name of [
    'async submit',
    'async*submit',
    'new submit',
    'get submit',
    'set submit',
    'Object.submit',
    'async Object.submit',
    'Object.submit [as onSubmit]',
    'submit/<',
    'submit$1'
  ])
    t.equal(keyOf(withFrames({ function: name })), key, name)
  t.not(keyOf(withFrames({ function: 'newsubmit' })), key)
})

t.test('a function without a name is identified by its line', async (t) => {
  const at = (line: string, name?: string) =>
    groupEvent(withFrames({ function: name, source: { before: [], line, after: [] } }))
  t.equal(at('  items.map((item) => item.id)').key, at('items.map((item) =>  item.id)', '<anonymous>').key)
  t.equal(at('x', 'Object.<anonymous>').key, at('x').key)
  t.not(at('items.map(first)').key, at('items.map(second)').key)
  t.strictSame(at(' items.map(first)').why.parts[1], '`items.map(first)` in client/cart.tsx')
})

t.test('inline handlers of one property have the same name, and are identified by their lines', async (t) => {
  const at = (line: string, ...callers: Partial<Frame>[]) =>
    groupEvent(withFrames({ function: 'onClick', source: { before: [], line, after: [] } }, ...callers))
  t.not(at('throw new TypeError(first)').key, at('second.id').key)
  t.equal(at('second.id').key, at('  second.id ').key)
  t.strictSame(at('second.id').why.parts[1], 'onClick `second.id` in client/cart.tsx')
  t.equal(keyOf(withFrames({ function: 'onClick' })), keyOf(withFrames({ function: 'onClick', line: 9 })))
  // If a handler calls a function, that function is the location of the error.
  const save = (line: string) =>
    keyOf(withFrames({ function: 'save' }, { function: 'onClick', source: { before: [], line, after: [] } }))
  t.equal(save('save(1)'), save('save(2)'))
  t.equal(
    keyOf(withFrames({ function: 'ongoing', source: { before: [], line: 'a', after: [] } })),
    keyOf(withFrames({ function: 'ongoing' }))
  )
})

t.test('a frame of minified code never counts', async (t) => {
  const minified = { file: 'https://shop.example/assets/cart-BXk29dA3.js', function: 'Xt', built: undefined }
  t.equal(keyOf(withFrames(minified, {})), keyOf(createEvent()))
  t.equal(groupEvent(withFrames(minified)).why.by, 'message')
  t.equal(groupEvent(withFrames({ ...minified, file: '/assets/cart.js' })).why.by, 'message')
  t.equal(groupEvent(onServer(withFrames(minified))).why.by, 'message')
  t.equal(groupEvent(onServer(withFrames({ ...minified, file: '/srv/app.min.js' }))).why.by, 'message')
})

t.test('groups source code of a development server, on any address', async (t) => {
  const at = (file: string) => groupEvent(withFrames({ file, built: undefined }))
  const grouping = at('http://localhost:3000/client/cart.tsx?t=1732100000#x')
  t.strictSame(grouping.why.parts, ['TypeError', 'submit in /client/cart.tsx'])
  t.equal(grouping.key, at('http://127.0.0.1:5173/client/cart.tsx').key)
})

t.test('frames of a server count unchanged, except the hash of a bundle', async (t) => {
  const at = (file: string) => groupEvent(onServer(withFrames({ file, built: undefined })))
  t.strictSame(
    at('/srv/app/dist/server/assets/cart-BXk29dA3.js').why.parts[1],
    'submit in /srv/app/dist/server/assets/cart.js'
  )
  t.equal(at('/srv/dist/main.3f2a1b9c.chunk.js').key, at('/srv/dist/main.0c1d2e3f.chunk.js').key)
  t.not(at('/srv/lib/user-settings.js').key, at('/srv/lib/user-payments.js').key, 'a word of eight letters is no hash')
  t.equal(at('<anonymous>').why.by, 'message')
})

t.test('the reported exception determines the key, not its cause', async (t) => {
  const cause = createException({ type: 'SyntaxError', frames: [createFrame({ function: 'parse' })] })
  t.equal(keyOf(createEvent({ exceptions: [cause, createException()] })), keyOf(createEvent()))
})

t.test('without an in-app frame, the message determines the key', async (t) => {
  const at = (value: string) => groupEvent(withError({ value, frames: [] }))
  t.equal(at('item 7 of ada@example.org').key, at('item 12 of bob@example.net\nwith more lines').key)
  t.not(at('item gone').key, at('cart gone').key)
  t.strictSame(at('item 7').why, { by: 'message', parts: ['TypeError', 'item <number>'] })
})

t.test('a frame without a file and a function never counts', async (t) => {
  const unknown = { file: '<unknown>', function: undefined, built: undefined }
  const at = (value: string, ...frames: Partial<Frame>[]) =>
    groupEvent(onServer(createEvent({ exceptions: [createException({ value, frames: frames.map(createFrame) })] })))
  t.strictSame(at('out of bounds', unknown, unknown).why, { by: 'message', parts: ['TypeError', 'out of bounds'] })
  t.equal(at('x', { ...unknown, function: 'submit' }).why.parts[1], 'submit in <unknown>')
})

t.test('errors that can happen anywhere are grouped by their message', async (t) => {
  for (const value of [
    'Loading chunk 12 failed.',
    'Unable to preload CSS for /assets/cart-BXk29dA3.css',
    'Failed to fetch dynamically imported module: https://shop.example/assets/cart-BXk29dA3.js',
    'error loading dynamically imported module: https://shop.example/assets/cart-BXk29dA3.js',
    'Importing a module script failed.',
    "Hydration failed because the server rendered HTML didn't match the client.",
    'Text content does not match server-rendered HTML.',
    'There was an error while hydrating.',
    'Minified React error #418; visit https://react.dev/errors/418?args[]=HTML for the full message'
  ]) {
    const inCart = withError({ value })
    const inForm = withError({
      value: value.replace('cart-BXk29dA3', 'form-Zz91_-ab'),
      frames: [createFrame({ function: 'a' })]
    })
    t.equal(groupEvent(inCart).why.by, 'message', value)
    t.equal(keyOf(inCart), keyOf(inForm), value)
  }
  t.equal(groupEvent(withError({ type: 'ChunkLoadError', value: 'x' })).why.by, 'message')
  t.equal(groupEvent(withError({ value: 'hydration is good for you' })).why.by, 'frames')
})

t.test('groups React errors by code, with any arguments', async (t) => {
  const code = (code: number, argument: string) =>
    groupEvent(
      withError({
        value: `Minified React error #${code}; visit https://react.dev/errors/${code}?args[]=${argument} for`
      })
    )
  t.equal(code(418, 'a').key, code(418, 'b').key)
  t.not(code(418, 'a').key, code(423, 'a').key)
  t.strictSame(code(31, 'x').why.parts, ['TypeError', 'Minified React error #31'])
})

t.test('the fingerprint of an event replaces the key', async (t) => {
  const own = (fingerprint: string[], over: Partial<EventDetail> = {}) =>
    groupEvent(createEvent({ fingerprint, ...over }))
  t.strictSame(own(['checkout', 'card']).why, { by: 'fingerprint', parts: ['checkout', 'card'] })
  t.equal(own(['checkout']).key, own(['checkout'], { exceptions: [], message: 'else' }).key)
  t.not(own(['ab', 'c']).key, own(['a', 'bc']).key)
  t.not(own(['a', 'b']).key, own(['b', 'a']).key)
})

t.test('{{ default }} in a fingerprint is replaced with the usual parts', async (t) => {
  const usual = groupEvent(createEvent())
  t.strictSame(groupEvent(createEvent({ fingerprint: ['{{ default }}', 'eu'] })).why, {
    by: 'fingerprint',
    parts: [...usual.why.parts, 'eu']
  })
  for (const fingerprint of [['{{ default }}'], ['{{default}}'], [], ['', ' ']])
    t.strictSame(groupEvent(createEvent({ fingerprint })), usual, JSON.stringify(fingerprint))
})

t.test('an event without any content has a key', async (t) => {
  t.strictSame(groupEvent(createEvent({ exceptions: [] })).why, { by: 'message', parts: ['no message'] })
  t.strictSame(groupEvent(withError({ type: '', value: '', frames: [] })).why.parts, ['Error', 'no message'])
  const blank: Frame = { file: '', inApp: true }
  t.equal(groupEvent(withError({ frames: [blank, blank] })).why.by, 'message')
})

t.test('an error without in-app frames is an issue of its route, unless it can happen anywhere', async (t) => {
  const on = (route: string, value: string) => keyOf({ ...withError({ value, frames: [] }), route })
  const late = 'The page took longer than RENDER_TIMEOUT (10000 ms)'
  t.not(on('/items/[id]', late), on('/', late))
  t.equal(on('/', late), on('/', 'The page took longer than RENDER_TIMEOUT (2000 ms)'))
  const chunk = 'Failed to fetch dynamically imported module: https://shop.example/assets/a-1.js'
  t.equal(on('/items/[id]', chunk), on('/', chunk))
})

t.test('a message and an error with the same text are two issues', async (t) => {
  t.not(
    keyOf(createEvent({ exceptions: [], message: 'x' })),
    keyOf(withError({ type: 'Error', value: 'x', frames: [] }))
  )
})

t.test('names of prototype properties are names', async (t) => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const grouping = groupEvent(withFrames({ file: name, function: name }))
    t.strictSame(grouping.why.parts[1], `${name} in ${name}`)
    t.match(groupEvent(withError({ type: name, value: name, frames: [] })).key, /^[0-9a-f]{64}$/)
  }
})

t.test('limits the text that is shown, but not the text that is compared', async (t) => {
  const long = (end: string) =>
    groupEvent(createEvent({ fingerprint: ['x'.repeat(10_000) + end, ...Array(100).fill('y')] }))
  t.not(long('a').key, long('b').key)
  t.ok(JSON.stringify(long('a').why).length < 10_000)
})

t.test('any event has exactly one key', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('a', '\ud800', '\0', '/', '"', '-', '1', '@', '.', '<') })
  )
  const frame: fc.Arbitrary<Frame> = fc.record(
    { file: text, function: text, inApp: fc.boolean(), built: fc.constant({ file: 'x' }) },
    { requiredKeys: ['file', 'inApp'] }
  )
  const exception = fc.record({ type: text, value: text, frames: fc.array(frame) })
  const event = fc
    .record(
      {
        exceptions: fc.array(exception, { maxLength: 3 }),
        message: text,
        fingerprint: fc.array(text),
        side: fc.constantFrom('browser', 'server')
      },
      { requiredKeys: ['exceptions', 'side'] }
    )
    .map((over) => createEvent(over as Partial<EventDetail>))
  fc.assert(
    fc.property(event, (event) => {
      const { key, why } = groupEvent(event)
      return /^[0-9a-f]{64}$/.test(key) && why.parts.length > 0 && key === keyOf(structuredClone(event))
    })
  )
})

t.test('lines, columns and outer frames never change the key', async () => {
  const place = fc.record({ line: fc.integer(), column: fc.integer() })
  fc.assert(
    fc.property(fc.array(place, { minLength: 3, maxLength: 3 }), fc.array(fc.string()), (places, outer) => {
      const inner = ['a', 'b', 'c'].map((name) => ({ function: name }))
      const moved = inner.map((frame, index) => ({ ...frame, ...places[index] }))
      const more = outer.map((name) => ({ function: name }))
      return keyOf(withFrames(...inner)) === keyOf(withFrames(...moved, ...more))
    })
  )
})
