// slow: a browser, step by step
// The profiles of a service: add, name, use, change and remove an account, select its user, and its details.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, signInToJellyfin, signInToPlex, signInToTrakt, type Client } from '../demo/sign-in.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startMdblist } from '../upstreams/mdblist.ts'
import { startPlex } from '../upstreams/plex.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { settled, startUi } from './harness.ts'
import { isFit, isFitWindow } from './looks.ts'
import type { Opened } from './sign-in.ts'

const SMALL = { movies: 3, shows: 1 }
const KIM = 'MEDIAB-P01'
/** 40 characters. */
const LONG_NAME = 'Grandmother of the family in the old hut'

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const client: Client = ui.service
const [jellyfin, plex, trakt, mdblist] = await Promise.all([
  startJellyfin(SMALL),
  startPlex(SMALL),
  startTrakt(SMALL),
  startMdblist(SMALL),
])
atEndOfFile(() => Promise.all([jellyfin, plex, trakt, mdblist].map((one) => one.close())))
await expectOk(client, '/api/config', { listA: { api_url: mdblist.url } })
await Promise.all([
  signInToJellyfin(client, jellyfin),
  signInToPlex(client, plex),
  signInToTrakt(client, trakt),
  expectOk(client, '/api/listA/save', { api_key: mdblist.user.apiKey }),
])

const profile = (page: Opened, name: string) => page.getByRole('region', { name, exact: true })

async function act(page: Opened, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

t.test('a second profile is added, signed in as another user, and named', async (t) => {
  const page = await ui.open('/connections/MEDIAB')
  await page.getByRole('button', { name: 'Add a profile' }).click()
  const adding = page.getByRole('dialog', { name: 'Add a profile' })
  await adding.getByLabel('Name').fill('Kim at home')
  await isFitWindow(t, page, 'a new profile')
  await adding.getByRole('button', { name: 'Add and sign in' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in to Jellyfin' })
  await dialog.getByLabel('Server').fill(jellyfin.url)
  await dialog.getByLabel('Username').fill('kim')
  await dialog.getByLabel('Password', { exact: true }).fill('secret')
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()

  await profile(page, 'Kim at home').getByRole('definition').getByText('kim', { exact: true }).waitFor()
  await profile(page, 'Default').getByRole('definition').getByText('sam', { exact: true }).waitFor()
  await profile(page, 'Kim at home').getByText('This profile is not used yet.').waitFor()
  await act(page, 'Kim at home', 'Rename')
  await page.getByRole('dialog', { name: 'Rename Kim at home' }).getByLabel('Name').fill('Kitchen')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await profile(page, 'Kitchen').waitFor()
  t.equal(await profile(page, 'Kim at home').count(), 0)
  await isFit(t, page, 'two profiles')

  await page.goto(`${ui.service.url}/connections`)
  const card = page.getByRole('article', { name: 'Jellyfin' })
  await card.getByText('Kitchen as kim').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a profile whose sign-in is given up is not kept, and a name is kept whole or refused', async (t) => {
  const page = await ui.open('/connections/MEDIAB')
  const rows = async () => (await client.json('/api/provider-instances/MEDIAB')).body
  const before = await rows()
  const adding = page.getByRole('dialog', { name: 'Add a profile' })
  const add = adding.getByRole('button', { name: 'Add and sign in' })
  await page.getByRole('button', { name: 'Add a profile' }).click()
  await adding.getByRole('button', { name: 'Cancel' }).click()
  await adding.waitFor({ state: 'detached' })
  t.same(await rows(), before)

  await page.getByRole('button', { name: 'Add a profile' }).click()
  await adding.getByLabel('Name').fill('N'.repeat(41))
  await adding.getByText('At most 40 characters.').waitFor()
  await add.click()
  t.same(await rows(), before, 'a longer name is refused, not cut')
  await adding.getByLabel('Name').fill(LONG_NAME)
  await add.click()
  const signIn = page.getByRole('dialog', { name: 'Sign in to Jellyfin' })
  await signIn.getByLabel('Server').waitFor()
  t.ok(JSON.stringify(await rows()).includes(LONG_NAME), 'the whole name')
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'DELETE'),
    page.keyboard.press('Escape'),
  ])
  await signIn.waitFor({ state: 'detached' })
  await profile(page, LONG_NAME).waitFor({ state: 'detached' })
  t.same(await rows(), before)

  await act(page, 'Kitchen', 'Rename')
  const renaming = page.getByRole('dialog', { name: 'Rename Kitchen' })
  await renaming.getByLabel('Name').fill('N'.repeat(41))
  await renaming.getByText('At most 40 characters.').waitFor()
  await renaming.getByRole('button', { name: 'Save' }).click()
  t.same(await rows(), before)
  // Its panel may read its settings a last time.
  const failed = page.recorded.failed.filter((one) => !one.endsWith('/sections/mediaB?instance=MEDIAB-P02'))
  t.same([page.recorded.errors, failed], [[], []])
})

t.test('the libraries of a profile are chosen for each part of the sync', async (t) => {
  const page = await ui.open('/connections/MEDIAB')
  const kitchen = profile(page, 'Kitchen')
  await kitchen.getByRole('button', { name: 'Libraries' }).click()
  await kitchen.getByLabel('Libraries for History').click()
  await page.getByRole('option', { name: 'Movies', exact: true }).click()
  await page.keyboard.press('Escape')
  await kitchen.getByRole('button', { name: 'Save libraries' }).click()
  await page.getByText('Libraries saved.').waitFor()

  const chosen = async (instance: string) =>
    (await client.json(`/api/config/sections/mediaB?instance=${instance}`)).body.values.history.libraries
  const [movies] = jellyfin.world.libraries
  t.same([await chosen(KIM), await chosen('default')], [[movies?.id], []], 'of this profile alone')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a used profile is kept and its usages are listed; an unused one is removed', async (t) => {
  const { id } = await expectOk(client, '/api/pairs', {
    source: 'MEDIAB',
    target: 'MEDIAB',
    target_instance: KIM,
    mode: 'one_way',
    enabled: true,
    name: 'Sam to Kim',
    features: { history: { enabled: true, add: true, remove: false } },
  })
  const page = await ui.open('/connections/MEDIAB')
  await profile(page, 'Kitchen').getByRole('link', { name: 'Sam to Kim' }).waitFor()
  await profile(page, 'Default').getByRole('link', { name: 'Sam to Kim' }).waitFor()
  const remove = async () => {
    await act(page, 'Kitchen', 'Delete profile')
    await page
      .getByRole('dialog', { name: 'Delete profile Kitchen?' })
      .getByRole('button', { name: 'Delete profile' })
      .click()
  }
  await remove()
  const refusal = page.getByRole('dialog', { name: /Kitchen is in use/ })
  t.equal(await refusal.getByRole('link', { name: 'Sam to Kim' }).getAttribute('href'), `/pairs/${id}`)
  await refusal.getByRole('button', { name: 'Close' }).last().click()
  t.same(page.recorded.failed.splice(0), [`409 DELETE /api/provider-instances/MEDIAB/${KIM}`])
  await profile(page, 'Kitchen').waitFor()

  await expectOk(client, `/api/pairs/${id}`, {}, 'DELETE')
  await remove()
  await page.getByText('Profile Kitchen deleted.').waitFor()
  await profile(page, 'Kitchen').waitFor({ state: 'detached' })
  t.equal((await client.json('/api/provider-instances/MEDIAB')).body.length, 1)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a profile is switched to another user of the home, with the PIN of that user', async (t) => {
  const page = await ui.open('/connections/MEDIAA')
  const own = profile(page, 'Default')
  await own.getByRole('button', { name: 'Users' }).click()
  const rows = own.getByRole('region', { name: 'Users' })
  await rows.getByText('neighbour', { exact: true }).waitFor()
  t.equal(
    await rows.getByRole('button', { name: 'Use neighbour for this profile' }).count(),
    0,
    'a friend signs in with an account of their own',
  )
  const use = rows.getByRole('button', { name: 'Use Kid for this profile' })
  const enter = async (pin: string) => {
    await rows.getByLabel('PIN of Kid').fill(pin)
    await use.click()
  }
  await use.click()
  await enter('9999')
  await own.getByText('Plex: the home user cannot be entered (PIN).').waitFor()
  await enter('1234')
  await own.getByRole('definition').getByText('Kid', { exact: true }).waitFor()
  await own.getByText('Connected', { exact: true }).waitFor()
  await rows.getByRole('button', { name: 'Use sample_user for this profile' }).click()
  await own.getByRole('definition').getByText('sample_user', { exact: true }).waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test(
  'the remaining quota is shown if the service reports it; an automatically renewed sign-in raises no alarm',
  async (t) => {
    const page = await ui.open('/connections/LISTA')
    await settled(page)
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByRole('progressbar', { name: /^\d+% of requests left$/ }).waitFor()
    await page.getByText(/^\d+ of 1,000$/).waitFor()
    await page.goto(`${ui.service.url}/connections/TRACKA`)
    await page.getByRole('button', { name: 'Check now' }).waitFor()
    await settled(page)
    t.equal(await page.getByText('Sign in again before then.').count(), 0)
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  },
)
