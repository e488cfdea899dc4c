// The answers of the search to words that people type. Settings, services and plugins are those of a running service.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { entriesOf, firstEntries, type SearchEntry, type Sources, VOCABULARY } from '../../ui/app/search-entries.ts'
import { search } from '../../ui/app/search-match.ts'
import { AREAS } from '../../ui/app/paths.ts'
import { readGuideIndex } from '../../ui/build-guide.ts'
import { shell } from '../../ui/texts/en/shell.ts'
import { startService } from '../harness.ts'

const service = await startService({ shipped: true })
atEndOfFile(() => service[Symbol.asyncDispose]())

const CONNECTED = new Set(['Plex', 'Jellyfin', 'Trakt'])
const WITHOUT_PAGE = new Set(['title', 'login', 'plugin-pages'])
const { connections } = (await service.json('/api/connections')).body as { connections: Sources['connections'] }
const { sections } = (await service.json('/api/config/fields')).body as { sections: Sources['sections'] }
const { plugins } = (await service.json('/api/plugins')).body as { plugins: Sources['plugins'] }
const entries = entriesOf({
  pages: Object.entries(AREAS)
    .filter(([area]) => !WITHOUT_PAGE.has(area))
    .map(([area, [href]]) => ({ area, title: (shell.pages as Readonly<Record<string, string>>)[area]!, href })),
  pluginPages: [],
  connections: connections.map((one) => ({
    ...one,
    profiles: one.profiles.map((profile) => ({
      ...profile,
      configured: CONNECTED.has(one.label),
      user: { id: '1', name: one.label === 'Jellyfin' ? 'Kim' : 'ada' },
    })),
  })),
  pairs: [
    { id: '1', name: 'Attic and cellar', sides: 'Plex → Jellyfin' },
    { id: '2', name: 'Friday evening', sides: 'Jellyfin ↔ Trakt' },
  ],
  sections,
  plugins,
  guide: await readGuideIndex(),
})
const titles: readonly SearchEntry[] = [
  'Silent Harbour (2021)',
  'Synchronic (2019)',
  'Dark (2017)',
  'The Undoing (2020)',
  'Logan (2017)',
  'Undo (2006)',
].map((label) => ({ id: label, group: 'titles', label }))

const found = (query: string, of: readonly SearchEntry[] = [...titles, ...entries]) =>
  search(of, query, VOCABULARY).flatMap(({ group, entries: own }) =>
    own.map(({ label, href }) => ({ group, label, href })),
  )
const answers = (query: string) => found(query, entries).map(({ group, label }) => `${group}: ${label}`)

/** A query, and what must be the first or second answer to it. */
const WORDS: readonly (readonly [query: string, expected: string])[] = [
  ['sync now', 'actions: Run all pairs'],
  ['webhook', 'actions: Webhook address of Plex'],
  ['undo', 'actions: Undo the last run'],
  ['token', 'actions: New API token'],
  ['restore', 'actions: Restore a backup'],
  ['ignore', 'actions: Stop syncing a title'],
  ['log', 'settings: Logs'],
  ['discord', 'actions: Notifications by Discord'],
  ['dark', 'actions: Dark colors'],
  ['password', 'actions: Change the name or password'],
  ['trakt', 'accounts: Trakt'],
  ['schedule', 'pages: Schedule'],

  ['undo last run', 'actions: Undo the last run'],
  ['revert', 'actions: Undo the last run'],
  ['rollback', 'actions: Undo the last run'],
  ['webhook plex', 'actions: Webhook address of Plex'],
  ['plex webhook url', 'actions: Webhook address of Plex'],
  ['new token', 'actions: New API token'],
  ['api key', 'actions: New API token'],
  ['tokens', 'actions: New API token'],
  ['restore a backup', 'actions: Restore a backup'],
  ['backup', 'actions: Create a backup'],
  ['backups', 'actions: Restore a backup'],
  ['how do I undo a run', 'actions: Undo the last run'],
  ['exclude', 'actions: Stop syncing a title'],
  ['stop syncing', 'actions: Stop syncing a title'],
  ['light mode', 'actions: Light colors'],
  ['theme', 'actions: Dark colors'],
  ['plex', 'accounts: Plex'],
  ['kim', 'accounts: Jellyfin'],
  ['simkl', 'actions: Connect SIMKL'],
  ['connect emby', 'actions: Connect Emby'],
  ['add account', 'actions: Connect a service'],
  ['attic', 'pairs: Attic and cellar'],
  ['friday', 'pairs: Friday evening'],
  ['new pair', 'actions: Add a pair'],
  ['cron', 'pages: Schedule'],
  ['automatic', 'pages: Schedule'],
  ['telegram', 'actions: Notifications by Telegram'],
  ['notify', 'actions: Add a notification channel'],
  ['email', 'actions: Notifications by Email'],
  ['letterboxd', 'pages: Import'],
  ['csv', 'pages: Import'],
  ['export', 'pages: Export'],
  ['watched', 'pages: History'],
  ['last night', 'pages: History'],
  ['mark watched', 'actions: Add a play'],
  ['stats', 'pages: Statistics'],
  ['movies', 'pages: Library'],
  ['plan to watch', 'pages: Watchlist'],
  ['resume', 'pages: Continue watching'],
  ['logout', 'actions: Sign out'],
  ['sessions', 'settings: Sessions'],
  ['https', 'settings: Address and certificate'],
  ['certificate', 'settings: Address and certificate'],
  ['sso', 'settings: Single sign-on'],
  ['update', 'settings: Updates'],
  ['version', 'settings: Updates'],
  ['restart', 'actions: Restart Playhead'],
  ['shortcuts', 'actions: Keyboard shortcuts'],
  ['deutsch', 'actions: Language: Deutsch'],
  ['snapshot', 'actions: Capture an account'],
  ['removals', 'settings: Removals without approval'],
  ['trusted proxies', 'settings: Trusted proxies'],
  ['keep events', 'settings: Keep events (days)'],
  ['time zone', 'settings: Time zone'],
  ['disk', 'pages: Maintenance'],
  ['mal', 'pages: Anime mapping'],
  ['nginx', 'guide: nginx'],
  ['docker', 'guide: Container'],
  ['home assistant', 'guide: Home Assistant'],
  ['reverse proxy', 'guide: Behind a reverse proxy'],
  ['tracker shuts down', 'guide: When a tracker shuts down'],
  ['plugins', 'pages: Plugins'],
]

t.test('each word has its answer in the first two places', async (t) => {
  t.ok(WORDS.length >= 62)
  for (const [query, expected] of WORDS) {
    const all = answers(query)
    t.ok(all.slice(0, 2).includes(expected), `${query}: ${expected}`, { found: all })
  }
})

t.test('a word of a title finds the title, and an exact word comes before a part of a longer one', async (t) => {
  t.equal(found('silent')[0]?.label, 'Silent Harbour (2021)')
  t.same(
    found('dark')
      .slice(0, 2)
      .map(({ label }) => label),
    ['Dark (2017)', 'Dark colors'],
  )
  t.equal(found('log')[0]?.label, 'Logs', 'not Logan')
  t.equal(found('undo')[0]?.label, 'Undo (2006)')
  t.equal(found('undo').find(({ group }) => group !== 'titles')?.label, 'Undo the last run')
})

t.test('the answers are few, in groups, and documents come last', async (t) => {
  for (const [query] of WORDS) {
    const groups = search([...titles, ...entries], query, VOCABULARY)
    t.ok(groups.flatMap((one) => one.entries).length <= 14, query)
    t.equal(new Set(groups.map(({ group }) => group)).size, groups.length, query)
    const place = groups.findIndex(({ group }) => group === 'guide')
    t.ok(place === -1 || place === groups.length - 1, query)
  }
})

t.test('words that are nowhere find nothing, and a part of a question that is known finds its answer', async (t) => {
  t.same(found('xqzw'), [])
  t.same(found(' '), [])
  t.same(found('restore my very old backup')[0]?.label, 'Restore a backup')
})

t.test('every answer has an address or an action, and settings lead to their field', async (t) => {
  t.same(
    entries.filter(({ href, act }) => (href === undefined) === (act === undefined)).map(({ id }) => id),
    [],
  )
  t.equal(new Set(entries.map(({ id }) => id)).size, entries.length, 'each once')
  t.equal(found('removals without approval')[0]?.href, '/settings/sync#root_removal_min')
  t.equal(found('nginx').find(({ label }) => label === 'nginx')?.href, '/guide/reverse-proxy#nginx')
  t.ok(firstEntries(entries).length > 10)
})
