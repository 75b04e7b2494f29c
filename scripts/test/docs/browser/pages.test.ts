import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { writeExamples } from '@hull/test-helpers/doc-examples.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const COMPONENT = 'client/components/local-date.tsx'

const PAGE = `import { LocalDate } from '../components/local-date.tsx'
export const getData = () => new Date('2026-03-01T22:30:00Z')
export default ({ data }) => <LocalDate at={data} />`

function writeSite() {
  const folder = createFolder(t)
  writeExamples('docs/pages.md', join(folder, 'all'))
  const site = join(folder, 'site')
  for (const name of ['pages', 'components']) mkdirSync(join(site, name), { recursive: true })
  writeFileSync(join(site, 'components/local-date.tsx'), readFileSync(join(folder, 'all', COMPONENT)))
  writeFileSync(join(site, 'pages/index.tsx'), PAGE)
  return site
}

const browser = await launchBrowser(t)
const { origin } = await createListeningApp(t, { site: await buildSite(writeSite()) })

for (const javaScriptEnabled of [true, false])
  t.test(
    `a date has the zone of the browser ${javaScriptEnabled ? 'with' : 'or is UTC without'} JavaScript`,
    async (t) => {
      const tab = await openTab(t, browser, {
        origin,
        javaScriptEnabled,
        timezoneId: 'Asia/Tokyo',
        locale: 'de-DE'
      })
      await tab.open('/')
      if (javaScriptEnabled) await hydrated(tab.page)
      t.equal(
        await tab.page.getByRole('time').innerText(),
        javaScriptEnabled ? '2.3.2026, 07:30:00' : '2026-03-01 22:30 UTC'
      )
    }
  )
