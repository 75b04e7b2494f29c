import t from 'tap'
import { groupEvent } from '../../../src/grouping/group.ts'
import { titleOf } from '../../../src/ingest/issue.ts'
import { toSentryEvent } from '../../../src/transfer/to-event.ts'
import { createEvent, createException, createFrame } from '../../helpers/event.ts'
import { detailOf, normalise } from '../../helpers/normalise.ts'
import { createRawEvent, createRawException } from '../../helpers/writer.ts'

t.test('reads exceptions as a list, as `values`, as one exception, and by the old name', async (t) => {
  const exception = createRawException()
  for (const over of [
    { exception: [exception] },
    { exception: { values: [exception] } },
    { exception },
    { exception: undefined, 'sentry.interfaces.Exception': { values: [exception] } }
  ])
    t.match(detailOf(over).exceptions, [
      { type: 'TypeError', value: 'cart is undefined', handled: false, mechanism: 'onerror' }
    ])
})

t.test('leaves out the type of an exception that an SDK made of a message', async (t) => {
  const made = (over: Record<string, unknown>) =>
    detailOf({ exception: [createRawException(over)] }).exceptions[0]?.type
  t.equal(made({ type: undefined }), '')
  t.equal(made({ type: 'Error', mechanism: { synthetic: true } }), '')
  t.equal(made({ type: 'UnhandledRejection', mechanism: { synthetic: true } }), 'UnhandledRejection')
  t.equal(made({ type: 'Error' }), 'Error')
  t.equal(made({ type: undefined, value: '' }), 'Error')
})

t.test('groups a message that the SDK sends as an exception by its text, not by the function', async (t) => {
  const stacktrace = { frames: [{ filename: '/srv/plugins/stock.ts', function: 'order', lineno: 3, in_app: true }] }
  const keyOf = (over: Record<string, unknown>) => groupEvent(detailOf({ platform: 'node', ...over })).key
  // As SDKs send it for captureMessage, and for captureException with a string.
  const sent = (value: string, over: Record<string, unknown> = { message: value }) => ({
    exception: [{ value, stacktrace, mechanism: { type: 'generic', handled: true, synthetic: true } }],
    ...over
  })
  const low = 'The stock is low'
  t.strictSame(groupEvent(detailOf({ platform: 'node', ...sent(low) })).why, { by: 'message', parts: [low] })
  t.not(keyOf(sent(low)), keyOf(sent('The payment is late')))
  t.not(keyOf(sent(low)), keyOf({ exception: [{ type: 'Error', value: low, stacktrace }] }))
  t.equal(keyOf(sent(low)), keyOf({ exception: undefined, message: low }), 'as without a stack')

  const late = (name: string) => sent(`${name} is late`, { logentry: { message: '%s is late', params: [name] } })
  t.equal(keyOf(late('Ada')), keyOf(late('Grace')))

  const untyped = (value: string) => ({ exception: [{ value, stacktrace }], message: undefined })
  t.equal(keyOf(untyped('no ink')), keyOf(untyped('no paper')), 'an error without a type is no message')
})

t.test('cuts a long title between two emoji', async (t) => {
  for (const start of ['', 'x'])
    t.match(titleOf(detailOf({ exception: undefined, message: start + '😀'.repeat(300) })).type, /^x?(😀)+…$/u)
})

t.test('an exception group with one member is grouped and named by the member', async (t) => {
  const thrownIn = (name: string) => ({ frames: [{ filename: 'shop.py', function: name, lineno: 3, in_app: true }] })
  const member = (id: number, type: string, where: string, mechanism: Record<string, unknown> = {}) => ({
    type,
    value: `${where} failed`,
    mechanism: { type: 'chained', exception_id: id, parent_id: 0, source: `exceptions[${id - 1}]`, ...mechanism },
    stacktrace: thrownIn(where)
  })
  // As sentry-python sends it for errors in `async with asyncio.TaskGroup()`.
  const group = {
    type: 'ExceptionGroup',
    value: 'unhandled errors in a TaskGroup (1 sub-exception)',
    mechanism: { type: 'generic', exception_id: 0, is_exception_group: true },
    stacktrace: thrownIn('run_all')
  }
  const cause = { source: '__cause__', parent_id: 1 }
  const parse = (...values: object[]) => detailOf({ exception: { values }, platform: 'python' })
  const keyOf = (detail: ReturnType<typeof parse>) => groupEvent(detail).key

  const pay = parse(member(2, 'KeyError', 'read', cause), member(1, 'ValueError', 'pay'), group)
  t.match(titleOf(pay), { type: 'ValueError', value: 'pay failed', culprit: 'shop.py:pay' })
  t.equal(keyOf(pay), keyOf(parse(member(1, 'ValueError', 'pay', { parent_id: undefined, source: undefined }))))
  t.not(keyOf(pay), keyOf(parse(member(1, 'ValueError', 'ship'), group)))
  t.equal(keyOf(pay), keyOf(detailOf({ ...toSentryEvent(pay, null) })), 'also after an export')

  const inner = member(1, 'ExceptionGroup', 'run_some', { is_exception_group: true })
  const nested = parse(member(2, 'ValueError', 'pay', { parent_id: 1, source: 'exceptions[0]' }), inner, group)
  t.equal(titleOf(nested).type, 'ValueError')

  const several = parse(member(2, 'KeyError', 'ship'), member(1, 'ValueError', 'pay'), group)
  t.match(titleOf(several), { type: 'ExceptionGroup', culprit: 'shop.py:run_all' })
  const relations = ({ exceptions }: ReturnType<typeof parse>) => exceptions.map(({ isMember }) => isMember ?? false)
  t.same(relations(several), [true, true, false])
  t.same(relations(pay), [false, true, false], 'the first exception is a cause')
  const copy = detailOf({ ...toSentryEvent(several, null) })
  t.same(relations(copy), [true, true, false], 'also after an export')
  t.equal(keyOf(copy), keyOf(several))
  const withoutStack = parse({ ...member(1, 'ValueError', 'pay'), stacktrace: undefined }, group)
  t.match(titleOf(withoutStack), { type: 'ExceptionGroup', culprit: 'shop.py:run_all' })
})

t.test('reads stacks of threads', async (t) => {
  const frames = [{ filename: 'app.py', function: 'main', lineno: 3, in_app: true }]
  const threads = {
    values: [
      { id: 2, stacktrace: { frames } },
      { id: 1, name: 'worker', current: true, stacktrace: { frames } },
      { id: 3, name: 'boom', crashed: true, stacktrace: { frames } },
      { id: 4, name: 'idle' }
    ]
  }
  const ofMessage = detailOf({ exception: undefined, message: 'hello', platform: 'python', threads })
  t.match(ofMessage.threads, [
    { name: 'boom', isCrashed: true, frames: [{ function: 'main', line: 3 }] },
    { name: 'worker', isCurrent: true },
    { name: '2' }
  ])
  t.equal(ofMessage.threads?.length, 3)
  const ofError = detailOf({ exception: [{ type: 'E', value: 'x' }], platform: 'python', threads })
  t.match(ofError.exceptions[0]?.frames, [{ function: 'main' }])
  t.same(
    ofError.threads?.map(({ name }) => name),
    ['worker', '2'],
    'without the thread whose stack the error shows'
  )
  const alone = detailOf({ exception: undefined, message: 'hello', platform: 'python', stacktrace: { frames } })
  t.match(alone.threads, [{ name: '', frames: [{ function: 'main' }] }])
  t.equal(detailOf({}).threads, undefined)
})

t.test('keeps frames in a folder of the application that is named like one of a runtime', async (t) => {
  const ownOf = (filename: string, over: object = {}) => {
    const stacktrace = { frames: [{ filename, function: 'pay', lineno: 3, in_app: true, ...over }] }
    return detailOf({ platform: 'python', sdk: undefined, exception: [{ type: 'E', value: 'x', stacktrace }] })
      .exceptions[0]?.frames[0]?.inApp
  }
  for (const file of ['internal/billing.py', 'native/bridge.py']) t.equal(ownOf(file), true, file)
  t.equal(ownOf('internal/billing.py', { in_app: false }), false)
  t.equal(ownOf('node:internal/timers', { in_app: undefined }), false)
})

t.test('adds the folder of the package to the name of a Java file', async (t) => {
  const fileOf = (frame: object) => {
    const stacktrace = { frames: [{ function: 'handle', lineno: 3, in_app: true, ...frame }] }
    return detailOf({ platform: 'java', sdk: undefined, exception: [{ type: 'E', value: 'x', stacktrace }] })
      .exceptions[0]?.frames[0]?.file
  }
  t.equal(fileOf({ filename: 'Cart.java', module: 'com.shop.orders.Cart$Line' }), 'com/shop/orders/Cart.java')
  t.equal(fileOf({ filename: 'Cart.kt', module: 'Cart' }), 'Cart.kt')
  t.equal(fileOf({ filename: 'Cart.java' }), 'Cart.java')
  t.equal(fileOf({ filename: 'src/Cart.java', module: 'com.shop.Cart' }), 'src/Cart.java')
  t.equal(fileOf({ filename: 'manage.py', module: '__main__' }), 'manage.py')
  t.equal(fileOf({ module: 'com.shop.Cart' }), 'com.shop.Cart')
})

t.test('frames that an SDK of Java does not mark are those of libraries', async (t) => {
  const thread = { filename: 'Thread.java', module: 'java.lang.Thread', function: 'run' }
  const cart = { filename: 'Cart.java', module: 'com.shop.Cart', function: 'pay' }
  const bank = { filename: 'Client.java', module: 'com.bank.Client', function: 'send' }
  const accessor = { module: 'jdk.internal.reflect.GeneratedMethodAccessor12', function: 'invoke' }
  const ownOf = (platform: string, ...frames: object[]) =>
    detailOf({ platform, sdk: undefined, exception: [{ type: 'E', value: 'x', stacktrace: { frames } }] })
      .exceptions[0]?.frames.filter(({ inApp }) => inApp)
      .map(({ function: name }) => name)
  t.same(ownOf('java', thread, { ...cart, in_app: true }, bank, accessor), ['pay'], 'the SDK knows the own packages')
  t.same(ownOf('java', thread, cart, bank, accessor), ['send', 'pay'], 'it does not: all but those of the platform')
  t.same(ownOf('python', { filename: 'shop/scala/cart.py', function: 'pay' }), ['pay'])
})

t.test('groups an event of an export as the inbox that exported it', async (t) => {
  const event = createEvent({ exceptions: [createException({ frames: [createFrame({ file: 'client/cart.js' })] })] })
  const again = normalise(toSentryEvent(event, null)).detail
  t.same(again.exceptions[0]?.frames[0]?.built, createFrame().built)
  t.same(groupEvent(again), groupEvent(event))
  const sent = (data: object) => [{ type: 'E', value: 'x', stacktrace: { frames: [{ filename: 'a.js', data }] } }]
  for (const data of [{ symbolicated: true }, { symbolicated: 'true', orig_filename: 'b.js' }])
    t.equal(detailOf({ exception: sent(data) }).exceptions[0]?.frames[0]?.built, undefined)
})

t.test('removes the line breaks that Ruby sends in source lines', async (t) => {
  const frame = { pre_context: ['def create\n', '\r\n'], context_line: '  save!\r\n', post_context: ['end\n'] }
  const { exceptions } = detailOf({ exception: [{ type: 'X', stacktrace: { frames: [frame] } }] })
  t.same(exceptions[0]?.frames[0]?.source, { before: ['def create', ''], line: '  save!', after: ['end'] })
})

t.test('reads local variables without secrets', async (t) => {
  const frame = {
    filename: 'app.py',
    function: 'pay',
    lineno: 3,
    vars: { cart: ['a', 'b'], password: 'hunter2', none: null }
  }
  const { exceptions } = detailOf({ exception: [{ type: 'E', value: 'x', stacktrace: { frames: [frame] } }] })
  t.same(exceptions[0]?.frames[0]?.variables, { cart: '["a","b"]', password: '[Filtered]' })
})

t.test('reads a stack outside of the exception: of the crashed thread, or of the event', async (t) => {
  const stacktrace = {
    frames: [
      { filename: 'a.js', function: 'outer' },
      { filename: 'b.js', function: 'inner' }
    ]
  }
  const exception = { values: [createRawException({ stacktrace: undefined })] }
  for (const over of [
    { threads: { values: [{ id: 1 }, { id: 2, crashed: true, stacktrace }] } },
    { threads: [{ id: 2, current: true, stacktrace }] },
    { stacktrace },
    { 'sentry.interfaces.Stacktrace': stacktrace }
  ])
    t.match(
      detailOf({ exception, ...over }).exceptions[0]?.frames,
      [{ function: 'inner' }, { function: 'outer' }],
      'innermost first'
    )
})

t.test('a stack without frames has no frames', async (t) => {
  const exceptionOf = (over: object) => detailOf({ exception: [{ type: 'E', value: 'x', ...over }] }).exceptions[0]
  for (const frames of [null, undefined, [], 'none']) {
    const stacktrace = { frames, registers: { pc: '0x1' } }
    t.same(exceptionOf({ stacktrace })?.frames, [], String(frames))
  }
})

t.test('reads the component stack of React in the formats of Chromium and Firefox', async (t) => {
  const stacks = [
    '\n    at Card (https://shop.example/assets/a.js:1:20)\n    at div\n    at Page (https://shop.example/assets/b.js:2:3)',
    'Card@https://shop.example/assets/a.js:1:20\nPage@https://shop.example/assets/b.js:2:3'
  ]
  for (const componentStack of stacks)
    t.match(
      detailOf({ contexts: { react: { componentStack } } }).components?.filter(({ file }) => file !== ''),
      [
        { function: 'Card', file: 'https://shop.example/assets/a.js', line: 1, column: 20 },
        { function: 'Page', line: 2 }
      ]
    )
})

t.test('reads debug ids by file', async (t) => {
  const id = '5e8c0f5e-1f7e-4a5d-9b1c-0123456789ab'
  const images = [
    { type: 'sourcemap', code_file: 'https://shop.example/a.js', debug_id: id.toUpperCase() },
    { type: 'elf', code_file: '/bin/x', debug_id: id },
    { type: 'sourcemap', code_file: 'https://shop.example/b.js', debug_id: 'none' }
  ]
  t.same([...normalise(createRawEvent({ debug_meta: { images } })).debugIds], [['https://shop.example/a.js', id]])
})
