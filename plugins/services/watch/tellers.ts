// Who can tell what is playing: the connected profiles of all providers that say so.
import { type PlaySession, type PluginContext, PROVIDERS, type Provider, type Remote } from '@playhead/sdk'

/** A profile of a provider that can tell. */
export interface Teller {
  /** `MEDIAB` */
  readonly provider: string
  /** `mediaB` */
  readonly token: string
  readonly instance: string
  /** Another value is perhaps another account. */
  readonly fingerprint: string
  /** Throws as `Provider.playing`. */
  playing(signal: AbortSignal): Promise<readonly PlaySession[]>
}

type Telling = Required<Pick<Provider, 'describe' | 'profiles' | 'playing'>>

/** Asks no service and writes nothing. A provider that cannot say who it is, is left out. */
export async function findTellers(
  ctx: Pick<PluginContext, 'capabilities' | 'use' | 'log'>,
): Promise<readonly Teller[]> {
  const found = await Promise.all(
    ctx.capabilities(PROVIDERS).map(async (reference): Promise<readonly Teller[]> => {
      const provider = ctx.use(reference) as Remote<Telling>
      try {
        const { id, token, playing } = await provider.describe()
        if (playing !== true) return []
        const profiles = await provider.profiles()
        return profiles
          .filter(({ configured }) => configured)
          .map(({ id: instance, fingerprint }) => ({
            provider: id,
            token,
            instance,
            fingerprint,
            playing: (signal) => provider.playing(instance, signal),
          }))
      } catch (error) {
        ctx.log.warn(
          { err: error, capability: reference.token },
          'a provider does not say who it is; what plays there is not shown',
        )
        return []
      }
    }),
  )
  return found.flat()
}
