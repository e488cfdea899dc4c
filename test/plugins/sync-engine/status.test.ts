// The status of parts and of the whole, as pure functions.
import t from 'tap'
import { statusOf, statusOfAll, type SyncCause } from '@playhead/sdk'
import {
  causesOfFeature,
  openInReport,
  overviewOf,
  statusOfPair,
} from '../../../plugins/services/sync/record/status.ts'
import { reportOf } from '../../../plugins/services/sync/run/run-feature.ts'

const KNOWN = [
  { id: 'MEDIAB', label: 'Jellyfin' },
  { id: 'MEDIAC', label: 'Emby' },
]
const ACCOUNTS = KNOWN.map(({ id: provider }) => ({ provider, instance: 'default' }))
const NOW = { health: new Map(), paused: false } as const
const items = (pair_id: string, count: number): SyncCause => ({
  kind: 'items',
  count,
  text: '',
  pair_id,
  feature: 'history',
})
const off = (pair_id: string): SyncCause => ({ kind: 'off', count: 0, text: 'Off.', pair_id })

t.test('playlists report held entries apart, other features among the unresolved ones', async (t) => {
  const counts = { unresolved: 5, held: 3 }
  t.equal(openInReport(reportOf('history', 'partial', counts)).open, 5)
  t.equal(openInReport(reportOf('playlists', 'partial', counts)).open, 8)
  t.equal(openInReport(reportOf('history', 'ok', { unresolved: 5, not_in_library: 5 })).open, 0)
})

t.test('the first state of the order is shown, and the number is that of all causes', async (t) => {
  const unreachable: SyncCause = { kind: 'unreachable', count: 0, text: '', ...ACCOUNTS[1], service: 'Emby' }
  const all = [items('a', 3), unreachable]
  t.match(statusOf(all), { state: 'cannot_reach', text: 'Cannot reach Emby', count: 3, account: ACCOUNTS[1] })
  t.match(statusOf([...all, { kind: 'failed', count: 0, text: '' }]), { text: 'Failed', count: 3, account: null })
  t.match(statusOf([...all, { kind: 'running', count: 0, text: '' }]), { text: 'Working', count: 3 })
  t.match(statusOf([...all.slice(0, 1), { kind: 'cancelled', count: 0, text: '' }]), { text: 'Paused', count: 3 })
  t.match(statusOf([items('a', 3), { kind: 'never_ran', count: 0, text: '' }]), { text: '3 need you' })
  t.match(statusOf([]), { text: 'In sync', count: 0, causes: [] })
})

t.test('an account that two pairs use needs one sign-in, and pairs that are off count only if all are', async (t) => {
  const features = [
    statusOf(
      causesOfFeature(
        'a',
        { feature: 'history', status: 'skipped', reason: 'auth_failed', about: [ACCOUNTS[0]!], open: 0, held: 0 },
        KNOWN,
      ),
    ),
  ]
  const pair = (id: string) =>
    statusOfPair({ id, enabled: true, running: false, accounts: ACCOUNTS, features }, NOW, KNOWN)
  t.match(statusOfAll([pair('a'), pair('b')]), { text: '1 needs you', count: 1 })
  t.match(statusOfAll([statusOf([items('a', 2)]), statusOf([items('b', 3)]), statusOf([off('c')])]), {
    text: '5 need you',
  })
  t.equal(statusOfAll([statusOf([]), statusOf([off('c')])]).text, 'In sync')
  t.equal(statusOfAll([statusOf([off('c')])]).text, 'Paused')
})

t.test('an account shows its own health and its pairs, and not the other account of a pair', async (t) => {
  const ends = { source: 'MEDIAB', source_instance: 'default', target: 'MEDIAC', target_instance: 'default' }
  const pairs = [{ id: 'a', name: 'Attic', ...ends }] as never
  const now = { health: new Map([['MEDIAC@default', 'down' as const]]), paused: false }
  const status = statusOfPair(
    { id: 'a', enabled: true, running: false, accounts: ACCOUNTS, features: [statusOf([])] },
    now,
    KNOWN,
  )
  const { accounts } = overviewOf({ pairs, statuses: new Map([['a', status]]), briefs: [] }, now, KNOWN)
  t.strictSame(
    accounts.map((one) => [one.name, one.status.text]),
    [
      ['Jellyfin', 'In sync'],
      ['Emby', 'Cannot reach Emby'],
    ],
  )
  t.equal(overviewOf({ pairs: [], statuses: new Map(), briefs: [] }, NOW, KNOWN).status.text, 'Paused')
})
