import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Replaces Hull's packages in `vendor/` by the same code with another version, as an upgrade does. */
export function raiseVersion(app: string, version: string): void {
  const vendor = join(app, 'vendor')
  for (const file of globSync('*.tgz', { cwd: vendor })) {
    const old = join(vendor, file)
    const unpacked = mkdtempSync(join(vendor, 'unpacked-'))
    execFileSync('tar', ['-xzf', old, '-C', unpacked])
    edit(join(unpacked, 'package/package.json'), (text) =>
      text.replaceAll(/("(?:version|@hull\/\w+)": ")[^"]+/g, `$1${version}`)
    )
    execFileSync('tar', ['-czf', old.replace(/[\d.]+(?=\.tgz$)/, version), '-C', unpacked, 'package'])
    rmSync(unpacked, { recursive: true })
    rmSync(old)
  }
  edit(join(app, 'package.json'), (text) => text.replaceAll(/(vendor\/hull-\w+-)[\d.]+(?=\.tgz")/g, `$1${version}`))
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}
