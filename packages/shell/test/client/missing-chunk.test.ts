import t from 'tap'
import { isMissingChunk } from '../../src/client/missing-chunk.ts'

t.test('each browser has its own text for code that cannot be loaded', async (t) => {
  for (const text of [
    'Failed to fetch dynamically imported module: https://shop.example/assets/part-a1b2c3d4.js',
    'error loading dynamically imported module: https://shop.example/assets/part-a1b2c3d4.js',
    'Importing a module script failed.',
    // Safari, if a proxy answers with a page.
    "'text/html' is not a valid JavaScript MIME type.",
    'Unable to preload CSS for /assets/part-a1b2c3d4.css'
  ])
    t.equal(isMissingChunk(new TypeError(text)), true, text)
  for (const other of [
    new TypeError('Failed to fetch'),
    new Error('import failed'),
    'Importing a module script failed.'
  ])
    t.equal(isMissingChunk(other), false, String(other))
})
