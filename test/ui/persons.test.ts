// slow: a browser, step by step
// The people of a household: accounts of other users of a server, with their clicks as numbers.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd, signInToJellyfin, signInToPlex, type Client } from '../demo/sign-in.ts'
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
  await alert.getByText('The server calls kim robin now.').waitFor()
  await profile(page, 'kim').getByText('On hold', { exact: true }).waitFor()
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
    const link = page.getByRole('dialog', { name: 'Sign-in link for neighbour' })
    t.match(await link.getByLabel('Link', { exact: true }).inputValue(), /\/guest#[\w-]{43}$/)
    await link.getByRole('button', { name: 'Sign in on this device instead' }).click()
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

t.test('whose each account is: suggestions are applied by one press each', async (t) => {
  const { id: kept } = await expectOk(client, '/api/provider-instances/SVC/next', { label: 'kim' })
  const features = { history: { enabled: true, add: true, remove: false } }
  const pairs = [
    { source: 'MEDIAB', target: 'SVC' },
    { source: 'MEDIAB', source_instance: 'MEDIAB-P01', target: 'SVC', target_instance: kept },
  ]
  for (const pair of pairs) await expectOk(client, '/api/pairs', { ...pair, mode: 'one_way', enabled: true, features })
  const [first, second] = jellyfin.items('Movie')
  jellyfin.actions.markPlayed('sam', first!.id, Date.UTC(2024, 4, 1, 20))
  jellyfin.actions.markPlayed('robin', second!.id, Date.UTC(2024, 4, 2, 20))
  await runToEnd(client)

  const page = await ui.open('/connections')
  const people = page.getByRole('region', { name: 'People' })
  t.equal(await people.getByRole('article').count(), 0, 'nothing is assigned by itself')
  for (const name of ['Kim', 'Sam']) {
    await people.getByRole('button', { name: `Add ${name} with these accounts` }).click()
    await people.getByRole('article', { name }).waitFor()
  }
  await people.getByRole('button', { name: 'Edit Kim' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Kim' })
  await dialog.getByLabel('Name').fill('Kim at home')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await people.getByRole('article', { name: 'Kim at home' }).waitFor()
  await isFit(t, page, 'two people')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a list shows one person, and its address keeps them', async (t) => {
  const page = await ui.open('/history')
  await page.getByText('2 plays').waitFor()
  await page.getByRole('combobox', { name: 'Person' }).click()
  await page.getByRole('option', { name: 'Sam' }).click()
  await page.getByText('1 play', { exact: true }).waitFor()
  const { persons } = (await client.json('/api/persons')).body
  const sam = persons.find(({ name }: { name: string }) => name === 'Sam').id
  t.equal(new URL(page.url()).searchParams.get('person'), sam)
  await page.reload()
  await page.getByText('1 play', { exact: true }).waitFor()
  for (const path of ['library', 'statistics', '']) {
    await Promise.all([
      page.waitForResponse((response) => response.url().includes(`person=${sam}`) && response.ok()),
      page.goto(`${ui.service.url}/${path}?person=${sam}`),
    ])
  }
  await page.goto(`${ui.service.url}/history?person=gone`)
  await page.getByText('2 plays').waitFor()
  t.same(
    [page.recorded.errors, page.recorded.failed.filter((one) => !one.startsWith('404 GET /api/history'))],
    [[], []],
  )
})

t.test('marking as watched ticks one person, and two are asked about by name', async (t) => {
  const { items } = (await client.json('/api/library?feature=watched')).body
  const title = items.find(({ accounts }: any) => accounts.every(({ instance }: any) => instance === 'default'))
  const page = await ui.open(`/library/${encodeURIComponent(title.key)}`)
  await page.getByRole('button', { name: 'Mark watched' }).click()
  const dialog = page.getByRole('dialog', { name: 'Mark as watched' })
  const ticked = async () =>
    dialog.getByRole('checkbox').evaluateAll((all) => all.filter((one: any) => one.checked).length)
  await dialog
    .getByRole('checkbox', { name: /of Kim at home/ })
    .first()
    .waitFor()
  t.equal(await ticked(), 2)
  await dialog.getByRole('checkbox', { name: /^Jellyfin .*of Kim at home/ }).check()
  const marks = () => page.recorded.requests.filter((one) => one === 'POST /api/manual/watched').length
  await dialog.getByRole('button', { name: 'Save' }).click()
  const question = page.getByRole('dialog', { name: 'Accounts of Kim at home and Sam' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  t.not(jellyfin.actions.userData('robin', jellyfin.items('Movie')[0]!.id)?.played, true, 'declined')
  t.equal(marks(), 1)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await question.getByRole('button', { name: 'Continue for Kim at home and Sam' }).click()
  await dialog.waitFor({ state: 'detached' })
  t.equal(jellyfin.actions.userData('robin', jellyfin.items('Movie')[0]!.id)?.played, true, 'confirmed')
  t.same(page.recorded.errors, [])
  t.same(new Set(page.recorded.failed), new Set(['409 POST /api/manual/watched']))
})
