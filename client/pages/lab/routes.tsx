import type { Ctx, PageProps } from '@hull/shell/client'
import { LabPage } from '../../components/lab/lab-page.tsx'

export const layout = 'lab'

export const getData = async ({ server }: Ctx) => ({ routes: await server.pages.listRoutes() })

export const getMeta = () => ({ title: 'Routes · Lab', robots: 'noindex' })

export default function RoutesPage({ data }: PageProps<typeof getData>) {
  return (
    <LabPage
      title="Routes"
      expect="Every page and route of this server, as npm run routes prints them. Sizes are those of the last build, compressed with Brotli."
    >
      <div className="table-wrap">
        <table className="table">
          <thead>
            <tr>
              {['Pattern', 'Methods', 'File', 'Guards', 'Layouts', 'Cache', 'Flags', 'First JS', 'Own chunk'].map(
                (name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                )
              )}
            </tr>
          </thead>
          <tbody>
            {data.routes.map(({ pattern, methods, file, guards, layouts, cache, flags, firstScript, ownChunk }) => (
              <tr key={`${pattern} ${file}`}>
                <th scope="row">
                  <code>{isOpenable(pattern, methods) ? <a href={pattern}>{pattern}</a> : pattern}</code>
                </th>
                <td>{methods.join(', ')}</td>
                <td>{file}</td>
                <td>{list(guards)}</td>
                <td>{list(layouts)}</td>
                <td>{cache ?? '-'}</td>
                <td>{list(flags)}</td>
                <td>{toSize(firstScript)}</td>
                <td>{toSize(ownChunk)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </LabPage>
  )
}

const list = (names: string[]) => names.join(', ') || '-'

/** Whether the address is complete, and a document. */
const isOpenable = (pattern: string, methods: string[]) => methods.includes('GET') && !/[[*:]/.test(pattern)

const toSize = (bytes?: number) => (bytes === undefined ? '-' : `${(bytes / 1_000).toFixed(1)} kB`)
