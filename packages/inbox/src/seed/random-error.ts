import type { Level, Side } from '../store/model.ts'
import type { Random } from './random.ts'
import type { SampleError } from './sample-errors.ts'
import { library } from './sources.ts'

const WORDS = [
  'stock',
  'basket',
  'coupon',
  'address',
  'invoice',
  'shipment',
  'wishlist',
  'review',
  'refund',
  'profile',
  'catalogue',
  'newsletter'
]
const TYPES = [
  'TypeError',
  'Error',
  'RangeError',
  'ReferenceError',
  'AbortError',
  'NetworkError',
  'TimeoutError',
  'ValidationError'
]
const PROBLEMS = [
  'is not a function',
  'is not iterable',
  'could not be read',
  'timed out',
  'is undefined',
  'was refused',
  'has no such field',
  'exceeded its limit'
]

/** Creates an error with words from short lists, so that errors resemble each other as in real data. */
export function createRandomError(random: Random, number: number): SampleError {
  const [noun, problem] = [random.pick(WORDS), random.pick(PROBLEMS)]
  const side: Side = random.chance(0.6) ? 'browser' : 'server'
  const folder = side === 'browser' ? 'client/components' : 'lib'
  const route = side === 'browser' ? `/${noun}/[id]` : `GET /api/${noun}/:id`
  return {
    side,
    route,
    rate: random.between(1, 5),
    age: random.between(2, 30),
    type: random.pickSkewed(TYPES),
    value: () => `${noun}${number}.${random.pick(WORDS)} ${problem}`,
    url: `https://shop.example/${side === 'browser' ? '' : 'api/'}${noun}/${random.below(40)}`,
    mechanism: side === 'browser' ? 'onerror' : 'fastify',
    handled: random.chance(0.4),
    level: random.pickSkewed<Level>(['error', 'warning', 'fatal', 'info', 'debug'], 5),
    frames: [
      {
        file: `${folder}/${noun}-${number}.ts`,
        function: `read${number}`,
        line: random.between(3, 180),
        column: random.between(3, 60),
        inApp: true
      },
      ...(side === 'browser' ? library('react-dom') : library('fastify'))
    ],
    tags: [
      ['region', random.pick(['eu-west', 'us-east', 'ap-south'])],
      ['feature', random.pick(WORDS)]
    ]
  }
}
