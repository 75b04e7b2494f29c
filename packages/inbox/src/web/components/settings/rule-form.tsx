import type { ReactNode } from 'react'
import { LEVEL_WORDS, PROPOSED_LEVEL, RULE_WORDS } from '../../alert-words.ts'
import { SubmitButton } from '../shared/controls.tsx'
import { Choice } from './choice.tsx'

interface RuleFormProps {
  projects: { id: number; name: string }[]
  channels: { id: number; name: string }[]
  /** Values that were refused. @default none */
  values?: Record<string, string | undefined> | undefined
}

/** Form of a new rule, as a sentence. */
export function RuleForm({ projects, channels, values = {} }: RuleFormProps) {
  const toOption = ({ id, name }: { id: number; name: string }) => [id, name] as const
  return (
    <form method="post" className="row">
      <Part>
        <Choice name="when" label="When" options={Object.entries(RULE_WORDS)} value={values['when']} />
      </Part>
      <Part>
        <Choice name="project" label="in" options={projects.map(toOption)} value={values['project']} />
      </Part>
      <Part>
        <Choice
          name="level"
          label="level"
          options={Object.entries(LEVEL_WORDS)}
          value={values['level'] ?? PROPOSED_LEVEL}
        />
      </Part>
      <Part>
        <label htmlFor="environments">environments</label>
        <input
          className="input input-choice"
          id="environments"
          name="environments"
          placeholder="all"
          defaultValue={values['environments']}
          autoComplete="off"
          spellCheck={false}
        />
      </Part>
      <Part>
        <Choice name="channel" label="send to" options={channels.map(toOption)} value={values['channel']} />
      </Part>
      <SubmitButton kind="main" intent="create-rule" label="Create rule" />
    </form>
  )
}

/** A control with its label, on one line. */
const Part = ({ children }: { children: ReactNode }) => <span className="rule-part">{children}</span>
