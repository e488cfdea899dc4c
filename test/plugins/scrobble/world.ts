// Accounts and providers of a household: three media servers, two trackers, and one of each from unknown plugins.
import type { Account, ProviderDescription } from '@playhead/sdk'
import type { World } from '../../../plugins/services/scrobble/config/providers.ts'
import { normalizeScrobble, type ScrobbleConfig } from '../../../plugins/services/scrobble/settings.ts'

type Playback = NonNullable<ProviderDescription['playback']>

const RATINGS = {
  read: true,
  add: true,
  update: true,
  remove: true,
  kinds: ['movie'],
  needsAnyId: ['tmdb'],
  maxBatch: 1,
  idempotentAdd: true,
} as const

export function provider(token: string, label: string, playback?: Playback, rates = false): ProviderDescription {
  return {
    id: token.toUpperCase(),
    token,
    label,
    version: '1.0.0',
    vendor: null,
    description: null,
    group: playback?.scrobble === undefined ? 'media_server' : 'tracker',
    features: rates ? { ratings: RATINGS } : {},
    ...(playback === undefined ? {} : { playback }),
    bidirectional: true,
    signIn: {
      flow: 'token',
      methods: [],
      fields: [],
      actions: { start: false, finish: false, refresh: false, disconnect: true },
      verifyUrl: null,
      notes: null,
    },
  } as ProviderDescription
}

const webhook = (ratings: boolean) => ({ fields: ['payload'], ratings, setup: 'Settings, then Webhooks.' })
const scrobble = { kinds: ['movie', 'episode'], needsAnyId: ['tmdb'] } as const

export const DESCRIPTIONS = [
  provider('mediaA', 'Plex', { watch: 'push', webhook: webhook(true) }, true),
  provider('mediaB', 'Jellyfin', { watch: 'poll', webhook: webhook(false) }, true),
  provider('trackA', 'Trakt', { scrobble }, true),
  provider('trackB', 'SIMKL', { scrobble: { ...scrobble, smooth: true } }, true),
  provider('svc', 'Playhead', { scrobble }, true),
  provider('metaA', 'TMDB'),
  provider('barn', 'Barn cinema', { webhook: webhook(true) }),
  provider('diary', 'Film diary', { scrobble }),
]

export function account(name: string, instance = 'default', more: Partial<Account> = {}): Account {
  return {
    provider: name,
    instance,
    id: instance,
    uid: `${name}${instance}`,
    label: '',
    configured: true,
    fingerprint: 'f',
    ...more,
  }
}

export const ACCOUNTS = [
  account('MEDIAA', 'default', { label: 'Attic' }),
  account('MEDIAA', 'MEDIAA-P01', { libraries: { scrobble: ['3', '5'] } }),
  account('MEDIAB'),
  account('TRACKA'),
  account('TRACKA', 'TRACKA-P01', { label: 'Ann' }),
  account('TRACKA', 'TRACKA-P02', { configured: false }),
  account('TRACKB'),
  account('SVC'),
  account('METAA'),
  account('BARN'),
  account('DIARY'),
]

export const WORLD: World = { accounts: ACCOUNTS, descriptions: DESCRIPTIONS }

export function settings(section: object = {}): ScrobbleConfig {
  return normalizeScrobble(section)
}

export const ROUTE = { id: 'R1', provider: 'MEDIAA', sink: 'TRACKA' }
export const TOKEN = 'a-token-of-32-characters-of-text'

/** Field and code of the refused fields; other errors are thrown again. */
export function refusalOf(work: () => unknown): readonly string[] {
  try {
    work()
  } catch (error) {
    const { details } = error as { readonly details?: { readonly errors?: readonly { field: string; code: string }[] } }
    if (details?.errors === undefined) throw error
    return details.errors.map(({ field, code }) => `${field} ${code}`)
  }
  return []
}
