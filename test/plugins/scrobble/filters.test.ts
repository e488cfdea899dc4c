// Filters: the people and media whose playback counts. Playback that cannot be identified is rejected.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import type { PlaybackAccount } from '@playhead/sdk'
import type { Filters, Observation } from '../../../plugins/services/scrobble/contract.ts'
import { NO_FILTERS } from '../../../plugins/services/scrobble/config/effective.ts'
import { accountReason, matchesAccount, nameKey } from '../../../plugins/services/scrobble/filter/account.ts'
import { fileReason, pathKey } from '../../../plugins/services/scrobble/filter/files.ts'
import { filterReason } from '../../../plugins/services/scrobble/filter/filter.ts'

const OWN: PlaybackAccount = { id: '7', name: 'Ann', relation: 'own' }
const BEA: PlaybackAccount = { id: '8', name: 'Béa', uuid: 'u-8', relation: 'other' }
const NOBODY: PlaybackAccount = { relation: 'unknown' }
const movie: Observation['item'] = { type: 'movie', title: 'The Tin Meridian', ids: { tmdb: '1' } }
const seen = (more: Partial<Observation> = {}) => ({ item: movie, account: OWN, ...more })
const reasonOf = (
  observation: Partial<Observation>,
  filters: Partial<Filters> = {},
  libraries: readonly string[] = [],
) => filterReason(seen(observation), { filters: { ...NO_FILTERS, ...filters }, libraries })
const account = (who: PlaybackAccount, list: readonly string[], userId = '') =>
  accountReason(who, { username_whitelist: list, user_id: userId })

t.test("without a selection only the account's own user counts, never by a name", (t) => {
  t.equal(account(OWN, []), undefined)
  t.equal(account({ relation: 'own' }, []), undefined)
  t.equal(account(BEA, []), 'account_not_allowed')
  t.equal(account({ ...BEA, elsewhere: true }, []), 'other_server')
  t.equal(account({ ...BEA, elsewhere: true }, ['béa']), undefined)
  t.equal(
    account({ name: 'Ann', relation: 'unknown' }, []),
    'account_not_allowed',
    'the same name is not the same person',
  )
  t.equal(account(NOBODY, []), 'account_missing')
  t.equal(account({ id: ' ', name: '', relation: 'unknown' }, []), 'account_missing')
  t.end()
})

t.test('with a selection exactly those users count', (t) => {
  t.equal(account(BEA, ['béa']), undefined)
  t.equal(account(OWN, ['béa']), 'account_not_allowed', 'also the own user needs to be named')
  t.equal(account(NOBODY, ['béa']), 'account_missing')
  t.equal(account(NOBODY, ['*']), undefined)
  t.equal(account(BEA, [' * ']), undefined)
  t.equal(account({ ...BEA, name: '*' }, ['**']), 'account_not_allowed')
  t.equal(account(BEA, ['id:8']), undefined)
  t.equal(account(BEA, ['ID: 8 ']), undefined)
  t.equal(account(BEA, ['8']), 'account_not_allowed', 'an id is no name')
  t.equal(account(BEA, ['uuid:U-8']), undefined)
  t.equal(account(BEA, ['uuid:8', 'id:u-8']), 'account_not_allowed')
  t.equal(
    account({ name: 'id:8', relation: 'other' }, ['id:8']),
    'account_not_allowed',
    'a name cannot pretend to be an id',
  )
  t.equal(account({ id: '', name: '', relation: 'unknown' }, ['id:', 'uuid:', '', '...']), 'account_missing')
  const dashed = '0f8fad5b-d9cb-469f-a165-70867728950e'
  t.equal(account({ id: dashed.replaceAll('-', ''), relation: 'other' }, [`id:${dashed.toUpperCase()}`]), undefined)
  t.end()
})

t.test('the exact user id of older settings', (t) => {
  t.equal(account(BEA, [], '8'), undefined)
  t.equal(account(OWN, [], '8'), 'account_not_allowed')
  t.equal(account(NOBODY, [], '8'), 'account_missing')
  t.equal(account(BEA, ['Ann'], '8'), 'account_not_allowed', 'both must hold')
  t.end()
})

t.test('names are compared in every script, without case, spaces and punctuation', (t) => {
  const same = (a: string, b: string) => matchesAccount(a, { name: b, relation: 'other' })
  for (const [a, b] of [
    ['Ann-Marie O’Neil', 'ann marie oneil'],
    ['STRASSE', 'straße'],
    ['ΟΔΟΣ', 'οδος'],
    ['Ａｎｎ', 'ann'],
    ['Be\u0301a', 'BÉA'],
    ['Иван_Петров', 'иван петров'],
    ['ﬁlm', 'FILM'],
  ] as const)
    t.ok(same(a, b), `${a} is ${b}`)
  for (const [a, b] of [
    ['Иван', 'Пётр'],
    ['山田', '鈴木'],
    ['José', 'Jose'],
    ['Ann', 'Anna'],
    ['…', '—'],
    ['', ''],
    ['🐸', '🦊'],
  ] as const)
    t.notOk(same(a, b), `${a} is not ${b}`)
  t.end()
})

t.test('properties of the account filter', (t) => {
  const name = fc.string({ unit: 'binary', maxLength: 30 })
  const maybe = fc.option(name, { nil: undefined })
  const person = fc
    .record({ id: maybe, name: maybe, uuid: maybe, relation: fc.constantFrom('own', 'other', 'unknown') })
    .map(
      (one) =>
        Object.fromEntries(
          Object.entries(one).filter(([, value]) => value !== undefined),
        ) as unknown as PlaybackAccount,
    )
  fc.assert(
    fc.property(name, (one) => nameKey(nameKey(one)) === nameKey(one)),
    { numRuns: runsOf(1_000) },
  )
  fc.assert(
    fc.property(name, name, (one, other) => {
      const [entry, own] = [`n${one}`, `n${other}`]
      const isSame = matchesAccount(entry, { name: own, relation: 'other' })
      return isSame === (nameKey(entry) === nameKey(own)) && matchesAccount(entry, { name: entry, relation: 'other' })
    }),
    { numRuns: runsOf(1_000) },
  )
  fc.assert(
    fc.property(person, (one) => (account(one, []) === undefined) === (one.relation === 'own')),
    { numRuns: runsOf(1_000) },
  )
  fc.assert(
    fc.property(fc.array(name), person, (list, one) => {
      const { id, name: own, uuid } = one
      const isNobody = [id, own, uuid].every((value) => (value ?? '').trim() === '')
      const hasAll = list.some((entry) => entry.trim() === '*')
      return !isNobody || hasAll || list.length === 0 || account(one, list) === 'account_missing'
    }),
    { numRuns: runsOf(1_000) },
  )
  t.end()
})

t.test('servers: blocked ones first, and an unknown one is rejected if some are named', (t) => {
  t.equal(
    reasonOf({ server: 'S1' }, { server_uuid_blacklist: ['s1'], server_uuid_whitelist: ['S1'] }),
    'server_blocked',
  )
  t.equal(reasonOf({ server: 'S1' }, { server_uuid_whitelist: ['s2'] }), 'server_not_allowed')
  t.equal(reasonOf({}, { server_uuid_whitelist: ['s2'] }), 'server_not_allowed')
  t.equal(reasonOf({ server: 'S2' }, { server_uuid: 's2' }), undefined)
  t.equal(reasonOf({}, { server_uuid_blacklist: ['s1'] }), undefined)
  t.end()
})

t.test('paths, names and editions, in this order', (t) => {
  const files = {
    paths: ['D:\\Films\\\\Trailers\\The Tin Meridian {edition-Trailer}.mkv'],
    editions: ['Trailer'],
    trusted: true,
  }
  const all = {
    ignored_path_prefixes: ['d:/films/trailers/'],
    ignored_filename_patterns: ['TIN MERIDIAN'],
    ignored_editions: ['trailer'],
    ignore_placeholder_trailers: true,
  }
  t.equal(reasonOf({ files }, all), 'path_prefix:d:/films/trailers/')
  t.equal(reasonOf({ files }, { ...all, ignored_path_prefixes: [] }), 'filename_pattern:TIN MERIDIAN')
  t.equal(
    reasonOf({ files }, { ...all, ignored_path_prefixes: [], ignored_filename_patterns: [] }),
    'filename_pattern:{edition-trailer}',
  )
  t.equal(reasonOf({ files }, { ignored_editions: ['TRAILER '] }), 'edition:TRAILER ')
  t.equal(
    reasonOf({ files: { ...files, paths: ['/a/b.mkv'] } }, { ignore_placeholder_trailers: true }),
    'edition:trailer',
  )
  t.equal(
    reasonOf({ files }, { ignored_path_prefixes: ['d:/film', 'films', ''] }),
    undefined,
    'a folder, not the beginning of its name',
  )
  t.equal(reasonOf({ files }, { ignored_filename_patterns: ['*.mkv', ''] }), undefined, 'no patterns, plain text')
  t.equal(reasonOf({ files: { paths: [], editions: [''], trusted: false } }, { ignored_editions: [''] }), undefined)
  t.equal(reasonOf({}, all), undefined, 'files that are not known match nothing')
  t.end()
})

t.test('properties of paths: no spelling leads out of a folder or into it', (t) => {
  const part = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom('..', '.', '', 'films', 'FILMS', 'fil', '\\', '//', '%2e%2e', '\0'),
  )
  const path = fc.array(part, { maxLength: 8 }).map((parts) => `/${parts.join('/')}`)
  const only = (ignored_path_prefixes: readonly string[]) => ({ ...NO_FILTERS, ignored_path_prefixes })
  const isIgnored = (file: string, prefix: string) =>
    fileReason({ paths: [file], editions: [], trusted: false }, only([prefix])) !== undefined
  fc.assert(
    fc.property(path, (one) => pathKey(pathKey(one)) === pathKey(one) && !/(^|\/)\.\.?(\/|$)|\/\//.test(pathKey(one))),
  )
  fc.assert(
    fc.property(path, (one) => {
      const inside = pathKey(one).startsWith('/films/') || pathKey(one) === '/films'
      return isIgnored(one, '/Films/') === inside && isIgnored(one, '\\films') === inside
    }),
    { numRuns: runsOf(1_000) },
  )
  t.ok(isIgnored('/films/../Films/a.mkv', '/films'))
  t.notOk(isIgnored('/films/../music/a.mkv', '/films'))
  t.ok(isIgnored('/anything', '/'))
  t.end()
})

t.test('libraries, length, live television, kinds and ids', (t) => {
  t.equal(reasonOf({ libraries: ['3', '9'] }, {}, ['3']), undefined)
  t.equal(reasonOf({ libraries: ['9'] }, {}, ['3']), 'library_not_allowed')
  t.equal(reasonOf({}, {}, ['3']), 'library_not_allowed', 'an unknown library is none of the chosen ones')
  t.equal(reasonOf({ durationMs: 59_999 }, { min_duration_seconds: 60 }), 'too_short')
  t.equal(
    reasonOf({ durationMs: 59_999, libraries: ['9'] }, { min_duration_seconds: 60 }, ['3']),
    'library_not_allowed',
  )
  t.equal(reasonOf({ durationMs: 60_000 }, { min_duration_seconds: 60 }), undefined)
  t.equal(reasonOf({ live: true }), undefined)
  t.equal(reasonOf({ live: true }, { ignore_live_tv_dvr: true }), 'live_tv_dvr')
  for (const type of ['show', 'season'] as const)
    t.equal(reasonOf({ item: { ...movie, type } }), 'unsupported_media_type')
  const episode = { type: 'episode', title: 'Low Water', series_title: 'Harbour Nine' } as const
  t.equal(reasonOf({ item: { ...episode, ids: {} } }), 'no_usable_ids')
  t.equal(reasonOf({ item: { ...episode, ids: {}, show_ids: { tvdb: '1' } } }), 'no_usable_ids', 'numbers are missing')
  t.equal(reasonOf({ item: { ...episode, ids: {}, show_ids: { tvdb: '1' }, season: 0, episode: 1 } }), undefined)
  t.equal(reasonOf({ item: { ...episode, ids: { tvdb: '2' } } }), undefined)
  t.equal(reasonOf({ item: { ...movie, ids: { guid: 'plex://movie/1', mediaa: '41' } } }), 'no_usable_ids')
  t.end()
})

t.test('the person is checked first, so playback of others is not revealed', (t) => {
  t.equal(reasonOf({ account: BEA, item: { ...movie, ids: {} } }, {}, ['3']), 'account_not_allowed')
  t.end()
})
