import { listOf } from './message.ts'
import type { AlertChange, AlertMessage } from './types.ts'

/* Messages for incoming webhooks of chats. */

/** Maximum characters of a message of Discord. */
const MAX_DISCORD = 2_000

/** Body for Slack, and for chats that accept its incoming webhooks, such as Mattermost. */
export const toSlackBody = (message: AlertMessage): string =>
  JSON.stringify({
    text: toLines(message, {
      bold: (text) => `*${escapeSlack(text)}*`,
      // Mattermost makes no link of a text in which a bracket has no pair.
      link: (text, url) => (hasPairs(text) ? `<${url}|${escapeSlack(text)}>` : `${escapeSlack(text)} <${url}>`),
      plain: escapeSlack
    })
  })

/**
 * Escapes Slack's control characters: https://docs.slack.dev/messaging/formatting-message-text#escaping. Spaces without
 * width keep Mattermost, which reads Markdown, from mentions and links, and from an escape of the end of our own link.
 */
const escapeSlack = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[*_~`|]/g, '\u200B$&')
    .replace(/[@\\]|\](?=[([])|:(?=\/\/)|www\./gi, '$&\u200B')

/** Whether the square brackets of a text are pairs. */
function hasPairs(text: string): boolean {
  let open = 0
  for (const [bracket] of text.matchAll(/[[\]]/g)) {
    open += bracket === '[' ? 1 : -1
    if (open < 0) return false
  }
  return open === 0
}

const escapeDiscord = (text: string): string => text.replace(/[\\`*_~|<>[\]()#@:-]/g, String.raw`\$&`)

const DISCORD: Markup = {
  bold: (text) => `**${escapeDiscord(text)}**`,
  link: (text, url) => `[${escapeDiscord(text)}](<${url}>)`,
  plain: escapeDiscord
}

/** Body for Discord, with as many changes as it accepts. Names in titles mention nobody. */
export const toDiscordBody = (message: AlertMessage): string => {
  let { changes } = message
  let text = toLines(message, DISCORD)
  while (text.length > MAX_DISCORD && changes.length > 0) {
    changes = changes.slice(0, -1)
    text = toLines({ ...message, changes }, DISCORD)
  }
  return JSON.stringify({ content: text.slice(0, MAX_DISCORD).toWellFormed(), allowed_mentions: { parse: [] } })
}

/**
 * Body for a workflow of Microsoft Teams: a message with an adaptive card. A rich text shows its runs as they are, while
 * the other texts of cards are Markdown.
 */
export function toTeamsBody(message: AlertMessage): string {
  const { title, changes, total, url } = message
  const toLine = (text: string, look: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...look }]
  })
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      toLine(title, { weight: 'Bolder' }),
      ...changes.map((change) => toLine(change.text, toSelectAction(urlOf(change)))),
      ...(total > changes.length ? [toLine(moreOf(message))] : [])
    ],
    actions: url === undefined ? [] : [{ type: 'Action.OpenUrl', title: listNameOf(message), url }]
  }
  return JSON.stringify({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }]
  })
}

const toSelectAction = (url: string | undefined): object =>
  url === undefined ? {} : { selectAction: { type: 'Action.OpenUrl', url } }

interface Markup {
  bold: (text: string) => string
  link: (text: string, url: string) => string
  plain: (text: string) => string
}

/** The title in bold, and a line for each change. */
function toLines(message: AlertMessage, markup: Markup): string {
  const { title, changes, total, url } = message
  const toLine = (change: AlertChange) => {
    const url = urlOf(change)
    return url === undefined ? markup.plain(change.text) : markup.link(change.text, url)
  }
  const lines = [markup.bold(title), ...changes.map(toLine)]
  if (total > changes.length) lines.push(markup.plain(moreOf(message)))
  if (url !== undefined) lines.push(markup.link(listNameOf(message), url))
  return lines.join('\n')
}

/** Address of what changed. Undefined if BASE_URL is not set. */
export const urlOf = ({ issue, monitor, feedback, threshold }: AlertChange): string | undefined =>
  issue?.url ?? monitor?.url ?? feedback?.url ?? threshold?.url

/** Text of the link to the list that a message's `url` leads to. */
export const listNameOf = ({ counts }: AlertMessage): string => `All ${listOf(counts)}`

/** Says how many changes a message does not describe. */
export const moreOf = ({ total, changes }: AlertMessage): string =>
  `and ${(total - changes.length).toLocaleString('en')} more`
