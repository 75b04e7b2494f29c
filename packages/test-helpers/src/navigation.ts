import type { Page } from 'playwright'
import { until } from './browser.ts'

/** Content and metadata of a page, after a document load or a navigation. */
export interface PageContent {
  /** Path, query and hash. */
  address: string
  title: string
  text: string
  /** Content of the robots meta tags. */
  robots: string[]
  /** Targets of the links in a fallback. */
  links: string[]
}

/** Clicks a link to an address that is inserted outside of React. */
export async function follow(page: Page, href: string): Promise<void> {
  await page.evaluate((to) => {
    const link = document.createElement('a')
    link.href = to
    document.body.append(link)
    link.click()
    link.remove()
  }, href)
}

/** Waits until the page has an address (path, query and hash) and a first heading. */
export async function untilArrived(page: Page, address: string, heading: string): Promise<void> {
  await until(
    page,
    ([to, name]) =>
      location.pathname + location.search + location.hash === to &&
      document.querySelector('h1')?.textContent?.startsWith(name!) === true,
    [address, heading]
  )
}

/** The page's content, without digests, which differ for each failure. */
export function readPage(page: Page): Promise<PageContent> {
  return page.evaluate(() => ({
    address: location.pathname + location.search + location.hash,
    title: document.title,
    text: document.getElementById('root')?.innerText.replace(/Digest: \w+/, 'Digest: …') ?? document.body.innerText,
    robots: [...document.querySelectorAll<HTMLMetaElement>('meta[name=robots]')].map(({ content }) => content),
    links: [...document.querySelectorAll('.fallback a')].map((link) => link.getAttribute('href') ?? '')
  }))
}

/** Waits until the pages are equal, or long enough to be sure that they are not. */
export async function untilEqual(page: Page, { address, title, text }: PageContent): Promise<void> {
  for (let i = 0; i < 50; i++) {
    const content = await readPage(page)
    if (content.address === address && content.title === title && content.text === text) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Waits until two checks in a row find the same page, and it loads nothing. */
export async function readSettledPage(page: Page): Promise<PageContent> {
  for (let last = ''; ;) {
    await page.waitForLoadState()
    const content = await readPage(page)
    const now = JSON.stringify(content)
    if (now === last && content.text !== '' && !content.text.includes('waiting')) return content
    last = now
    await new Promise((resolve) => setTimeout(resolve, 120))
  }
}
