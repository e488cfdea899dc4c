// Finds the connected profiles that report their current sessions.
import { type PlaySession, type PluginContext, PROVIDERS, type Provider, type Remote } from '@playhead/sdk'

export interface SessionSource {
  /** `MEDIAB` */
  readonly provider: string
  /** `mediaB` */
  readonly token: string
  readonly instance: string
  /** A changed value may belong to another account. */
  readonly fingerprint: string
  /** Throws like `Provider.playing`. */
  playing(signal: AbortSignal): Promise<readonly PlaySession[]>
}

type SessionProvider = Required<Pick<Provider, 'describe' | 'profiles' | 'playing'>>

/** Local only: no service is called. A provider that cannot describe itself is left out. */
export async function findSessionSources(
  ctx: Pick<PluginContext, 'capabilities' | 'use' | 'log'>,
): Promise<readonly SessionSource[]> {
  const found = await Promise.all(
    ctx.capabilities(PROVIDERS).map(async (reference): Promise<readonly SessionSource[]> => {
      const provider = ctx.use(reference) as Remote<SessionProvider>
      try {
        const { id, token, playback } = await provider.describe()
        if (playback?.watch === undefined) return []
        const profiles = await provider.profiles()
        return profiles
          .filter(({ configured }) => configured)
          .map(({ id: instance, fingerprint }) => ({
            provider: id,
            token,
            instance,
            fingerprint,
            playing: async (signal) =>
              (await provider.playing(instance, {}, signal)).filter(({ account }) => account.relation === 'own'),
          }))
      } catch (error) {
        ctx.log.warn(
          { err: error, capability: reference.token },
          'a provider could not be described; its sessions are not shown',
        )
        return []
      }
    }),
  )
  return found.flat()
}
