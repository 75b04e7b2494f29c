export interface Behaviour {
  href: string
  /** Expected result, as a sentence. */
  does: string
  /** Other addresses of the same page. */
  also?: Array<[href: string, label: string]>
}

export interface BehaviourGroup {
  title: string
  behaviours: Behaviour[]
}

const thrownFrom = (href: string): Behaviour['also'] => [
  [`${href}?in=data`, 'in getData'],
  [`${href}?in=component`, 'while rendering']
]

export const CATALOGUE: BehaviourGroup[] = [
  {
    title: 'Addresses',
    behaviours: [
      { href: '/lab/items', does: 'Shows fifty items from a function in the same process.' },
      {
        href: '/lab/items/7',
        does: 'Shows one item, found by the dynamic segment; an id that is unknown is 404.',
        also: [['/lab/items/999', 'unknown']]
      },
      {
        href: '/lab/docs/guide/first-steps',
        does: 'Takes one segment or more, each decoded once; an encoded slash stays inside its segment.',
        also: [
          ['/lab/docs/a%2Fb/c', 'encoded slash'],
          ['/lab/docs', 'none']
        ]
      },
      {
        href: '/lab/shop',
        does: 'Takes any number of segments, none included.',
        also: [
          ['/lab/shop/block', 'one'],
          ['/lab/shop/block/8%20mm', 'two']
        ]
      }
    ]
  },
  {
    title: 'Outcomes',
    behaviours: [
      { href: '/lab/redirect', does: 'Redirects to the items.' },
      { href: '/lab/redirect-loop', does: 'Redirects to itself; the server detects it and answers 500 with a digest.' },
      {
        href: '/lab/unauthorized',
        does: 'Answers 401 and offers to sign in; signed in, you come back and see the page.',
        also: thrownFrom('/lab/unauthorized')
      },
      { href: '/lab/forbidden', does: 'Answers 403.', also: thrownFrom('/lab/forbidden') },
      { href: '/lab/missing', does: 'Answers 404.', also: thrownFrom('/lab/missing') },
      { href: '/lab/sign-in', does: 'Takes any name, keeps it in the session, and shows who is signed in.' }
    ]
  },
  {
    title: 'Time',
    behaviours: [
      {
        href: '/lab/stream',
        does: 'Shows its head at once, reviews after 0.3 s and stock after 0.9 s.',
        also: [
          ['/lab/stream?fail=1', 'reviews fail'],
          ['/lab/stream?redirect=1', 'stock redirects'],
          ['/lab/stream?missing=1', 'stock is missing']
        ]
      },
      {
        href: '/lab/slow?ms=2000',
        does: 'Waits for its data, up to 15 s; after the render timeout it is 500.',
        also: [['/lab/slow?ms=15000', '15 s']]
      },
      {
        href: '/lab/flaky?fail=2',
        does: 'Fetches from an upstream that fails that many times; up to three failures are retried.',
        also: [
          ['/lab/flaky?fail=0', '0'],
          ['/lab/flaky?fail=3', '3'],
          ['/lab/flaky?fail=4', '4: gives up']
        ]
      },
      { href: '/lab/never', does: 'Suspends without end; the render timeout answers 500 with a digest.' },
      {
        href: '/lab/cached',
        does: 'Is rendered once for all visitors: the same for 5 s, then replaced in the background for 30 s, or new at once when its tag is invalidated.'
      }
    ]
  },
  {
    title: 'Errors',
    behaviours: [
      { href: '/lab/error/data', does: 'getData throws: 500 with a digest.' },
      { href: '/lab/error/render', does: 'The component throws on the server: 500 with a digest.' },
      {
        href: '/lab/error/hydrate',
        does: 'The server renders it; the component throws in the browser, and the error page replaces it.'
      },
      { href: '/lab/error/click', does: 'A button’s handler throws; the page stays as it is.' },
      { href: '/lab/error/promise', does: 'A button rejects a promise that nothing handles; the page stays as it is.' }
    ]
  },
  {
    title: 'Forms and modes',
    behaviours: [
      {
        href: '/lab/form',
        does: 'Shows each error next to its field and keeps what you typed; works without JavaScript.'
      },
      {
        href: '/lab/layout/a',
        does: 'Shares a layout with page B; a count and a note survive the navigation.',
        also: [['/lab/layout/b', 'page B']]
      },
      {
        href: '/lab/types',
        does: 'Carries Date, Map, Set, BigInt, undefined, cycles and repeated references to the browser intact.'
      },
      { href: '/lab/document', does: 'Has no script.' },
      { href: '/lab/routes', does: 'Lists every page and route of this server with guards, layouts, cache and sizes.' },
      { href: '/lab/client', does: 'Is rendered in the browser only, with data from the server.' }
    ]
  }
]
