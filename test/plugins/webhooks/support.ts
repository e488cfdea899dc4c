// The routes with a provider and a scrobbler that record their calls and return the test's answers.
import {
  definePlugin,
  type PlaybackDecision,
  type PlaySession,
  type PluginManifest,
  PlayheadError,
  type WebhookAccess,
  type WebhookCall,
  type WebhookInput,
  type WebhookReport,
  type WebhookRequest,
} from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import scrobbler from '../../../plugins/services/scrobble/plugin.json' with { type: 'json' }
import { registerWebhookRoutes } from '../../../plugins/services/scrobble/webhooks/routes.ts'

const { id, name, version, api, kind, logChannels, routes } = scrobbler
/** The part of the scrobbler's that is about webhooks. */
export const MANIFEST = {
  ...{ id, name, version, api, kind, logChannels },
  routes: routes.filter(({ path }) => path.startsWith('/webhook/')),
} as PluginManifest

export const PROFILE_TOKEN = 'profile-token-0123456789abcdefgh'
export const OLD_TOKEN = 'old-token-0123456789abcdefghijkl'
export const RATING_TOKEN = 'rating-token-0123456789abcdefghi'

export const EPISODE = {
  type: 'episode',
  title: 'Low Water',
  series_title: 'Harbour Nine',
  season: 2,
  episode: 3,
  ids: { tvdb: '9902013' },
} as const

export function sessionOf(changes: Partial<PlaySession> = {}): PlaySession {
  return {
    key: 'session-1',
    item: EPISODE,
    state: 'playing',
    account: { id: '1', name: 'harbourmaster', relation: 'own' },
    ...changes,
  }
}

export const STARTED: WebhookReport = { type: 'playback', event: 'media.play', action: 'start', session: sessionOf() }
export const RATED: WebhookReport = {
  type: 'rating',
  event: 'media.rate',
  item: { type: 'movie', title: 'The Tin Meridian', ids: { tmdb: '9900101' } },
  rating: 8,
  account: { name: 'harbourmaster', relation: 'own' },
}

const TARGET = { target: 'TRACKA', target_instance: 'default', ok: true, queued: true } as const
export const QUEUED: PlaybackDecision = { action: 'start', progress: 40, targets: [TARGET] }

export interface Behaviour {
  access?: (call: WebhookCall) => Promise<WebhookAccess>
  parse?: (request: WebhookRequest, signal: AbortSignal | undefined) => Promise<WebhookReport>
  decide?: () => Promise<PlaybackDecision>
}

export async function openBench(behaviour: Behaviour = {}) {
  const calls: WebhookCall[] = []
  const parsed: { readonly instance: string; readonly request: WebhookRequest }[] = []
  const played: WebhookInput<'playback'>[] = []
  const rated: WebhookInput<'rating'>[] = []
  const rightToken = async ({ profile, token, purpose }: WebhookCall): Promise<WebhookAccess> => {
    const expected = purpose === 'ratings' ? RATING_TOKEN : OLD_TOKEN
    if (profile === undefined && token !== expected) return { ok: false, reason: 'invalid_webhook_token' }
    if (profile !== undefined && profile !== PROFILE_TOKEN) return { ok: false, reason: 'invalid_profile' }
    return { ok: true, provider: 'MEDIAA', instance: 'MEDIAA-P02', scope: 'scope-1', needs: { libraries: true } }
  }
  const scrobble = {
    async access(call: WebhookCall) {
      calls.push(call)
      return (behaviour.access ?? rightToken)(call)
    },
    async play(input: WebhookInput<'playback'>) {
      played.push(input)
      return behaviour.decide?.() ?? QUEUED
    },
    async rate(input: WebhookInput<'rating'>) {
      rated.push(input)
      return behaviour.decide?.() ?? ({ ...QUEUED, action: 'rating' } as const)
    },
    streams: async () => [],
  }
  const provider = {
    describe: () => ({
      id: 'MEDIAA',
      token: 'mediaA',
      playback: { webhook: { fields: ['payload'], ratings: true, setup: '' } },
    }),
    async parseWebhook(instance: string, request: WebhookRequest, signal?: AbortSignal) {
      parsed.push({ instance, request })
      return behaviour.parse?.(request, signal) ?? STARTED
    },
  }
  const host = await createTestHost({
    plugin: definePlugin({ routes: (app) => registerWebhookRoutes(app, scrobble) }),
    manifest: MANIFEST,
    capabilities: { 'provider:MEDIAA': provider },
  })
  return {
    host,
    behaviour,
    calls,
    parsed,
    played,
    rated,
    async post(
      url: string,
      payload: string | object = { event: 'media.play' },
      headers: Readonly<Record<string, string>> = {},
      address = '192.168.1.5',
    ) {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
      const answer = await host.inject({ method: 'POST', url, payload: text, headers }, { session: null, address })
      return { status: answer.statusCode, headers: answer.headers, body: answer.json<Record<string, unknown>>() }
    },
    lines: () => host.logs.filter(({ channel }) => channel === 'WEBHOOK'),
    [Symbol.asyncDispose]: () => host.close(),
  }
}

export const gone = (): Promise<never> => Promise.reject(new PlayheadError('PLH_CAPABILITY_GONE', 'The plugin is off.'))
