// Confirmations of writes without a documented body.
import { definePlugin } from '@playhead/sdk'
import { readConfirmation } from '@playhead/sdk/provider'
import { createTestHost, startServer } from '@playhead/sdk/testing'
import t from 'tap'

t.test('an empty body and an object confirm a write, and the response of an intermediary does not', async (t) => {
  let body = ''
  await using server = await startServer(() => ({ body }))
  await using host = await createTestHost({ plugin: definePlugin({ setup() {} }) })
  const account = host.ctx.upstream.account({ account: 'cable@default', baseUrl: server.url })
  const confirmation = async (text: string, alsoFine?: RegExp) => {
    body = text
    await readConfirmation(await account.request({ path: '/row', method: 'DELETE' }), alsoFine)
  }

  for (const text of ['', ' \n', '{}', '{"success":true}']) await t.resolves(confirmation(text), JSON.stringify(text))
  for (const text of [
    '<!doctype html><p>Welcome</p>',
    'null',
    '"ok"',
    '[]',
    'ok',
    '{"success":tr',
    '<MediaContainer size="0"/>',
  ]) {
    await t.rejects(confirmation(text), { code: 'PLH_UPSTREAM_INVALID' }, text)
  }
  await t.resolves(confirmation('<MediaContainer size="0"/>', /^<MediaContainer/))
})
