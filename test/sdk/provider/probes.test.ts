// Contract probes: what an answer says about the interface of a service, and what it does not.
import t from 'tap'
import { PlayheadError, type UpstreamAnswer } from '@playhead/sdk'
import type { ContractProbe } from '@playhead/sdk/provider'
import { lookAtContract } from '../../../sdk/provider/probes.ts'

const answer = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ({ status: 200, headers, json: async () => body }) as unknown as UpstreamAnswer
const { signal } = new AbortController()

async function differences(probe: Omit<ContractProbe<null>, 'about' | 'ask'>, given: UpstreamAnswer) {
  const [look] = await lookAtContract([{ about: 'films', ask: async () => given, ...probe }], null, signal)
  return look?.differences
}

const rows = (...all: readonly object[]) => answer({ items: all })
const row = (ids: object) => ({ movie: { ids } })

t.test('a field is missing if none of three rows has it', async (t) => {
  const probe = { fields: { 'items[].movie.ids.tmdb': 'number' } } as const
  t.same(await differences(probe, rows(row({ tmdb: 1 }), row({}), row({ tmdb: null }))), [])
  t.same(await differences(probe, rows(row({}), row({ tmdb: null }))), [], 'two rows may lack it')
  t.same(await differences(probe, rows(row({}), row({}), { show: {} })), [], 'a row without a film says nothing')
  t.same(await differences(probe, rows()), [], 'neither does an empty list')
  t.same(await differences(probe, rows(row({}), row({}), row({ tmdb: null }))), [
    { about: 'films', kind: 'missing', name: 'movie.ids.tmdb' },
  ])
})

t.test('a field outside of lists is missing if it is not sent, and may be null', async (t) => {
  const probe = { fields: { 'user.id': 'number', all: 'string' } } as const
  t.same(await differences(probe, answer({ user: { id: 1 }, all: null })), [])
  t.same(await differences(probe, answer({ user: {}, all: 'x' })), [
    { about: 'films', kind: 'missing', name: 'user.id' },
  ])
})

t.test('another type is reported, unless any will do', async (t) => {
  const given = answer([{ id: '1', at: 1 }])
  t.same(await differences({ fields: { '[].id': 'number', '[].at': 'number' } }, given), [
    { about: 'films', kind: 'type', name: 'id', is: 'string', was: 'number' },
  ])
  t.same(await differences({ fields: { '[].id': 'any', '[]': 'object' } }, given), [])
})

t.test('a limit in a header is reported if it is lower than the plugin needs', async (t) => {
  const limits = { 'X-Page-Limit': { least: 250, of: 'page' }, 'x-ratelimit': { least: 500, of: 'requests' } } as const
  const told = (page: string, rate: string) =>
    differences({ limits }, answer([], { 'x-page-limit': page, 'x-ratelimit': rate }))
  t.same(await told('250', JSON.stringify({ name: 'GET', period: 300, limit: 1_000 })), [])
  t.same(await told('soon', 'never'), [])
  t.same(await differences({ limits }, answer([])), [], 'a missing header says nothing')
  t.same(await told('100', JSON.stringify({ limit: 200 })), [
    { about: 'films', kind: 'page', name: 'X-Page-Limit', is: 100, was: 250 },
    { about: 'films', kind: 'requests', name: 'x-ratelimit', is: 200, was: 500 },
  ])
})

t.test('a failure says nothing, an address that is gone does, and a refused account ends the look', async (t) => {
  const failing = (code: 'PLH_UPSTREAM' | 'PLH_NOT_FOUND' | 'PLH_AUTH_FAILED' | 'PLH_RATE_LIMITED', status = 500) => ({
    about: `${code} ${status}`,
    ask: () => Promise.reject(new PlayheadError(code, 'no', { details: { status } })),
  })
  const fine = { about: 'fine', ask: async () => answer({}) }
  t.same(await lookAtContract([failing('PLH_UPSTREAM'), fine], null, signal), [
    { about: 'PLH_UPSTREAM 500', differences: null },
    { about: 'fine', differences: [] },
  ])
  for (const gone of [failing('PLH_NOT_FOUND', 404), failing('PLH_UPSTREAM', 410)])
    t.match(await lookAtContract([gone], null, signal), [{ differences: [{ kind: 'gone' }] }])
  for (const code of ['PLH_AUTH_FAILED', 'PLH_RATE_LIMITED'] as const)
    t.match(await lookAtContract([failing(code), fine], null, signal), [{ differences: null }, { differences: null }])
  await t.rejects(lookAtContract([failing('PLH_UPSTREAM')], null, AbortSignal.abort()))
})
