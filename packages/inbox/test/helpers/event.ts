import type { EventDetail, ExceptionDetail, Frame } from '../../src/store/model.ts'

/** Creates an in-app frame in its source, as a source map resolves it. */
export const createFrame = (over: Partial<Frame> = {}): Frame => ({
  file: 'client/cart.tsx',
  function: 'submit',
  line: 12,
  column: 7,
  inApp: true,
  built: { file: 'https://shop.example/assets/cart-BXk29dA3.js', line: 1, column: 4711 },
  ...over
})

export const createException = (over: Partial<ExceptionDetail> = {}): ExceptionDetail => ({
  type: 'TypeError',
  value: 'cart is undefined',
  frames: [createFrame()],
  ...over
})

/** Creates a browser event with an exception that has one in-app frame. */
export const createEvent = (over: Partial<EventDetail> = {}): EventDetail => ({
  eventId: 'a'.repeat(32),
  at: Date.UTC(2026, 10, 20),
  level: 'error',
  side: 'browser',
  platform: 'javascript',
  exceptions: [createException()],
  environment: 'production',
  tags: [],
  breadcrumbs: [],
  contexts: {},
  extra: {},
  ...over
})
