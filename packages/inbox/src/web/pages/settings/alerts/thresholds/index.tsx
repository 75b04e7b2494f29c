import { ErrorSummary, invalid, redirect, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { FieldForm, SubmitButton } from '../../../../components/shared/controls.tsx'
import { toId } from '../../../../../to-id.ts'
import { requireAdmin } from '../../../../../access/guard.ts'
import { checkThreshold } from '../../../../../alerts/threshold-input.ts'
import type { MeasuredThreshold } from '../../../../../alerts/thresholds.ts'
import { THRESHOLD_KINDS, type ThresholdKind } from '../../../../../alerts/types.ts'
import { THRESHOLD_WORDS, toCondition, toFigureText } from '../../../../alert-words.ts'
import { Choice } from '../../../../components/settings/choice.tsx'
import { Crumbs, Empty, Section, Tabs } from '../../../../components/shared/parts.tsx'
import { Table, TextCell } from '../../../../components/shared/table.tsx'
import { NEW_VALUES, ThresholdFields } from '../../../../components/settings/threshold-form.tsx'
import { ThresholdState } from '../../../../components/settings/threshold-state.tsx'
import { useZone } from '../../../../components/shared/use-zone.ts'
import { orInvalid } from '../../../../view-models/or-invalid.ts'
import { readThresholdForm } from '../../../../view-models/alert-forms.ts'

export const layout = 'inbox-settings'

const HERE = '/inbox/settings/alerts/thresholds'

export const guard = (ctx: Ctx) => requireAdmin(ctx)

const readKind = (search: URLSearchParams): ThresholdKind =>
  THRESHOLD_KINDS.find((kind) => kind === search.get('kind')) ?? 'spike'

export async function getData({ server, search }: Ctx) {
  const { queries } = server.inbox!
  const [projects, channels, thresholds] = await Promise.all([
    queries.listProjects(),
    queries.listChannels(),
    queries.listThresholds({ now: Date.now() })
  ])
  return {
    kind: readKind(search),
    projects: projects.map(({ id, name }) => ({ id, name })),
    channels: channels.map(({ id, name }) => ({ id, name })),
    thresholds
  }
}

export const getMeta = () => ({ title: 'Thresholds · Settings · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { form, search, server } = ctx
  const { person: by } = await requireAdmin(ctx)
  const input = readThresholdForm(form, readKind(search))
  const errors = checkThreshold(input)
  if (errors) return invalid(errors as Record<string, string>)
  const change = server.inbox!.changes.createThreshold({ ...input, project: toId(form.get('project')), by })
  const field = input.issue === undefined ? 'project' : 'issue'
  const id = await orInvalid(change, 'APP_INBOX_THRESHOLD_INVALID', field)
  if (typeof id !== 'number') return id
  redirect(HERE)
}

export default function ThresholdsPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { kind, projects, channels, thresholds } = data
  const refused = form ?? { errors: {}, values: NEW_VALUES[kind] }
  return (
    <>
      <Crumbs above={[{ href: '/inbox/settings/alerts', label: 'Alerts' }]} here="Thresholds" />
      <Section id="thresholds" title="Thresholds">
        {thresholds.length > 0 ? (
          <Thresholds rows={thresholds} />
        ) : (
          <Empty title="No thresholds yet">
            <p>
              A threshold sends a message about a spike of errors, a low rate of crash-free sessions, or a poor web
              vital, and another when it has ended.
              {channels.length === 0 && ' Create a channel first.'}
            </p>
          </Empty>
        )}
      </Section>
      {channels.length > 0 && (
        <Section id="new-threshold" title="New threshold">
          <Tabs
            label="Kind of the threshold"
            tabs={THRESHOLD_KINDS.map((name) => ({
              href: `${HERE}?kind=${name}#new-threshold`,
              label: THRESHOLD_WORDS[name],
              isCurrent: name === kind
            }))}
          />
          <ErrorSummary form={form} title="The threshold was not created" />
          <FieldForm submit={<SubmitButton kind="main" label="Create threshold" />}>
            <div className="field">
              <Choice
                name="project"
                label="Project"
                options={projects.map(({ id, name }) => [id, name])}
                value={refused.values.project}
              />
              {form?.errors.project && <p className="field-error">{form.errors.project}</p>}
            </div>
            <ThresholdFields kind={kind} isNew channels={channels} form={refused} />
          </FieldForm>
        </Section>
      )}
    </>
  )
}

function Thresholds({ rows }: { rows: MeasuredThreshold[] }) {
  const zone = useZone()
  return (
    <Table columns={['Fires if', 'Project', 'Channel', 'Current value', 'State']}>
      {rows.map(({ threshold, reading, isPast }) => (
        <tr key={threshold.id}>
          <th scope="row">
            <a href={`${HERE}/${threshold.id}`}>{toCondition(threshold)}</a>
          </th>
          <TextCell label="Project" text={threshold.projectName} />
          <TextCell label="Channel" text={threshold.channelName} />
          <td data-label="Current value">{toFigureText(threshold, reading, zone)}</td>
          <td data-label="State">
            <ThresholdState threshold={threshold} isPast={isPast} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
