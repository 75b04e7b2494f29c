import type { ReactNode } from 'react'
import { SubmitButton } from '../shared/controls.tsx'
import type { Assignee } from '../../../queries/issues/issue-types.ts'
import { Menu } from '../shared/menu.tsx'
import { Text } from '../shared/text.tsx'
import { useNow } from '../shared/time.tsx'
import { useZone } from '../shared/use-zone.ts'
import { listMornings } from './mornings.ts'

/** A change of an issue: form value and label. */
type Change = readonly [value: string, label: ReactNode]

const RESOLVE: Change[] = [
  ['resolve', 'Now'],
  ['resolve-next', 'In the next release']
]

const IGNORE: Change[] = [
  ['ignore', 'Forever'],
  ['ignore-10', 'Until 10 more events'],
  ['ignore-100', 'Until 100 more events'],
  ['ignore-1000', 'Until 1,000 more events']
]

/** Ways to ignore until a morning: in the viewer's time zone, or in UTC without script. */
const useMornings = (): Change[] => listMornings(useNow(), useZone())

interface ButtonsProps {
  /** `menu-up` opens the menus above the buttons. */
  className?: string
  /** Shows the button, disabled. */
  isOff?: boolean
}

interface DeleteButtonProps extends ButtonsProps {
  /** Names what will be deleted. */
  what: string
  /** Side of the button to which the confirmation is aligned. @default start */
  side?: 'start' | 'end'
}

/** Buttons of a menu, each with a change that it requests. */
const Changes = ({ changes }: { changes: readonly Change[] }) => (
  <ul className="choices">
    {changes.map(([value, label]) => (
      <li key={value}>
        <button type="submit" name="do" value={value}>
          {label}
        </button>
      </li>
    ))}
  </ul>
)

export function ResolveButtons({ className = '', isOff = false }: ButtonsProps) {
  return (
    <div className="split" inert={isOff}>
      <SubmitButton kind="main" name="do" value="resolve" data-key="resolve" disabled={isOff} label="Resolve" />
      <Menu className={`menu-button menu-main ${className}`} purpose="More ways to resolve" label="">
        <Changes changes={RESOLVE} />
      </Menu>
    </div>
  )
}

export function IgnoreButtons({ className = '', isOff = false }: ButtonsProps) {
  const mornings = useMornings()
  return (
    <div className="split" inert={isOff}>
      <SubmitButton name="do" value="ignore" data-key="ignore" disabled={isOff} label="Ignore" />
      <Menu className={`menu-button ${className}`} purpose="More ways to ignore" label="">
        <Changes changes={[...IGNORE, ...mornings]} />
      </Menu>
    </div>
  )
}

interface AssignMenuProps extends ButtonsProps {
  /** People to whom the issue can be assigned. */
  people: Assignee[]
  /** Id of the person who assigns. */
  me: number
}

/** Assigns to oneself, to somebody else or to nobody. */
export function AssignMenu({ className = '', people, me }: AssignMenuProps) {
  const others = people.filter(({ id }) => id !== me)
  const toOthers = others.map(({ id, name }): Change => [
    `assign-${id}`,
    <Text key={id} max={60}>
      {name}
    </Text>
  ])
  return (
    <Menu className={`menu-button ${className}`} purpose="Assign" label="Assign">
      <Changes changes={[['assign-me', 'Me'], ...toOthers, ['assign-none', 'Nobody']]} />
    </Menu>
  )
}

/** Asks for confirmation of a deletion. */
export function DeleteButton({ className = '', what, side }: DeleteButtonProps) {
  return (
    <Menu className={`menu-button menu-narrow ${className}`} purpose="Delete" label="Delete" side={side}>
      <div className="menu-foot">
        <p>{`Delete ${what}? This cannot be undone. If the error happens again, it starts a new issue.`}</p>
        <SubmitButton kind="bad" name="do" value="delete" label="Delete permanently" />
      </div>
    </Menu>
  )
}
