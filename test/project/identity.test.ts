// `sdk/items` is the only place that says whether two texts are one name, two rows one work, and two times one play. A
// private copy answers differently sooner or later: this finds copies in the sources.
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

// Rows of accounts are in the library, and an index of all titles in the catalog. A plugin that joins rows, reads all rows of
// an account, or has a thread or a database of its own is listed here: ask the library or the catalog instead, and add none.
const PLACES: Readonly<Record<string, readonly [found: RegExp, files: readonly string[]]>> = {
  'joins rows': [
    /createMatcher\(\)/,
    ['analyzer/pass/rows.ts', 'catalog/index-thread/derive.ts', 'sync/library/groups.ts', 'sync/library/union.ts'],
  ],
  'reads all rows of an account': [
    /(?:library(?:\(\))?|holdings|tracker)\.(?:rows|texts|live|mergedItems)\(/,
    [
      'analyzer/pass/thread.ts',
      'anime-mapping/coverage.ts',
      'captures/run/capture.ts',
      'catalog/index-thread/thread.ts',
      'maintenance/tracker/export.ts',
      'playback/read/read-profile.ts',
      'sync/library/reader.ts',
      'sync/library/thread.ts',
    ],
  ],
  'has a thread': [
    /\.startThread[<(]/,
    [
      'analyzer/runner.ts',
      'backups/service.ts',
      'captures/create-parts.ts',
      'catalog/parts.ts',
      'imports/parts.ts',
      'maintenance/routes/tracker-routes.ts',
      'sync/parts.ts',
      'sync/run/remote-engine.ts',
    ],
  ],
  'has a database': [
    /ctx\.openDatabase\(/,
    [
      'anime-mapping/index-file/slots.ts',
      'catalog/index.ts',
      'events/store/archive.ts',
      'imports/index.ts',
      'notifications/index.ts',
      'pictures/index.ts',
      'playlists/store/store.ts',
      'scrobble/store/store.ts',
      'sync/index.ts',
    ],
  ],
  'has a temporary database': [
    /new DatabaseSync\(''\)/,
    [
      'captures/work/compare.ts',
      'sync/library/rows.ts',
      'sync/library/union.ts',
      'sync/library/united-list.ts',
      'sync/library/united-rows.ts',
    ],
  ],
}

t.test('no plugin keeps a further copy of the rows of accounts', async (t) => {
  const services = [...sources].filter(([file]) => /^plugins\/(?!directory\/|providers\/)/.test(file))
  for (const [what, [found, files]] of Object.entries(PLACES))
    t.strictSame(
      services.flatMap(([file, source]) => (found.test(source) ? [file] : [])).sort(),
      files.map((file) => `plugins/services/${file}`),
      what,
    )
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
