import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Applies the diffs of a document to a copy of an application. A diff begins with `--- <file>`; `@@` separates its
 * places. Each place is found by its lines that are not added.
 * @throws AssertionError if the text of a place is not in its file exactly once
 */
export function applyDiffs(document: string, root: string): void {
  for (const [, indent, file, body] of document.matchAll(/^( *)```diff\n *--- (\S+)\n([^]*?)^ *```$/gm)) {
    const path = join(root, file!)
    let text = readFileSync(path, 'utf8')
    for (const place of body!.split(new RegExp(`^${indent}@@\n`, 'm'))) {
      const lines = place
        .split('\n')
        .slice(0, -1)
        .map((line) => line.slice(indent!.length))
      const linesOf = (...signs: string[]) =>
        lines.filter((line) => signs.includes(line[0]!)).map((line) => line.slice(1))
      const before = linesOf(' ', '-').join('\n')
      assert.equal(text.split(before).length, 2, `${file} has this text once:\n${before}`)
      text = text.replace(before, () => linesOf(' ', '+').join('\n'))
    }
    writeFileSync(path, text)
  }
}
