import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '../../..')

t.test('every class that a document lists is in the stylesheet', async (t) => {
  const [section] = /## Use the classes[\s\S]*?\n## /.exec(readFileSync(join(ROOT, 'docs/styles.md'), 'utf8'))!
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  const classes = rows.flatMap((row) => Array.from(row.split('|')[1]!.matchAll(/`([\w-]+)`/g), ([, name]) => name!))
  t.ok(classes.length > 20, `${classes.length} classes`)
  const folder = join(ROOT, 'packages/shell/src/styles')
  const styles = globSync('*.css', { cwd: folder })
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
  for (const name of classes) t.match(styles, new RegExp(`\\.${name}[\\s,:{.\\[]`), name)
})
