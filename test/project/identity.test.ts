// `sdk/items` is the only place that says whether two texts are one name, two rows one work, and two times one play. A
// private copy answers differently sooner or later: this finds copies in the sources, and counts what is left of them.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '../..')

interface Rule {
  /** Use this instead. */
  readonly instead: string
  readonly found: RegExp
  /** Lines that look like a copy and are none: file, a part of the line, and why. */
  readonly except: readonly (readonly [file: string, line: string, reason: string])[]
}

const RULES: readonly Rule[] = [
  {
    instead: 'foldText, searchWords (search) or foldCase, plainTitle (equality)',
    found: /\.normalize\('NF|\\p\{M\}\+?\/|\.toUpperCase\(\)\.toLowerCase\(\)|\.toLocaleLowerCase\(/,
    except: [
      ['core/auth/stored-account.ts', "name.normalize('NFKC')", 'names of users; stored, and core has no items'],
      [
        'plugins/services/scrobble/filter/account.ts',
        "name.normalize('NFKC')",
        'punctuation is removed before foldCase',
      ],
      ['plugins/services/playlists/config/names.ts', "given.trim().normalize('NFC')", 'the form in which it is stored'],
      ['plugins/services/playlists/config/names.ts', "given.normalize('NFC')", 'the form in which it is stored'],
      ['plugins/services/playlists/config/rulesets.ts', ".trim().normalize('NFC')", 'the form in which it is stored'],
      ['ui/pages/playlists/state.ts', ".normalize('NFC')", 'suggests a name in the form in which it is stored'],
    ],
  },
  {
    instead: 'foldText and searchWords',
    found: /toLowerCase\(\)\s*\.(?:includes|startsWith|split)\(/,
    except: [
      ['plugins/providers/jellyfin/dialect.ts', "includes('jellyfin')", 'the name of a product'],
      ['plugins/providers/emby/dialect.ts', "includes('jellyfin')", 'the name of a product'],
      ['plugins/services/events/query/filters.ts', 'facet.reason_code', 'a code; titles are searched by its index'],
      ['ui/parts/logs/log-line.ts', 'includes(filter.search)', 'lines of a log, literally'],
    ],
  },
  {
    instead: 'the distances of sdk/items/play-times.ts',
    found: /(?:const|let) \w*(?:SAME|VIEWING|COPY|COPIES|TOLERANCE|APART|NEAR|EQUAL)\w*_(?:MS|S|SECONDS)\b/,
    except: [
      ['plugins/providers/tracker/working-set.ts', 'playToleranceMs()', 'a name for the value of the SDK'],
      ['plugins/providers/plex/read/play-log.ts', 'REPORTED_PLAY_MS / 1_000', 'the value of the SDK in seconds'],
      ['plugins/providers/plex/read/play-log.ts', 'COPIES_S', 'Plex logs one play for each copy of a file'],
      ['plugins/providers/media-browser/write/steps.ts', 'SAME_POSITION_MS', 'positions'],
      ['plugins/providers/plex/write/progress.ts', 'SAME_MS', 'positions'],
      ['plugins/directory/kodi/write.ts', 'SAME_POSITION_MS', 'positions'],
      ['plugins/services/scrobble/decide/observe.ts', 'SAME_EVENT_MS', 'reports of a player'],
      ['plugins/services/scrobble/decide/ratings.ts', 'SAME_MS', 'reports of a rating'],
      ['plugins/services/playback/act/task.ts', 'SAME_ACTION_MS', 'clicks'],
    ],
  },
  {
    instead: 'contradicts, anyContradict, slotsContradict, compareItems',
    found: /(?:function|const) (?:contradict\w*|areComparable|isSame(?:Work|Item|Play|Title)|same(?:Work|Play)\w*)\b/,
    except: [
      ['plugins/providers/anilist/write/lookup.ts', 'media.idMal', 'the two ids of one answer'],
      ['plugins/providers/plex/playback/works.ts', 'row: Metadata', 'one row of a server, read twice'],
      ['plugins/providers/tracker/apply.ts', 'isSamePlay', 'sameTime and playToleranceMs'],
      ['plugins/services/editor/dataset/save-tracker.ts', 'isSameWork', 'contradicts and compareItems; one edited row'],
      ['plugins/services/scrobble/decide/viewing.ts', 'isSameItem', 'one server, whose own ids change; compareItems'],
      ['plugins/services/scrobble/decide/observe.ts', 'isSamePlay', 'reports of a player, by its position'],
      ['plugins/services/sync/plan/judge.ts', 'OperationChange', 'values of a change'],
      ['sdk/testing/conformance/checks/support.ts', 'isSameItem', 'the index of the checks'],
    ],
  },
  {
    instead: 'createMatcher',
    found: /parent\[\w+\] !==|\.parent = \w+\.parent|function rootOf/,
    except: [
      ['sdk/testing/conformance/token-index.ts', 'root', 'the checks find rows one by one, and see conflicts'],
      ['plugins/features/playlists/match.ts', 'rootOf', 'lists are matched in order, and a contradiction ends a group'],
    ],
  },
  {
    instead: 'ANIME_SCHEMES, isAnime',
    found: /\[\s*'(?:anidb|mal|anilist|kitsu)'(?:,\s*'(?:anidb|mal|anilist|kitsu)'){3}\s*\]/,
    except: [
      ['plugins/providers/simkl/write/targets.ts', 'OF_ANIME', 'the order in which SIMKL is asked'],
      ['plugins/services/anime-mapping/coverage.ts', 'ENTRIES', 'the order of a table'],
    ],
  },
]

/** The copies in a source, as `line: text`. Comments do not count. */
function copiesIn(rule: Rule, file: string, source: string): readonly string[] {
  return source.split('\n').flatMap((text, index) => {
    if (/^\s*(?:\/\/|\*|\/\*)/.test(text) || !rule.found.test(text)) return []
    const isAllowed = rule.except.some(([name, part]) => name === file && text.includes(part))
    return isAllowed ? [] : [`${file}:${index + 1}: ${text.trim()} (use ${rule.instead})`]
  })
}

const files = globSync('{core,plugins,sdk,ui}/**/*.{ts,tsx}', {
  cwd: ROOT,
  exclude: (name) => /(?:^|[\\/])(?:node_modules|dist)$|^sdk[\\/]items$/.test(name),
}).map((file) => file.replaceAll('\\', '/'))
const sources = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))

t.test('no source has its own answer', async (t) => {
  t.ok(files.length > 1_000, 'all sources are read')
  for (const rule of RULES)
    t.strictSame(
      [...sources].flatMap(([file, source]) => copiesIn(rule, file, source)),
      [],
    )
})

// A ratchet. Rows of accounts are in the library, an index of all titles in the catalog, and what outcomes mean in one table.
// What asks elsewhere, or decides by itself, is counted here, call by call. The numbers only fall: a new call asks instead.
interface Kind {
  /** Ask here. */
  readonly instead: string
  readonly found: RegExp
  /** Calls by file, below `plugins/services/` unless it begins with the name of another folder. */
  readonly known: Readonly<Record<string, number>>
}

const KINDS: Readonly<Record<string, Kind>> = {
  'joins rows': {
    instead: 'library.mergedItems, unitedRows or compareRows, which join the rows of accounts',
    found: /\b(?:createMatcher|createLinks|createRowNames|createRowMatcher|createLookup)\(|\bkey\.split\('@'\)/g,
    known: {
      'analyzer/pass/rows.ts': 1,
      'captures/work/compare.ts': 1,
      'catalog/index-thread/derive.ts': 1,
      'sync/library/compare.ts': 1,
      'sync/library/find-rows.ts': 2,
      'sync/library/groups.ts': 1,
      'sync/library/united-list.ts': 1,
      'sync/run/account-run.ts': 1,
      'sync/run/compare.ts': 1,
      'sync/run/target.ts': 1,
      'sync/run/undo.ts': 1,
      'sync/run/verify.ts': 1,
    },
  },
  'decides whether two rows are one': {
    instead: 'library.rowsOfWorks for the rows of a work, itemsByKeys or compareRows',
    found:
      /\b(?:compareItems|contradicts|anyContradict|anyTokensContradict|slotsContradict|sharesScheme|slotsShareScheme|sameTime|groupPlays|pairPlays)\(|\btokens\w*\.some\(/g,
    known: {
      'analyzer/act/correct.ts': 1,
      'analyzer/pass/fixes.ts': 1,
      'analyzer/pass/peers.ts': 1,
      'analyzer/pass/rows.ts': 4,
      'captures/work/changes.ts': 1,
      'catalog/index-thread/derive.ts': 2,
      'catalog/index-thread/plays.ts': 1,
      'catalog/read/newest.ts': 2,
      'catalog/read/works.ts': 1,
      'editor/dataset/save-tracker.ts': 2,
      'editor/playlist/merge.ts': 2,
      'imports/thread/compare.ts': 1,
      'manual/act/already.ts': 2,
      'manual/act/match.ts': 2,
      'playback/show/group.ts': 2,
      'playback/show/live.ts': 1,
      'plugins/analyzers/history-shows/index.ts': 1,
      'plugins/analyzers/rating-conflict/index.ts': 1,
      'plugins/features/history/times.ts': 1,
      'plugins/features/playlists/bind.ts': 3,
      'plugins/features/playlists/hold.ts': 1,
      'plugins/features/playlists/match.ts': 5,
      'scrobble/decide/viewing.ts': 1,
      'sdk/provider/playback/plays.ts': 2,
      'sync/library/compare.ts': 4,
      'sync/library/find-rows.ts': 3,
      'sync/library/match.ts': 5,
      'sync/library/own-writes.ts': 1,
      'sync/library/united-list.ts': 1,
      'sync/library/viewings.ts': 1,
      'sync/plan/filters.ts': 2,
      'sync/plan/judge.ts': 1,
      'sync/plan/view.ts': 3,
      'sync/run/undo.ts': 2,
      'sync/store/recorded.ts': 1,
      'sync/store/tombstones.ts': 1,
    },
  },
  'reads all rows of an account': {
    instead: 'library.page, counts, numbers or itemsByKeys, which read what is asked',
    found: /(?:library(?:\(\))?|holdings|tracker)\.(?:rows|texts|live|mergedItems|unitedRows)\(/g,
    known: {
      'analyzer/pass/thread.ts': 1,
      'anime-mapping/coverage.ts': 1,
      'captures/run/capture.ts': 1,
      'catalog/index-thread/thread.ts': 2,
      'exports/row-source.ts': 1,
      'maintenance/tracker/export.ts': 1,
      'playback/read/read-profile.ts': 1,
      'sync/library/reader.ts': 3,
    },
  },
  'has a thread': {
    instead: 'the thread of the library, or that of the plugin whose data it is',
    found: /\.startThread[<(]/g,
    known: {
      'analyzer/runner.ts': 1,
      'backups/service.ts': 1,
      'captures/create-parts.ts': 1,
      'catalog/parts.ts': 1,
      'imports/parts.ts': 1,
      'maintenance/routes/tracker-routes.ts': 1,
      'sync/parts.ts': 1,
      'sync/run/remote-engine.ts': 1,
    },
  },
  'has a database': {
    instead: 'the library or ctx.db: a file has two threads of its own, a writer and a reader',
    found: /\b(?:ctx|host)\.openDatabase\(/g,
    known: {
      'anime-mapping/index-file/slots.ts': 1,
      'catalog/index-thread/thread.ts': 1,
      'catalog/index.ts': 1,
      'events/store/archive.ts': 1,
      'imports/index.ts': 1,
      'imports/thread/thread.ts': 1,
      'notifications/index.ts': 1,
      'pictures/index.ts': 1,
      'playlists/store/store.ts': 1,
      'scrobble/store/store.ts': 1,
      'sync/index.ts': 1,
      'sync/library/thread.ts': 1,
      'sync/run/thread.ts': 1,
    },
  },
  'has a temporary database': {
    instead: 'library.beginRows, addRows and compareRows',
    found: /new DatabaseSync\(''\)/g,
    known: {
      'captures/work/compare.ts': 1,
      'sync/library/rows.ts': 1,
      'sync/library/united-list.ts': 1,
      'sync/library/united-rows.ts': 1,
    },
  },
  'spells outcomes': {
    instead: 'writeOutcomes, meaningOf or isWriteOutcome of @playhead/sdk/provider',
    found:
      /'(?:applied|already|not_found|unsupported|rejected|rate_limited|done|failed)'(?:,\s*|\s*\|\s*| \|\| [^|'\n]*=== )'(?:already|not_found|unsupported|rejected|rate_limited)'|'(?:applied|already|not_found|unsupported|rejected|rate_limited)'(?:,\s*|\s*\|\s*| \|\| [^|'\n]*=== )'(?:failed|unknown|deferred)'/g,
    known: {
      'actions/outcomes.ts': 1,
      'backups/archive/write.ts': 1,
      'imports/thread/compare.ts': 2,
      'manual/act/outcomes.ts': 1,
      'manual/request/body.ts': 1,
      'playlists/run/runs.ts': 1,
      'sdk/capabilities/actions.ts': 1,
      'sdk/provider/contract.ts': 1,
      'sdk/provider/writes/contract.ts': 3,
      'sdk/provider/writes/outcomes.ts': 1,
      'sync/contract.ts': 1,
      'sync/events.ts': 1,
      'sync/routes/answers.ts': 1,
      'sync/run/apply.ts': 1,
      'sync/run/next-state.ts': 2,
      'sync/run/undo-entry.ts': 1,
      'sync/run/unresolved.ts': 2,
      'sync/run/verify.ts': 1,
      'sync/store/plan-search.ts': 1,
      'sync/store/written.ts': 1,
    },
  },
  'names results of a run': {
    instead: 'OUTCOMES of plugins/services/sync/record/outcome.ts',
    found: /'synced', 'partly'/g,
    known: { 'sync/record/outcome.ts': 1 },
  },
  'takes what happens in a run': {
    instead: 'the record of the run: sync.reports, or summaryOf of its reducer',
    found: /\b(?:reduceRun|logRunEvent|followRuns|recorder\.take|stream\.(?:event|changed|begin))\(/g,
    known: {
      'activity/index.ts': 1,
      'insights/index.ts': 1,
      'metrics/run-record.ts': 1,
      'recipes/index.ts': 1,
      'sync/record/recorded-run.ts': 2,
      'sync/run/runs.ts': 6,
    },
  },
}

const isCounted = (file: string) =>
  /^(?:plugins\/(?!directory\/|providers\/)|sdk\/provider\/|sdk\/capabilities\/)/.test(file)

/** Calls by file. Comments, declarations, and questions by meaning do not count. */
function callsOf({ found }: Kind, all: Iterable<readonly [file: string, source: string]>): Record<string, number> {
  const calls: Record<string, number> = {}
  for (const [file, source] of all) {
    const code = source.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$|\bfunction\*? \w+|\bwriteOutcomes\([^)]*\)/gm, '')
    const count = code.match(found)?.length ?? 0
    if (count > 0) calls[file.replace(/^plugins\/services\//, '')] = count
  }
  return calls
}

/** What rose, with where to ask, and what fell and is to be noted. */
function changesOf(what: string, { instead, known }: Kind, calls: Readonly<Record<string, number>>): readonly string[] {
  return [...new Set([...Object.keys(known), ...Object.keys(calls)])].flatMap((file) => {
    const [now, before] = [calls[file] ?? 0, known[file] ?? 0]
    if (now > before) return [`${file} ${what}: ${now} times, not ${before}. Ask ${instead}.`]
    return now < before ? [`${file} ${what}: only ${now} times. Lower its number here from ${before}.`] : []
  })
}

t.test('no plugin answers by itself what one place answers', async (t) => {
  const counted = [...sources].filter(([file]) => isCounted(file))
  for (const [what, kind] of Object.entries(KINDS))
    t.strictSame(changesOf(what, kind, callsOf(kind, counted)), [], what)
})

t.test('each further call is seen, also in a file that has one', async (t) => {
  const calls: Readonly<Record<string, string>> = {
    'joins rows': 'const matcher = createMatcher()',
    'decides whether two rows are one': 'if (compareItems(a, b) === "same") return',
    'reads all rows of an account': 'for await (const page of library().texts(provider)) use(page)',
    'has a thread': "ctx.startThread<Work>('work.ts')",
    'has a database': "await ctx.openDatabase('mine')",
    'has a temporary database': "new DatabaseSync('')",
    'spells outcomes': "const DONE = ['applied', 'already']",
    'names results of a run': "['synced', 'partly']",
    'takes what happens in a run': 'followRuns(ctx, take)',
  }
  t.strictSame(Object.keys(calls), Object.keys(KINDS))
  for (const [what, call] of Object.entries(calls)) {
    const kind = { ...KINDS[what]!, known: { 'a.ts': 1 } }
    const seen = (source: string) => changesOf(what, kind, callsOf(kind, [['plugins/services/a.ts', source]]))
    t.strictSame(seen(call), [])
    t.match(seen(`${call}\n${call}`), [/2 times, not 1\. Ask /])
    t.match(seen(`// ${call}`), [/Lower its number/])
  }
  const spelled = [
    "'applied' | 'already'",
    "outcome === 'applied' || outcome === 'already'",
    "'not_found', 'unsupported', 'rejected'",
  ]
  for (const text of spelled) t.ok(callsOf(KINDS['spells outcomes']!, [['a.ts', text]])['a.ts'], text)
})

t.test('an exception names a line that exists', async (t) => {
  for (const { found, except } of RULES)
    for (const [file, part] of except) {
      const lines = (sources.get(file) ?? '').split('\n')
      t.ok(
        lines.some((line) => line.includes(part) && found.test(line)),
        `${file} ${part}`,
      )
    }
})

t.test('copies are found', async (t) => {
  const copies: readonly (readonly string[])[] = [
    ["text.normalize('NFD')", 'x.replaceAll(/\\p{M}/gu, "")', 'text.toUpperCase().toLowerCase()'],
    ['title.toLowerCase().includes(word)', 'q.trim().toLowerCase().split(/ /)'],
    ['const SAME_PLAY_MS = 60_000', 'export const VIEWING_MS = 6 * 3_600_000', 'const COPY_S = 1'],
    ['function contradictory(a, b) {', 'const isSameWork = (a: Item, b: Item) =>', 'function samePlay(a: Time) {'],
    ['while (parent[at] !== at) at = parent[at]', 'function rootOf(node) {'],
    ["const SCHEMES = ['mal', 'anidb', 'kitsu', 'anilist']"],
  ]
  for (const [index, lines] of copies.entries())
    for (const line of lines) t.equal(copiesIn(RULES[index]!, 'plugins/a.ts', line).length, 1, line)
  t.equal(copiesIn(RULES[2]!, 'plugins/a.ts', '// const SAME_PLAY_MS = 60_000').length, 0, 'not in comments')
})
