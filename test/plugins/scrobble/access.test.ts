// Tokens of webhook addresses: what each opens, and that nothing else does.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import type { WebhookCall } from '@playhead/sdk'
import {
  type AccessInput,
  accessOf,
  lanesOfScope,
  ratingScopeOf,
} from '../../../plugins/services/scrobble/config/access.ts'
import { makeEffective } from '../../../plugins/services/scrobble/config/effective.ts'
import { newToken } from '../../../plugins/services/scrobble/config/tokens.ts'
import { ACCOUNTS, account, DESCRIPTIONS, ROUTE, settings } from './world.ts'

const [HOME, CABIN, BARN, OLD, RATING, ROUTE_TOKEN] = Array.from({ length: 6 }, newToken) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const SECTION = {
  enabled: true,
  watch: {
    mediaA_svc_ratings: true,
    routes: [
      {
        ...ROUTE,
        sink_instance: 'TRACKA-P01',
        filters: { username_whitelist: ['Ann'] },
        options: {
          ratings: { mode: 'custom', targets: ['TRACKA', 'SVC'], webhook_id: 'hook-1', webhook_token: ROUTE_TOKEN },
        },
      },
    ],
  },
  webhook: {
    profiles: {
      MEDIAA: {
        default: { sinks: ['TRACKA', 'SVC'], mediaA_svc_ratings: true, filters: { ignored_editions: ['x'] } },
        'MEDIAA-P01': { sinks: ['TRACKB'], enabled: false },
      },
      BARN: { default: { sinks: [] } },
    },
  },
  webhook_ids: {
    'profile:MEDIAA:default': HOME,
    'profile:MEDIAA:MEDIAA-P01': CABIN,
    'profile:BARN:default': BARN,
    'legacy:MEDIAA': OLD,
    'rating:MEDIAA': RATING,
  },
}

function input(section: object = {}, accounts = ACCOUNTS): AccessInput {
  const read = settings({ ...SECTION, ...section })
  return {
    settings: read,
    effective: makeEffective(read, accounts, DESCRIPTIONS),
    accounts,
    descriptions: DESCRIPTIONS,
  }
}

const play = (query: Partial<WebhookCall>): WebhookCall => ({ provider: 'mediaA', purpose: 'playback', ...query })
const rate = (query: Partial<WebhookCall>): WebhookCall => ({ provider: 'mediaA', purpose: 'ratings', ...query })
const reason = (call: WebhookCall, from = input()) => {
  const access = accessOf(call, from)
  return access.ok ? access.scope : access.reason
}

t.test('a profile token opens its own profile and no other', (t) => {
  t.same(accessOf(play({ profile: HOME }), input()), {
    ok: true,
    provider: 'MEDIAA',
    instance: 'default',
    scope: 'MEDIAA:default',
    needs: { files: true, position: true },
  })
  t.equal(reason(play({ profile: HOME, provider: 'MEDIAA' })), 'MEDIAA:default', 'paths have any case')
  for (const other of ['mediaB', 'barn', 'trackA', ''])
    t.equal(reason(play({ profile: HOME, provider: other })), 'invalid_profile')
  t.equal(reason(play({ profile: CABIN })), 'profile_disabled')
  t.equal(reason(play({ profile: BARN, provider: 'barn' })), 'no_destinations')
  for (const wrong of ['', HOME.slice(1), `${HOME} `, HOME.toLowerCase(), OLD, RATING, ROUTE_TOKEN])
    t.equal(reason(play({ profile: wrong })), 'invalid_profile')
  t.equal(reason(play({})), 'invalid_profile')
  t.equal(reason(play({ profile: 'x', token: OLD })), 'invalid_profile', 'an old token does not help a wrong one')
  t.end()
})

t.test('without a stored token nothing is opened, not even by an empty one', (t) => {
  const bare = input({ webhook_ids: {} })
  t.equal(reason(play({ profile: '' }), bare), 'invalid_profile')
  t.equal(reason(play({ token: '' }), bare), 'invalid_webhook_token')
  t.equal(reason(rate({ token: '' }), bare), 'invalid_webhook_token')
  t.equal(reason(rate({ route: 'hook-1', token: '' }), bare), 'invalid_webhook_token')
  t.end()
})

t.test('switches, accounts and destinations decide access', (t) => {
  t.equal(reason(play({ profile: HOME }), input({ enabled: false })), 'webhook_disabled')
  t.equal(reason(play({ profile: HOME }), input({ sources: { webhook: false } })), 'webhook_disabled')
  t.equal(reason(play({ profile: HOME }), input({ sources: { watcher: false } })), 'MEDIAA:default')
  const lost = ACCOUNTS.map((one) => (one.provider === 'MEDIAA' ? { ...one, configured: false } : one))
  t.equal(reason(play({ profile: HOME }), input({}, lost)), 'provider_not_connected')
  t.equal(reason(play({ profile: HOME }), input({}, [account('MEDIAA')])), 'no_destinations')
  t.end()
})

t.test('old addresses mean the first profile, until they are cleaned up', (t) => {
  t.equal(reason(play({ token: OLD })), 'MEDIAA:default')
  t.equal(reason(play({ token: HOME })), 'invalid_webhook_token')
  t.equal(reason(play({ token: OLD, provider: 'mediaB' })), 'invalid_webhook_token')
  t.equal(reason(play({ token: OLD }), input({ legacy_webhooks_removed: true })), 'invalid_webhook_token')
  t.end()
})

t.test('rating addresses: of all routes, and of one', (t) => {
  t.equal(reason(rate({ token: RATING })), 'rating:MEDIAA')
  t.equal(reason(rate({ route: 'hook-1', token: ROUTE_TOKEN })), 'rating:route:R1')
  for (const call of [
    rate({ token: ROUTE_TOKEN }),
    rate({ route: 'hook-1', token: RATING }),
    rate({ route: 'R1', token: ROUTE_TOKEN }),
    rate({ route: 'hook-1' }),
    rate({ token: RATING, provider: 'mediaB' }),
    rate({ token: RATING, provider: 'barn' }),
    rate({ profile: HOME }),
  ])
    t.equal(reason(call), 'invalid_webhook_token')
  t.equal(reason(rate({ token: RATING }), input({ sources: { watcher: false } })), 'webhook_disabled')
  t.equal(reason(play({ profile: HOME }), input({ sources: { watcher: false } })), 'MEDIAA:default')
  const off = { watch: { routes: SECTION.watch.routes.map((route) => ({ ...route, enabled: false })) } }
  t.equal(
    reason(rate({ route: 'hook-1', token: ROUTE_TOKEN }), input({ ...off, sources: { watcher: true } })),
    'profile_disabled',
  )
  t.equal(reason(rate({ token: RATING }), input({ watch: { routes: [ROUTE] } })), 'no_destinations')
  t.end()
})

t.test('the meaning of each scope', (t) => {
  const from = input()
  t.same(
    lanesOfScope(from.effective, 'MEDIAA:default').map(({ id }) => id),
    ['MEDIAA:default:TRACKA:default', 'MEDIAA:default:SVC:default'],
  )
  t.same(lanesOfScope(from.effective, 'rating:MEDIAA'), [])
  t.match(ratingScopeOf('rating:MEDIAA', from), { targets: [{ provider: 'SVC', instance: 'default' }] })
  t.match(ratingScopeOf('rating:route:R1', from), {
    filters: { username_whitelist: ['Ann'] },
    targets: [
      { provider: 'TRACKA', instance: 'TRACKA-P01' },
      { provider: 'SVC', instance: 'default' },
    ],
  })
  t.same(ratingScopeOf('MEDIAA:default', from)?.targets, [{ provider: 'SVC', instance: 'default' }])
  for (const gone of ['', 'rating:', 'rating:route:R9', 'MEDIAA:MEDIAA-P09', 'rating:NOPE'])
    t.equal(ratingScopeOf(gone, from), undefined)
  t.end()
})

t.test('no guess opens anything', (t) => {
  const from = input()
  const text = fc.option(fc.oneof(fc.string(), fc.constantFrom('', 'hook-1', 'R1', '__proto__', 'default')), {
    nil: undefined,
  })
  fc.assert(
    fc.property(
      fc.record({
        provider: fc.constantFrom('mediaA', 'barn', '__proto__'),
        purpose: fc.constantFrom('playback', 'ratings'),
      }),
      fc.record({ profile: text, token: text, route: text }),
      (call, query) => {
        const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
        return !accessOf({ ...call, ...given } as WebhookCall, from).ok
      },
    ),
    { numRuns: runsOf(500) },
  )
  t.end()
})
