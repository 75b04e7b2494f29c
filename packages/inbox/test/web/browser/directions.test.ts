import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { launchBrowser } from '@hull/test-helpers/browser.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'
import { sendEvents, sendItems, thrown } from '../../helpers/screens.ts'
import { openInboxTab } from '../../helpers/tab.ts'

const browser = await launchBrowser(t)

/** Returns elements that hide the first letter of an Arabic text, and the number of Arabic texts on the page. */
const findHiddenStarts = () => {
  const texts = document.createTreeWalker(document.querySelector('.inbox')!, NodeFilter.SHOW_TEXT)
  const hidden: string[] = []
  let seen = 0
  while (texts.nextNode()) {
    const range = new Range()
    range.selectNode(texts.currentNode)
    if (!/^\p{Script=Arabic}/u.test(range.toString()) || range.getBoundingClientRect().width <= 1) continue
    seen++
    range.setStart(texts.currentNode, 0)
    range.setEnd(texts.currentNode, 1)
    const first = range.getBoundingClientRect()
    for (let around = texts.currentNode.parentElement; around; around = around.parentElement) {
      const { left, right, width } = around.getBoundingClientRect()
      const isCut = getComputedStyle(around).overflowX !== 'visible' && width > 1
      if (isCut && (first.left < left - 1 || first.right > right + 1)) hidden.push(around.className || around.tagName)
    }
  }
  return { hidden, seen }
}

t.test('a text that is written from right to left is cut at its end', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: { DATA_DIR: createFolder(t), INBOX_PASSWORD } })
  const { page, open } = await openInboxTab(t, browser, { app, origin, viewport: { width: 390, height: 800 } })
  const text = 'تعذر حفظ سلة المشتريات لأن الخادم لم يرد في الوقت المحدد '.repeat(6).trim()
  const traceId = 'a'.repeat(32)
  await sendEvents(app, [{ ...thrown(text.slice(0, 190), text), tags: { متجر: text.slice(0, 190) } }])
  const trace = { trace_id: traceId, span_id: 'b'.repeat(16), op: 'pageload' }
  const now = Date.now() / 1_000
  const transaction = { transaction: text, start_timestamp: now - 1, timestamp: now, contexts: { trace }, spans: [] }
  await sendItems(app, [
    [{ type: 'transaction' }, { event_id: 'c'.repeat(32), platform: 'javascript', ...transaction }]
  ])
  await stored(app, 'transaction', 1)
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    for (const path of ['/inbox', '/inbox/issues', '/inbox/issues/1', `/inbox/traces/${traceId}`]) {
      await open(path)
      const { hidden, seen } = await page.evaluate(findHiddenStarts)
      t.same(hidden, [], `${path} at ${width} px`)
      t.ok(seen > 0)
    }
  }
})
