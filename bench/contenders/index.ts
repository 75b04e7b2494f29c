import type { ContenderName } from '../options.ts'
import type { Contender } from './contender.ts'
import { floor } from './floor.ts'
import { hull, hullNoInbox } from './hull.ts'
import { nextSentry } from './next-sentry.ts'
import { next } from './next.ts'
import { reactRouter } from './react-router.ts'
import { stock } from './stock.ts'
import { tanstack } from './tanstack.ts'

export const contenders: Record<ContenderName, Contender> = {
  floor,
  hull,
  'hull-no-inbox': hullNoInbox,
  stock,
  tanstack,
  'react-router': reactRouter,
  next,
  'next-sentry': nextSentry
}
