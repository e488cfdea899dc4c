// A provider in memory whose responses the test sets.
import {
  PlayheadError,
  type AccountHealth,
  type ProfileState,
  type Provider,
  type ProviderDescription,
} from '@playhead/sdk'

export interface FakeProvider extends Provider {
  /** The test may change it. */
  readonly rows: ProfileState[]
  /** Results of `probe` by profile; the default is `ok`. */
  readonly health: Map<string, () => AccountHealth | Promise<AccountHealth>>
  /** Profiles in the order of their probes. */
  readonly asked: string[]
  /** Calls with their arguments. */
  readonly calls: (readonly [name: string, ...args: unknown[]])[]
}

export function profile(id: string, more: Partial<ProfileState> = {}): ProfileState {
  return { id, label: '', configured: true, fingerprint: `f-${id}`, ...more }
}

export function fakeProvider(
  about: Partial<ProviderDescription> & Pick<ProviderDescription, 'id' | 'token' | 'label'>,
  profiles: readonly ProfileState[] = [profile('default')],
): FakeProvider {
  const rows = [...profiles]
  const health: FakeProvider['health'] = new Map()
  const asked: string[] = []
  const calls: FakeProvider['calls'] = []
  const never = () => {
    throw new Error('not part of this test')
  }
  return {
    rows,
    health,
    asked,
    calls,
    describe: () => ({
      version: '1.0.0',
      vendor: null,
      description: null,
      group: 'tracker',
      features: {},
      bidirectional: true,
      signIn: {
        flow: 'token',
        methods: ['password'],
        fields: [],
        verifyUrl: null,
        notes: null,
        actions: { start: true, finish: false, refresh: false, disconnect: true },
      },
      ...about,
    }),
    profiles: () => [...rows],
    async probe(instance) {
      asked.push(instance)
      return await (health.get(instance) ?? (() => ({ status: 'ok' as const })))()
    },
    read: never,
    write: never,
    libraries: async () => [],
    async createProfile(order) {
      calls.push(['createProfile', order])
      const number = rows.length
      if (number > 9)
        throw new PlayheadError('PLH_CONFLICT', 'There are already nine accounts.', { wire: 'profile_limit_reached' })
      const id = order.id ?? `${about.id}-P${String(number).padStart(2, '0')}`
      rows.push(profile(id, { label: order.label ?? '', configured: order.settings !== undefined }))
      return id
    },
    async saveProfile(instance, settings) {
      calls.push(['saveProfile', instance, settings])
      const at = rows.findIndex(({ id }) => id === instance)
      rows[at] = { ...rows[at]!, label: typeof settings['label'] === 'string' ? settings['label'] : '' }
    },
    async removeProfile(instance) {
      calls.push(['removeProfile', instance])
      rows.splice(
        rows.findIndex(({ id }) => id === instance),
        1,
      )
    },
    async disconnect(instance) {
      calls.push(['disconnect', instance])
    },
  }
}

export const jellyfin = (profiles?: readonly ProfileState[]) =>
  fakeProvider({ id: 'MEDIAB', token: 'mediaB', label: 'Jellyfin', group: 'media_server' }, profiles)
export const trakt = (profiles?: readonly ProfileState[]) =>
  fakeProvider({ id: 'TRACKA', token: 'trackA', label: 'Trakt' }, profiles)
export const tmdb = (profiles?: readonly ProfileState[]) =>
  fakeProvider({ id: 'METAA', token: 'metaA_sync', label: 'TMDB' }, profiles)
