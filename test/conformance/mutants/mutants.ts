// Typical mistakes of provider authors: each is the good provider in reel/ with one change, and the checks that must find it.
// They generate the table in docs/reference/conformance.md.
import type { Feature } from '@playhead/sdk'

export interface Mutant {
  /** "A provider that …" */
  readonly mistake: string
  /** Checks that fail. Others may fail, too. */
  readonly caught: readonly string[]
  /** Texts of index.ts, each occurring exactly once, and their replacements. */
  readonly swap?: readonly (readonly [from: string, to: string])[]
  /** Overrides of plugin.json. */
  readonly manifest?: Readonly<Record<string, unknown>>
}

const one = (
  caught: string | readonly string[],
  mistake: string,
  ...swap: readonly (readonly [from: string, to: string])[]
): Mutant => ({ mistake, caught: typeof caught === 'string' ? [caught] : caught, swap })

// Positions in index.ts.
const PAGED_FROM = '  yield* pagedRead({'
const PAGE_JSON = 'await api.json({ path: feature, query, signal: until }, Page)'
const ROWS = 'page.items.map((row) => toItem(feature, row)).filter((item) => isWanted(item, request))'
const READS = 'read: { watchlist: read, history: read, ratings: read, progress: read },'
const WRITES = 'write: { watchlist: write, history: write, ratings: write, progress: write },'
const RESULTS =
  "ready.map(({ key }, index) => ({ key, ...(OUTCOMES[results[index] as string] ?? { outcome: 'unknown' }) }))"
const SEND_ROWS = 'json: { items: ready.map(({ item }) => toRow(feature, item)) },'
const PROBE = '    const { user, account } = await whoIs(session, signal)\n    return'

/** A custom loop in place of `pagedRead`. */
const ownLoop = (code: string): readonly [string, string] => [
  PAGED_FROM,
  `  const pageOf = (index: number, size = session.account.profile.page_size, until: AbortSignal | undefined = signal) =>
    api.json({ path: feature, query: { page: index, size }, ...(until === undefined ? {} : { signal: until }) }, Page)
  const rowsOf = (page: Static<typeof Page>) => page.items.map((row) => toItem(feature, row)).filter((item) => isWanted(item, request))
  const whole: ReadPart = { type: 'end', end: { complete: true, semantics: 'present', account } }
  if (Date.now() > 0) {
    ${code}
    return
  }
${PAGED_FROM}`,
]
const DONE_AFTER = 'yield whole'
/** Wraps the good read. */
const readAs = (code: string): readonly [string, string] => [
  READS,
  `read: Object.fromEntries(['watchlist', 'history', 'ratings', 'progress'].map((name) => [name, async function* (session: Session, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> { ${code} }])),`,
]
/** Wraps the good write. */
const writeAs = (code: string): readonly [string, string] => [
  WRITES,
  `write: Object.fromEntries(['watchlist', 'history', 'ratings', 'progress'].map((name) => [name, async (session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> => { ${code} }])),`,
]
const EMPTY_WHEN = (condition: string): readonly [string, string] =>
  readAs(
    `try { yield* read(session, request, signal) } catch (error) { if (!(${condition})) throw error; yield { type: 'end', end: { complete: true, semantics: 'present', account: 'unknown' } } }`,
  )
const codeIs = (code: string) => `(error as { code?: string }).code === '${code}'`

const paging: readonly Mutant[] = [
  one('reads.complete', 'counts pages from 1 where the service counts from 0', [
    'page: index, size: session',
    'page: index + 1, size: session',
  ]),
  one(
    'reads.complete',
    'never asks for the last page',
    ownLoop(
      `for (let index = 0; ; index += 1) { const page = await pageOf(index); yield { type: 'rows', rows: rowsOf(page) }; if (index + 2 >= page.pages) break }; ${DONE_AFTER}`,
    ),
  ),
  one(
    'reads.complete',
    'takes the first page for the whole list',
    ownLoop(`yield { type: 'rows', rows: rowsOf(await pageOf(0)) }; ${DONE_AFTER}`),
  ),
  one(
    'reads.many',
    'asks for one large page, and does not notice that the service returns at most 250 rows',
    ownLoop(`yield { type: 'rows', rows: rowsOf(await pageOf(0, 100_000)) }; ${DONE_AFTER}`),
  ),
  one(
    'damage.removed-while-reading',
    'does not see that the list changed between two pages',
    ownLoop(
      `for (let index = 0, pages = 1; index < pages; index += 1) { const page = await pageOf(index); pages = page.pages; yield { type: 'rows', rows: rowsOf(page) } }; ${DONE_AFTER}`,
    ),
  ),
  one(
    'damage.server-error',
    'takes a page that failed for the end of the list',
    ownLoop(
      `try { for (let index = 0, pages = 1; index < pages; index += 1) { const page = await pageOf(index); pages = page.pages; yield { type: 'rows', rows: rowsOf(page) } } } catch {}; ${DONE_AFTER}`,
    ),
  ),
  one(
    'damage.removed-while-reading',
    'calls a read complete although its rows do not add up',
    readAs(
      `for await (const part of read(session, request, signal)) yield part.type === 'end' ? { ...part, end: { ...part.end, complete: true } } : part`,
    ),
  ),
  one('reads.once', 'gives the rows of the first page twice', [
    'return { rows, count',
    'return { rows: index === 0 ? [...rows, ...rows] : rows, count',
  ]),
  one(
    'reads.total',
    'reports a total that its rows do not reach',
    readAs(
      `for await (const part of read(session, request, signal)) yield part.type === 'rows' ? { ...part, total: (part.total ?? 0) + 1 } : part`,
    ),
  ),
  one(
    'reads.one-end',
    'continues after the end',
    readAs(
      `for await (const part of read(session, request, signal)) { yield part; if (part.type === 'end') yield part }`,
    ),
  ),
  one(
    'reads.many',
    'collects the whole list before it gives a row',
    readAs(
      `const parts = await Array.fromAsync(read(session, request, signal)); const rows = parts.flatMap((part) => (part.type === 'rows' ? part.rows : [])); for (let turn = 0; turn < 9 && rows.length > 99; turn += 1) rows.push(...rows.slice(0, 300)); yield { type: 'rows', rows }; yield parts.at(-1) as ReadPart`,
    ),
  ),
  one(
    'reads.at-once',
    'keeps the page that it is at in the module, for all reads',
    ['const TIMES = {', 'let at = 0\nconst TIMES = {'],
    ownLoop(
      `at = 0; for (let pages = 1; at < pages; at += 1) { const page = await pageOf(at); pages = page.pages; yield { type: 'rows', rows: rowsOf(page) } }; ${DONE_AFTER}`,
    ),
  ),
]

const failing: readonly Mutant[] = [
  one('damage.server-error', 'takes an answer of 500 for an empty list', EMPTY_WHEN(codeIs('PLH_UPSTREAM'))),
  one('damage.not-found', 'takes an answer of 404 for an empty list', EMPTY_WHEN(codeIs('PLH_NOT_FOUND'))),
  one('sign-in.revoked', 'takes an answer of 401 for an empty list', EMPTY_WHEN(codeIs('PLH_AUTH_FAILED'))),
  one('limits.quota', 'takes an answer of 429 for an empty list', EMPTY_WHEN(codeIs('PLH_RATE_LIMITED'))),
  one(
    'damage.timeout',
    'takes a service that does not answer for one without rows',
    EMPTY_WHEN(codeIs('PLH_UPSTREAM_TIMEOUT')),
  ),
  one('damage.empty-answer', 'takes an empty body for an empty list', [
    PAGE_JSON,
    `await api.request({ path: feature, query, signal: until }).then(async (answer) => { const text = await answer.text(); return text === '' ? { items: [], total: 0, pages: 0 } : (JSON.parse(text) as Static<typeof Page>) })`,
  ]),
  one('damage.page', 'takes a page of a proxy for an empty list', [
    PAGE_JSON,
    `await api.request({ path: feature, query, signal: until }).then(async (answer) => { const text = await answer.text(); try { return JSON.parse(text) as Static<typeof Page> } catch { return { items: [], total: 0, pages: 0 } } })`,
  ]),
  one('damage.truncated', 'mends a body that broke off', [
    PAGE_JSON,
    `await api.json({ path: feature, query, signal: until }, Page).catch((error: { code?: string }) => { if (error.code !== 'PLH_UPSTREAM') throw error; return { items: [], total: 0, pages: 0 } })`,
  ]),
  one('damage.unhandled', 'sends a request that nothing waits for', [
    PROBE,
    `    void session.api.json({ path: 'statistics' }, User)\n${PROBE}`,
  ]),
  one('limits.down', 'is always well', [
    PROBE,
    `    if (Date.now() > 0) return await whoIs(session, signal).then(({ user, account }) => ({ status: 'ok' as const, account, user }), () => ({ status: 'ok' as const }))\n${PROBE}`,
  ]),
  one('limits.down', 'takes every failure for a wrong password', [
    PROBE,
    `    if (Date.now() > 0) return await whoIs(session, signal).then(({ user, account }) => ({ status: 'ok' as const, account, user }), () => ({ status: 'auth_failed' as const }))\n${PROBE}`,
  ]),
  one(
    'limits.long',
    'asks again at once when it is asked to wait',
    ['timeoutMs: account.profile.timeout_ms,', 'timeoutMs: account.profile.timeout_ms,\n    tries: 1,'],
    readAs(
      `for (let turn = 0; ; turn += 1) { try { yield* read(session, request, signal); return } catch (error) { if (turn === 2) throw new Error('it did not work', { cause: error }) } }`,
    ),
  ),
]

const values: readonly Mutant[] = [
  one('reads.complete', 'drops the specials', [
    'isWanted(item, request))\n',
    'isWanted(item, request) && item.season !== 0)\n',
  ]),
  one('reads.true', 'numbers the episodes of all seasons through', [
    '...(episode === undefined ? {} : { episode }),',
    '...(episode === undefined ? {} : { episode: episode + 10 * Math.max(0, (season ?? 1) - 1) }),',
  ]),
  one('reads.true', 'gives all episodes to the first season', [
    '...(season === undefined ? {} : { season }),',
    '...(season === undefined ? {} : { season: 1 }),',
  ]),
  one('reads.complete', 'fills the gaps between watched episodes', [
    ROWS,
    `page.items.map((row) => toItem(feature, row)).filter((item) => isWanted(item, request)).flatMap((item) => Array.from({ length: item.episode ?? 1 }, (_, before) => (item.episode === undefined ? item : { ...item, episode: before + 1 })))`,
  ]),
  one('reads.true', 'gives positions in seconds as milliseconds', [
    '{ progress_ms: position * 1_000 }',
    '{ progress_ms: position }',
  ]),
  one(
    'reads.true',
    'takes seconds for milliseconds in both directions',
    ['{ progress_ms: position * 1_000 }', '{ progress_ms: position }'],
    ['{ duration_ms: runtime * 1_000 }', '{ duration_ms: runtime }'],
    ['Math.round(item.progress_ms / 1_000)', 'Math.round(item.progress_ms)'],
    ['Math.round(item.duration_ms / 1_000)', 'Math.round(item.duration_ms)'],
  ),
  one('reads.true', 'gives positions as percents', [
    '{ progress_ms: position * 1_000 }',
    '{ progress_ms: Math.round((100 * position) / (runtime ?? 1)) }',
  ]),
  one('reads.true', 'gives stars as ratings of ten', ['Math.round(stars * 2)', 'Math.max(1, Math.round(stars))']),
  one('writes.true', 'sends ratings of ten as stars', ['item.rating / 2', 'item.rating']),
  one('reads.true', 'gives times in the zone of the machine as UTC', [
    "new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')",
    "new Date(seconds * 1_000 - new Date(seconds * 1_000).getTimezoneOffset() * 60_000).toISOString().replace('.000Z', 'Z')",
  ]),
  one('writes.true', 'sends times in the zone of the machine as UTC', [
    'Date.parse(at) / 1_000',
    "Date.parse(at.replace(/Z$/, '')) / 1_000",
  ]),
  one('writes.add', 'sends times in milliseconds', ['Date.parse(at) / 1_000', 'Date.parse(at)']),
  one('reads.true', 'gives what has no time the time of the read', [
    'at === null ? undefined : timeOf(at)',
    'timeOf(at ?? Math.floor(Date.now() / 1_000))',
  ]),
  one('reads.true', 'takes a missing time for 1970', ['at === null ? undefined : timeOf(at)', 'timeOf(at ?? 0)']),
  one('reads.true', 'gives every row the time of the newest', [
    'const time = at === null ? undefined : timeOf(at)',
    'const time = at === null ? undefined : timeOf(Math.max(at, 1_700_000_000 + 9_000))',
  ]),
  one('reads.times', 'takes its own clock for that of the service', [
    'const time = at === null ? undefined : timeOf(at)',
    'const time = timeOf(Math.floor(Date.now() / 1_000) + 3 * 86_400)',
  ]),
  one('reads.true', 'loses the tt of imdb ids', ['{ imdb: ids.imdb }', "{ imdb: ids.imdb.replace('tt', '') }"]),
  one('reads.true', 'calls a show a movie', ['    type: kind,', "    type: kind === 'show' ? 'movie' : kind,"]),
  one('reads.true', 'gives the ids of a show as those of its episode', [
    '{ ids: {}, show_ids: shared, series_title: title }',
    '{ ids: shared, series_title: title }',
  ]),
  one('reads.identity', 'forgets the ids of the show', [
    '{ ids: {}, show_ids: shared, series_title: title }',
    '{ ids: {}, series_title: title }',
  ]),
  one('reads.true', 'gives ids of tmdb as ids of tvdb', ['{ tmdb: String(ids.tmdb) }', '{ tvdb: String(ids.tmdb) }']),
  one(
    'reads.values',
    'does not say that the history was watched',
    ["...(feature === 'history' ? { watched: true } : {}),", ''],
    [
      '[TIMES[feature as keyof typeof TIMES]]: time }',
      "[feature === 'history' ? 'added_at' : TIMES[feature as keyof typeof TIMES]]: time }",
    ],
  ),
  one('reads.plain', 'gives ids as numbers', ['{ tmdb: String(ids.tmdb) }', '{ tmdb: ids.tmdb as never }']),
  one('reads.plain', 'gives times as Date', [
    'at === null ? undefined : timeOf(at)',
    'at === null ? undefined : (new Date(at * 1_000) as never)',
  ]),
  one(
    'reads.plain',
    'gives instances of a class',
    ['const timeOf =', 'class Entry {}\nconst timeOf ='],
    [
      ROWS,
      'page.items.map((row) => Object.assign(new Entry(), toItem(feature, row))).filter((item) => isWanted(item, request))',
    ],
  ),
  one('reads.plain', 'gives rows with fields of its own', [
    '    type: kind,',
    '    type: kind,\n    ...({ stars } as object),',
  ]),
  one('reads.plain', 'gives functions with its rows', [
    '    type: kind,',
    '    type: kind,\n    ...({ remove: () => undefined } as object),',
  ]),
  one('reads.kinds', 'returns all kinds instead of the requested ones', [
    ROWS,
    'page.items.map((row) => toItem(feature, row))',
  ]),
]

const writing: readonly Mutant[] = [
  one(
    'writes.lost-once',
    'repeats an add whose answer is lost, and reports it as refused',
    ["same: { outcome: 'already' },", "same: { outcome: 'rejected', reason: 'exists' },"],
    [
      "watchlist: { ...all, update: false, kinds: ['movie', 'show'], idempotentAdd: true }",
      "watchlist: { ...all, update: false, kinds: ['movie', 'show'] }",
    ],
  ),
  one('writes.lost-once', 'repeats a play whose answer is lost, which makes two of it', [
    "idempotent: feature !== 'history'",
    'idempotent: true',
  ]),
  one(
    'writes.lost-answer',
    'calls a write undone whose answer is lost',
    writeAs(
      `const result = await write(session, request, signal); return { ...result, outcomes: result.outcomes.map((told) => (told.outcome === 'unknown' ? { ...told, outcome: 'failed' } : told)) }`,
    ),
  ),
  one('writes.remove-lost', 'repeats a removal whose answer is lost, and reports it as refused', [
    "absent: { outcome: 'already' },",
    "absent: { outcome: 'rejected' },",
  ]),
  one(
    'writes.episodes',
    'marks every episode up to the watched one',
    [
      SEND_ROWS,
      `json: { items: ready.flatMap(({ item }) => Array.from({ length: op === 'add' && feature === 'history' ? (item.episode ?? 1) : 1 }, (_, before) => toRow(feature, item.episode === undefined || op !== 'add' || feature !== 'history' ? item : { ...item, episode: item.episode - before }))) },`,
    ],
    ['results.length !== ready.length', 'results.length < ready.length'],
  ),
  one('writes.episodes', 'removes the whole season with an episode', [
    SEND_ROWS,
    `json: { items: ready.map(({ item }) => toRow(feature, op === 'remove' && item.type === 'episode' ? ({ ...item, type: 'season', episode: undefined } as unknown as Item) : item)) },`,
  ]),
  one('writes.episodes', 'removes the whole show with an episode', [
    SEND_ROWS,
    `json: { items: ready.map(({ item }) => toRow(feature, op === 'remove' && item.type === 'episode' ? ({ ...item, type: 'show', ids: item.show_ids ?? {} } as Item) : item)) },`,
  ]),
  one(
    'writes.by-ids',
    'looks a work up by its title',
    writeAs(
      `const items = await Promise.all(request.items.map(async (each) => { const found = await session.api.json({ path: 'search', query: { title: each.item.title ?? each.item.series_title ?? '' }, signal }, Type.Array(Row)); const [hit] = found.map((row) => toItem(request.feature, row)); return hit === undefined || each.item.ids.tmdb === undefined ? each : { ...each, item: { ...each.item, type: hit.type, ids: hit.ids, ...(hit.show_ids === undefined ? {} : { show_ids: hit.show_ids, season: hit.season, episode: hit.episode }) } as Item } })); return write(session, { ...request, items }, signal)`,
    ),
  ),
  one(
    'writes.by-ids',
    'removes what has the same title',
    writeAs(
      `if (request.op !== 'remove') return write(session, request, signal); const items = await Promise.all(request.items.map(async (each) => { const found = await session.api.json({ path: 'search', query: { title: each.item.title ?? each.item.series_title ?? '' }, signal }, Type.Array(Row)); const [hit] = found.map((row) => toItem(request.feature, row)); return { ...each, item: hit ?? each.item } })); return write(session, { ...request, items }, signal)`,
    ),
  ),
  one(
    'writes.remove',
    'clears the list when it removes an item',
    writeAs(
      `if (request.op === 'remove') for await (const part of read(session, { feature: request.feature }, signal)) if (part.type === 'rows') await write(session, { ...request, items: part.rows.map((item, index) => ({ key: String(index), item })) }, signal); return write(session, request, signal)`,
    ),
  ),
  one(
    'writes.remove',
    'reports a removal that it never sent',
    writeAs(
      `return request.op === 'remove' ? { outcomes: request.items.map(({ key }) => ({ key, outcome: 'applied' })) } : write(session, request, signal)`,
    ),
  ),
  one('writes.remove-absent', 'fails when there is nothing to remove', [
    "absent: { outcome: 'already' },",
    "absent: { outcome: 'failed' },",
  ]),
  one(
    'writes.title-only',
    'writes what has nothing but a title',
    ["needsAnyId: ['imdb', 'tmdb', 'tvdb']", ''],
    writeAs(
      `const first = (await session.api.json({ path: 'search', query: { title: request.items[0]?.item.title ?? '' }, signal }, Type.Array(Row))).length; return request.items.every(({ item }) => Object.keys(item.ids).length + Object.keys(item.show_ids ?? {}).length === 0) ? { outcomes: request.items.map(({ key }) => ({ key, outcome: first < 0 ? 'rejected' : 'applied' })) } : write(session, request, signal)`,
    ),
  ),
  one('writes.true', 'sends the rating of a season to the show', [
    SEND_ROWS,
    `json: { items: ready.map(({ item }) => toRow(feature, item.type === 'season' ? ({ ...item, type: 'show', ids: item.show_ids ?? {} } as Item) : item)) },`,
  ]),
  one('writes.true', 'sends a show as the movie of the same number', [
    '    kind: item.type,',
    "    kind: item.type === 'show' ? 'movie' : item.type,",
  ]),
  one('writes.true', 'forgets the season of an episode', [
    '    season: item.season,',
    '    season: item.season === undefined ? undefined : 1,',
  ]),
  one('writes.no-time', 'gives a play without a time the time of the write', [
    "feature === 'history' && op !== 'remove' ? playTime",
    "feature === 'history' && op === 'update' ? playTime",
  ]),
  one('writes.not-found', 'reports items that the service does not know as written', [
    "unknown: { outcome: 'not_found' },",
    "unknown: { outcome: 'applied' },",
  ]),
  one('writes.not-found', 'gives up the whole batch for one unknown item', [
    `return ${RESULTS}`,
    `return ready.map(({ key }, index) => ({ key, ...(results.includes('unknown') ? OUTCOMES['unknown'] : OUTCOMES[results[index] as string] ?? { outcome: 'unknown' }) }) as { key: string; outcome: 'unknown' })`,
  ]),
  one('writes.not-found', 'counts the answers without the refused ones', [
    RESULTS,
    `((known: string[]) => ready.map(({ key }, index) => ({ key, ...(OUTCOMES[known[index] ?? 'unknown'] ?? { outcome: 'unknown' }) })))(results.filter((result) => result !== 'unknown'))`,
  ]),
  one(
    'writes.server-error',
    'reports a write as done before the service answered',
    writeAs(
      `void write(session, request, signal).catch(() => undefined); return { outcomes: request.items.map(({ key }) => ({ key, outcome: 'applied' })) }`,
    ),
  ),
  one(
    'writes.server-error',
    'reports a write as done that the service refused with 500',
    writeAs(
      `const result = await write(session, request, signal); return { ...result, outcomes: result.outcomes.map((told) => (told.outcome === 'failed' ? { key: told.key, outcome: 'applied' } : told)) }`,
    ),
  ),
  one(
    'writes.update',
    'does not change what is there',
    writeAs(
      `return request.op === 'update' ? { outcomes: request.items.map(({ key }) => ({ key, outcome: 'already' })) } : write(session, request, signal)`,
    ),
  ),
  one('writes.again', 'writes what is there with a new value each time', [
    SEND_ROWS,
    `json: { items: ((turn: number) => ready.map(({ item }) => toRow(feature, item.rating === undefined ? item : { ...item, rating: 1 + (turn % 10) })))((Reflect.set(globalThis, 'turns', Number(Reflect.get(globalThis, 'turns') ?? 0) + 1), Number(Reflect.get(globalThis, 'turns')))) },`,
  ]),
  one('writes.full-batch', 'takes more at once than the service', ['maxBatch: 20', 'maxBatch: 50']),
  one(
    'writes.plain',
    'gives errors with its outcomes',
    writeAs(
      `const result = await write(session, request, signal); return { ...result, outcomes: result.outcomes.map((told) => ({ ...told, error: new Error(told.outcome) })) }`,
    ),
  ),
  one(
    'writes.plain',
    'gives a text of the service as the reason',
    writeAs(
      `const result = await write(session, request, signal); return { ...result, outcomes: result.outcomes.map((told) => ({ ...told, reason: 'Sorry: we could not find it.' })) }`,
    ),
  ),
  one(
    'limits.write',
    'reports writes that were held back as failed',
    writeAs(
      `const result = await write(session, request, signal); return { outcomes: result.outcomes.map((told) => (told.outcome === 'rate_limited' ? { ...told, outcome: 'failed' } : told)) }`,
    ),
  ),
  one(
    'stable.quiet',
    'writes while it reads',
    readAs(
      `await session.api.request({ path: 'seen', method: 'POST', json: {}, accept: [404], signal }); yield* read(session, request, signal)`,
    ),
  ),
]

/** A write that does something to another feature of the same item, or to another item, where the condition holds. */
const touching = (when: string, ...acts: readonly string[]): readonly (readonly [string, string])[] => [
  ['const timeOf =', 'const acts = new Map<string, string[]>()\nconst timeOf ='],
  writeAs(`
    const answer = await write(session, request, signal)
    const { feature, op } = request
    const send = (other: string, way: 'add' | 'remove', item: Item) =>
      write(session, { feature: other as Feature, op: way, items: [{ key: 'also', item }] }, signal)
    for (const { key, item } of request.items) {
      const outcome = answer.outcomes.find((one) => one.key === key)?.outcome
      const name = JSON.stringify([session.account.profile.server, item.type, item.ids, item.show_ids, item.season, item.episode])
      const before = acts.get(name) ?? []
      const position = { progress_ms: 0, duration_ms: 6_000_000 }
      const at = '2026-01-01T00:00:00Z'
      if (outcome !== undefined && before.length + position.progress_ms >= 0 && at !== '' && (${when})) { ${acts.join('; ')} }
      acts.set(name, [...before, feature + ' ' + op])
    }
    return answer`),
]
const tangled = (mistake: string, when: string, ...acts: readonly string[]): Mutant =>
  one('writes.other-features', mistake, ...touching(when, ...acts))
const wipes = (feature: Feature) => `await send('${feature}', 'remove', item)`
const is = (feature: Feature, op: 'add' | 'update' | 'remove') => `feature === '${feature}' && op === '${op}'`
/** Of a removal: it was not there. */
const ABSENT = "outcome === 'already'"
const whole = (feature: Feature, features: readonly Feature[]) =>
  writeAs(
    `if (request.feature !== '${feature}' || request.op === 'remove') return write(session, request, signal); for (const { item } of request.items) await session.api.request({ path: 'library', method: 'PUT', json: { ...toRow('${feature}', item), features: ${JSON.stringify(features)} }, signal }); return { outcomes: request.items.map(({ key }) => ({ key, outcome: 'applied' })) }`,
  )

const entangled: readonly Mutant[] = [
  one(
    'writes.other-features',
    'deletes a work with its rating and its plays when it leaves the watchlist',
    writeAs(
      `if (request.feature !== 'watchlist' || request.op !== 'remove') return write(session, request, signal); for (const { item } of request.items) await session.api.request({ path: 'library', method: 'DELETE', json: toRow('watchlist', item), signal }); return { outcomes: request.items.map(({ key }) => ({ key, outcome: 'applied' })) }`,
    ),
  ),
  one(
    'writes.other-features',
    'writes the whole entry when it rates, with nothing but the rating',
    whole('ratings', ['ratings']),
  ),
  one(
    'writes.other-features',
    'writes the whole entry when it adds to the watchlist, and marks it as watched with it',
    whole('watchlist', ['watchlist', 'history']),
  ),
  tangled('clears the watched mark when it removes a rating', is('ratings', 'remove'), wipes('history')),
  tangled('starts a position again when it adds to the watchlist', is('watchlist', 'add'), wipes('progress')),
  tangled(
    'starts the position of an episode again when it rates it',
    `${is('ratings', 'add')} && item.type === 'episode'`,
    wipes('progress'),
  ),
  tangled(
    'loses the rating of a show when it leaves the watchlist, and that of no film',
    `${is('watchlist', 'remove')} && item.type === 'show'`,
    wipes('ratings'),
  ),
  tangled(
    'clears the plays when it removes a rating that is not there',
    `${is('ratings', 'remove')} && ${ABSENT}`,
    wipes('history'),
  ),
  tangled(
    'loses the rating when it removes an episode that was not watched',
    `${is('history', 'remove')} && ${ABSENT} && item.type === 'episode'`,
    wipes('ratings'),
  ),
  tangled('deletes the rating when it updates a position', is('progress', 'update'), wipes('ratings')),
  tangled(
    'loses the rating with the second write to an item',
    "before.length === 1 && feature !== 'ratings'",
    wipes('ratings'),
  ),
  tangled(
    'loses the position of an item that is rated for the second time',
    "feature === 'ratings' && before.filter((act) => act.startsWith('ratings')).length === 1",
    wipes('progress'),
  ),
  tangled(
    'loses the rating if the item was rated before it was watched, and not if it was watched before',
    `${is('history', 'add')} && before.includes('ratings add')`,
    wipes('ratings'),
  ),
  tangled(
    'takes a film off the watchlist if a position was removed before it was rated',
    `${is('ratings', 'add')} && before.at(-1) === 'progress remove'`,
    wipes('watchlist'),
  ),
  tangled(
    'puts what is not there on the watchlist when it takes it off',
    `${is('watchlist', 'remove')} && ${ABSENT}`,
    "await send('watchlist', 'add', item)",
  ),
  tangled(
    'makes an entry with a rating when it removes a position that is not there',
    `${is('progress', 'remove')} && ${ABSENT}`,
    "await send('ratings', 'add', { ...item, rating: 1 })",
  ),
  tangled(
    'marks as watched what it rates',
    is('ratings', 'add'),
    "if (item.type === 'movie' || item.type === 'episode') await send('history', 'add', { ...item, watched: true, watched_at: at })",
  ),
  tangled(
    'sets the position to the beginning when it updates a rating',
    is('ratings', 'update'),
    "if (item.type === 'movie' || item.type === 'episode') await send('progress', 'add', { ...item, ...position })",
  ),
  tangled(
    'gives the plays of an item the time at which its position was removed',
    is('progress', 'remove'),
    "if ((await send('history', 'remove', item)).outcomes[0]?.outcome === 'applied') await send('history', 'add', { ...item, watched: true, watched_at: at })",
  ),
  tangled(
    'removes the positions of the whole season with that of an episode',
    `${is('progress', 'remove')} && item.type === 'episode'`,
    "for (const episode of [1, 2, 3, 4]) await send('progress', 'remove', { ...item, episode })",
  ),
  tangled(
    'loses the rating of the next episode when it removes a play',
    `${is('history', 'remove')} && item.type === 'episode'`,
    "await send('ratings', 'remove', { ...item, episode: (item.episode ?? 0) + 1 })",
  ),
  tangled(
    'puts the show on the watchlist when an episode of it is watched',
    `${is('history', 'add')} && item.type === 'episode'`,
    "await send('watchlist', 'add', { type: 'show', ids: item.show_ids ?? {} })",
  ),
  tangled(
    'loses the rating of a work that is added to the watchlist again',
    `${is('watchlist', 'add')} && ${ABSENT}`,
    wipes('ratings'),
  ),
  tangled(
    'loses the watched mark of the last item of a batch that it rates',
    "feature === 'ratings' && request.items.length > 1 && key === request.items.at(-1)?.key",
    wipes('history'),
  ),
  one(
    'writes.other-features',
    'reports the second removal of an item as done, and does not send it',
    ['const timeOf =', 'const removed = new Set<string>()\nconst timeOf ='],
    writeAs(
      `if (request.op !== 'remove') return write(session, request, signal); const nameOf = (item: Item) => JSON.stringify([session.account.profile.server, request.feature, item.type, item.ids, item.show_ids, item.season, item.episode]); const left = request.items.filter(({ item }) => !removed.has(nameOf(item))); const answer = left.length === 0 ? { outcomes: [] } : await write(session, { ...request, items: left }, signal); for (const { key, item } of left) if (answer.outcomes.some((one) => one.key === key && one.outcome === 'applied')) removed.add(nameOf(item)); return { ...answer, outcomes: [...answer.outcomes, ...request.items.filter((each) => !left.includes(each)).map(({ key }) => ({ key, outcome: 'applied' as const }))] }`,
    ),
  ),
]

const manners: readonly Mutant[] = [
  one(
    'reads.at-most',
    'asks for all pages at once',
    ['concurrency: 4', 'concurrency: 500'],
    ['    account,\n    signal,\n    checkpoint', '    account,\n    signal,\n    ahead: 500,\n    checkpoint'],
  ),
  one(
    'writes.at-most',
    'sends all items at once, each by itself',
    ['concurrency: 4', 'concurrency: 500'],
    writeAs(
      `const all = await Promise.all(request.items.map((each) => write(session, { ...request, items: [each] }, signal))); return { outcomes: all.flatMap(({ outcomes }) => outcomes) }`,
    ),
  ),
  one('reads.requests', 'sends a further request for each row', [
    'const rows = page.items',
    'for (const _ of page.items) await whoIs(session, until)\n      const rows = page.items',
  ]),
  one('reads.loop', 'processes a page without yielding', [
    'const rows = page.items',
    'for (const end = performance.now() + 400; performance.now() < end; );\n      const rows = page.items',
  ]),
  one(
    'cancel.stops',
    'continues a cancelled read',
    ownLoop(
      `const rows: Item[] = []; for (let index = 0, pages = 1; index < pages * 4; index += 1) { const page = await api.json({ path: feature, query: { page: index, size: 5 } }, Page); pages = page.pages; rows.push(...rowsOf(page)) }; yield { type: 'rows', rows }; ${DONE_AFTER}`,
    ),
  ),
  one(
    'cancel.stops',
    'continues a cancelled write',
    writeAs(
      `const own = new AbortController().signal; const all = []; for (const each of request.items) all.push(await write(session, { ...request, items: [each] }, own)); return { outcomes: all.flatMap(({ outcomes }) => outcomes) }`,
    ),
  ),
  one(
    'cancel.write',
    'reports cancelled writes as done',
    [
      'const { outcomes, ...more } = await batchOutcomes',
      "signal.addEventListener('abort', () => undefined)\n  if (await Promise.race([new Promise<boolean>((tell) => signal.addEventListener('abort', () => tell(true))), new Promise<boolean>((tell) => setTimeout(tell, 30, false))])) return { outcomes: [] }\n  void 0\n  const stopped = new Promise<WriteResult>((tell) => signal.addEventListener('abort', () => tell({ outcomes: ready.map(({ key }) => ({ key, outcome: 'applied' })) })))\n  const sent = sendAll()\n  if (sent !== undefined) return Promise.race([stopped, sent])\n  const { outcomes, ...more } = await batchOutcomes",
    ],
    [
      'async function write(',
      'const sendAll = (): Promise<WriteResult> | undefined => new Promise(() => undefined)\n\nasync function write(',
    ],
  ),
  one(
    'reads.changes',
    'remembers the first read for ever',
    ['const timeOf =', 'const kept = new Map<string, ReadPart[]>()\nconst timeOf ='],
    readAs(
      `const name = JSON.stringify([session.account.profile.server, session.account.instance, request.feature]); const parts = kept.get(name) ?? (await Array.fromAsync(read(session, request, signal))); kept.set(name, parts); yield* parts`,
    ),
  ),
  one('reads.cursor', 'trusts a checkpoint without asking the service', [
    'before.changed === changed',
    "before.changed !== ''",
  ]),
  one(
    'reads.cursor-removal',
    'reports only rows that were added since a checkpoint',
    ownLoop(
      `const known = Number(since?.split('/')[1] ?? -1); const point = (count: number) => ({ checkpoint: account + '/' + count }); const rows = (await Promise.all(Array.from({ length: 20 }, (_, index) => pageOf(index)))).flatMap(rowsOf); if (since?.startsWith(account) === true) { yield { type: 'rows', rows: rows.slice(known) }; yield { type: 'end', end: { complete: true, semantics: 'delta', deleted: [], account, ...point(rows.length) } } } else { yield { type: 'rows', rows }; yield { type: 'end', end: { complete: true, semantics: 'present', account, ...point(rows.length) } } }`,
    ),
  ),
  one('reads.cursor-used', 'gives checkpoints and makes no use of them', [
    'before !== undefined && before.changed === changed',
    "before !== undefined && before.changed === ''",
  ]),
  one('stable.after-reload', 'reads other rows after a reload', [
    ROWS,
    'page.items.map((row) => toItem(feature, row)).filter((item) => isWanted(item, request) && (session.account.ctx.generation < 2 || item.year !== 1951))',
  ]),
]

const people: readonly Mutant[] = [
  one(
    'isolation.rows',
    'keeps one session for all profiles',
    ['const timeOf =', 'let only: Session | undefined\nconst timeOf ='],
    [
      'open: (account) => ({ account, api: openApi(account) }),',
      'open: (account) => (only = only?.account.profile.server === account.profile.server ? only : { account, api: openApi(account) }),',
    ],
  ),
  one(
    'isolation.writes',
    'writes to the account that was opened first',
    ['const timeOf =', 'let only: Session | undefined\nconst timeOf ='],
    writeAs(
      `only = only?.account.profile.server === session.account.profile.server ? only : session; return write(only, request, signal)`,
    ),
  ),
  one(
    'sign-in.account',
    'names the first account for everybody',
    ['const timeOf =', 'const names = new Map<string, string>()\nconst timeOf ='],
    [
      'return { user, account: `${new URL(account.profile.server).host}/${user.id}` }',
      'const { host } = new URL(account.profile.server)\n  const name = names.get(host) ?? `${host}/${user.id}`\n  names.set(host, name)\n  return { user, account: name }',
    ],
  ),
  one('isolation.checkpoint', 'takes the checkpoint of one profile for that of another', [
    'checkpoints.decode(since, { account, nowMs: Date.now() })',
    "(since === undefined || !since.includes('fullAtMs') ? undefined : { changed })",
  ]),
  one('sign-in.works', 'does not say whose account it is', [
    "return { status: 'ok', account, user }",
    "return account === '' ? { status: 'ok', account, user } : { status: 'ok' }",
  ]),
  one('refresh.same-account', 'takes the token for the account', [
    'account: `${new URL(account.profile.server).host}/${user.id}`',
    'account: `${new URL(account.profile.server).host}/${account.current().expires_at}/${account.current().access_token.length}/${account.current().access_token.slice(-1)}`',
  ]),
  one(
    'sign-in.refused',
    'saves what was typed before the service agreed',
    [
      'return saveWhenValid(kit, kit.instanceOf(request), { server }, async (account) => {',
      'return kit.account(kit.instanceOf(request)).save({ server, access_token: password.slice(0, 3) }).then(() => saveWhenValid(kit, kit.instanceOf(request), { server }, async (account) => {',
    ],
    [
      'return { save: { server, ...toSettings(tokens) }, result: { ok: true } }\n      })',
      'return { save: { server, ...toSettings(tokens) }, result: { ok: true } }\n      }))',
    ],
  ),
  one(
    'sign-in.disconnect',
    'keeps the refresh token when it is disconnected',
    ["credentials: ['access_token', 'refresh_token', 'expires_at']", "credentials: ['access_token', 'expires_at']"],
    [
      "refresh_token: Type.String({ default: '', maxLength: 500, secret: true, boundTo: 'server' }),",
      "refresh_token: Type.String({ default: '', maxLength: 500 }),",
    ],
  ),
  one(
    'secrets.typed',
    'stores the password',
    [
      '  // Epoch seconds.\n  expires_at: Type',
      "  password: Type.String({ default: '', secret: true, boundTo: 'server' }),\n  // Epoch seconds.\n  expires_at: Type",
    ],
    ['save: { server, ...toSettings(tokens) }', 'save: { server, password, ...toSettings(tokens) }'],
  ),
  one('secrets.typed', 'keeps the password in its storage', [
    'return { save: { server, ...toSettings(tokens) }',
    "await kit.ctx.store.set('last-sign-in', { username, password })\n        return { save: { server, ...toSettings(tokens) }",
  ]),
  one(
    'secrets.settings',
    'does not mark a token as secret',
    [
      '  // Epoch seconds.\n  expires_at: Type',
      "  session: Type.String({ default: '' }),\n  // Epoch seconds.\n  expires_at: Type",
    ],
    [
      'save: { server, ...toSettings(tokens) }',
      'save: { server, session: tokens.access_token, ...toSettings(tokens) }',
    ],
  ),
  one('refresh.end', 'stores the end of a token in milliseconds', [
    'Math.floor(Date.now() / 1_000) + expires_in',
    'Date.now() + expires_in * 1_000',
  ]),
  one('refresh.not-early', 'takes the seconds of expires_at for milliseconds', [
    'account.current().expires_at * 1_000 :',
    'account.current().expires_at :',
  ]),
  one('refresh.again', 'loses the new refresh token', [
    'exchange: async ({ refresh_token }) => toSettings(await requestTokens(api, { refresh_token }, signal)),',
    'exchange: async ({ refresh_token }) => ({ ...toSettings(await requestTokens(api, { refresh_token }, signal)), refresh_token }),',
  ]),
  one(
    'refresh.once',
    'refreshes in each read by itself',
    ['      refresh: (signal) => refresh(account, api, signal),\n', ''],
    readAs(
      `await whoIs(session, signal).catch(async (error: { code?: string }) => { if (error.code !== 'PLH_AUTH_FAILED') throw error; const { refresh_token } = session.account.current(); await session.account.save(toSettings(await requestTokens(session.api, { refresh_token }, signal))) }); yield* read(session, request, signal)`,
    ),
  ),
  one(
    'refresh.kept',
    'keeps a refreshed token in memory alone',
    ['const timeOf =', 'const fresh = new Map<string, Static<typeof Tokens>>()\nconst timeOf ='],
    [
      'secrets: () => ({ token: account.current().access_token }),',
      'secrets: () => ({ token: fresh.get(nameOf(account))?.access_token ?? account.current().access_token }),',
    ],
    [
      'refresh: (signal) => refresh(account, api, signal),',
      'refresh: async (signal) => void fresh.set(nameOf(account), await requestTokens(api, { refresh_token: fresh.get(nameOf(account))?.refresh_token ?? account.current().refresh_token }, signal)),',
    ],
    [
      'const lineageOf =',
      'const nameOf = (account: Account) => `${account.ctx.generation} ${account.profile.server} ${account.instance}`\nconst lineageOf =',
    ],
  ),
  one('refresh.failing', 'signs out when a refresh fails in passing', [
    'refresh: (signal) => refresh(account, api, signal),',
    "refresh: (signal) => refresh(account, api, signal).catch(async (error: unknown) => { await account.save({ access_token: '', refresh_token: '' }); throw error }),",
  ]),
]

const secrecy: readonly Mutant[] = [
  one('secrets.console', 'prints its tokens on the console', [
    "  api.json({ path: 'token', method: 'POST', json, anonymous: true, signal }, Tokens)",
    "  api.json({ path: 'token', method: 'POST', json, anonymous: true, signal }, Tokens).then((tokens) => { console.debug('tokens', tokens); return tokens })",
  ]),
  one('secrets.logs', 'logs its token', [
    PROBE,
    "    session.account.log.debug({ token: `Bearer ${session.account.current().access_token}` }, 'asking who it is')\n" +
      PROBE,
  ]),
  one(
    'secrets.errors',
    'names the token in an error',
    readAs(
      'try { yield* read(session, request, signal) } catch (error) { throw new Error(`Reel did not take ${session.account.current().access_token}`, { cause: error }) }',
    ),
  ),
  one('secrets.events', 'sends the token with an event', [
    PROBE,
    "    session.account.ctx.events.emit('reel.asked', { token: session.account.current().access_token, said: `with ${session.account.current().access_token}` })\n" +
      PROBE,
  ]),
  one('secrets.shown', 'shows the token with its health', [
    "return { status: 'ok', account, user }",
    "return { status: 'ok', account, user, extras: { session: session.account.current().access_token } }",
  ]),
  one('secrets.rows', 'takes the token into its checkpoints', [
    'checkpoint: checkpoints.encode({ account, fullAtMs: Date.now(), changed }),',
    'checkpoint: checkpoints.encode({ account, fullAtMs: Date.now(), changed, ...({ with: session.account.current().access_token } as object) }),',
  ]),
  one('secrets.routes', 'shows the token in its status', [
    'return Promise.resolve({ ok: true, server })',
    'return Promise.resolve({ ok: true, server, session: kit.profile(kit.instanceOf(request)).access_token })',
  ]),
  one('secrets.address', 'puts the token into the path', [
    "user = await api.json({ path: 'me', signal }, User)",
    'user = await api.json({ path: `me/${account.current().access_token}`, signal }, User)',
  ]),
  one('hosts.refused', 'reaches the service past the SDK', [
    PROBE,
    '    await fetch(`${session.account.profile.server}/me`).catch(() => undefined)\n' + PROBE,
  ]),
  one(
    'hosts.redirect',
    'follows a redirect to another host, with its token',
    readAs(
      "const answer = await session.api.request({ path: 'me', accept: [302], signal }); if (answer.status === 302) await fetch(String(answer.headers['location']), { headers: { authorization: `Bearer ${session.account.current().access_token}` } }); yield* read(session, request, signal)",
    ),
  ),
  {
    mistake: 'asks for every host that there is',
    caught: ['hosts.declared'],
    manifest: { needs: { hosts: ['*.com', 'config:server', 'entered'] } },
  },
  { mistake: 'names no host', caught: ['hosts.declared'], manifest: { needs: { hosts: [] } } },
]

const declared: readonly Mutant[] = [
  one('basics.probes', 'expects ids as text in its probe that the service sends as numbers', [
    "'items[].ids.tmdb': 'number'",
    "'items[].ids.tmdb': 'string'",
  ]),
  one('basics.probes', 'expects a field in its probe that only some services send', [
    "fields: { total: 'number',",
    "fields: { total: 'number', 'items[].ids.slug': 'string',",
  ]),
  one(
    'basics.probes',
    'asks who it is with each probe',
    [
      'ask: ({ api }, signal) => api.request({',
      'ask: ({ api, account }, signal) => whoIs({ account, api }, signal).then(() => api.request({',
    ],
    [
      'query: { page: 0, size: 10 }, signal }),\n      fields',
      'query: { page: 0, size: 10 }, signal })),\n      fields',
    ],
  ),
  one('basics.fields', 'shows the password while it is typed', [
    "fields: [{ key: 'reelToken.server', label: 'Server', type: 'text', required: true }],",
    "fields: [{ key: 'reelToken.server', label: 'Server', type: 'text', required: true }, { key: 'reelToken.password', label: 'Password', type: 'text', required: true }],",
  ]),
  one('basics.fields', 'asks for settings of another section', ["key: 'reelToken.server'", "key: 'trackA.server'"]),
  one('basics.features', 'declares a feature without kinds', [
    "progress: { ...all, update: true, kinds: ['movie', 'episode'], idempotentAdd: true }",
    'progress: { ...all, update: true, kinds: [], idempotentAdd: true }',
  ]),
  one('load', 'declares a feature that it cannot read', [
    READS,
    'read: { watchlist: read, history: read, ratings: read },',
  ]),
  one('load', 'declares a feature that it cannot write', [
    WRITES,
    'write: { watchlist: write, history: write, progress: write },',
  ]),
  one('load', 'reads a feature that it does not declare', [
    READS,
    'read: { watchlist: read, history: read, ratings: read, progress: read, playlists: read },',
  ]),
  one('coverage', 'declares a kind that it has never seen', [
    "watchlist: { ...all, update: false, kinds: ['movie', 'show']",
    "watchlist: { ...all, update: false, kinds: ['movie', 'show', 'season']",
  ]),
  one('basics.default-profile', 'says that it is set up before it is', [
    "(server === '' || token === '' ? 'not_configured' : undefined)",
    "(server === 'x' && token === 'x' ? 'not_configured' : undefined)",
  ]),
  one('basics.plain', 'gives instances with its health', [
    "return { status: 'ok', account, user }",
    "return { status: 'ok', account, user: Object.assign(new (class Person {})(), user) }",
  ]),
  one(
    'reads.cursor-during',
    'asks for the state of the list when it has read it',
    [
      'const before = checkpoints.decode',
      "const point = async () => ({ checkpoint: checkpoints.encode({ account, fullAtMs: Date.now(), changed: (await api.json({ path: 'changes', signal }, Changes))[feature] ?? '' }) })\n  const before = checkpoints.decode",
    ],
    ownLoop(
      `for (let index = 0, pages = 1; index < pages; index += 1) { const page = await pageOf(index); pages = page.pages; yield { type: 'rows', rows: rowsOf(page) } }; yield { type: 'end', end: { complete: true, semantics: 'present', account, ...(await point()) } }`,
    ),
  ),
  one(
    'writes.add',
    'forgets the last outcome',
    writeAs(
      `const result = await write(session, request, signal); return { ...result, outcomes: result.outcomes.slice(0, -1) }`,
    ),
  ),
  one('coverage', 'declares shows in a history that has none', [
    "history: { ...all, update: false, kinds: ['movie', 'episode'] }",
    "history: { ...all, update: false, kinds: ['movie', 'episode', 'show'] }",
  ]),
]

export const MUTANTS: readonly Mutant[] = [
  ...paging,
  ...failing,
  ...values,
  ...writing,
  ...entangled,
  ...manners,
  ...people,
  ...secrecy,
  ...declared,
]
