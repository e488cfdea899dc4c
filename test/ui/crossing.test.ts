// slow: a browser, step by step
// Accounts of two persons are joined only after a dialog that names both: scrobbling and a recipe, declined and confirmed.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, signInToJellyfin, signInToTrakt, type Client } from '../demo/sign-in.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { startUi } from './harness.ts'
import type { Opened } from './sign-in.ts'

const SMALL = { movies: 3, shows: 0 }
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const client: Client = ui.service
const [jellyfin, trakt] = await Promise.all([startJellyfin(SMALL), startTrakt(SMALL)])
atEndOfFile(() => Promise.all([jellyfin.close(), trakt.close()]))
await signInToJellyfin(client, jellyfin)
await signInToTrakt(client, trakt)
const { accounts } = (await client.json('/api/persons')).body
const uidOf = (wanted: string) => accounts.find(({ provider }: { provider: string }) => provider === wanted).uid
await expectOk(client, '/api/persons', { name: 'Sam', accounts: [uidOf('MEDIAB')] })
await expectOk(client, '/api/persons', { name: 'Kim', accounts: [uidOf('TRACKA')] })

const answer = async (page: Opened, name: string) => {
  const question = page.getByRole('dialog', { name: 'Accounts of Sam and Kim' })
  await question.getByText(/^These accounts belong to different people/).waitFor()
  await question.getByRole('button', { name }).click()
  await question.waitFor({ state: 'detached' })
}

t.test('scrobbling', async (t) => {
  const page = await ui.open('/scrobbling?open=add')
  const dialog = page.getByRole('dialog', { name: 'Add scrobbling' })
  const add = dialog.getByRole('button', { name: 'Add', exact: true })
  const routes = async () => (await client.json('/api/scrobbler/overview')).body.routes.length
  await add.click()
  await answer(page, 'Cancel')
  t.equal(await routes(), 0)
  await add.click()
  await answer(page, 'Continue for Sam and Kim')
  await dialog.waitFor({ state: 'detached' })
  t.equal(await routes(), 1)
  t.same(page.recorded.errors, [])
  t.same(new Set(page.recorded.failed), new Set(['409 POST /api/scrobbler/routes']))
})

t.test('a recipe', async (t) => {
  const page = await ui.open('/recipes')
  await page.getByRole('link', { name: 'Jellyfin + Trakt' }).first().click()
  const plan = page.getByRole('region', { name: 'Plan' })
  await plan.getByText('Accounts of Sam and Kim').waitFor()
  const pairs = async () => (await client.json('/api/pairs')).body.length
  await plan.getByRole('button', { name: 'Set up' }).click()
  await answer(page, 'Cancel')
  t.equal(await pairs(), 0)
  await plan.getByRole('button', { name: 'Set up' }).click()
  await answer(page, 'Continue for Sam and Kim')
  await page
    .getByRole('button', { name: /^Run \d+ changes/ })
    .or(page.getByText('Nothing to do'))
    .first()
    .waitFor()
  t.equal(await pairs(), 1)
  t.same(page.recorded.errors, [])
  t.same(new Set(page.recorded.failed), new Set(['409 POST /api/recipes/apply']))
})
