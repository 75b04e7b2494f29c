import { DAY } from '@hull/common/time.ts'
import type { StoreHealth } from '../queries/overview/health-types.ts'
import { countOf } from '../web/components/shared/format.ts'
import type { Examination, Outcome } from './finding.ts'

/**
 * Share of a day's in-app frames without source above which the doctor warns. Our choice: frames of browser extensions
 * stay below it.
 */
const MANY_UNRESOLVED = 0.1

export function checkBrowser({ now }: Examination, { lastReceived: { browser } }: StoreHealth): Outcome {
  if (browser === undefined)
    return {
      check: 'No browser has reached the tunnel yet',
      verdict: 'look',
      says: 'No event has arrived from a browser yet.',
      todo: 'Open a page of the application. If no event arrives, POST /monitoring may be blocked: TUNNEL_ALIAS adds a second path that blockers do not know.'
    }
  if (browser < now - DAY)
    return {
      check: 'No browser has reached the tunnel for a day',
      verdict: 'look',
      says: 'No event has arrived from a browser for a day. The last one arrived',
      at: browser,
      todo: 'This is normal without visitors. Otherwise open a page and look for POST /monitoring in the network panel of the browser.'
    }
  return { verdict: 'good', says: 'The last event from a browser arrived', at: browser }
}

export function checkServer({ now }: Examination, { lastReceived: { server } }: StoreHealth): Outcome {
  if (server === undefined)
    return {
      check: 'The server has not reported events yet',
      verdict: 'quiet',
      says: 'The server has not reported anything yet: no error, and no sampled request.',
      todo: 'TRACES_SAMPLE_RATE sets the share of requests that are traced.'
    }
  const last = { says: 'The last event from the server arrived', at: server }
  if (server < now - DAY) return { check: 'The server has not reported events for a day', verdict: 'quiet', ...last }
  return { verdict: 'good', ...last }
}

/** Of an inbox without an application: services may run in browsers, on servers, or on both. */
export function checkServices(
  { now }: Examination,
  { lastReceived: { browser = 0, server = 0 } }: StoreHealth
): Outcome {
  const at = Math.max(browser, server)
  if (at === 0)
    return {
      check: 'No service has reported events yet',
      verdict: 'look',
      says: 'No event has arrived from a service yet.',
      todo: 'Give the SDK of a service the DSN of its project: Settings, Projects.'
    }
  const last = { says: 'The last event from a service arrived', at }
  if (at < now - DAY) return { check: 'No service has reported events for a day', verdict: 'quiet', ...last }
  return { verdict: 'good', ...last }
}

const UPLOAD = 'Upload the source maps of the services: see docs/source-maps.md of @hull/inbox.'

export function checkMaps({ isAlone }: Examination, { maps, unresolved: { frames, of } }: StoreHealth): Outcome {
  const { sample } = maps
  if (isAlone && maps.maps === 0 && frames === 0)
    return {
      check: 'Source maps',
      verdict: 'quiet',
      says: 'There are no source maps, and no frame of the last day needed one.'
    }
  const shown =
    sample && `${sample.file}:${sample.line}${sample.function === undefined ? '' : ` in ${sample.function}`}`
  if (maps.maps === 0)
    return {
      check: 'Source maps are missing',
      verdict: 'look',
      says: 'There are no source maps, so stack traces show the built code.',
      todo: isAlone
        ? UPLOAD
        : 'npm run build writes source maps, and the server imports them when it starts. In development there are none.'
    }
  const share = of === 0 ? 0 : frames / of
  const has = `${countOf(maps.maps, 'source map')} of ${countOf(maps.releases, 'release')} ${maps.maps === 1 ? 'is' : 'are'} stored.`
  if (share > MANY_UNRESOLVED)
    return {
      check: 'Source maps of some frames are missing',
      verdict: 'look',
      says: `${has} ${frames} of ${of} in-app frames of the last day had no source map.`,
      todo: isAlone
        ? UPLOAD
        : 'These frames belong to a release whose build is gone, or to scripts that are not part of the build.',
      ...(shown !== undefined && { sample: shown })
    }
  return {
    verdict: 'good',
    says: of === 0 ? has : `${has} ${of - frames} of ${of} in-app frames of the last day were resolved.`,
    ...(shown !== undefined && { sample: shown })
  }
}
