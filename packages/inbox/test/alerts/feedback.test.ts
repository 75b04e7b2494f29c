import t from 'tap'
import { openAlerts } from '../helpers/alerts.ts'
import { createEnvelope, createEventId } from '../helpers/writer.ts'

t.test('feedback of a visitor alerts the rules for it, once', async (t) => {
  const { writer, now, turn, addChannel, addRule, receiver, titles } = await openAlerts(t)
  const [all, production] = [await addChannel({ groupMinutes: 0 }), await addChannel({ groupMinutes: 0 })]
  await addRule(all, 'feedback')
  await addRule(production, 'feedback', 1, ['production'])
  async function send(over: object, feedback: object = {}) {
    const item = {
      event_id: createEventId(),
      contexts: { feedback: { message: 'It broke\nagain', ...feedback } },
      ...over
    }
    writer.ingest([createEnvelope([['feedback', item]], { receivedAt: now() })])
    await turn()
    await turn()
    return item
  }
  const item = await send({ environment: 'staging' }, { name: 'Ada', contact_email: 'ada@shop.example' })
  t.same(titles(), ['[This application] Feedback from Ada: It broke'])
  t.match(receiver.requests[0]!.message, {
    total: 1,
    counts: { feedback: 1 },
    changes: [
      {
        kind: 'feedback',
        feedback: {
          id: 1,
          message: 'It broke\nagain',
          name: 'Ada',
          email: 'ada@shop.example',
          url: 'https://inbox.example/inbox/feedback?project=1'
        }
      }
    ],
    url: 'https://inbox.example/inbox/feedback?project=1'
  })
  await send(item)
  t.equal(titles().length, 1, 'the SDK has sent it again')
  await send({})
  t.same(titles().slice(1), ['[This application] Feedback: It broke'], 'without an environment')
  await send({ environment: 'production' })
  t.equal(titles().length, 4, 'both channels')
})

t.test('an older user report alerts as feedback, and deleted feedback does not', async (t) => {
  const { writer, store, now, turn, addChannel, addRule, titles } = await openAlerts(t)
  await addRule(await addChannel({ groupMinutes: 0 }), 'feedback')
  const report = () => ({ event_id: createEventId(), name: 'Ines', comments: 'Was I charged?' })
  writer.ingest([createEnvelope([['user_report', report()]], { receivedAt: now() })])
  await turn()
  await turn()
  t.same(titles(), ['[This application] Feedback from Ines: Was I charged?'])
  writer.ingest([createEnvelope([['user_report', report()]], { receivedAt: now() })])
  store.run('DELETE FROM feedback')
  await turn()
  await turn()
  t.equal(titles().length, 1)
})
