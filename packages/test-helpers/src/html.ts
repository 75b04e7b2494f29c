export interface Element {
  attributes: Record<string, string>
  text: string
}

/** The element with an id. Its text is not decoded, so use it for script elements only. */
export function readElement(html: string, id: string): Element {
  const element = scanScripts(html).find(({ attributes }) => attributes.id === id)
  if (!element) throw new Error(`no script element with the id ${id}`)
  return element
}

/**
 * Every script element. Finds their ends like the tokeniser of the HTML standard: in script data, `</script` followed
 * by a space, slash or `>` ends the element; after `<!--<script` one more of them is needed.
 */
export function scanScripts(html: string): Element[] {
  const scripts: Element[] = []
  const opening = /<!--[\s\S]*?-->|<script((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*>/gi
  for (let match = opening.exec(html); match; match = opening.exec(html)) {
    if (match[1] === undefined) continue
    const end = endOfScript(html, opening.lastIndex)
    scripts.push({ attributes: readAttributes(match[1]), text: html.slice(opening.lastIndex, end) })
    opening.lastIndex = html.indexOf('>', end) + 1
  }
  return scripts
}

function endOfScript(html: string, from: number): number {
  const mark = /<!--|-->|<\/?script(?=[\s/>])/gi
  mark.lastIndex = from
  let escaped = false
  let nested = false
  for (let match = mark.exec(html); match; match = mark.exec(html)) {
    const token = match[0].toLowerCase()
    if (token === '<!--') escaped = true
    else if (token === '-->') escaped = nested = false
    else if (token === '<script') nested = escaped
    else if (nested) nested = false
    else return match.index
  }
  throw new Error('a script element never ends')
}

function readAttributes(source: string): Record<string, string> {
  return Object.fromEntries(
    [...source.matchAll(/([^\s=]+)(?:="([^"]*)")?/g)].map(([, name, value]) => [name, value ?? ''])
  )
}
