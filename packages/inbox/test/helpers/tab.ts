import type { FastifyInstance } from 'fastify'
import type { Browser } from 'playwright'
import type { Test } from 'tap'
import { openTab, type TabOptions } from '@hull/test-helpers/browser.ts'
import { signIn } from '@hull/test-helpers/inbox-visitor.ts'

/** Opens a tab in which an admin is signed in to the inbox. */
export async function openInboxTab(
  t: Test,
  browser: Browser,
  { app, ...options }: TabOptions & { app: FastifyInstance; name?: string }
) {
  const { cookies } = await signIn(app, options.name)
  const tab = await openTab(t, browser, options)
  const url = options.origin
  await tab.page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url })))
  return tab
}
