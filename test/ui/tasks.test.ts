// slow: a browser, step by step
// Everyday tasks of a person, from Home to their outcome at the service, with clicks and typed fields as numbers. The other
// tasks of the table in `TASKS.md` are stories beside what they belong to.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import type { Locator } from 'playwright-core'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd, signInToPlex, signInToTrakt, untilTrue } from '../demo/sign-in.ts'
import { startPlex } from '../upstreams/plex.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { PASSWORD, startService, USERNAME } from '../harness.ts'
import { episodesOfTracker, watchOnTracker } from './episodes-of-tracker.ts'
import { settled, startUi } from './harness.ts'

const HOUR_MS = 3_600_000
const RESTARTS = 75

const directory = await mkdtemp(join(tmpdir(), 'playhead-tasks-'))
const start = (withoutAccount: boolean) => startService({ directory, shipped: true, watch: false, withoutAccount })
const [plex, trakt] = await Promise.all([
  startPlex({ movies: 8, shows: 0 }),
  startTrakt({ movies: 8, shows: 2, plan: 'vip', rateLimits: false }),
])
const service = await start(false)
const ui = await startUi({ service })
atEndOfFile(async () => {
  await ui[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
  await Promise.all([plex.close(), trakt.close()])
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
})

const films = [...plex.state.items.values()].filter(({ type }) => type === 'movie')
/** The titles that the owner of the server has as watched. */
const watchedAtPlex = async () => {
  const { body } = await service.json('/api/history?account=MEDIAA@default&limit=100')
  return body.items.map(({ title }: { title: string }) => title)
}
const show = trakt.catalogue.shows[0]!
const lastNight = Date.now() - 14 * HOUR_MS
plex.actions.watch('owner', films[5]!.ratingKey, lastNight)
for (const index of [0, 1]) trakt.user.watch(trakt.movie(index), lastNight - HOUR_MS)
for (const episode of [1, 2]) trakt.user.watch(trakt.episode(0, 1, episode), lastNight - HOUR_MS)
await signInToTrakt(service, trakt)
await signInToPlex(service, plex)
await expectOk(service, '/api/pairs', {
  name: 'Evenings',
  source: 'TRACKA',
  target: 'MEDIAA',
  mode: 'one_way',
  enabled: true,
  features: { history: { enabled: true, add: true, remove: false } },
})
await expectOk(service, '/api/scheduling', { enabled: true, mode: 'daily_time', daily_time: '03:30' })
await expectOk(service, '/api/scrobbler/webhooks/profile', { provider: 'MEDIAA', sinks: ['TRACKA'] })
await runToEnd(service)

/** A person at Home. Each click and each typed field counts; a shortcut of the keyboard does not. */
async function atHome(more: Parameters<typeof ui.open>[1] = {}) {
  const page = await ui.open('/', more)
  await settled(page)
  const counts = { clicks: 0, fields: 0 }
  const click = async (target: Locator) => {
    counts.clicks += 1
    await target.click()
  }
  const type = async (target: Locator, text: string) => {
    counts.fields += 1
    await target.fill(text)
  }
  return {
    page,
    counts,
    click,
    type,
    door: (name: string) => click(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name })),
    tab: (door: string, name: string) =>
      click(page.getByRole('navigation', { name: door }).getByRole('link', { name })),
    /** Searches by Ctrl K, and clicks an answer. */
    async search(words: string, answer: string) {
      await page.keyboard.press('Control+k')
      const dialog = page.getByRole('dialog', { name: 'Search' })
      await type(dialog.getByRole('textbox', { name: 'Search' }), words)
      await click(dialog.locator('[data-action]').filter({ hasText: answer }).first())
      await dialog.waitFor({ state: 'detached' })
    },
    /** The page has loaded without an error, and no more was needed. */
    async ends(t: Test, most: { readonly clicks: number; readonly fields?: number }) {
      t.same([page.recorded.errors, page.recorded.failed], [[], []])
      await page.context().close()
      t.ok(counts.clicks <= most.clicks && counts.fields <= (most.fields ?? 0), 'few clicks and fields', {
        counts,
        most,
      })
    },
  }
}

t.test('the last run is undone with three clicks', async (t) => {
  t.equal((await watchedAtPlex()).length, 3)
  const { page, click, ends } = await atHome()
  await click(page.getByRole('link', { name: 'Open run' }))
  await click(page.getByRole('main').getByRole('button', { name: 'Undo' }))
  await click(page.getByRole('dialog').getByRole('button', { name: 'Undo 2 changes' }))
  await page.getByRole('definition').filter({ hasText: 'Done' }).waitFor()
  await service.json('/api/library?fresh=true')
  t.same(await watchedAtPlex(), [films[5]!.title], 'what it added is gone, and the rest stays')
  await ends(t, { clicks: 3 })
})

t.test('what Plex played last night is a filter of the history', async (t) => {
  const { page, door, click, ends } = await atHome()
  await door('History')
  const plays = page.getByRole('region', { name: 'Plays', exact: true })
  const others = plays.getByRole('link', { name: show.title })
  await others.first().waitFor()
  await click(page.getByRole('combobox', { name: 'Service' }))
  await click(page.getByRole('option', { name: 'Plex', exact: true }))
  await others.first().waitFor({ state: 'detached' })
  const { title, year } = films[5]!
  t.same(await plays.getByRole('link').allInnerTexts(), [`${title} (${year})`])
  const at = (await plays.locator('time').getAttribute('datetime')) ?? ''
  t.equal(Math.floor(Date.parse(at) / 1_000), Math.floor(lastNight / 1_000))
  await ends(t, { clicks: 3 })
})

t.test('the dialog that matches an episode is three clicks away, and moves it', async (t) => {
  const { items } = (await service.json('/api/library?fresh=true&type=show')).body
  const { key } = items.find(({ title }: { title: string }) => title === show.title)
  await watchOnTracker(service, key, 4)
  const ofTracker = () => episodesOfTracker(service, key)
  t.same(await ofTracker(), [4])
  const { page, click, type, counts, ends } = await atHome()
  await click(page.getByRole('main').getByRole('link', { name: show.title }).first())
  const part = page.getByRole('region', { name: 'Episodes', exact: true })
  await click(part.getByText('Season 1', { exact: true }))
  await click(part.getByRole('button', { name: 'Fix match of S01E04' }))
  const dialog = page.getByRole('dialog', { name: 'Fix match S01E04' })
  await dialog.getByRole('radio').waitFor()
  t.ok(counts.clicks <= 3, 'the dialog is open', { counts })
  await click(dialog.getByRole('radio'))
  await type(dialog.getByRole('textbox', { name: 'Episode' }), '5')
  await click(dialog.getByRole('button', { name: 'Check' }))
  await click(dialog.getByRole('button', { name: 'Move it' }))
  await dialog.getByRole('button', { name: 'Undo' }).waitFor()
  t.same(await ofTracker(), [5])
  await ends(t, { clicks: 6, fields: 1 })
})

t.test('the schedule is changed with three clicks and a field', async (t) => {
  const { page, door, tab, click, type, ends } = await atHome()
  await door('Sync')
  await tab('Sync', 'Schedule')
  await type(page.getByLabel('Time of day'), '05:45')
  await click(page.getByRole('button', { name: 'Save' }))
  await page.getByText('Schedule saved.').waitFor()
  t.match((await service.json('/api/scheduling')).body, { enabled: true, mode: 'daily_time', daily_time: '05:45' })
  const { next_run_at: next } = (await service.json('/api/scheduling/next')).body
  t.match(new Date(next * 1000).toISOString(), 'T05:45', 'the next run follows')
  await ends(t, { clicks: 3, fields: 1 })
})

t.test('the webhook address of Plex is found by the doors and by the search, and delivers', async (t) => {
  const shown = (page: Awaited<ReturnType<typeof ui.open>>) =>
    page.getByRole('article', { name: 'Plex to Trakt' }).getByRole('textbox', { name: 'Webhook address' }).inputValue()
  const doors = await atHome()
  await doors.door('Sync')
  await doors.tab('Sync', 'Scrobbling')
  const address = await shown(doors.page)
  await doors.ends(t, { clicks: 2 })
  const search = await atHome()
  await search.search('webhook plex', 'Webhook address of Plex')
  t.equal(await shown(search.page), address)
  await search.ends(t, { clicks: 1, fields: 1 })

  const before = trakt.user.plays().length
  plex.webhooks(address)
  const film = films[3]!
  const player = await plex.playback.start({ userId: 'owner', item: film, deviceId: 'tv' })
  await player.finish()
  await untilTrue('Trakt has the play', async () => trakt.user.plays().length === before + 1)
})

t.test('a new API token takes three clicks and its name, and opens the API', async (t) => {
  const { page, door, click, type, ends } = await atHome()
  await door('Settings')
  await click(page.getByRole('main').getByRole('link', { name: 'API tokens' }))
  await type(page.getByLabel('Name', { exact: true }), 'Home Assistant')
  await click(page.getByRole('button', { name: 'Create token' }))
  const secret = (
    await page.getByRole('status').filter({ hasText: 'Token “Home Assistant”' }).locator('code').innerText()
  ).trim()
  const ask = (token: string) =>
    fetch(`${service.url}/api/version`, { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status)
  t.same([await ask(secret), await ask(`${secret}x`)], [200, 401])
  await ends(t, { clicks: 3, fields: 1 })
})

t.test('an export of Letterboxd is in review after two clicks and the file', async (t) => {
  const [known, other] = [films[0]!, films[1]!]
  const rows = [known, other].map(
    ({ title, year }, at) => `2024-01-0${at + 1},"${title}",${year},https://boxd.it/${at}`,
  )
  const diary = ['Date,Name,Year,Letterboxd URI', ...rows].join('\n')
  const before = trakt.user.plays().length
  const { page, door, click, ends } = await atHome()
  await door('Import & export')
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    click(page.getByRole('button', { name: 'Choose a file' })),
  ])
  await chooser.setFiles({
    name: 'letterboxd-ann-2024.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from(zipSync({ 'letterboxd-ann-2024/watched.csv': Buffer.from(diary) })),
  })
  await page.getByText('2 of 2 left to choose.').waitFor()
  const list = page.getByRole('region', { name: 'Titles to choose' })
  await list.getByRole('radiogroup', { name: known.title }).getByRole('radio', { name: known.title }).first().waitFor()
  const read = (await service.json(`/api/import/${page.url().split('/').at(-1)}`)).body
  t.match(read, { format: 'letterboxd', titles: { total: 2 }, run: null })
  t.equal(trakt.user.plays().length, before, 'nothing is written before the review')
  await ends(t, { clicks: 2 })
})

t.test('a backup takes two clicks by the search, and four by the doors', async (t) => {
  const doors = await atHome()
  await doors.door('Settings')
  await doors.click(doors.page.getByRole('main').getByRole('link', { name: 'Backups' }))
  await doors.click(doors.page.getByRole('button', { name: 'Back up now' }).first())
  await doors.page.getByRole('dialog', { name: 'Back up now' }).getByRole('button', { name: 'Back up' }).waitFor()
  await doors.ends(t, { clicks: 3 })
  const { page, search, click, ends } = await atHome()
  await search('backup', 'Create a backup')
  await click(page.getByRole('dialog', { name: 'Back up now' }).getByRole('button', { name: 'Back up' }))
  await page.getByRole('button', { name: /^Restore the backup of / }).waitFor()
  const { backups } = (await service.json('/api/backups/list')).body
  t.equal(backups.length, 1)
  const { validation } = (await expectOk(service, '/api/backups/validate', { path: backups[0].path })) as any
  t.match(validation, { restorable: true, errors: [] })
  await ends(t, { clicks: 2, fields: 1 })
})

t.test('a restore takes four clicks and its confirmation, and the service starts with the backup', async (t) => {
  await expectOk(service, '/api/scheduling', { enabled: true, mode: 'daily_time', daily_time: '22:10' })
  const { page, door, click, type, counts, ends } = await atHome()
  await door('Settings')
  await click(page.getByRole('main').getByRole('link', { name: 'Backups' }))
  await click(page.getByRole('button', { name: /^Restore the backup of / }))
  const wizard = page.getByRole('dialog', { name: /^Restore/ })
  await click(wizard.getByRole('button', { name: 'Continue' }))
  t.ok(counts.clicks <= 4, 'it asks for the confirmation', { counts })
  await type(wizard.getByLabel('Type restore to confirm'), 'restore')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
  await click(wizard.getByRole('button', { name: 'Restore and restart' }))
  await page.getByText('Playhead is restarting with the backup.', { exact: false }).waitFor()
  t.equal(await service.ended, RESTARTS)
  await service.stop()
  // The restart cuts the connections of the page.
  page.recorded.errors.length = 0
  page.recorded.failed.length = 0
  await ends(t, { clicks: 5, fields: 1 })

  await using restored = await start(true)
  const answer = await restored.call('/api/app-auth/login', { json: { username: USERNAME, password: PASSWORD } })
  restored.setCookie((answer.headers.get('set-cookie') ?? '').split(';')[0] as string)
  t.match((await restored.json('/api/scheduling')).body, { daily_time: '05:45' }, 'as it was when it was backed up')
})
