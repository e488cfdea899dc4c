// Faults in storing the result of a sign-in: codes of Jellyfin, the redirect from AniList, tokens of Trakt.
import type { PluginApp } from '@playhead/sdk'
import anilist from '../../../plugins/providers/anilist/index.ts'
import jellyfin from '../../../plugins/providers/jellyfin/index.ts'
import trakt from '../../../plugins/providers/trakt/index.ts'
import anilistAdapter from '../adapters/anilist.ts'
import jellyfinAdapter from '../adapters/jellyfin.ts'
import traktAdapter from '../adapters/trakt.ts'
import { type Bad, type Habits, spoil, withAnswers, withParts } from './spoil.ts'

const flows = ['pending', 'authorised', 'expired', 'cancelled', 'restarted', 'reload', 'unreachable'].map(
  (name) => `sign-in.flow-${name}`,
)
const refreshes = ['once', 'kept', 'failing', 'same-account'].map((name) => `refresh.${name}`)
const ofJellyfin = { folder: 'jellyfin', adapter: jellyfinAdapter, checks: flows }
const redirects = ['pending', 'authorised', 'denied', 'expired', 'restarted', 'reload', 'unreachable'].map(
  (name) => `sign-in.flow-${name}`,
)
const shown = ['logs', 'shown', 'routes'].map((name) => `secrets.${name}`)
const ofAnilist = { folder: 'anilist', adapter: anilistAdapter, checks: [...redirects, ...shown] }
const ofTrakt = { folder: 'trakt', adapter: traktAdapter, checks: refreshes }
const forgetful: Habits = { ctx: () => ({ updateConfig: async () => {} }) }

export const badSignIns: readonly Bad[] = [
  {
    habit: 'does not store what an entered code gave',
    of: ofJellyfin,
    plugin: spoil(jellyfin, forgetful),
    fails: ['sign-in.flow-authorised', 'sign-in.flow-restarted', 'sign-in.flow-reload'],
  },
  {
    habit: 'forgets a pending sign-in with each reload',
    of: ofJellyfin,
    plugin: { ...jellyfin, handover: { give: () => [], take: () => {} } },
    fails: ['sign-in.flow-reload'],
  },
  {
    habit: 'says that a code was entered before it was',
    of: ofJellyfin,
    plugin: withAnswers(jellyfin, ({ path, body }) =>
      path.endsWith('/poll') ? { body: body.replace('"pending"', '"authorized"') } : undefined,
    ),
    fails: [
      'sign-in.flow-pending',
      'sign-in.flow-authorised',
      'sign-in.flow-expired',
      'sign-in.flow-restarted',
      'sign-in.flow-reload',
    ],
  },
  {
    habit: 'goes on with what was cancelled',
    of: ofJellyfin,
    plugin: {
      ...jellyfin,
      routes(app, made) {
        ;(app as PluginApp).addHook('preHandler', async (request, reply) => {
          if (request.routeOptions.url?.endsWith('/cancel') === true) return reply.send({ ok: true })
        })
        return jellyfin.routes?.(app, made)
      },
    },
    fails: ['sign-in.flow-cancelled'],
  },
  {
    habit: 'tells everybody who comes back that it worked',
    of: ofAnilist,
    plugin: withAnswers(anilist, ({ path }) => (path.startsWith('/callback') ? { status: 200 } : undefined)),
    fails: ['sign-in.flow-denied', 'sign-in.flow-expired', 'sign-in.flow-unreachable'],
  },
  {
    habit: 'shows its token to whoever asks',
    of: ofAnilist,
    plugin: withAnswers(anilist, ({ path, body, config }) =>
      path.endsWith('/status')
        ? { body: body.replace('{', `{"token":"${(config as { access_token: string }).access_token}",`) }
        : undefined,
    ),
    fails: ['secrets.routes'],
  },
  {
    habit: 'gives single plays without their times',
    of: { ...ofTrakt, checks: ['reads.plays', 'reads.values', 'reads.identity'] },
    plugin: spoil(
      trakt,
      withParts((part) => [
        part.type === 'rows' ? { ...part, rows: part.rows.map(({ watched_at: _at, ...row }) => row) } : part,
      ]),
    ),
    fails: ['reads.plays'],
  },
  {
    habit: 'does not store a refreshed token',
    of: ofTrakt,
    plugin: spoil(trakt, forgetful),
    fails: ['refresh.once', 'refresh.kept', 'refresh.failing', 'refresh.same-account'],
  },
  {
    habit: 'is another account with each token',
    of: ofTrakt,
    plugin: spoil(trakt, {
      provider: (good, ctx) => ({
        probe: async (...args) => ({
          ...(await good.probe(...args)),
          account:
            String((ctx.config as { access_token?: string }).access_token?.length) +
            String((ctx.config as { access_token?: string }).access_token?.at(-1)),
        }),
        profiles: () =>
          good
            .profiles()
            .map((profile) => ({
              ...profile,
              fingerprint:
                String((ctx.config as { expires_at?: number }).expires_at) +
                String((ctx.config as { refresh_token?: string }).refresh_token?.slice(0, 4)),
            })),
      }),
    }),
    fails: ['refresh.same-account'],
  },
]
