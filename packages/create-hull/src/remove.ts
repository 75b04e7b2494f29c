import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A part of the application that can be deleted. */
export interface Part {
  /** Files and folders to delete. */
  paths: readonly string[]
  /** Texts by file: lines that contain one of them are deleted. */
  lines: Readonly<Record<string, readonly string[]>>
}

/** Parts to delete, in the order of docs/owning.md. A test compares the two, and deletes each part from a copy. */
export const PARTS = {
  lab: {
    paths: [
      'client/pages/lab',
      'client/layouts/lab.tsx',
      'client/layouts/lab-notebook.tsx',
      'client/components/lab',
      'routes/lab',
      'test/lab'
    ],
    lines: {
      'config.ts': ['LAB_SETTINGS', 'values.lab'],
      'client/pages/index.tsx': ['lab: ', 'LabStep'],
      'client/public/robots.txt': ['/lab'],
      'plugins/inbox.ts': ['LAB_SAMPLE']
    }
  },
  inbox: {
    paths: ['packages/inbox', 'plugins/inbox.ts', 'client/components/inbox-step.tsx'],
    lines: {
      'server.ts': [
        'plugins/inbox.ts',
        'app.register(inbox',
        'app.register(applicationInboxPages',
        'sign-in link of the inbox',
        'print?:'
      ],
      'config.ts': ['INBOX_SETTINGS', 'the inbox in this process'],
      'vite.config.ts': ['@hull/inbox/web'],
      'package.json': ['"inbox'],
      'client/pages/index.tsx': ['inbox: ', 'InboxStep'],
      'client/layouts/lab.tsx': ['inbox: ']
    }
  }
} as const satisfies Record<string, Part>

/**
 * Deletes a part from an application. Skips files that the application does not have.
 * @param root the application's folder
 * @throws Error naming a file, and a text that none of its lines contains; nothing is deleted in that case
 */
export function removePart(root: string, { paths, lines }: Part): void {
  const edited = Object.entries(lines)
    .map(([file, texts]) => ({ path: join(root, file), file, texts }))
    .filter(({ path }) => existsSync(path) && !paths.some((removed) => path.startsWith(join(root, removed, '/'))))
    .map(({ path, file, texts }) => ({ path, text: withoutLines(file, readFileSync(path, 'utf8'), texts) }))
  for (const { path, text } of edited) writeFileSync(path, text)
  for (const path of paths) rmSync(join(root, path), { recursive: true, force: true })
}

function withoutLines(file: string, text: string, texts: readonly string[]): string {
  const lines = text.split('\n')
  for (const wanted of texts)
    if (!lines.some((line) => line.includes(wanted))) throw new Error(`${file} has no line with ${wanted}`)
  return lines.filter((line) => !texts.some((wanted) => line.includes(wanted))).join('\n')
}
