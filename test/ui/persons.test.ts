// slow: a browser, step by step
// The people of a household: accounts of other users of a server, with their clicks as numbers.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { signInToJellyfin, signInToPlex, type Client } from '../demo/sign-in.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startPlex } from '../upstreams/plex.ts'
import { startUi } from './harness.ts'
import { isFit } from './looks.ts'
import type { Opened } from './sign-in.ts'

const SMALL = { movies: 3, shows: 1 }

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const client: Client = ui.service
const [jellyfin, plex] = await Promise.all([startJellyfin(SMALL), startPlex(SMALL)])
atEndOfFile(() => Promise.all([jellyfin, plex].map((one) => one.close())))
await Promise.all([signInToJellyfin(client, jellyfin), signInToPlex(client, plex)])

const profile = (page: Opened, name: string) => page.getByRole('region', { name, exact: true })
const rows = async (provider: string) => (await client.json(`/api/provider-instances/${provider}`)).body

/** Counts the clicks of a story. */
function hand() {
  let clicks = 0
  return {
    click: async (target: { click(): Promise<unknown> }) => {
      clicks += 1
      await target.click()
    },
    clicks: () => clicks,
  }
}

t.test('a second person of the same server takes two clicks and no field', async (t) => {
  const page = await ui.open('/connections/MEDIAB')
  const { click, clicks } = hand()
  await click(profile(page, 'Default').getByRole('button', { name: 'Users' }))
  await click(page.getByRole('button', { name: 'Sync this person too: kim' }))
  const kim = profile(page, 'kim')
  await kim.getByText('Connected', { exact: true }).waitFor()
  await kim.getByText('The sign-in of the default profile').waitFor()
  t.equal(clicks(), 2)
  await profile(page, 'Default').getByText('Has an account').waitFor()
  t.equal(await page.getByRole('textbox').count(), 0)
  await isFit(t, page, 'a second person')
  t.equal(jellyfin.world.tokens.size, 1, 'nobody signed in a second time')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a renamed user is on hold until a person confirms it with one click', async (t) => {
  const user = jellyfin.world.users.find(({ name }) => name === 'kim')!
  Object.assign(user, { name: 'robin' })
  const page = await ui.open('/connections/MEDIAB')
  await page.getByRole('button', { name: 'Check now' }).click()
  const alert = profile(page, 'kim').getByRole('alert')
  await alert.getByText('The server no longer says that this is kim.').waitFor()
  await isFit(t, page, 'a held account')
  await alert.getByRole('button', { name: 'It is the same person' }).click()
  await profile(page, 'kim').getByText('Connected', { exact: true }).waitFor()
  t.equal(await profile(page, 'kim').getByRole('alert').count(), 0)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a friend at Plex gets a code and a link, and a sign-in that is given up leaves no profile', async (t) => {
  const page = await ui.open('/connections/MEDIAA')
  const before = await rows('MEDIAA')
  const invite = async () => {
    await profile(page, 'Default').getByRole('button', { name: 'Users' }).click()
    await page.getByRole('button', { name: 'Let neighbour sign in' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in to Plex' })
    await dialog.getByText(/^Send neighbour the code/).waitFor()
    return dialog
  }
  const closed = await invite()
  t.equal((await rows('MEDIAA')).length, before.length + 1)
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'DELETE'),
    page.keyboard.press('Escape'),
  ])
  await closed.waitFor({ state: 'detached' })
  await profile(page, 'neighbour').waitFor({ state: 'detached' })
  t.same(await rows('MEDIAA'), before, 'after Escape')

  await page.reload()
  await invite()
  await Promise.all([page.waitForResponse((response) => response.request().method() === 'DELETE'), page.reload()])
  await profile(page, 'Default').waitFor()
  await profile(page, 'neighbour').waitFor({ state: 'detached' })
  t.same(await rows('MEDIAA'), before, 'after a reload')
})
