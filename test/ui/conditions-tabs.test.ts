// slow: a browser, step by step
// Every page while another tab or a program changes its data: it shows the result without a reload.
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { runToEnd } from '../demo/sign-in.ts'
import { follow, isClean, PAGES, PHONE, rowsOf, stands } from './conditions.ts'
import { startFilled, upload } from './filled.ts'
import { settled } from './harness.ts'

const filled = await startFilled()
atEndOfFile(() => filled[Symbol.asyncDispose]())
const { ui, service, paths, pair } = filled
const rows = rowsOf('filled', paths)
const rowPath = (pattern: string) => rows.find(([, one]) => one === PAGES[pattern])![0]
const SOON_MS = 15_000
const ask = (path: string, json?: object, method?: string) =>
  service.json(path, { ...(json === undefined ? {} : { json }), ...(method === undefined ? {} : { method }) })
const ok = async (path: string, json: object, method?: string) => {
  const { status, body } = await ask(path, json, method)
  if (status > 299) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body
}

let count = 0
/** Films that only Trakt knows. */
let films = 0
const renamePair = (name: string) => ok(`/api/pairs/${pair}`, { name: `Attic and cellar ${name}` }, 'PUT')
const renameProfile = async (name: string) => {
  const { connections } = (await ask('/api/connections')).body
  const { profiles } = connections.find((one: any) => one.provider === 'MEDIAB')
  await ok(`/api/connections/MEDIAB/${profiles.at(-1).id}/label`, { label: name }, 'PUT')
}
const film = (title: string) => ({ type: 'movie', title, year: 1999, ids: { tmdb: 900_041 + films++ } })
const mark = (actions: object) => (title: string) =>
  ok('/api/manual/watched', { item: film(title), providers: [{ provider: 'TRACKA' }], ...actions })
const watch = mark({ actions: { history: true } })
/** Changes the title of the page at Trakt. */
const markTitle = (page: string, actions: object) => async () => {
  const { body } = await ask(`/api/library/${rowPath(page).split('/').at(-1)}`)
  await ok('/api/manual/watched', {
    item: { type: body.kind, title: body.title, year: body.year, ids: body.ids },
    providers: [{ provider: 'TRACKA' }],
    actions,
    rating: 3,
  })
}

const acknowledge = (id: string) => ok(`/api/events/groups/${id}/acknowledge`, {})
const plugin = (id: string, what: 'enable' | 'disable') => () => ok(`/api/plugins/${id}/${what}`, {})
const saveSection = async (path: string, values: object) => {
  const { body } = await ask(`/api/config/sections/${path}`)
  await ok(`/api/config/sections/${path}`, { values: { ...body.values, ...values } }, 'PUT')
}

interface Row {
  /** The address, if it needs parameters. */
  readonly at?: string
  readonly before?: (page: Page) => Promise<unknown>
  readonly change: (name: string) => Promise<unknown>
  /** Content that appears afterwards; by default the name that the change was given. */
  readonly seen?: string | RegExp | ((page: Page) => Locator)
  /** Content that disappears. */
  readonly gone?: string
  readonly undo?: () => Promise<unknown>
}

/** null: not tested here. */
const ROWS: Readonly<Record<string, Row | null>> = {
  '/': { change: renamePair },
  '/start': { change: plugin('anilist', 'disable'), gone: 'AniList', undo: plugin('anilist', 'enable') },
  '/connections': { change: renameProfile },
  '/connections/:provider': { change: renameProfile },
  '/pairs': { change: renamePair },
  '/pairs/new': null,
  '/pairs/:id': { change: renamePair },
  '/plans/:id': { change: renamePair },
  '/scrobbling': {
    async change() {
      const { routes } = (await ask('/api/scrobbler/overview')).body
      await ok(`/api/scrobbler/routes/${routes[0].id}`, {}, 'DELETE')
    },
    gone: 'Jellyfin to Trakt',
  },
  '/runs': { change: renamePair },
  '/runs/:id': { change: renamePair },
  '/schedule': {
    change: () => ok('/api/scheduling', { enabled: false, mode: 'disabled' }),
    seen: (page) => page.getByRole('radio', { name: 'Off', checked: true }),
  },
  '/continue': {
    async change() {
      const { items } = (await ask('/api/playback_progress/items')).body
      for (const { provider, instance_id, remote_id } of items)
        for (const one of remote_id.split('|')) {
          const [of, at, id] = provider === 'combined' ? one.split(':') : [provider, instance_id, one]
          await ok('/api/playback_progress/actions/remove', { provider: of, instance_id: at, remote_id: id })
        }
    },
    seen: 'Nothing to continue',
  },
  '/watchlist': { change: mark({ actions: { watchlist: true, history: false } }) },
  '/playlists': { at: '/playlists?tab=rules', change: (name) => ok('/api/playlists/rulesets', { ruleset: { name } }) },
  '/playlists/:id': {
    change: (name) => ok('/api/playlists/mappings', { id: rowPath('/playlists/:id').split('/').at(-1), name }),
  },
  '/library': { change: watch },
  '/library/:key': { change: markTitle('/library/:key', { history: true }), gone: 'Watched once' },
  '/history': { change: watch },
  '/plays/add': null,
  '/editor': {
    at: '/editor?account=SVC@default&what=watchlist',
    change: (name) =>
      ok('/api/editor', { source: 'tracker', kind: 'watchlist', items: [{ key: 'movie:tmdb:990500', ...film(name) }] }),
  },
  '/anime': {
    change: (name) =>
      ok('/api/anime-mapping/settings', {
        overrides: [
          {
            media_type: 'show',
            title: name,
            match_provider: 'tvdb',
            match_id: '5',
            target_namespace: 'anidb',
            target_id: '7',
          },
        ],
      }),
  },
  '/statistics': { change: watch },
  '/events': { change: () => runToEnd(service), seen: /^Show \d+ new$/ },
  '/events/groups/:id': {
    change: () => acknowledge(rowPath('/events/groups/:id').split('/').at(-1)!),
    seen: 'Mark as not seen',
  },
  '/events/item/:key': {
    change: markTitle('/events/item/:key', { rating: true, history: false }),
    seen: 'Manual rating',
  },
  '/import': { change: (name) => upload(service, `${name}.csv`) },
  // Only its own page reads it, and that page follows it during the write.
  '/import/:id': null,
  '/export': {
    async change() {
      const { items } = (await ask('/api/library?limit=100')).body
      const known = new Set(items.map((one: any) => one.ids?.tmdb))
      const tmdb = Array.from({ length: 30 }, (_, index) => String(900_000 + index)).find((id) => !known.has(id))
      await ok('/api/manual/watched', {
        item: { ...film(''), ids: { tmdb } },
        providers: [{ provider: 'MEDIAB', instance: 'default' }],
        actions: { history: true },
      })
    },
    seen: /^29 lines/,
  },
  '/captures': { change: (label) => ok('/api/snapshots/create', { provider: 'TRACKA', feature: 'watchlist', label }) },
  // The content of a capture never changes.
  '/captures/view?path=:path': null,
  '/captures/compare?a=:path&b=:path': null,
  '/captures/restore?path=:path': null,
  '/backups': { change: (label) => ok('/api/backups/create', { scope: 'config_only', label }) },
  '/analyzer': null,
  // problems.test.ts changes it by its own actions.
  '/problems': null,
  '/maintenance': null,
  '/notifications': {
    change: (name) =>
      ok('/api/notifications/targets', {
        notifier: 'discord',
        name,
        settings: { webhook_url: 'https://discord.com/api/webhooks/1/a' },
      }),
  },
  // streams.test.ts turns a plugin off while eight tabs are open.
  '/plugins': null,
  '/plugins/:id': { change: plugin('sync', 'disable'), seen: 'Turn on', undo: plugin('sync', 'enable') },
  '/plugin-directory': null,
  '/settings': null,
  '/help': null,
  '/settings/tokens': { change: (name) => ok('/api/tokens', { name, scope: 'read' }) },
  '/settings/updates': null,
  '/settings/about': null,
  '/settings/sync': {
    change: () => saveSection('sync', { removal_min: 77 }),
    seen: (page) => page.locator('input[value="77"]'),
  },
}
t.same(
  Object.keys(ROWS),
  rows.map(([, row]) => Object.keys(PAGES).find((pattern) => PAGES[pattern] === row)),
  'every page has a row',
)

t.test('each page shows changes from elsewhere', async (t) => {
  const page = await ui.open('/', PHONE)
  await settled(page)
  await page.evaluate('globalThis.isSamePage = true')
  for (const [pattern, one] of Object.entries(ROWS)) {
    if (one === null) continue
    const row = PAGES[pattern]!
    const path = rowPath(pattern)
    await follow(page, one.at ?? path)
    await stands(t, page, path, one.at === undefined ? row.filled : undefined)
    await one.before?.(page)
    const name = `News${++count}`
    const seen = one.seen ?? name
    const found = (typeof seen === 'function' ? seen(page) : page.locator('#content').getByText(one.gone ?? seen))
      .filter({ visible: true })
      .first()
    t.equal(await found.isVisible(), one.gone !== undefined, `${path} before the change`)
    await one.change(name).catch((error: unknown) => t.fail(`${path}: ${String(error)}`))
    await found
      .waitFor({ state: one.gone === undefined ? 'visible' : 'detached', timeout: SOON_MS })
      .catch(async () => {
        const text = (await page.locator('#content').innerText()).replaceAll(/\s*\n\s*/g, ' | ').slice(0, 900)
        t.fail(`${path} does not show it`, { text })
      })
    await one.undo?.()
  }
  t.equal(await page.evaluate('globalThis.isSamePage'), true)
  isClean(t, page)
  await page.context().close()
})

t.test('a change in one tab appears in the other, and a form with edits is left alone', async (t) => {
  const one = await ui.open('/settings/sync')
  const other = await one.context().newPage()
  await other.goto(`${service.url}/settings/sync`)
  await settled(other)
  await one.bringToFront()
  const days = (page: Page) => page.getByRole('textbox', { name: 'Days on hold' }).first()
  for (const page of [one, other]) await page.getByText('Advanced', { exact: true }).first().click()
  await days(other).waitFor()
  await days(one).fill('41')
  await one.getByRole('button', { name: 'Save', exact: true }).click()
  await other.locator('input[value="41"]').waitFor()
  await days(other).fill('12')
  await saveSection('sync', { removal_min: 43 })
  await one.locator('input[value="43"]').waitFor()
  t.equal(await days(other).inputValue(), '12')
  await other.getByRole('button', { name: 'Save', exact: true }).click()
  await other.locator('#content').getByRole('alert').first().waitFor()
  t.equal((await ask('/api/config/sections/sync')).body.values.removal_min, 43, 'nothing is overwritten unseen')
  isClean(t, one)
  await one.context().close()
})

t.test('the settings of a pair follow another tab; a form with edits says so, and offers to', async (t) => {
  const page = await ui.open(`/pairs/${pair}?tab=settings`, PHONE)
  const name = page.getByLabel('Name', { exact: true })
  await name.waitFor()
  const elsewhere = page.getByText('This was changed elsewhere.')
  await renamePair('one')
  await page.locator('input[value="Attic and cellar one"]').waitFor()
  t.equal(await elsewhere.count(), 0)

  await name.fill('Mine')
  await renamePair('two')
  await elsewhere.waitFor()
  t.equal(await name.inputValue(), 'Mine')
  await page.getByRole('button', { name: 'Show the newer version' }).click()
  await page.locator('input[value="Attic and cellar two"]').waitFor()
  t.equal(await elsewhere.count(), 0)

  // Its own save is not an external change.
  await name.fill(' Mine ')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('input[value="Mine"]').waitFor()
  t.equal(await elsewhere.count(), 0)
  isClean(t, page)
  await page.context().close()
})
