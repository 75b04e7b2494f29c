import { ErrorSummary, Field, invalid, type ActionCtx, type Ctx, type PageProps } from '@hull/shell/client'
import { textOf } from '@hull/shell'
import { FieldForm, SubmitButton } from '../../components/shared/controls.tsx'
import { requireReader } from '../../../access/guard.ts'
import { toPersonName } from '../../../access/person-name.ts'
import { API_PATH } from '../../../api/routes.ts'
import { toId } from '../../../to-id.ts'
import { Choice } from '../../components/settings/choice.tsx'
import { Confirm } from '../../components/shared/confirm.tsx'
import { Copyable } from '../../components/shared/copyable.tsx'
import { Section } from '../../components/shared/parts.tsx'
import { SecretList } from '../../components/settings/secret-list.tsx'
import { Text } from '../../components/shared/text.tsx'
import { TimeAgo } from '../../components/shared/time.tsx'

export const layout = 'inbox-settings'

export async function getData(ctx: Ctx) {
  const { server, origin } = ctx
  const { person: me } = await requireReader(ctx, 'member')
  const fresh = server.inboxAccess.freshTokens(ctx, me)
  const all = await server.inbox!.queries.listTokens()
  // Members see their own.
  const tokens = me.role === 'admin' ? all : all.filter(({ personId }) => personId === me.person)
  return {
    address: origin + server.basePath + API_PATH,
    tokens: tokens.map(({ hash, personId: _personId, ...token }) => ({ ...token, text: fresh.get(hash) }))
  }
}

export const getMeta = () => ({ title: 'Tokens · Settings · Inbox', robots: 'noindex' })

export async function action(ctx: ActionCtx) {
  const { form, server } = ctx
  const { person: me } = await requireReader(ctx, 'member')
  const intent = form.get('intent')
  if (intent === 'revoke') {
    const { tokens } = await getData(ctx)
    const id = toId(form.get('id'))
    if (tokens.some((token) => token.id === id)) await server.inbox!.changes.revokeToken({ id, by: me.person })
  } else if (intent === 'create') {
    const name = toPersonName(textOf(form, 'name'))
    const scope = textOf(form, 'scope')
    if (name === undefined) return invalid({ name: 'Enter a name of up to 60 characters for the token.' })
    if (scope !== 'read' && scope !== 'write') return invalid({ scope: 'Choose what the token allows.' })
    server.inboxAccess.showToken(ctx, me, await server.inboxTokens.create(me, { name, scope }))
  }
}

const SCOPE_WORDS = { read: 'read', write: 'read and change' } as const

export default function TokensPage({ data, form }: PageProps<typeof getData, typeof action>) {
  const { address, tokens } = data
  return (
    <>
      <Section id="tokens" title="Tokens">
        <SecretList
          noun="token"
          entries={tokens.map(({ id, name, scope, person, created, lastUsed, text }) => ({
            id,
            title: <Text max={60}>{name}</Text>,
            created,
            by: person,
            facts: [
              ` · ${SCOPE_WORDS[scope]} · `,
              ...(lastUsed === undefined ? ['never used'] : ['last used ', <TimeAgo key="used" at={lastUsed} />])
            ],
            secret: text,
            action: (
              <Confirm label="Revoke" intent="revoke" fields={{ id }}>
                Programs that send this token are refused at once.
              </Confirm>
            )
          }))}
        />
        <p className="lead">
          A program sends a token to read the inbox, or to resolve, ignore and comment on issues in your name. It never
          has more rights than you have at that time. Only its hash is stored: the token itself is shown to you for ten
          minutes, so copy it.
        </p>
      </Section>
      <Section id="new-token" title="New token">
        <ErrorSummary form={form} title="The token was not created" />
        <FieldForm submit={<SubmitButton kind="main" intent="create" label="Create token" />}>
          <Field
            name="name"
            label="Name"
            hint="Such as the program that uses it."
            form={form}
            autoComplete="off"
            maxLength={60}
          />
          <div className="field">
            <Choice
              name="scope"
              label="Allows to"
              options={[
                ['read', 'read'],
                ['write', 'read and change issues']
              ]}
              value={form?.values.scope}
            />
          </div>
        </FieldForm>
      </Section>
      <Section id="use" title="Addresses">
        <p className="lead">The JSON API. Its OpenAPI description is at /openapi.json below this address.</p>
        <Copyable text={address} label="API address" />
        <p className="lead">The MCP endpoint, for assistants that read and resolve issues.</p>
        <Copyable text={`${address}/mcp`} label="MCP address" />
      </Section>
    </>
  )
}
