// slow: a browser, step by step
// The anime mapping: switching it on, its download, its coverage, and rules that are added, conflict, are turned off and
// removed. A failed download is reported and retried.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, saveSettings } from '../demo/sign-in.ts'
import { startAnimeData } from '../upstreams/anime-data.ts'
import { startUi } from './harness.ts'
import { isFit, isFitNow, isFitWindow } from './looks.ts'

const mappings = { 'tvdb_show:1001:s1': { 'anilist:2001': { '1-12': '1-12' } } }
const stats = (day: string) => ({ meta: { generated_on: `2026-07-${day}T03:00:00Z` } })

const ui = await startUi()
const data = await startAnimeData({ stats: stats('01'), mappings }, 'v3', false)
atEndOfFile(async () => {
  await ui[Symbol.asyncDispose]()
  await data.close()
})
const rules = async (): Promise<any> =>
  (await expectOk(ui.service, '/api/anime-mapping/settings', {})).anime_mapping.overrides

t.test('while the mapping is off the page explains what turning it on does', async (t) => {
  await saveSettings(ui.service, 'anime_mapping', {
    mappings_url: data.mappingsUrl,
    identities_url: data.identitiesUrl,
  })
  const page = await ui.open('/anime')
  await page.getByText('None of your titles are sent anywhere.').waitFor()
  await isFit(t, page, 'the page while it is off')
  t.equal(data.front.requests.length, 0, 'nothing was asked for')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('data, coverage, rules and settings are shown', async (t) => {
  const page = await ui.open('/anime', { colorScheme: 'light' })
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Turn on and download' }).click()
  await page.getByRole('heading', { name: 'Data' }).waitFor()
  await page.getByText('Links between them').waitFor()
  await page.getByText('v3', { exact: true }).waitFor({ timeout: 60_000 })

  const { body } = await ui.service.json('/api/anime-mapping/coverage')
  t.ok(body.ready)

  await page.getByRole('button', { name: 'Add a rule' }).last().click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter an ID.').first().waitFor()
  await dialog.getByLabel('Title').fill('A show')
  await dialog.getByLabel('ID', { exact: true }).first().fill('1001')
  await dialog.getByLabel('ID', { exact: true }).last().fill('3001')
  await dialog.getByLabel('Season').fill('1')
  await dialog.getByLabel('From episode').fill('13')
  await dialog.getByLabel('To episode').fill('12')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('The last episode is before the first.').waitFor()
  await dialog.getByLabel('To episode').fill('24')
  await dialog.getByText('TVDB 1001, season 1, episodes 13 to 24, are AniList 3001 from episode 1').waitFor()
  await isFitWindow(t, page, 'a rule')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  t.match(await rules(), [{ match_id: '1001', episode_from: 13, episode_to: 24, target_id: '3001', enabled: true }])

  await page.getByRole('button', { name: 'Add a rule' }).last().click()
  await dialog.getByLabel('Title').fill('الفصل الثاني')
  await dialog.getByLabel('ID', { exact: true }).first().fill('1001')
  await dialog.getByLabel('ID', { exact: true }).last().fill('4001')
  await dialog.getByLabel('Season').fill('1')
  await dialog.getByLabel('From episode').fill('20')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Conflicts with another rule').first().waitFor()
  t.equal(await page.getByText('Conflicts with another rule').count(), 2)
  await page.getByRole('switch', { name: 'The rule for A show is on' }).press('Space')
  await page.getByText('Conflicts with another rule').first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove the rule for A show' }).click()
  await dialog.getByRole('button', { name: 'Remove the rule' }).click()
  await page.getByText('Rule removed.').waitFor()
  t.equal((await rules()).length, 1)

  await page.getByLabel('Days until data is out of date').fill('30')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Settings saved.').waitFor()
  await isFitNow(t, page, 'the page')

  data.publish('v3', { stats: stats('09'), mappings })
  await page.getByRole('button', { name: 'Check for updates' }).click()
  await page.getByText('The data was updated.').waitFor()
  data.publish('v3', { stats: 'no json', mappings })
  await page.getByRole('button', { name: 'Check for updates' }).click()
  await page.getByRole('alert').first().waitFor()
  await isFitNow(t, page, 'a download that failed')

  await page.getByRole('button', { name: 'Turn off' }).click()
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('The anime mapping is off', { exact: true }).waitFor()
  t.same(page.recorded.errors, [])
  t.match(page.recorded.failed, [/anime-mapping\/update/])
})
