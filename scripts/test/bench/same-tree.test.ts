import { createElement, Suspense, use } from 'react'
import { renderToPipeableStream } from 'react-dom/server'
import { text } from 'node:stream/consumers'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { toTree } from '../../../bench/same-tree.ts'

const page = (main: string) =>
  `<html><head><title>List</title></head><body><div><header>Bench</header>${main}<footer></footer></div></body></html>`

t.test('toTree', async (t) => {
  const floor = toTree(page('<main class="list"><p>50<!-- --> items</p><a href="/item/1">One</a></main>'))

  t.test('ignores attributes, comments and scripts that a framework adds', async (t) => {
    t.equal(
      toTree(
        '<title data-x="1">List</title><header data-page>Bench</header><main class="list"><p>50 items</p><a data-discover="true" href="/item/1">One</a><script>scroll()</script></main><footer></footer>'
      ),
      floor
    )
  })
  t.test('detects another word, element, `href`, title or header', async (t) => {
    t.not(toTree(page('<main><p>49 items</p><a href="/item/1">One</a></main>')), floor)
    t.not(toTree(page('<main><div>50 items</div><a href="/item/1">One</a></main>')), floor)
    t.not(toTree(page('<main><p>50 items</p><a href="/item/2">One</a></main>')), floor)
    t.not(toTree(page('<main><p>50 items</p><a href="/item/1">One</a></main>').replace('List', 'Home')), floor)
    t.not(toTree(page('<main><p>50 items</p><a href="/item/1">One</a></main>').replace('Bench', 'Other')), floor)
  })
  t.test('moves streamed content into its place', async (t) => {
    const streamed = toTree(page(await stream()))
    t.equal(streamed, toTree(page('<main><p>before</p><ul><li>late</li><li><b>later</b></li></ul><p>after</p></main>')))
  })
})

/** Renders a Suspense boundary inside of another; React streams the content of both after the page. */
async function stream(): Promise<string> {
  const later = (milliseconds: number, value: string) =>
    new Promise<string>((resolve) => setTimeout(resolve, milliseconds, value))
  const Late = ({ value, children }: { value: Promise<string>; children?: React.ReactNode }) =>
    createElement('li', null, use(value), children)
  const Later = ({ value }: { value: Promise<string> }) =>
    createElement('li', null, createElement('b', null, use(value)))
  const List = ({ value, inner }: { value: Promise<string>; inner: Promise<string> }) =>
    createElement(
      'ul',
      null,
      createElement(Late, { value }),
      createElement(Suspense, { fallback: createElement('li', null, 'wait') }, createElement(Later, { value: inner }))
    )
  const tree = createElement(
    'main',
    null,
    createElement('p', null, 'before'),
    createElement(
      Suspense,
      { fallback: createElement('div', null, 'loading') },
      createElement(List, { value: later(10, 'late'), inner: later(60, 'later') })
    ),
    createElement('p', null, 'after')
  )
  const html = new PassThrough()
  const rendering = renderToPipeableStream(tree, { onShellReady: () => rendering.pipe(html) })
  return text(html)
}
