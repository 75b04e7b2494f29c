import type { LightMyRequestResponse } from 'fastify'
import { EXPORTED, PAYLOAD_ID } from '../../routing/payload.ts'

/** Directives that a browser ignores outside of the header (CSP Level 3 §3.3). */
const HEADER_ONLY = /^(frame-ancestors|report-uri|sandbox)\b/

const CHARSET = /\s*<meta charset=[^>]*>/i

/** Metadata in a document in place of its headers: the encoding, in the first 1,024 bytes, and the policy. */
export function toExportedDocument({ body, headers }: LightMyRequestResponse): string {
  const policy = String(headers['content-security-policy'] ?? '')
    .split('; ')
    .filter((directive) => !HEADER_ONLY.test(directive))
    .join('; ')
  const first = `<meta charset="utf-8"><meta http-equiv="content-security-policy" content="${policy}">`
  return body
    .replace(CHARSET, '')
    .replace(/<head[^>]*>/, (head) => head + first)
    .replace(`<script type="application/json" id="${PAYLOAD_ID}"`, (start) => `${start} data-${EXPORTED}`)
}
