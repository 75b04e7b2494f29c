export interface LabPage {
  path: string
  /** @default 200 */
  status?: number
  title: string
  /** Text that a visitor reads on it, with or without script. */
  text: string
  /** The page has no script. @default false */
  plain?: boolean
  /** Its text changes each time, or appears only with script. @default false */
  varies?: boolean
}

const SENTENCE = 'Application error: a client-side or server-side exception has occurred while loading'

const FAILED = { status: 500, title: 'Application error', text: SENTENCE, plain: true, varies: true }
const MISSING = { status: 404, title: 'Not found', text: 'There is no page at this address.' }
const REFUSED = { status: 403, title: 'Not allowed', text: 'Not allowed' }
const STRANGER = { status: 401, title: 'Sign in', text: 'Sign in to continue' }

/** Every page of the lab, and the home page, with the expected result of opening its address. */
export const LAB_PAGES: LabPage[] = [
  { path: '/', title: 'Hull', text: 'Hull is running', varies: true },
  { path: '/lab', title: 'Lab', text: 'One page for each behaviour. Each entry describes what should happen.' },
  { path: '/lab/items', title: 'Items · Lab', text: '50 items from a function in the same process' },
  { path: '/lab/items/7', title: 'Snap hook 8 mm · Lab', text: 'Snap hook 8 mm' },
  { path: '/lab/items/999', status: 404, title: 'Not found', text: 'There is no item 999.' },
  { path: '/lab/docs/guide/first-steps', title: 'first-steps · Lab', text: '2 segments' },
  { path: '/lab/docs/a%2Fb/c', title: 'c · Lab', text: 'a%2Fb' },
  { path: '/lab/docs', ...MISSING },
  { path: '/lab/shop', title: 'Shop · Lab', text: 'everything below it that is on a shelf' },
  { path: '/lab/shop/block/8%20mm', title: 'Block 8 mm · Lab', text: 'Block 8 mm' },
  { path: '/lab/shop/nowhere', status: 404, title: 'Not found', text: 'There is no such shelf in the shop.' },
  { path: '/lab/stream', title: 'Stream · Lab', text: '14 pieces in the shed by the slipway.' },
  { path: '/lab/redirect', title: 'Items · Lab', text: '50 items' },
  { path: '/lab/redirect-loop', ...FAILED },
  { path: '/lab/unauthorized', ...STRANGER },
  { path: '/lab/unauthorized?in=data', ...STRANGER },
  { path: '/lab/unauthorized?in=component', ...STRANGER },
  { path: '/lab/forbidden', ...REFUSED },
  { path: '/lab/forbidden?in=data', ...REFUSED },
  { path: '/lab/forbidden?in=component', ...REFUSED },
  { path: '/lab/missing', ...MISSING },
  { path: '/lab/missing?in=data', ...MISSING },
  { path: '/lab/missing?in=component', ...MISSING },
  { path: '/lab/sign-in', title: 'Sign in · Lab', text: 'Any name will do: this is a stub' },
  { path: '/lab/flaky?fail=1', title: 'Flaky · Lab', text: 'The upstream fails 1 time.', varies: true },
  { path: '/lab/error/data', ...FAILED },
  { path: '/lab/error/render', ...FAILED },
  { path: '/lab/error/click', title: 'Error in a handler · Lab', text: 'thrown 0 times' },
  { path: '/lab/error/promise', title: 'Rejected promise · Lab', text: 'rejected 0 times' },
  { path: '/lab/slow?ms=100', title: 'Slow · Lab', text: 'The data took 100 ms.' },
  { path: '/lab/form', title: 'Form · Lab', text: 'Claim an expense' },
  { path: '/lab/layout/a', title: 'Page A · Lab', text: 'The layout they share' },
  { path: '/lab/layout/b', title: 'Page B · Lab', text: 'The layout they share' },
  { path: '/lab/types', title: 'Types · Lab', text: '1208925819614629174706176' },
  { path: '/lab/routes', title: 'Routes · Lab', text: 'client/pages/lab/routes.tsx' },
  { path: '/lab/document', title: 'Document · Lab', text: 'This document has no script', plain: true, varies: true },
  { path: '/lab/cached', title: 'Cached · Lab', text: 'Rendered at', varies: true }
]
