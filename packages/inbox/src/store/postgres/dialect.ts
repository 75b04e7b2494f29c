/** Text between quotation marks of both kinds, and comments: it is not changed. */
const LITERAL = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--.*$/gm

const toBound = (value: string): string =>
  `ARRAY[${Array.from({ length: 3 }, () => `CAST(${value} AS BIGINT)`).join(', ')}]`

/** Rules that make a statement for SQLite one for PostgreSQL, in their order. The rest of both is the same here. */
const RULES: readonly (readonly [RegExp, string])[] = [
  // SQLite's planner is guided by hints, which PostgreSQL does not have.
  [/\bINDEXED BY \w+/g, ''],
  [/\bCROSS JOIN\b/g, 'JOIN'],
  [/\bLIMIT -1\b/g, ''],
  // With a unary plus, SQLite uses no index of the column. PostgreSQL would use one: it takes half a percent of a table
  // for a range whose bounds it does not know, which is less than a trace where there are few. Three times the same
  // bound counts as most of the table, and still excludes partitions.
  [
    /\+(\w+) BETWEEN (\S+(?: [-+] \d+)?) AND (\S+(?: [-+] \d+)?)/g,
    `$1 >= ANY (${toBound('$2')}) AND $1 <= ANY (${toBound('$3')})`
  ],
  // SQLite compares without the case of English letters.
  [/\bLIKE\b/g, 'ILIKE'],
  [/\bjson_each\b/g, 'json_items'],
  [/\bissue_search MATCH (\S+?)(?=[)\s]|$)/g, 'words @@ to_search($1)'],
  // PostgreSQL reads a name without quotation marks in lower case.
  [/\b[a-z]+[A-Z]\w*\b/g, '"$&"']
]

/** Converts a statement for SQLite to one for PostgreSQL: hints, names and parameters (`?` and `?2` to `$1` and `$2`). */
export function toPostgres(sql: string): string {
  let number = 0
  const convert = (text: string) =>
    RULES.reduce((changed, [pattern, replacement]) => changed.replaceAll(pattern, replacement), text).replaceAll(
      /\?(\d*)/g,
      (_all, digits: string) => {
        const own = digits === '' ? number + 1 : Number(digits)
        number = Math.max(number, own)
        return `$${own}`
      }
    )
  let at = 0
  let converted = ''
  for (const match of sql.matchAll(LITERAL)) {
    converted += convert(sql.slice(at, match.index)) + match[0]
    at = match.index + match[0].length
  }
  return converted + convert(sql.slice(at))
}
