import { MINUTE, SECOND } from '@hull/common/time.ts'
import { clip } from '@hull/common/visible-text.ts'
import { toUnsubscribeUrl } from '../addresses.ts'
import { AlertFailed } from './alert-failed.ts'
import { listNameOf, moreOf, urlOf } from './chat.ts'
import type { AlertChannel, AlertMessage } from './types.ts'

/** Milliseconds until the mail server is connected and greets. */
const TIMEOUT = 10 * SECOND

/**
 * Milliseconds of silence in a conversation. A server may check a mail for a while before it accepts it, and who does not
 * wait for that sends the mail again (RFC 5321, 4.5.3.2.6).
 */
const SILENCE = 2 * MINUTE

/** Milliseconds for a whole conversation. The claim of a message is longer, so that two attempts never overlap. */
const DEADLINE = 4 * MINUTE

/** The mail server, and the sender of the mails. */
export interface MailOptions {
  /** `smtp://` or `smtps://`, with user and password if the server needs them. */
  url: string
  /** Such as `Inbox <inbox@shop.example>`. */
  from: string
}

/** Sends a message to the mail address of a channel. @param signal ends the conversation @throws AlertFailed */
export async function sendMail(
  { message, channel }: { message: AlertMessage; channel: AlertChannel },
  { url, from }: MailOptions,
  { baseUrl, signal }: { baseUrl?: string; signal: AbortSignal }
): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const timeouts = { connectionTimeout: TIMEOUT, greetingTimeout: TIMEOUT, socketTimeout: SILENCE, dnsTimeout: TIMEOUT }
  const transport = createTransport({ url, ...timeouts })
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE)])
  try {
    await transport.sendMail({ from, ...toMail(message, channel, from, baseUrl), signal: deadline })
  } catch (error) {
    if (deadline.aborted)
      throw new AlertFailed(`The mail server did not accept the mail within ${DEADLINE / MINUTE} minutes.`, {
        cause: error
      })
    // The code of nodemailer, such as ESOCKET, is one for many reasons.
    const { response, message: reason } = error as { response?: string; message: string }
    const why = response === undefined ? `cannot be reached: ${reason.trim()}` : `answered: ${response}`
    throw new AlertFailed(`The mail server ${clip(why, 200)}.`, { cause: error })
  } finally {
    transport.close()
  }
}

/**
 * Converts a message to a mail. Mail programs show all mails about one issue as a thread, because each of them refers
 * to the same id, which contains the issue's. A retry has the same Message-ID.
 */
function toMail(message: AlertMessage, channel: AlertChannel, from: string, baseUrl: string | undefined) {
  const domain = /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
  const issues = new Set(message.changes.map(({ issue }) => issue?.id))
  const [issue] = issues
  const thread =
    message.total === message.changes.length && issues.size === 1 && issue !== undefined
      ? `<issue-${issue}.${message.project.id}@${domain}>`
      : undefined
  const unsubscribe = baseUrl === undefined ? undefined : toUnsubscribeUrl(baseUrl, channel)
  return {
    to: channel.target,
    // Mail programs would decode an encoded word of a title (RFC 2047), with invisible characters that the title has not.
    subject: message.title.replaceAll('=?', '= ?'),
    messageId: `<${message.id}@${domain}>`,
    date: new Date(message.timestamp),
    ...(thread !== undefined && { inReplyTo: thread, references: thread }),
    headers: {
      'Auto-Submitted': 'auto-generated',
      // one click, RFC 8058
      ...(unsubscribe !== undefined && {
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click'
      })
    },
    text: toText(message, unsubscribe),
    html: toHtml(message, unsubscribe)
  }
}

function toText(message: AlertMessage, unsubscribe: string | undefined): string {
  const { changes, total, url } = message
  const lines = changes.flatMap((change) => {
    const { text, issue, comment } = change
    const address = urlOf(change)
    return [
      text,
      ...(comment === undefined ? [] : ['', ...comment.split('\n').map((line) => `  ${line}`), '']),
      ...(issue?.culprit ? [`  ${issue.culprit}`] : []),
      ...(address === undefined ? [] : [`  ${address}`]),
      ''
    ]
  })
  if (total > changes.length) lines.push(moreOf(message), '')
  if (url !== undefined) lines.push(`${listNameOf(message)}: ${url}`)
  if (unsubscribe !== undefined) lines.push(`Unsubscribe: ${unsubscribe}`)
  return lines.join('\n')
}

function toHtml(message: AlertMessage, unsubscribe: string | undefined): string {
  const { changes, total, url } = message
  const items = changes.map((change) => {
    const { text, issue, comment } = change
    const address = urlOf(change)
    const said = comment === undefined ? '' : `<blockquote style="white-space:pre-wrap">${escape(comment)}</blockquote>`
    const title = address === undefined ? escape(text) : `<a href="${escape(address)}">${escape(text)}</a>`
    return `<p>${title}${issue?.culprit ? `<br><code>${escape(issue.culprit)}</code>` : ''}</p>${said}`
  })
  if (total > changes.length) items.push(`<p>${escape(moreOf(message))}</p>`)
  const links = [
    ...(url === undefined ? [] : [`<a href="${escape(url)}">${listNameOf(message)}</a>`]),
    ...(unsubscribe === undefined ? [] : [`<a href="${escape(unsubscribe)}">Unsubscribe</a>`])
  ]
  return `<!doctype html><html lang="en"><body>${items.join('')}<p>${links.join(' · ')}</p></body></html>`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
