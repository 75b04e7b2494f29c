import type { Frame } from '../store/model.ts'

/** Source files of the made-up shop, in which the sample errors occur. */
const FILES: Record<string, string> = {
  'client/pages/checkout/index.tsx': `import { useState } from 'react'
import { type Ctx, Form, notFound, type PageProps } from '@hull/shell/client'
import { CartLine } from '../../components/cart-line.tsx'
import { formatPrice } from '../../components/format.ts'

export async function getData({ fetch, session }: Ctx<'/checkout'>) {
  const cart = await fetch(\`/api/carts/\${session.cart}\`).then((response) => response.json())
  return { cart, addresses: await loadAddresses(session) }
}

export default function CheckoutPage({ data }: PageProps<typeof getData>) {
  const [voucher, setVoucher] = useState<Voucher>()
  const total = data.cart.lines.reduce((sum, line) => sum + line.price * line.quantity, 0)
  const [shipping] = data.addresses

  async function applyVoucher(code: string) {
    const response = await fetch(\`/api/vouchers/\${code}\`)
    const { discount } = await response.json()
    setVoucher({ code, percent: discount.percent })
  }

  return (
    <Form method="post" className="checkout">
      {data.cart.lines.map((line) => <CartLine key={line.id} line={line} currency={data.cart.currency} />)}
      <p>Ships to {shipping.city}, {shipping.country.name}</p>
      <output>{formatPrice(total, data.cart.currency, voucher)}</output>
      <VoucherField onApply={applyVoucher} />
    </Form>
  )
}
`,
  'client/components/cart-line.tsx': `import { formatPrice } from './format.ts'

export interface CartLineProps {
  line: Line
  currency: string
  onQuantity?: (quantity: number) => void
}

export function CartLine({ line, currency, onQuantity }: CartLineProps) {
  const { image, title } = line.product
  return (
    <li className="cart-line">
      <img src={image.thumbnail} alt="" width="64" height="64" />
      <span>{title}</span>
      <input
        type="number"
        value={line.quantity}
        onChange={(event) => onQuantity(event.target.valueAsNumber)}
      />
      <strong>{formatPrice(line.price * line.quantity, currency)}</strong>
    </li>
  )
}
`,
  'client/components/format.ts': `/** A price as people of a locale write it. */
export function formatPrice(cents: number, currency: string, voucher?: Voucher): string {
  const reduced = voucher ? cents * (1 - voucher.percent / 100) : cents
  return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(reduced / 100)
}

export function formatDay(day: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'long' }).format(new Date(day))
}
`,
  'client/components/price-chart.tsx': `import { useEffect, useRef } from 'react'

/** Prices of the last year. */
export function PriceChart({ points }: { points: Point[] }) {
  const canvas = useRef<HTMLCanvasElement>(null)

  useEffect(() => {
    const context = canvas.current!.getContext('2d')!
    const scale = canvas.current!.height / Math.max(...points.map((point) => point.price))
    context.beginPath()
    for (const [index, point] of points.entries()) {
      const previous = points[index - 1]
      context.lineTo(index * 4, previous.price * scale)
      context.lineTo(index * 4 + 4, point.price * scale)
    }
    context.stroke()
  }, [points])

  return <canvas ref={canvas} width="360" height="120" />
}
`,
  'client/components/search-field.tsx': `import { useDeferredValue, useEffect, useState } from 'react'

export function SearchField({ onResults }: { onResults: (results: Result[]) => void }) {
  const [text, setText] = useState('')
  const query = useDeferredValue(text)

  useEffect(() => {
    if (query.length < 2) return
    const controller = new AbortController()
    suggest(query, controller.signal).then(onResults)
    return () => controller.abort()
  }, [query, onResults])

  return <input type="search" value={text} onChange={(event) => setText(event.target.value)} />
}

async function suggest(query: string, signal: AbortSignal): Promise<Result[]> {
  const response = await fetch(\`/api/suggest?q=\${encodeURIComponent(query)}\`, { signal })
  if (!response.ok) throw new Error(\`suggestions failed: \${response.status}\`)
  return (await response.json()).results
}
`,
  'client/pages/items/[id].tsx': `import { lazy, Suspense } from 'react'

const PriceChart = lazy(() => import('../../components/price-chart.tsx'))

export async function getData({ params, server }: Ctx<'/items/[id]'>) {
  const item = await server.stock.findItem(params.id)
  if (!item) notFound()
  return { item, prices: await server.stock.listPrices(item.id) }
}

export default function ItemPage({ data }: PageProps<typeof getData>) {
  const { item, prices } = data
  return (
    <article>
      <h1>{item.title}</h1>
      <p>{item.variants[0].availability.label}</p>
      <Suspense fallback={<p>Loading prices</p>}>
        <PriceChart points={prices} />
      </Suspense>
    </article>
  )
}
`,
  'lib/stock.ts': `import { FetchFailed } from './errors.ts'
import type { PageFetch } from './fetch/page-fetch.ts'

export interface Stock {
  findItem: (id: string) => Promise<Item | undefined>
  reserve: (item: string, quantity: number) => Promise<Reservation>
}

export function createStock(fetch: PageFetch, url: string): Stock {
  async function ask<T>(path: string, init?: RequestInit): Promise<T> {
    const response = await fetch(new URL(path, url), init)
    if (!response.ok) throw new FetchFailed('GET', path, 4, \`status \${response.status}\`)
    return response.json() as Promise<T>
  }

  return {
    findItem: (id) => ask<Item | undefined>(\`/items/\${id}\`),
    async reserve(item, quantity) {
      const { warehouse, left } = await ask<Level>(\`/items/\${item}/level\`)
      if (left < quantity) throw new RangeError(\`\${item}: \${quantity} wanted, \${left} left in \${warehouse.name}\`)
      return ask<Reservation>(\`/reservations\`, { method: 'POST', body: JSON.stringify({ item, quantity }) })
    }
  }
}
`,
  'lib/payments.ts': `import { createHmac, timingSafeEqual } from 'node:crypto'

export class PaymentDeclined extends Error {
  override name = 'PaymentDeclined'
}

export async function charge(order: Order, card: Card, gateway: Gateway): Promise<Receipt> {
  const answer = await gateway.post('/charges', { amount: order.total, currency: order.currency, token: card.token })
  if (answer.status === 'declined') throw new PaymentDeclined(\`\${answer.reason} (order \${order.id})\`)
  return toReceipt(answer)
}

export function verifySignature(body: string, signature: string, secret: string): void {
  const expected = createHmac('sha256', secret).update(body).digest()
  const given = Buffer.from(signature, 'hex')
  if (!timingSafeEqual(expected, given)) throw new Error('the signature of the webhook does not match')
}
`,
  'lib/orders.ts': `import type { DatabaseSync } from 'node:sqlite'
import { charge } from './payments.ts'

export async function placeOrder(db: DatabaseSync, cart: Cart, card: Card): Promise<Order> {
  const order = toOrder(cart)
  try {
    for (const line of cart.lines) await stock.reserve(line.item, line.quantity)
    const receipt = await charge(order, card, gateway)
    insertOrder(db, order, receipt)
  } catch (error) {
    throw new Error(\`order \${order.id} could not be placed\`, { cause: error })
  }
  return order
}

function insertOrder(db: DatabaseSync, order: Order, receipt: Receipt): void {
  const statement = db.prepare('INSERT INTO orders (id, total, receipt) VALUES (?, ?, ?)')
  statement.run(order.id, order.total, receipt.number)
}
`,
  'routes/orders.ts': `import type { FastifyInstance } from 'fastify'
import { placeOrder } from '../lib/orders.ts'

export default async function orders(app: FastifyInstance) {
  app.post('/api/orders', async function createOrder(request, reply) {
    const { cart, card } = request.body as OrderRequest
    const order = await placeOrder(app.db, await app.carts.get(cart), card)
    return reply.code(201).send({ id: order.id, total: order.total.toFixed(2) })
  })

  app.get('/api/orders/:id', async function readOrder(request) {
    const order = app.orders.find(request.params.id)
    return { ...order, customer: order.customer.name.trim() }
  })
}
`,
  'lib/mail.ts': `import { createTransport } from 'nodemailer'

export async function sendReceipt(order: Order, to: string): Promise<void> {
  const transport = createTransport(settings.smtp)
  const { rejected } = await transport.sendMail({ to, subject: \`Your order \${order.id}\`, text: render(order) })
  if (rejected.length > 0) throw new Error(\`the receipt was rejected for \${rejected.length} addresses\`)
}
`
}

/** Frames of libraries with source maps applied, innermost first. */
const LIBRARIES: Record<string, [file: string, function_: string, line: number, column: number][]> = {
  'react-dom': [
    ['node_modules/react-dom/cjs/react-dom-client.production.js', 'renderWithHooks', 5654, 20],
    ['node_modules/react-dom/cjs/react-dom-client.production.js', 'updateFunctionComponent', 7475, 19],
    ['node_modules/react-dom/cjs/react-dom-client.production.js', 'beginWork', 8525, 18],
    ['node_modules/react-dom/cjs/react-dom-client.production.js', 'performUnitOfWork', 14988, 22],
    ['node_modules/react-dom/cjs/react-dom-client.production.js', 'workLoopSync', 14889, 41],
    ['node_modules/react-dom/cjs/react-dom-client.production.js', 'renderRootSync', 14869, 11],
    ['node_modules/react-dom/cjs/react-dom-client.production.js', 'performWorkOnRoot', 14363, 44],
    ['node_modules/react-dom/cjs/react-dom-client.production.js', 'performWorkOnRootViaSchedulerTask', 15955, 7],
    ['node_modules/scheduler/cjs/scheduler.production.js', 'performWorkUntilDeadline', 151, 50]
  ],
  fastify: [
    ['node_modules/fastify/lib/handle-request.js', 'preHandlerCallback', 137, 37],
    ['node_modules/fastify/lib/handle-request.js', 'validationCompleted', 121, 5],
    ['node_modules/fastify/lib/content-type-parser.js', 'defaultJsonParser', 223, 5]
  ],
  undici: [
    ['node_modules/undici/lib/web/fetch/index.js', 'fetchFinale', 1140, 13],
    ['node_modules/undici/lib/web/fetch/index.js', 'mainFetch', 770, 5],
    ['node_modules/undici/lib/dispatcher/client-h1.js', 'onSocketError', 928, 12]
  ]
}

/** Returns a frame of own code, at the position of `text` in a file. */
export function own(file: string, name: string, text: string): Frame {
  const lines = FILES[file]!.split('\n')
  const index = lines.findIndex((line) => line.includes(text))
  if (index < 0) throw new Error(`${file} has no "${text}"`)
  const column = lines[index]!.indexOf(text) + 1
  const built = file.startsWith('client/')
    ? { file: `https://shop.example/assets/${chunkOf(file)}`, line: 1, column: 4_000 + index * 131, function: 'Xe' }
    : { file: 'dist/server/index.js', line: 900 + index, column: 9 }
  return {
    file,
    function: name,
    line: index + 1,
    column,
    inApp: true,
    source: {
      before: lines.slice(Math.max(0, index - 3), index),
      line: lines[index]!,
      after: lines.slice(index + 1, index + 4)
    },
    built
  }
}

export const library = (name: string): Frame[] =>
  LIBRARIES[name]!.map(([file, function_, line, column]) => {
    const package_ = file.split('/')[1]!
    return { file, function: function_, line, column, inApp: false, package: package_ }
  })

/** Returns a frame without a source map. */
export function unmapped(file: string, name: string, line: number, column: number): Frame {
  return { file, function: name, line, column, inApp: true }
}

function chunkOf(file: string): string {
  const name = file
    .split('/')
    .at(-1)!
    .replace(/\.\w+$/, '')
    .replace(/\W/g, '')
  return `${name}-${[...file].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7).toString(36)}.js`
}
