import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { renderError } from '../../src/server/render-error.ts'

const root = createFolder(t)
const file = join(root, 'page.tsx')
writeFileSync(file, 'one\ntwo\nthrow three\nfour\nfive\nsix\n')

const createError = (message: string, frames: string[], options?: ErrorOptions) =>
  Object.assign(new TypeError(message, options), {
    stack: [`TypeError: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n')
  })

t.test('starts with the place in the application, its lines and its frames', async (t) => {
  const error = createError('no price', [
    `find (${join(root, 'node_modules/shop/index.js')}:1:1)`,
    `run (${join(root, 'packages/shell/src/run.ts')}:1:1)`,
    `async getData (${file}:3:7)`,
    `file://${join(root, 'routes/prices.ts')}:8:2`,
    'node:internal/process/task_queues:104:5',
    '/elsewhere/file.js:1:1'
  ])
  t.equal(
    renderError(root, error),
    `page.tsx:3:7
TypeError: no price
  1 | one
  2 | two
> 3 | throw three
    |       ^
  4 | four
  5 | five
    at async getData in page.tsx:3:7
    at routes/prices.ts:8:2
    … 4 frames of Hull, Node and packages`
  )
})

t.test('renders the place of an error of Vite, and of each cause', async (t) => {
  const cause = createError('deeper', [`load (${file}:1:1)`])
  const error = Object.assign(createError('cannot be read', [], { cause }), {
    id: `${file}?v=1`,
    loc: { line: 6, column: 1 }
  })
  t.equal(
    renderError(root, error),
    `page.tsx:6:1
TypeError: cannot be read
  4 | four
  5 | five
> 6 | six
    | ^
  7 | 
Cause: page.tsx:1:1
TypeError: deeper
> 1 | one
    | ^
  2 | two
  3 | throw three
    at load in page.tsx:1:1`
  )
})

t.test('renders errors without a place, thrown values, and a cycle of causes', async (t) => {
  t.equal(renderError(root, createError('nowhere', [])), 'TypeError: nowhere')
  t.match(renderError(root, 'a text'), 'a text')
  t.match(
    renderError(root, createError('gone', [`run (${join(root, 'gone.ts')}:1:1)`])),
    /^gone\.ts:1:1\nTypeError: gone\n {4}at run/
  )
  const cycle = createError('around', [])
  cycle.cause = cycle
  t.equal(renderError(root, cycle).split('Cause: ').length, 6)
})
