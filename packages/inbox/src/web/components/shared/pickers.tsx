import { useState } from 'react'
import { SubmitButton } from './controls.tsx'
import { RANGES, toTimeField, withView, type InboxView, type RangeName } from '../../view.ts'
import { Choices, Menu } from './menu.tsx'
import { formatHour } from './format.ts'
import { useZone } from './use-zone.ts'
import { fromClock, toClock, zoneName } from './zone.ts'
import { Text } from './text.tsx'

/** The current page and its view. */
export interface Picking {
  /** Path and query of the current page. */
  here: string
  view: InboxView
}

export function ProjectPicker({ here, view, projects }: Picking & { projects: Array<{ id: number; name: string }> }) {
  const { project } = view
  const shown = projects.find(({ id }) => id === project)
  return (
    <Menu
      key={here}
      purpose="Project"
      side="end"
      label={shown && <Text max={24}>{shown.name}</Text>}
      className={shown ? 'menu-set' : ''}
    >
      <Choices
        choices={[
          {
            href: withView(here, { ...view, project: undefined, release: undefined, environment: undefined }),
            label: 'All projects',
            isChosen: !shown
          },
          ...projects.map(({ id, name }) => ({
            href: withView(here, { ...view, project: id, release: undefined, environment: undefined }),
            label: <Text max={60}>{name}</Text>,
            isChosen: id === project
          }))
        ]}
      />
    </Menu>
  )
}

interface ValuePickerProps extends Picking {
  name: 'environment' | 'release'
  values: string[]
}

/** Picker of an environment or a release; nothing if there is none. */
export function ValuePicker({ here, view, name, values }: ValuePickerProps) {
  const chosen = view[name]
  // an address may name an environment or release that no longer exists
  const listed = chosen === undefined || values.includes(chosen) ? values : [chosen, ...values]
  if (listed.length === 0) return null
  return (
    <Menu
      key={here}
      purpose={name === 'environment' ? 'Environment' : 'Release'}
      side="end"
      label={chosen && <Text max={24}>{chosen}</Text>}
      className={chosen === undefined ? '' : 'menu-set'}
    >
      <Choices
        choices={[
          {
            href: withView(here, { ...view, [name]: undefined }),
            label: `Any ${name}`,
            isChosen: chosen === undefined
          },
          ...listed.map((value) => ({
            href: withView(here, { ...view, [name]: value }),
            label: <Text max={60}>{value}</Text>,
            isChosen: value === chosen
          }))
        ]}
      />
    </Menu>
  )
}

/** Short text for the bar. */
const RANGE_LABELS: Record<RangeName, string> = { '1h': '1 hour', '24h': '24 hours', '7d': '7 days', '30d': '30 days' }

const RANGE_WORDS: Record<RangeName, string> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days'
}

/** Description of a view's range: `last 24 hours`, `20 Nov 09:00 to 20 Nov 12:00 UTC+1`. */
export function useRangeWords({ range, since, until }: InboxView): string {
  const zone = useZone()
  return range === 'custom'
    ? `${formatHour(since, zone)} to ${formatHour(until, zone)} ${zoneName(until, zone)}`
    : RANGE_WORDS[range].toLowerCase()
}

/** The same in a sentence: `in the last 24 hours`, `from 20 Nov 09:00 to 20 Nov 12:00 UTC+1`. */
export function useRangePhrase(view: InboxView): string {
  const words = useRangeWords(view)
  return view.range === 'custom' ? `from ${words}` : `in the ${words}`
}

export function RangePicker({ here, view }: Picking) {
  const { range, since, until } = view
  const words = useRangeWords(view)
  const { pathname, searchParams } = new URL(withView(here, view), 'http://here.invalid')
  const kept = [...searchParams].filter(([name]) => name !== 'range' && name !== 'since' && name !== 'until')
  return (
    <Menu
      key={here}
      purpose="Time"
      side="end"
      label={range === 'custom' ? words : RANGE_LABELS[range]}
      className={range === '24h' ? '' : 'menu-set'}
    >
      <Choices
        choices={(Object.keys(RANGES) as RangeName[]).map((name) => ({
          href: withView(here, { ...view, range: name }),
          label: RANGE_WORDS[name],
          isChosen: name === range
        }))}
      />
      <form className="menu-foot" action={pathname}>
        {kept.map(([name, value]) => (
          <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
        ))}
        <TimeField name="since" label="From" at={since} isRequired />
        <TimeField name="until" label="To" at={until} />
        <SubmitButton label="Show" />
      </form>
    </Menu>
  )
}

/** Time field in the viewer's zone, which the form submits in UTC. Without script the user enters UTC. */
function TimeField({ name, label, at, isRequired }: { name: string; label: string; at: number; isRequired?: boolean }) {
  const zone = useZone()
  const [typed, setTyped] = useState<string>()
  const value = typed ?? toTimeField(toClock(at, zone).getTime())
  const clock = Date.parse(`${value}Z`)
  const time = Number.isNaN(clock) ? undefined : fromClock(clock, zone)
  return (
    <label className="menu-field">
      <span>{`${label} (${zoneName(time ?? at, zone)})`}</span>
      <input
        className="input"
        type="datetime-local"
        name={zone === 'UTC' ? name : undefined}
        value={value}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        required={isRequired}
      />
      {zone !== 'UTC' && <input type="hidden" name={name} value={time === undefined ? '' : toTimeField(time)} />}
    </label>
  )
}
