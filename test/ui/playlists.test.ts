// slow: a browser, step by step
// Playlists: a list of one server is selected, and its sync is previewed, run, held, approved, undone and removed. Also lists
// of all accounts, long and right-to-left names, an unreachable server and a slow one.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { settled, startUi } from './harness.ts'
import { fitsEveryWidth, isFit, isFitNow, isFitWindow } from './looks.ts'

const LONG = 'An evening that goes on and on '.repeat(7).slice(0, 200)
const RTL = 'أفلام المساء مع العائلة'
const SIZE = 6

const ui = await startUi()
const jellyfin = await startJellyfin({ movies: 40, shows: 1 })
const emby = await startEmby({ movies: 40, shows: 1 })
atEndOfFile(async () => {
  await ui[Symbol.asyncDispose]()
  await Promise.all([jellyfin.close(), emby.close()])
})

const films = (server: typeof jellyfin | typeof emby) =>
  server.items('Movie').filter(({ providerIds }) => Object.values(providerIds).some((id) => id !== ''))
const titles = new Set(films(jellyfin).map(({ name }) => name))
const shared = films(emby).filter(({ name }) => titles.has(name))

t.test('without an account, the page leads to the connections', async (t) => {
  const page = await ui.open('/playlists')
  await page.getByRole('link', { name: 'Connect a service' }).waitFor()
  await isFit(t, page, 'the empty page')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a list is synced: chosen, previewed, run, held, approved, undone, paused and removed', async (t) => {
  await signInToJellyfin(ui.service, jellyfin)
  await signInToEmby(ui.service, emby)
  const list = emby.actions.createPlaylist(
    'sam',
    'Rainy days',
    shared.slice(0, SIZE).map(({ id }) => id),
  )
  emby.actions.createPlaylist('sam', RTL, [shared[0]!.id])
  emby.actions.createPlaylist('sam', LONG, [shared[1]!.id])

  const page = await ui.open('/playlists', { colorScheme: 'light' })
  const dialog = page.getByRole('dialog')
  const pick = async (index: number, name: string, option: string | RegExp) => {
    await dialog.getByRole('combobox', { name }).nth(index).click()
    await page.getByRole('option', { name: option }).click()
  }
  await page.getByRole('button', { name: 'Sync a playlist' }).click()
  await dialog.getByRole('button', { name: 'Save and preview' }).click()
  await dialog.getByText('Choose a source list.').waitFor()
  await dialog.getByText('Enter a name.').waitFor()
  await pick(0, 'Account', 'Emby')
  await pick(0, 'List', /^Rainy days/)
  t.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'Rainy days', 'named as the list')
  await pick(1, 'Account', 'Jellyfin')
  await pick(1, 'List', 'A new list')
  t.equal(await dialog.getByLabel('Name of the new list').inputValue(), 'Rainy days')
  await isFitWindow(t, page, 'a new sync')
  await dialog.getByLabel('Keep the order of the source').check()
  await dialog.getByRole('button', { name: 'Save and preview' }).click()

  await page.getByRole('heading', { name: 'Rainy days', level: 1 }).waitFor()
  const preview = page.getByRole('region', { name: 'What a sync would change' })
  await preview.getByText(String(SIZE), { exact: true }).first().waitFor()
  await preview.getByText(shared[0]!.name).first().waitFor()
  await isFitNow(t, page, 'a preview')
  await page.getByRole('button', { name: 'Sync now' }).click()
  await page.getByRole('link', { name: 'Open run' }).waitFor()
  const last = page.getByRole('region', { name: 'Last sync' })
  await last.getByText('In sync', { exact: true }).waitFor()
  const { mappings } = (await ui.service.json('/api/playlists/mappings')).body
  t.match(mappings, [{ order: 'preserve', membership: 'managed_only', last_result: { added: SIZE, run_id: /./ } }])
  const { run_id: runId } = mappings[0].last_result
  t.match((await ui.service.json(`/api/runs/${runId}`)).body, { run: { added: SIZE }, undoable: true })

  // Most of the source is removed, so the removals wait for approval.
  list.entries = list.entries!.slice(0, 1)
  list.savedAtMs = Date.now()
  await page.getByRole('button', { name: 'Preview' }).click()
  await preview.getByText('5 removals need your approval').waitFor()
  await isFitNow(t, page, 'a preview with removals on hold')
  await preview.getByRole('button', { name: 'Approve and sync…' }).click()
  await dialog.getByText(shared[1]!.name).waitFor()
  await dialog.getByRole('button', { name: 'Remove 5 items' }).click()
  await last.locator('dl').getByText('Removed').waitFor()
  t.match((await ui.service.json('/api/playlists/mappings')).body.mappings, [{ last_result: { removed: 5 } }])

  await last.getByRole('button', { name: 'Undo' }).click()
  await dialog.getByRole('button', { name: /^Undo/ }).click()
  await page.waitForURL(/\/runs\//)
  await page.goBack()
  await page.getByRole('row').nth(2).waitFor()
  await isFit(t, page, 'a synced playlist')

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Pause' }).click()
  await page.getByText('It is not synced on its schedule.').waitFor()

  await page.getByRole('link', { name: 'Playlists' }).first().click()
  await page.getByText('Paused', { exact: true }).waitFor()
  await page.getByRole('tab', { name: 'All lists' }).click()
  await page.getByText(RTL).waitFor()
  await page.getByText(LONG.trim()).waitFor()
  await isFit(t, page, 'all lists')
  await page.getByRole('tab', { name: 'Rules' }).click()
  await page.getByRole('button', { name: 'Copy Trakt free account' }).click()
  await page.getByRole('button', { name: /^Change Trakt free account/ }).click()
  await dialog.getByLabel('Items per list').fill('100')
  await isFitWindow(t, page, 'rules')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('100 items each').waitFor()
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByRole('row').nth(2).waitFor()
  await isFit(t, page, 'the history')

  await page.goto(`${ui.service.url}/playlists/${mappings[0].id}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No playlist is synced yet').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a slow service shows what is loading; an unreachable one is named, and the others are shown', async (t) => {
  const page = await ui.open('/playlists?tab=lists')
  await settled(page)
  await page.route('**/api/playlists/resources**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.continue()
  })
  await emby.close()
  await page.reload()
  await page.locator('#content').getByRole('status', { name: 'Loading…' }).first().waitFor()
  await page.getByText('The lists of Emby could not be read.').waitFor()
  await page.getByText('Rainy days').first().waitFor()
  await fitsEveryWidth(t, page, 'an account that is away')
  t.match(page.recorded.failed, [/resources/])
  t.same(page.recorded.errors, [])
})

t.test('a missing sync shows that it does not exist', async (t) => {
  const page = await ui.open('/playlists/MAP-77')
  await page.getByRole('heading', { name: 'This playlist is no longer synced', level: 1 }).waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})
