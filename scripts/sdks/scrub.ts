import { arch, cpus, homedir, hostname, release, version } from 'node:os'

const NEWLINE = 0x0a

/** Values of this machine that may occur in an envelope, with their replacements. */
export type Replacement = readonly [text: string, instead: string]

const MACHINE: Replacement[] = [
  [hostname(), 'client'],
  [homedir(), '/home/client'],
  [version(), 'a system'],
  [release(), '6.1.0'],
  [cpus()[0]?.model ?? '', 'a processor'],
  [arch(), 'x64']
]

/** Replaces values of this machine in an envelope, and corrects the lengths of its items. */
export function scrubEnvelope(envelope: Buffer, replacements: readonly Replacement[]): Buffer {
  const all = [...replacements, ...MACHINE].filter(([text]) => text.length > 2)
  const scrub = (bytes: Buffer) =>
    Buffer.from(all.reduce((text, [from, to]) => text.replaceAll(from, to), String(bytes)))
  const pieces: Buffer[] = []
  const lineEnd = (from: number) => {
    const at = envelope.indexOf(NEWLINE, from)
    return at === -1 ? envelope.length : at
  }
  const line = (text: string | Buffer) => pieces.push(Buffer.from(text as string), Buffer.from('\n'))

  let at = lineEnd(0)
  line(scrub(envelope.subarray(0, at)))
  for (at++; at < envelope.length;) {
    const headerEnd = lineEnd(at)
    if (headerEnd === at) {
      at++
      continue
    }
    const header = JSON.parse(envelope.toString('utf8', at, headerEnd)) as { length?: number }
    const end = header.length === undefined ? lineEnd(headerEnd + 1) : headerEnd + 1 + header.length
    const payload = scrub(envelope.subarray(headerEnd + 1, end))
    if (header.length !== undefined) header.length = payload.length
    line(JSON.stringify(header))
    line(payload)
    at = end + 1
  }
  return Buffer.concat(pieces)
}

/** Types of an envelope's items, in order. */
export function typesOf(envelope: Buffer): string[] {
  const types: string[] = []
  let at = envelope.indexOf(NEWLINE) + 1
  while (at > 0 && at < envelope.length) {
    const headerEnd = envelope.indexOf(NEWLINE, at)
    const header = JSON.parse(envelope.toString('utf8', at, headerEnd)) as { type: string; length?: number }
    types.push(header.type)
    const end = header.length === undefined ? envelope.indexOf(NEWLINE, headerEnd + 1) : headerEnd + 1 + header.length
    at = end === -1 ? envelope.length : end + 1
  }
  return types
}
