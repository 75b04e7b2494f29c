import { Field, type FormState } from '@hull/shell/client'
import type { ChannelKind } from '../../../alerts/types.ts'

/** Names of the kinds of channels. */
export const CHANNEL_WORDS: Record<ChannelKind, string> = {
  webhook: 'Webhook',
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  mail: 'Mail'
}

interface ChannelFieldsProps {
  /** Stored values, or refused ones with their errors. */
  form: FormState<Record<string, string>, Record<string, string>> | undefined
}

/** Fields of a channel, for its creation and its page. */
export function ChannelFields({ form }: ChannelFieldsProps) {
  return (
    <>
      <Field name="name" label="Name" hint="Such as the team that reads it." form={form} autoComplete="off" />
      <Field
        name="target"
        label="Address"
        hint="The URL of a webhook, also of Slack, Mattermost, Discord or Teams; or a mail address."
        form={form}
        autoComplete="off"
        spellCheck={false}
      />
      <Field
        name="groupMinutes"
        label="Minutes between messages"
        hint="The first change is sent at once. Changes in the minutes after a message become one message."
        form={form}
        inputMode="numeric"
        autoComplete="off"
      />
      <fieldset className="fields">
        <legend>Quiet hours</legend>
        <p className="field-hint">Nothing is sent between these times. One message follows at the end.</p>
        <div className="row">
          <Field name="quietFrom" label="From" form={form} type="time" />
          <Field name="quietUntil" label="Until" form={form} type="time" />
          <Field name="zone" label="Time zone" form={form} autoComplete="off" spellCheck={false} />
        </div>
      </fieldset>
    </>
  )
}
