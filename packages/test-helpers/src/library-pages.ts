import type { Page } from 'playwright'

/** What a page of packages/shell/test/fixtures/libraries does in the browser; each waits until it has happened. */
export const LIBRARY_PAGES: Array<{ path: string; title: string; use: (page: Page) => Promise<unknown> }> = [
  {
    path: '/mui',
    title: 'MUI',
    async use(page) {
      await page.waitForFunction(() => getComputedStyle(document.querySelector('main button')!).borderRadius === '4px')
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByRole('dialog').getByText('It is open').waitFor()
    }
  },
  {
    path: '/radix',
    title: 'Radix',
    async use(page) {
      await page.getByRole('combobox').click()
      await page.getByRole('option').press('Enter')
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByRole('dialog').getByText('It is open').waitFor()
      // A style element keeps the page behind a dialog from scrolling.
      await page.waitForFunction(() => getComputedStyle(document.body).overflow === 'hidden')
    }
  },
  {
    path: '/query',
    title: 'Query',
    async use(page) {
      await page.getByText('from the server').waitFor()
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('from the browser').waitFor()
    }
  },
  {
    path: '/form',
    title: 'Form',
    async use(page) {
      await page.getByLabel('Name').fill('Grace')
      await page.getByText('Hello Grace').waitFor()
    }
  },
  {
    path: '/mantine',
    title: 'Mantine',
    async use(page) {
      // From a style attribute, and from a style element of the provider.
      await page.waitForFunction(() =>
        document.querySelector('main button, #root button')!.matches('[style*="--button-bg"]')
      )
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByRole('dialog').getByText('It is open').waitFor()
    }
  }
]

/** Lets style attributes through, which Mantine and Radix write; scripts stay as strict as they are. */
export const LIBRARY_CSP = "style-src-attr 'unsafe-inline'"
