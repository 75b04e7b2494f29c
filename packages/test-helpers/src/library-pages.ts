import type { Page } from 'playwright'

/** Steps for each page of packages/shell/test/fixtures/libraries; each waits for its result. */
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
      // Set by a style attribute and by the provider's style element.
      await page.waitForFunction(() =>
        document.querySelector('main button, #root button')!.matches('[style*="--button-bg"]')
      )
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByRole('dialog').getByText('It is open').waitFor()
    }
  }
]

/** Allows style attributes, which Mantine and Radix write; the rules for scripts stay strict. */
export const LIBRARY_CSP = "style-src-attr 'unsafe-inline'"
