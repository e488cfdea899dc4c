// Bad at keeping what a sign-in gave: codes of Jellyfin, tokens of Trakt.
import jellyfin from '../../../plugins/providers/jellyfin/index.ts'
import trakt from '../../../plugins/providers/trakt/index.ts'
import jellyfinAdapter from '../adapters/jellyfin.ts'
import traktAdapter from '../adapters/trakt.ts'
import { type Bad, type Habits, spoil } from './spoil.ts'

const flows = ['pending', 'authorised', 'expired', 'cancelled', 'restarted', 'reload', 'unreachable'].map((name) => `sign-in.flow-${name}`)
const refreshes = ['once', 'kept', 'failing', 'same-account'].map((name) => `refresh.${name}`)
const ofJellyfin = { folder: 'jellyfin', adapter: jellyfinAdapter, checks: flows }
const ofTrakt = { folder: 'trakt', adapter: traktAdapter, checks: refreshes }
const forgetful: Habits = { ctx: () => ({ updateConfig: async () => {} }) }

export const badSignIns: readonly Bad[] = [
  {
    habit: 'does not store what an entered code gave', of: ofJellyfin,
    plugin: spoil(jellyfin, forgetful), fails: ['sign-in.flow-authorised', 'sign-in.flow-restarted', 'sign-in.flow-reload'],
  },
  {
    habit: 'forgets a pending sign-in with each reload', of: ofJellyfin,
    plugin: { ...jellyfin, handover: { give: () => [], take: () => {} } }, fails: ['sign-in.flow-reload'],
  },
  {
    habit: 'does not store a refreshed token', of: ofTrakt,
    plugin: spoil(trakt, forgetful), fails: ['refresh.once', 'refresh.kept', 'refresh.failing', 'refresh.same-account'],
  },
  {
    habit: 'is another account with each token', of: ofTrakt,
    plugin: spoil(trakt, {
      provider: (good, ctx) => ({
        probe: async (...args) => ({ ...await good.probe(...args), account: String((ctx.config as { access_token?: string }).access_token?.length) + String((ctx.config as { access_token?: string }).access_token?.at(-1)) }),
        profiles: () => good.profiles().map((profile) => ({ ...profile, fingerprint: String((ctx.config as { expires_at?: number }).expires_at) + String((ctx.config as { refresh_token?: string }).refresh_token?.slice(0, 4)) })),
      }),
    }),
    fails: ['refresh.same-account'],
  },
]
